"""One alert: its story, what was measured, and what people may say to it: acknowledge, silence, end the silence."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path
from fastapi.responses import JSONResponse, Response
from markupsafe import Markup

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.engine import ids, listing
from pabal.engine.listing.history import Wanted
from pabal.engine.transitions import Transition
from pabal.platform import alerts, settings
from pabal.platform.actor import Right
from pabal.platform.alerts import Alert, AlertRule, BadSilence, Chart, Limit, Point
from pabal.platform.alerts.sampling import read_gap
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.language.values import show_value
from pabal.platform.web.actors import ENGINE, name_actors
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import back_to
from pabal.platform.web.visit import Visit

BEFORE, AFTER = timedelta(hours=1), timedelta(minutes=30)
SHORTEST, LONGEST = timedelta(hours=3), timedelta(hours=24)
POINTS = 180
MOST_LINES = 200

_SAID: dict[str, tuple[Pair, str]] = {
    "begin": (("It fired.", "경보가 발생했습니다."), "fail"),
    "acknowledge": (("Acknowledged by {who}.", "확인함 — {who}"), "attn"),
    "silence": (("Silenced by {who}.", "무음으로 둠 — {who}"), "attn"),
    "unsilence": (("Its silence was lifted by {who}.", "무음을 풂 — {who}"), "fail"),
    "resolve": (("It is over.", "해소됐습니다."), "good"),
}
_SILENCE_ENDED: Pair = ("Its silence ended, and it fires again.", "무음이 끝나 다시 울립니다.")
_REASONS: dict[str, Pair] = {
    "the condition is gone": ("The condition is gone.", "기준을 벗어나지 않게 됐습니다."),
    "nobody measures it any more": ("Nobody measures it any more.", "더는 재지 않습니다."),
}


@dataclass(frozen=True, slots=True)
class Measured:
    """A stretch of the series, the limit it is judged by, and a gap longer than which the line breaks."""

    since: datetime
    until: datetime
    points: list[Point]
    limit: float
    gap: timedelta


async def tell_story(tx: Tx, visit: Visit, alert: Alert, rule: AlertRule | None) -> list[dict[str, Any]]:
    """Oldest first, as the macro `why` draws it: what holds now and what lies ahead are at the end."""
    wanted = Wanted(units=visit.scope.listed, machine=alerts.ALERT.name, subject=alert.id)
    page = await listing.list_transitions(tx, wanted, limit=MOST_LINES)
    names = await name_actors(tx, visit, [one.actor for one in page.items])
    lines = [(one.at, _line(visit, one, names[one.actor])) for one in reversed(page.items)]
    lines.insert(0, (alert.since, _breach(visit, alert, rule)))
    if alert.told_at is not None:
        lines.append((alert.told_at, _item(visit, ("People were told.", "사람들에게 알렸습니다."))))
    told = [
        {**item, "at": visit.voice.when(at, "2", seconds=True)} for at, item in sorted(lines, key=lambda one: one[0])
    ]
    return told if alert.resolved_at is not None else [*told, *await _ahead(tx, visit, alert, rule)]


async def read_points(tx: Tx, visit: Visit, alert: Alert, rule: AlertRule) -> Measured:
    since, until = frame(alert, visit.now)
    chart = Chart(rule.measure.name, since, until, POINTS, alert.about)
    points = await alerts.read_series(tx, visit.scope, chart)
    every = await settings.value(tx, alerts.SAMPLE_EVERY)
    limits = await alerts.read_limits(tx, [rule])
    limit = alert.threshold if alert.resolved_at is not None else limits[rule.name].threshold
    return Measured(since, until, points, limit, 4 * max(every, (until - since) / POINTS))


def frame(alert: Alert, now: datetime) -> tuple[datetime, datetime]:
    """From before the breach to now, or to a while after its end; three hours at least, a day at most."""
    until = now if alert.resolved_at is None else min(now, alert.resolved_at + AFTER)
    since = min(alert.since - BEFORE, until - SHORTEST)
    return max(since, until - LONGEST), until


def draw(visit: Visit, rule: AlertRule, measured: Measured) -> dict[str, Any]:
    """For the chart's script; a hole in the samples is a hole in the line."""
    line: list[tuple[str, float | None]] = []
    last = None
    for point in measured.points:
        if last is not None and point.at - last > measured.gap:
            line.append((last.isoformat(), None))
        line.append((point.at.isoformat(), _peak(point, rule)))
        last = point.at
    unit = rule.measure.unit
    label = visit.say("limit {value}", "기준 {value}", value=show_value(measured.limit, unit, visit.lang))
    return {
        "series": [{"name": visit.say(*rule.measure.label), "points": line, "kind": "line"}],
        "limit": {"value": measured.limit, "label": label},
        "unit": unit,
    }


