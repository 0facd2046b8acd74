"""Alerts: what is wrong, who takes care of it, and the rules that notice."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Path, Query
from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import (
    AlertId,
    Asked,
    Shown,
    UnitId,
    answer,
    by_id,
    fill,
    house_of,
    may_read,
    no_content,
    noun,
    read_id,
)
from pabal.base.database import Tx
from pabal.engine import ids, listing
from pabal.platform import alerts
from pabal.platform.alerts import Alert, RuleSeen, Wanted
from pabal.platform.language.pairs import put
from pabal.platform.web.etags import answer_one, expected_version, matching
from pabal.platform.web.filters import Listed, Moment, Text, Word
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_all, answer_list
from pabal.platform.web.visit import Visit

router = noun("alerts")
AREA = alerts.AREA
RuleName = Annotated[str, Path(max_length=200, description="The rule's name.", examples=["engine.stuck_work"])]


class AlertFilter(Listed):
    state: Literal["firing", "acknowledged", "silenced", "resolved"] | None = None
    open: Annotated[bool | None, Field(description="Only those that are open, or only those that are over.")] = None
    rule: Annotated[Word | None, Field(examples=["engine.stuck_work"])] = None


class AlertShown(Shown):
    id: str = Field(examples=["alr_01h2xcejqtf2n"])
    unit_id: UnitId
    rule: str = Field(examples=["engine.stuck_work"])
    label: str = Field(examples=["Work is stuck"])
    advice: str = Field(examples=["See whether a server runs its kind."])
    about: str = Field(examples=[""])
    level: str = Field(examples=["failure"])
    state: str = Field(examples=["firing"])
    version: int = Field(examples=[1])
    value: float = Field(examples=[412.0])
    worst: float = Field(examples=[412.0])
    threshold: float = Field(examples=[300.0])
    since: datetime
    fired_at: datetime
    seen_at: datetime
    silenced_until: datetime | None
    resolved_at: datetime | None
    said_by: str = Field(examples=["engine"])
    note: str | None = Field(examples=[None])


class Note(Asked):
    note: Text = Field(default="", examples=["looking at it"])


class Silence(Note):
    until: Moment


class RuleShown(Shown):
    """How a rule stands now. `silenced_until` is set while planned work keeps it silent."""

    name: str = Field(examples=["engine.stuck_work"])
    label: str = Field(examples=["Work is stuck"])
    advice: str = Field(examples=["See whether a server runs its kind."])
    app: str = Field(examples=["engine"])
    measure: str = Field(examples=["work.oldest_ready"])
    measure_unit: str = Field(examples=["s"])
    beyond: str = Field(examples=["above"])
    threshold: float = Field(examples=[300.0])
    held_for_seconds: float = Field(examples=[120.0])
    level: str = Field(examples=["failure"])
    state: str = Field(examples=["ok"])
    open_count: int = Field(examples=[0])
    worst_value: float | None = Field(examples=[2.5])
    last_fired_at: datetime | None
    silenced_until: datetime | None


@router.get("/alerts", response_model=Page[AlertShown])
async def list_alerts(visit: Visitor, wanted: Annotated[AlertFilter, Query()]) -> Response:
    """Lists alerts, the newest first."""
    may_read(visit, AREA)

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[Alert]:
        asked = Wanted(wanted.open, wanted.state, wanted.rule, read_id(cursor))
        found = await alerts.list_alerts(tx, visit.scope, asked, limit=limit + 1)
        return by_id(found, limit, lambda one: one.id)

    def show(alert: Alert) -> AlertShown:
        return _show(visit, alert)

    return await answer_list(visit, wanted, Source("alerts", AlertShown, load, show))


@router.get("/alerts/{id}", response_model=AlertShown)
async def get_alert(visit: Visitor, id: AlertId) -> Response:
    """Shows one alert."""
    may_read(visit, AREA)
    async with visit.read() as tx:
        found = await alerts.get_alert(tx, visit.scope, id)
    return answer_one(visit, _show(visit, found), version=found.version)


@router.post("/alerts/{id}/acknowledge", response_model=AlertShown)
async def acknowledge_alert(visit: Visitor, once: OnceOnly, id: AlertId, asked: Note) -> Response:
    """Takes care of an alert: nobody is reminded of it any more."""

    async def act(tx: Tx) -> Response:
        with matching():
            moved = await alerts.acknowledge(tx, visit.actor, id, note=asked.note, version=expected_version(visit))
        return answer(_show(visit, moved))

    return await once.run(act)


@router.post("/alerts/{id}/silence", response_model=AlertShown)
async def silence_alert(visit: Visitor, once: OnceOnly, id: AlertId, asked: Silence) -> Response:
    """Silences an alert until a moment; if it has not ended by then, it fires again."""

    async def act(tx: Tx) -> Response:
        version = expected_version(visit)
        with matching():
            moved = await alerts.silence(tx, visit.actor, id, until=asked.until, note=asked.note, version=version)
        return answer(_show(visit, moved))

    return await once.run(act)


@router.post("/alerts/{id}/unsilence", response_model=AlertShown)
async def unsilence_alert(visit: Visitor, once: OnceOnly, id: AlertId, asked: Note) -> Response:
    """Lets a silenced alert fire again."""

    async def act(tx: Tx) -> Response:
        with matching():
            moved = await alerts.unsilence(tx, visit.actor, id, note=asked.note, version=expected_version(visit))
        return answer(_show(visit, moved))

    return await once.run(act)


@router.get("/alert-rules", response_model=Page[RuleShown])
async def list_alert_rules(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Lists the rules that notice what is wrong, and how each stands now."""
    may_read(visit, AREA)
    async with visit.read() as tx:
        found = await alerts.list_rules(tx, visit.scope, house_of(visit).rules)
    return answer_all([_show_rule(visit, one) for one in found])


