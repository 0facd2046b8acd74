"""What an ad group says for itself: why it is as it is, what comes next, its hours, what a guard found. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from pabal.apps.adgroups.labels import CONDITIONS
from pabal.apps.adgroups.machine import AD_GROUP, Checked
from pabal.apps.adgroups.model.adgroups import AdGroup, Event, State
from pabal.apps.adgroups.model.dayparts import DAY, DayParts, Span, show_clock
from pabal.engine.machine import Refusal
from pabal.engine.recurrence import Weekday, find_zone
from pabal.platform.language.moments import show_date, show_time, show_zone
from pabal.platform.language.pairs import Lang, Pair, put

DAYS: dict[Weekday, Pair] = {
    Weekday.MON: ("Mon", "월"),
    Weekday.TUE: ("Tue", "화"),
    Weekday.WED: ("Wed", "수"),
    Weekday.THU: ("Thu", "목"),
    Weekday.FRI: ("Fri", "금"),
    Weekday.SAT: ("Sat", "토"),
    Weekday.SUN: ("Sun", "일"),
}
ALWAYS: Pair = ("all day, every day", "매일 온종일")
RIGHTS: dict[str, Pair] = {"write": ("change", "변경"), "manage": ("manage", "관리")}
NEAR = timedelta(hours=12)
# three in a row read better as a range
_RANGE = 3


@dataclass(frozen=True, slots=True)
class Sentence:
    """`values` are put into it; moments as the reader reads them."""

    pair: Pair
    values: Mapping[str, Any] = field(default_factory=dict)

    def tell(self, lang: Lang, show: Callable[[datetime], str]) -> str:
        return put(lang, self.pair, **{name: _show(value, lang, show) for name, value in self.values.items()})


def explain_state(group: AdGroup, now: datetime) -> Sentence:
    """Why it is where it is, and until when: the line under its name."""
    values = {"start": group.schedule.start_at, "end": group.schedule.end_at, "deleted": group.deleted_at}
    match group.state:
        case State.DRAFT | State.READY if now >= group.schedule.end_at:
            pair = ("its end {end} has passed: give it new dates", "종료 {end} 지남: 기간을 고치세요")
        case State.DRAFT:
            pair = _missing(group)
        case State.READY:
            pair = ("waiting for approval", "승인을 기다림")
        case State.APPROVED if group.schedule.is_held:
            pair = ("its start was taken out: move it or delete it", "시작이 취소됨: 시각을 다시 정하거나 삭제하세요")
        case State.APPROVED:
            pair = ("waiting until {start}", "{start}까지 대기")
        case State.RUNNING | State.PENDING:
            return _explain_hours(group, now)
        case State.PAUSED:
            pair = ("paused by hand until somebody resumes it; ends {end}", "누가 재개할 때까지 멈춤, 종료 {end}")
        case State.EXPIRED:
            pair = ("ended {end}", "{end}에 끝남")
        case _:
            pair = ("deleted {deleted}", "{deleted}에 삭제됨")
    return Sentence(pair, values)


def next_event(group: AdGroup, now: datetime) -> tuple[Event, datetime] | None:
    """What its state waits for, as its timers are armed; None: nothing comes by itself."""
    order = {event: number for number, event in enumerate(AD_GROUP.events)}
    due = sorted(AD_GROUP.due(group.state, group, now), key=lambda one: (one[1], order[one[0]]))
    return (Event(due[0][0]), due[0][1]) if due else None


def describe_hours(dayparts: DayParts | None, zone: str, now: datetime) -> Pair:
    """Mon–Fri 09:00–18:00; Sat, Sun 10:00–14:00 KST."""
    if dayparts is None:
        return ALWAYS
    shown = show_zone(now.astimezone(find_zone(zone)))
    english, korean = (_describe_week(dayparts, lang) for lang in (0, 1))
    return f"{english} {shown}", f"{korean} {shown}"


def describe_spans(spans: Sequence[Span], lang: int) -> str:
    return ", ".join(_describe_span(span, lang) for span in spans)


def tell_condition(checked: Checked, lang: Lang, show: Callable[[datetime], str]) -> str:
    """now 08:59 KST < start 09:00 KST."""
    known = CONDITIONS.get(checked.name)
    pair = (checked.name.replace("_", " "), checked.name) if known is None else known[0 if checked.holds else 1]
    return Sentence(pair, _worded(checked.values)).tell(lang, show)


def tell_refusal(refusal: Refusal, lang: Lang, show: Callable[[datetime], str]) -> str:
    return tell_condition(Checked(refusal.reason, False, refusal.values), lang, show)


def teller(now: datetime, zone: str, lang: Lang) -> Callable[[datetime], str]:
    """How sentences write moments: on one zone's clock."""
    return lambda moment: show_brief(moment, now, zone, lang)


