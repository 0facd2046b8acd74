"""Old ad groups: read from a CSV or a table a slice at a time, each row mapped to what it is here, doubts noted."""

import codecs
import csv
import io
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, time
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from pabal.apps.adgroups.errors import BadDayParts, BadLegacyFile, NoLegacyTable
from pabal.apps.adgroups.legacy.model import NEEDED, Mark, Refusal
from pabal.apps.adgroups.model.adgroups import CODE, MOST_NAME, ZONE, State
from pabal.apps.adgroups.model.calculator import Calculated, Dates, calculate, to_state
from pabal.apps.adgroups.model.calendars import Calendar
from pabal.apps.adgroups.model.dayparts import DayParts
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.recurrence import UnknownZone, find_zone, instant_of

LONGEST_URL = 2000
# In the old enum PENDING meant paused.
_PAUSED = ("PENDING", "PAUSED")
_MAY_PAUSE = (State.APPROVED, State.RUNNING, State.PENDING)
_MOMENTS = ("start_at", "end_at", "ready_at", "ready_confirmed_at", "deleted_at")

Raw = Mapping[str, Any]
# what is there, trimmed
Said = Mapping[str, str]
SQL = load(__file__)
SLICE = 1000
# of a table; about as many rows
PAGES = 20
LONGEST_LINE = 1_000_000


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
    planned = Planned(n, legacy_id, (name or legacy_id or "")[:MOST_NAME] or None, campaign and campaign[:MOST_NAME])
    try:
        planned.old = _read_old(said)
    except _Refused as refused:
        planned.refusal, planned.problem = refused.refusal, str(refused)[:200]
        return planned
    decided = decide(planned.old, now)
    planned.calculated, planned.state, planned.marks = decided.calculated, decided.state, decided.marks
    _read_things(planned, said)
    if name is not None and len(name) > MOST_NAME:
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
    planned.inventory = [one for one in inventory if CODE.fullmatch(one) is not None]
    if len(planned.creatives) != len(creatives):
        planned.marks.append(Mark.CREATIVES_NOT_LISTED)
    if len(planned.inventory) != len(inventory):
        planned.marks.append(Mark.BAD_INVENTORY)


def _split(text: str | None) -> list[str]:
    return list(dict.fromkeys(one.strip() for one in (text or "").split("|") if one.strip()))


async def read_csv(chunks: AsyncIterator[bytes]) -> AsyncIterator[list[Raw]]:
    """In UTF-8, with a line of column names first. Columns it does not know are passed over."""
    lines = _Lines()
    names: list[str] | None = None
    slice_: list[Raw] = []
    async for chunk in chunks:
        for values in lines.feed(chunk):
            if names is None:
                names = _check_names([value.strip().lower() for value in values], lines.number)
                continue
            slice_.append(_as_raw(names, values, lines.number))
            if len(slice_) == SLICE:
                yield slice_
                slice_ = []
    for values in lines.finish():
        if names is None:
            names = _check_names([value.strip().lower() for value in values], lines.number)
        else:
            slice_.append(_as_raw(names, values, lines.number))
    if names is None:
        raise BadLegacyFile("it is empty")
    if slice_:
        yield slice_


async def read_table(tx: Tx) -> AsyncIterator[list[Raw]]:
    """Nobody writes to the table until the commit, so that every row is read once, as it lies there."""
    if not await tx.value(SQL.has_table):
        raise NoLegacyTable("legacy_ad_groups")
    missing = [name for name in NEEDED if name not in set(await tx.value(SQL.list_columns) or [])]
    if missing:
        raise BadLegacyFile(f"columns {', '.join(missing)} are missing")
    await tx.run(SQL.hold_table)
    for first in range(0, await tx.value(SQL.count_pages), PAGES):
        rows = await tx.rows(SQL.read_pages, first=first, end=first + PAGES)
        yield [row["raw"] for row in rows]


class _Lines:
    """Records of a CSV out of pieces of bytes: a piece may end within a sign, a line or a quoted value."""

    def __init__(self) -> None:
        self.number = 0
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._rest = ""

    def feed(self, chunk: bytes) -> Iterator[list[str]]:
        text = self._rest + self._decode(chunk, is_last=False)
        cut = _find_cut(text)
        if cut == 0 and len(text) > LONGEST_LINE:
            raise BadLegacyFile(f"line {self.number + 1} has no end")
        self._rest = text[cut:]
        yield from self._records(text[:cut])

    def finish(self) -> Iterator[list[str]]:
        yield from self._records(self._rest + self._decode(b"", is_last=True))

    def _decode(self, chunk: bytes, *, is_last: bool) -> str:
        try:
            # PostgreSQL stores no NUL
            return self._decoder.decode(chunk, is_last).replace("\0", "")
        except UnicodeDecodeError as error:
            raise BadLegacyFile(f"after line {self.number}: not UTF-8") from error

    def _records(self, text: str) -> Iterator[list[str]]:
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        try:
            for values in reader:
                self.number += 1
                if values:
                    yield values
        except csv.Error as error:
            raise BadLegacyFile(f"line {self.number + 1}: {error}") from error


def _find_cut(text: str) -> int:
    """The end of the last line that no quoted value runs over: an even number of quotes is before it."""
    cut = text.rfind("\n") + 1
    quotes = text.count('"', 0, cut)
    while cut and quotes % 2:
        earlier = text.rfind("\n", 0, cut - 1) + 1
        quotes -= text.count('"', earlier, cut)
        cut = earlier
    return cut


def _check_names(names: list[str], number: int) -> list[str]:
    missing = [name for name in NEEDED if name not in names]
    if missing or len(set(names)) != len(names):
        raise BadLegacyFile(f"line {number}: columns {', '.join(missing) or 'twice'}")
    return names


def _as_raw(names: list[str], values: list[str], number: int) -> dict[str, Any]:
    if len(values) > len(names):
        raise BadLegacyFile(f"line {number}: {len(values)} values for {len(names)} columns")
    return dict(zip(names, values, strict=False))
