"""One alert: its story, what was measured, and what people may say to it: acknowledge, silence, end the silence."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path
from fastapi.responses import JSONResponse, Response

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.console.alert_story import draw, read_points, tell_in_words, tell_story
from pabal.console.values import show_value
from pabal.engine import ids
from pabal.platform import alerts
from pabal.platform.actor import Right
from pabal.platform.alerts import Alert, AlertRule, BadSilence
from pabal.platform.alerts.sampling import read_gap
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.web.actors import name_actors
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import back_to
from pabal.platform.web.visit import Visit

router = APIRouter()
AREA = alerts.AREA
TOPICS = "alerts.*,alert.*"
MORNING = time(9)
LENGTHS = {"1h": timedelta(hours=1), "8h": timedelta(hours=8)}

AlertId = Annotated[int, Path(gt=0, lt=2**63)]
# longer than a note may be: then it is said at the field, and what was typed stays
Note = Annotated[str, Form(max_length=5000)]
Length = Annotated[str, Form(max_length=20)]
Until = Annotated[str, Form(max_length=40)]


@dataclass(frozen=True, slots=True)
class Row:
    """An alert as lists show it. `href` is where to look, `link` what it is about; what is not fresh is not now."""

    alert: Alert
    rule: AlertRule | None
    label: str
    value: str
    worst: str
    threshold: str
    href: str
    link: str | None
    who: str
    is_fresh: bool


@router.get("/alerts/{alert_id}")
async def alert(visit: Visitor, alert_id: AlertId) -> Response:
    visit.actor.require(Right.READ, AREA)
    return await _show(visit, alert_id)


@router.get("/alerts/{alert_id}/points")
async def points(visit: Visitor, alert_id: AlertId) -> Response:
    """What the chart draws."""
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        found = await alerts.get_alert(tx, visit.scope, alert_id)
        rule = find_rule_of(visit, found)
        return JSONResponse(None if rule is None else draw(visit, rule, await read_points(tx, visit, found, rule)))


@router.post("/alerts/{alert_id}/acknowledge")
async def acknowledge(
    visit: Visitor, alert_id: AlertId, note: Note = "", back: Annotated[str, Form()] = "/alerts"
) -> Response:
    try:
        async with visit.change() as tx:
            await alerts.acknowledge(tx, visit.actor, alert_id, note=note)
    except Invalid as error:
        return await _show(visit, alert_id, errors=[("note", explain(error, visit.lang))], typed={"note": note})
    said: Pair = ("Acknowledged: nobody is reminded of it.", "확인했습니다. 다시 알리지 않습니다.")
    return visit.go(back_to(back, "/alerts"), said=said)


@router.post("/alerts/{alert_id}/silence")
async def silence(
    visit: Visitor,
    alert_id: AlertId,
    length: Length = "custom",
    until: Until = "",
    silence_note: Note = "",
    back: Annotated[str, Form()] = "/alerts",
) -> Response:
    try:
        end = end_of_silence(visit, length, until)
        async with visit.change() as tx:
            await alerts.silence(tx, visit.actor, alert_id, until=end, note=silence_note)
    except Invalid as error:
        typed = {"length": length, "until": until, "silence_note": silence_note}
        return await _show(visit, alert_id, errors=faults_of_silence(visit, error), typed=typed)
    return visit.go(back_to(back, "/alerts"), said=SILENT_UNTIL, until=visit.voice.moment(end))


@router.post("/alerts/{alert_id}/unsilence")
async def unsilence(visit: Visitor, alert_id: AlertId, back: Annotated[str, Form()] = "/alerts") -> Response:
    async with visit.change() as tx:
        await alerts.unsilence(tx, visit.actor, alert_id)
    return visit.go(back_to(back, "/alerts"), said=("It may be heard again.", "무음을 풀었습니다."))


SILENT_UNTIL: Pair = ("Silent until {until}.", "{until}까지 무음입니다.")


def end_of_silence(visit: Visit, length: str, until: str) -> datetime:
    """A named length, or a moment of the visitor's wall clock."""
    if length in LENGTHS:
        return visit.now + LENGTHS[length]
    if length == "morning":
        return next_morning(visit)
    try:
        moment = datetime.fromisoformat(until)
    except ValueError as error:
        raise BadSilence(until) from error
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=visit.zone)


def next_morning(visit: Visit) -> datetime:
    tomorrow = visit.now.astimezone(visit.zone).date() + timedelta(days=1)
    return datetime.combine(tomorrow, MORNING, tzinfo=visit.zone)


def faults_of_silence(visit: Visit, error: Invalid) -> list[tuple[str, str]]:
    return [("until" if isinstance(error, BadSilence) else "silence_note", explain(error, visit.lang))]


def find_rule_of(visit: Visit, alert: Alert) -> AlertRule | None:
    """None: the rule is not in this server's code any more."""
    return next((rule for rule in visit.site.rules if rule.name == alert.rule), None)


async def make_rows(tx: Tx, visit: Visit, found: list[Alert]) -> list[Row]:
    names = await name_actors(tx, visit, [one.said_by for one in found])
    gap = await read_gap(tx)
    return [_row(visit, one, names[one.said_by], is_fresh=visit.now - one.seen_at <= gap) for one in found]


def _row(visit: Visit, alert: Alert, who: str, *, is_fresh: bool) -> Row:
    rule = find_rule_of(visit, alert)
    unit = "" if rule is None else rule.measure.unit
    return Row(
        alert=alert,
        rule=rule,
        label=alert.rule if rule is None else visit.say(*rule.label),
        value=show_value(alert.value, unit, visit.lang),
        worst=show_value(alert.worst, unit, visit.lang),
        threshold=show_value(alert.threshold, unit, visit.lang),
        href="" if rule is None else rule.href,
        link=visit.site.link(alert.about),
        who=who,
        is_fresh=is_fresh,
    )


async def _show(
    visit: Visit, alert_id: int, *, errors: list[tuple[str, str]] | None = None, typed: dict[str, Any] | None = None
) -> Response:
    async with visit.read() as tx:
        found = await alerts.get_alert(tx, visit.scope, alert_id)
        [row] = await make_rows(tx, visit, [found])
        story = await tell_story(tx, visit, found, row.rule)
        words = (
            "" if row.rule is None else tell_in_words(visit, row.rule, await read_points(tx, visit, found, row.rule))
        )
    return await visit.show(
        "alert.html",
        422 if errors else 200,
        row=row,
        shown=ids.show("alr", found.id),
        items=story,
        words=words,
        errors=errors or [],
        typed=typed or {},
        morning=next_morning(visit),
        live_topics=TOPICS,
        topics=TOPICS,
    )
