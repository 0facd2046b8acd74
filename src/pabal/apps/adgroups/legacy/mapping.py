"""What an old row means here: its dates and hours read, its state calculated and translated, doubts noted. Pure."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, time
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from pabal.apps.adgroups.errors import BadDayParts
from pabal.apps.adgroups.legacy.model import Mark, Refusal
from pabal.apps.adgroups.model.adgroups import ZONE, State
from pabal.apps.adgroups.model.calculator import Calculated, Dates, calculate, to_state
from pabal.apps.adgroups.model.calendars import Calendar
from pabal.apps.adgroups.model.dayparts import DayParts
from pabal.engine.recurrence import UnknownZone, find_zone, instant_of

LONGEST_NAME = 200
LONGEST_URL = 2000
_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# In the old enum PENDING meant paused.
_PAUSED = ("PENDING", "PAUSED")
_MAY_PAUSE = (State.APPROVED, State.RUNNING, State.PENDING)
_MOMENTS = ("start_at", "end_at", "ready_at", "ready_confirmed_at", "deleted_at")

Raw = Mapping[str, Any]
# what is there, trimmed
Said = Mapping[str, str]


class Decided(NamedTuple):
    """What an old ad group is here, at one moment."""

    calculated: Calculated
    state: State
    marks: list[str]


class _Refused(Exception):
    def __init__(self, refusal: Refusal, problem: str) -> None:
        super().__init__(problem)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Old:
    """A row that can be brought over."""

    dates: Dates
    zone: str
    dayparts: str | None
    old_status: str | None


@dataclass(slots=True)
class Planned:
    """A row as it was read, whether it can be brought over or not."""

    n: int
    legacy_id: str | None
    name: str | None
    campaign: str | None
    old: Old | None = None
    creatives: list[str] = field(default_factory=list)
    inventory: list[str] = field(default_factory=list)
    calculated: str | None = None
    state: str | None = None
    marks: list[str] = field(default_factory=list)
    refusal: str | None = None
    problem: str | None = None


def plan_row(n: int, raw: Raw, now: datetime) -> Planned:
    said = {name: text for name, value in raw.items() if value is not None and (text := str(value).strip())}
    name, legacy_id, campaign = said.get("name"), said.get("id"), said.get("campaign")
    planned = Planned(
        n, legacy_id, (name or legacy_id or "")[:LONGEST_NAME] or None, campaign and campaign[:LONGEST_NAME]
    )
    try:
        planned.old = _read_old(said)
    except _Refused as refused:
        planned.refusal, planned.problem = refused.refusal, str(refused)[:200]
        return planned
    decided = decide(planned.old, now)
    planned.calculated, planned.state, planned.marks = decided.calculated, decided.state, decided.marks
    _read_things(planned, said)
    if name is not None and len(name) > LONGEST_NAME:
        planned.marks.append(Mark.NAME_CUT)
    return planned


def _read_old(said: Said) -> Old:
    """Raises the first reason why it cannot be brought over."""
    if "id" not in said:
        raise _Refused(Refusal.NO_ID, "")
    if "campaign" not in said:
        raise _Refused(Refusal.NO_CAMPAIGN, "")
    zone = said.get("zone", ZONE)
    _read_zone(zone)
    moments = {name: _read_moment(name, said[name], zone) if name in said else None for name in _MOMENTS}
    start_at, end_at = moments["start_at"], moments["end_at"]
    if start_at is None or end_at is None:
        raise _Refused(Refusal.NO_DATES, "start_at" if start_at is None else "end_at")
    if end_at <= start_at:
        raise _Refused(Refusal.END_BEFORE_START, f"{start_at.isoformat()} – {end_at.isoformat()}")
    dayparts = _read_hours(said.get("daily_start_time"), said.get("daily_end_time"))
    status = said.get("status")
    return Old(Dates(**moments), zone, dayparts, None if status is None else status.upper())


def decide(old: Old, now: datetime) -> Decided:
    """By the calculator, in the machine's words; only that somebody paused it is taken from its old status."""
    calculated = calculate(old.dates, now)
    state = to_state(calculated, old.dates, calendar_of(old.dayparts, old.zone), now)
    marks: list[str] = []
    if calculated is Calculated.RUNNING and old.dates.ready_confirmed_at is None:
        marks.append(Mark.RUNNING_UNCONFIRMED)
    if old.old_status in _PAUSED and state in _MAY_PAUSE:
        marks.append(Mark.WAS_PAUSED)
        state = State.PAUSED
    elif old.old_status not in (None, calculated, state.upper()):
        marks.append(Mark.STATUS_DIFFERS)
    return Decided(calculated, state, marks)


# Thousands have the same hours: read once, and the calendar's own memory serves them all.
@lru_cache(maxsize=4096)
def calendar_of(dayparts: str | None, zone: str) -> Calendar:
    return Calendar(None if dayparts is None else DayParts.from_json(json.loads(dayparts)), zone)


@lru_cache
def _read_zone(name: str) -> ZoneInfo:
    try:
        return find_zone(name)
    except UnknownZone as error:
        raise _Refused(Refusal.BAD_ZONE, name) from error


def _read_moment(name: str, text: str, zone: str) -> datetime:
    try:
        return _find_instant(text, zone)
    except (ValueError, OverflowError) as error:
        raise _Refused(Refusal.BAD_MOMENT, f"{name} {text}") from error


# Most begin and end with a day or an hour, as thousands of others do.
@lru_cache(maxsize=65536)
def _find_instant(text: str, zone: str) -> datetime:
    """Without an offset it is the wall clock of its zone."""
    return _as_instant(datetime.fromisoformat(text), _read_zone(zone)).astimezone(UTC)


def _as_instant(moment: datetime, zone: ZoneInfo) -> datetime:
    if moment.tzinfo is not None:
        return moment
    instant = moment.replace(tzinfo=zone).astimezone(UTC)
    # Only what a gap swallowed comes back as another time; the engine's rule for it takes ten times as long.
    return instant if instant.astimezone(zone).replace(tzinfo=None) == moment else instant_of(moment, zone)


@lru_cache(maxsize=4096)
def _read_hours(start: str | None, end: str | None) -> str | None:
    if start is None and end is None:
        return None
    try:
        spans = DayParts.every_day(time.fromisoformat(start or "00:00"), _read_end(end or "00:00"))
    except (ValueError, BadDayParts) as error:
        raise _Refused(Refusal.BAD_HOURS, f"{start} – {end}") from error
    return json.dumps(spans.to_json())


def _read_end(text: str) -> time:
    """24:00 is the midnight it ends with; an end that is not later than the start is the next day's anyhow."""
    return time() if text.startswith("24:00") else time.fromisoformat(text)


def _read_things(planned: Planned, said: Said) -> None:
    creatives, inventory = _split(said.get("creatives")), _split(said.get("inventory"))
    planned.creatives = [
        one for one in creatives if one.startswith(("http://", "https://")) and len(one) <= LONGEST_URL
    ]
    planned.inventory = [one for one in inventory if _CODE.fullmatch(one) is not None]
    if len(planned.creatives) != len(creatives):
        planned.marks.append(Mark.CREATIVES_NOT_LISTED)
    if len(planned.inventory) != len(inventory):
        planned.marks.append(Mark.BAD_INVENTORY)


def _split(text: str | None) -> list[str]:
    return list(dict.fromkeys(one.strip() for one in (text or "").split("|") if one.strip()))