def show_brief(moment: datetime, now: datetime, zone: str, lang: Lang) -> str:
    """The date only where it is not near: two moments of one night are compared by their times."""
    local, here = moment.astimezone(find_zone(zone)), now.astimezone(find_zone(zone))
    is_near = local.date() == here.date() or abs(moment - now) < NEAR
    said = f"{show_time(local, seconds=local.second > 0)} {show_zone(local)}"
    return said if is_near else f"{show_date(local, lang, this_year=here.year)} {said}"


def _missing(group: AdGroup) -> Pair:
    match group.creatives > 0, group.inventories > 0:
        case True, True:
            return "all set: complete its setup", "설정할 것이 다 있음: 설정 완료를 누르세요"
        case True, False:
            return "no inventory yet", "인벤토리가 아직 없음"
        case False, True:
            return "no creative yet", "소재가 아직 없음"
        case _:
            return "no creative and no inventory yet", "소재와 인벤토리가 아직 없음"


def _explain_hours(group: AdGroup, now: datetime) -> Sentence:
    coming = next_event(group, now)
    moment = coming[1] if coming is not None else group.schedule.end_at
    is_end = coming is None or coming[0] is Event.EXPIRE
    if group.state is State.PENDING:
        pair = ("waiting until {moment}", "{moment}까지 대기")
        ending = ("outside its hours until it ends {moment}", "남은 시간대 없이 {moment}에 끝남")
    else:
        pair = ("running until {moment}", "{moment}까지 송출")
        ending = ("running until it ends {moment}", "{moment}에 끝날 때까지 송출")
    return Sentence(ending if is_end else pair, {"moment": moment})


def _describe_week(dayparts: DayParts, lang: int) -> str:
    alike: dict[tuple[Span, ...], list[Weekday]] = {}
    for day, spans in zip(Weekday, dayparts.days, strict=True):
        if spans:
            alike.setdefault(spans, []).append(day)
    return "; ".join(f"{_name_days(days, lang)} {describe_spans(spans, lang)}" for spans, days in alike.items())


def _name_days(days: Sequence[Weekday], lang: int) -> str:
    if len(days) == len(Weekday):
        return ("every day", "매일")[lang]
    runs: list[list[Weekday]] = []
    for day in days:
        if runs and day == runs[-1][-1] + 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    return (", ", "·")[lang].join(_name_run(run, lang) for run in runs)


def _name_run(run: Sequence[Weekday], lang: int) -> str:
    names = [DAYS[day][lang] for day in run]
    return f"{names[0]}–{names[-1]}" if len(run) >= _RANGE else (", ", "·")[lang].join(names)


def _describe_span(span: Span, lang: int) -> str:
    if span.start == 0 and span.minutes == DAY:
        return ("all day", "온종일")[lang]
    start, end = show_clock(span.start), show_clock(span.end)
    if not span.is_overnight:
        return f"{start}–{'24:00' if span.end == 0 else end}"
    return (f"{start}–{end} the next day", f"{start}–다음 날 {end}")[lang]


def _worded(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: RIGHTS.get(value, value) if name == "right" else value for name, value in values.items()}


def _show(value: Any, lang: Lang, show: Callable[[datetime], str]) -> Any:
    if isinstance(value, datetime):
        return show(value)
    return put(lang, value) if isinstance(value, tuple) else "–" if value is None else value