@router.post("/alert-rules/{name}/silence", status_code=204)
async def silence_rule(visit: Visitor, once: OnceOnly, name: RuleName, asked: Silence) -> Response:
    """Silences a rule for planned work, for the whole house."""

    async def act(tx: Tx) -> Response:
        rule = alerts.find_rule(house_of(visit).rules, name)
        await alerts.silence_rule(tx, visit.actor, rule, until=asked.until, note=asked.note)
        return no_content()

    return await once.run(act)


@router.post("/alert-rules/{name}/unsilence", status_code=204)
async def unsilence_rule(visit: Visitor, once: OnceOnly, name: RuleName) -> Response:
    """Ends the silence of a rule."""

    async def act(tx: Tx) -> Response:
        await alerts.unsilence_rule(tx, visit.actor, alerts.find_rule(house_of(visit).rules, name))
        return no_content()

    return await once.run(act)


def _show(visit: Visit, alert: Alert) -> AlertShown:
    rule = next((one for one in house_of(visit).rules if one.name == alert.rule), None)
    return fill(
        AlertShown,
        alert,
        id=ids.show("alr", alert.id),
        label=alert.rule if rule is None else put(visit.lang, rule.label),
        advice="" if rule is None else put(visit.lang, rule.advice),
    )


def _show_rule(visit: Visit, seen: RuleSeen) -> RuleShown:
    rule = seen.rule
    return RuleShown(
        name=rule.name,
        label=put(visit.lang, rule.label),
        advice=put(visit.lang, rule.advice),
        app=rule.area,
        measure=rule.measure.name,
        measure_unit=rule.measure.unit,
        beyond=seen.limit.beyond,
        threshold=seen.limit.threshold,
        held_for_seconds=seen.limit.held_for.total_seconds(),
        level=rule.level,
        state=seen.state,
        open_count=seen.open_count,
        worst_value=None if seen.worst is None else seen.worst.last_value,
        last_fired_at=seen.last_fired_at,
        silenced_until=None if seen.silence is None else seen.silence.until,
    )