def tell_in_words(visit: Visit, rule: AlertRule, measured: Measured) -> str:
    """The same as the drawing."""
    if not measured.points:
        return visit.say("No samples are kept of that time.", "그때의 측정값이 남아 있지 않습니다.")
    broken = Limit(rule.beyond, measured.limit, rule.held_for).is_broken_by
    beyond = sum(broken(_peak(point, rule)) for point in measured.points)
    values = {
        "since": visit.voice.moment(measured.points[0].at),
        "until": visit.voice.moment(measured.until),
        "low": show_value(min(point.low for point in measured.points), rule.measure.unit, visit.lang),
        "high": show_value(max(point.high for point in measured.points), rule.measure.unit, visit.lang),
        "limit": show_value(measured.limit, rule.measure.unit, visit.lang),
        "percent": round(100 * beyond / len(measured.points)),
    }
    return visit.say(
        "From {since} to {until}: between {low} and {high}, beyond the limit of {limit} for {percent} % of the time.",
        "{since}부터 {until}까지: {low}에서 {high} 사이, 기준({limit})을 벗어난 시간 {percent}%.",
        **values,
    )


def _peak(point: Point, rule: AlertRule) -> float:
    return point.high if rule.beyond == "above" else point.low


def _line(visit: Visit, made: Transition, who: str) -> dict[str, Any]:
    pair, look = _SAID.get(made.event, ((f"{made.event}: {made.target}", f"{made.event}: {made.target}"), ""))
    if made.event == "unsilence" and made.actor == ENGINE:
        return _item(visit, _SILENCE_ENDED, look)
    if made.actor == ENGINE and made.reason in _REASONS:
        return _item(visit, pair, look, fact=visit.say(*_REASONS[made.reason]))
    return _item(visit, pair, look, fact=f"“{made.reason}”" if made.reason else "", who=who)


def _breach(visit: Visit, alert: Alert, rule: AlertRule | None) -> dict[str, Any]:
    measure = (alert.rule, alert.rule) if rule is None else rule.measure.label
    limit = show_value(alert.threshold, "" if rule is None else rule.measure.unit, visit.lang)
    said: Pair = ("{measure} passed the limit of {limit}.", "{measure}: 기준({limit})을 벗어났습니다.")
    return _item(visit, said, "attn", measure=visit.say(*measure), limit=limit)


async def _ahead(tx: Tx, visit: Visit, alert: Alert, rule: AlertRule | None) -> list[dict[str, Any]]:
    items = [] if rule is None else [await _now(tx, visit, alert, rule)]
    if alert.state == "silenced" and alert.silenced_until is not None:
        said: Pair = (
            "The silence ends. If it is not over by then, it fires again.",
            "무음이 끝납니다. 그때도 그대로면 다시 울립니다.",
        )
        items.append({**_item(visit, said), "at": visit.voice.when(alert.silenced_until, "2"), "future": True})
    elif alert.state == "firing" and alert.told_at is not None:
        again = alert.told_at + await settings.value(tx, alerts.REMIND_AFTER)
        said = ("People are told again, unless somebody acknowledges it.", "아무도 확인하지 않으면 다시 알립니다.")
        items.append({**_item(visit, said), "at": visit.voice.when(again, "2"), "future": True})
    return items


async def _now(tx: Tx, visit: Visit, alert: Alert, rule: AlertRule) -> dict[str, Any]:
    limit = (await alerts.read_limits(tx, [rule]))[rule.name]
    value = show_value(alert.value, rule.measure.unit, visit.lang)
    said: Pair = (
        "Last measured: {value}. It ends by itself after {span} within the limit.",
        "마지막으로 잰 값 {value}. {span} 동안 기준 안에 있으면 저절로 끝납니다.",
    )
    item = _item(visit, said, value=value, span=visit.voice.span(limit.held_for))
    return {**item, "at": Markup('<span class="dim">{}</span>').format(visit.say("now", "지금")), "now": True}


def _item(visit: Visit, said: Pair, look: str = "", *, fact: str = "", **values: Any) -> dict[str, Any]:
    return {"text": visit.say(*said, **values) if values else visit.say(*said), "cls": look, "fact": fact}


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
