"""Alerts: what is wrong now and who takes care of it, what is over, and the rules that notice."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.console.alert import (
    AREA,
    SILENT_UNTIL,
    TOPICS,
    Length,
    Note,
    Until,
    end_of_silence,
    faults_of_silence,
    make_rows,
    next_morning,
)
from pabal.platform import alerts, tenants
from pabal.platform.actor import Right
from pabal.platform.alerts import RuleSeen, Wanted
from pabal.platform.alerts.sampling import read_gap
from pabal.platform.language.pairs import Pair
from pabal.platform.language.values import show_value
from pabal.platform.settings import name_group
from pabal.platform.web.actors import name_actors
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import cut_by_id, read_before
from pabal.platform.web.lists import Word, turn
from pabal.platform.web.many import offer
from pabal.platform.web.visit import Visit
from pabal.resources.alerts import AlertFilter

router = APIRouter()
SHOWN = 100
PAGE = 50
ENGINE: Pair = ("Engine", "엔진")


class Filters(BaseModel):
    """What the address says; empty means any."""

    view: Word = ""
    rule: Word = ""
    app: Word = ""
    cursor: Word = ""


@dataclass(frozen=True, slots=True)
class RuleRow:
    seen: RuleSeen
    threshold: str
    now: str
    is_fresh: bool
    who: str


@router.get("/alerts")
async def list_alerts(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    return await (_show_history(visit, filters) if filters.view == "history" else _show_now(visit, filters))


@router.post("/alerts/rules/silence")
async def silence_rule(
    visit: Visitor, rule: Annotated[str, Form()], length: Length = "custom", until: Until = "", silence_note: Note = ""
) -> Response:
    wanted = alerts.find_rule(visit.site.rules, rule)
    try:
        end = end_of_silence(visit, length, until)
        async with visit.change() as tx:
            await alerts.silence_rule(tx, visit.actor, wanted, until=end, note=silence_note)
    except Invalid as error:
        typed = {"rule": rule, "length": length, "until": until, "silence_note": silence_note}
        return await _show_now(visit, Filters(), errors=faults_of_silence(visit, error), typed=typed)
    return visit.go("/alerts#rules", said=SILENT_UNTIL, until=visit.voice.moment(end))


@router.post("/alerts/rules/unsilence")
async def unsilence_rule(visit: Visitor, rule: Annotated[str, Form()]) -> Response:
    wanted = alerts.find_rule(visit.site.rules, rule)
    async with visit.change() as tx:
        await alerts.unsilence_rule(tx, visit.actor, wanted)
    return visit.go("/alerts#rules", said=("It may be heard again.", "무음을 풀었습니다."))


async def _show_now(
    visit: Visit, filters: Filters, *, errors: list[tuple[str, str]] | None = None, typed: dict[str, Any] | None = None
) -> Response:
    async with visit.read() as tx:
        rows = await make_rows(tx, visit, await alerts.list_open(tx, visit.scope, limit=SHOWN))
        counts = await alerts.count_open(tx, visit.scope)
        seen = await alerts.list_rules(tx, visit.scope, visit.site.rules)
        rules = await _make_rule_rows(tx, visit, seen)
        sees_house = (await tenants.visible_to(tx, visit.actor)).units is None
    return await visit.show(
        "alerts.html",
        422 if errors else 200,
        rows=rows,
        offer=offer(visit, "platform.alerts", AlertFilter(open=True), total=len(rows)) if len(rows) > 1 else None,
        counts=counts,
        quiet=sum(one.state == "ok" for one in seen),
        rules=[one for one in rules if filters.app in ("", one.seen.rule.area)],
        apps=_list_apps(visit),
        settings_page=f"/settings?group={name_group(alerts.REMIND_AFTER.group)}",
        filters=filters,
        may_silence=sees_house and visit.may("write", AREA),
        errors=errors or [],
        typed=typed or {},
        morning=next_morning(visit),
        live_topics=TOPICS,
        topics=TOPICS,
    )


async def _show_history(visit: Visit, filters: Filters) -> Response:
    async with visit.read() as tx:
        wanted = Wanted(is_open=False, rule=filters.rule or None, before=read_before(filters.cursor))
        page = cut_by_id(await alerts.list_alerts(tx, visit.scope, wanted, limit=PAGE + 1), PAGE)
        rows = await make_rows(tx, visit, page.items)
        counts = await alerts.count_open(tx, visit.scope)
    choices = [(rule.name, visit.say(*rule.label)) for rule in visit.site.rules]
    return await visit.show(
        "alerts_history.html",
        rows=rows,
        counts=counts,
        choices=choices,
        filters=filters,
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
        topics=TOPICS,
    )


async def _make_rule_rows(tx: Tx, visit: Visit, seen: list[RuleSeen]) -> list[RuleRow]:
    names = await name_actors(tx, visit, [one.silence.by_name for one in seen if one.silence is not None])
    gap = await read_gap(tx)
    return [
        RuleRow(
            seen=one,
            threshold=show_value(one.limit.threshold, one.rule.measure.unit, visit.lang),
            now="" if one.worst is None else show_value(one.worst.last_value, one.rule.measure.unit, visit.lang),
            is_fresh=one.worst is not None and visit.now - one.worst.last_at <= gap,
            who="" if one.silence is None else names[one.silence.by_name],
        )
        for one in seen
    ]


def _list_apps(visit: Visit) -> list[tuple[str, str]]:
    """Whose rules there are, in the order declared."""
    labels = {one.name: one.label for one in visit.site.slices}
    areas = dict.fromkeys(rule.area for rule in visit.site.rules)
    return [(area, visit.say(*(labels.get(area, (area, area)) if area != "engine" else ENGINE))) for area in areas]
