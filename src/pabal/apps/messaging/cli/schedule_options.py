"""Makes a schedule of the options of a command: what is not said stays as it was, or as it is without being said.

When something is sent is read as people write it: --at '내일 09:00', --daily 09:00, --weekly '월,목 09:00,18:00'.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pabal.apps.messaging.cli.uploads import Try, read_text, upload
from pabal.apps.messaging.errors import BadWhen, BotNotInRoom, ScheduleRefused
from pabal.apps.messaging.model.bulks import Audience
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.findings import find
from pabal.apps.messaging.model.rooms import Room
from pabal.apps.messaging.model.schedules import NewSchedule, Schedule, ScheduleType, When
from pabal.apps.messaging.resources.images import CONTENT
from pabal.apps.messaging.resources.schedules import AUDIENCE, NOBODY, SEOUL, audience_of, stays_active
from pabal.apps.messaging.store.rooms import get_room
from pabal.apps.messaging.store.templates import get_template
from pabal.engine.recurrence import Weekday
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import see
from pabal.platform.commands.shell import Shell

with lazily():
    from pabal.platform.commands import moments

LONGEST_TITLE = 40
_YEAR, _DAY, _SECOND = timedelta(days=365), timedelta(days=1), timedelta(seconds=1)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_KOREAN = "월화수목금토일"


async def understand(shell: Shell, here: Try, said: Mapping[str, Any], old: Schedule | None) -> NewSchedule:
    """`said` has the fields of MessageScheduleEdit, with files by their names; None was not said."""
    given = {name: value for name, value in said.items() if value is not None}
    audience = _audience(given, old)
    room_id, bot_id, unit_id, owner = await _place(shell, here, given, old, is_bulk=audience is not None)
    content, template_id = await _content(shell, here, given, old, owner)
    said_when = ("at", "daily", "weekly", "timezone", "valid_from", "valid_until", "every_weeks")
    timed = Timed(*(given.get(name) for name in said_when))
    new = NewSchedule(
        title=given.get("title", _title(content) if old is None else old.title),
        room_id=room_id,
        bot_id=bot_id,
        content=content,
        when=read_when(timed, here.tx.now, None if old is None else old.when),
        is_active=given.get("is_active", old is None or stays_active(old)),
        template_id=template_id,
        unit_id=unit_id,
        audience=audience,
    )
    kept = {} if old is None else {name: getattr(old, name) for name in ("description", "late_policy")}
    return replace(new, **kept | {name: given[name] for name in ("description", "late_policy") if name in given})


def _audience(given: Mapping[str, Any], old: Schedule | None) -> Audience | None:
    """One room that is named takes the place of many, and the other way round."""
    if "room_id" in given:
        return None
    kept = {} if old is None or old.audience is None else {name: getattr(old.audience, name) for name in AUDIENCE}
    picked = () if old is None or old.audience is None else old.audience.picked
    said = {name: given[name] for name in ("rooms", *AUDIENCE) if name in given}
    if "rooms_csv" in said:
        said["rooms_csv"] = read_text(said["rooms_csv"])
    if any(name in said for name in ("rooms", "group_id", "rooms_csv")):
        picked, kept = (), {**kept, "group_id": None, "rooms_csv": None}
    return audience_of({"rooms": picked, **kept, **said})


async def _place(
    shell: Shell, here: Try, given: Mapping[str, Any], old: Schedule | None, *, is_bulk: bool
) -> tuple[int, int, int | None, int | None]:
    """The room, the bot, whose it is (None: the room's), and whose its images are."""
    scope = await see(here.tx, shell)
    if is_bulk:
        unit_id = given.get("unit_id", None if old is None else old.unit_id)
        return NOBODY, given.get("bot_id") or (NOBODY if old is None else old.bot_id), unit_id, unit_id or scope.unit_id
    if old is None and "room_id" not in given:
        raise ScheduleRefused([find("rooms_missing", "room_id")])
    room = await get_room(here.tx, scope, given["room_id"] if old is None else given.get("room_id", old.room_id))
    kept = old if old is not None and old.room_id == room.id else None
    bot_id = given.get("bot_id") or (kept.bot_id if kept else _first_bot(room))
    unit_id = given.get("unit_id", kept.unit_id if kept else None)
    return room.id, bot_id, unit_id, unit_id or room.unit_id


def _first_bot(room: Room) -> int:
    if not room.bots:
        raise BotNotInRoom(room.name)
    return room.bots[0].bot_id


async def _content(
    shell: Shell, here: Try, given: Mapping[str, Any], old: Schedule | None, owner: int | None
) -> tuple[Content, int | None]:
    content, template_id = (Content(), None) if old is None else (old.content, old.template_id)
    if "template_id" in given:
        found = await get_template(here.tx, await see(here.tx, shell), given["template_id"])
        content = replace(content, text=found.text, images_1=found.images_1, images_2=found.images_2)
        template_id = found.id
    said = {name: given[name] for name in CONTENT if name in given}
    if "text" in said:
        said["text"] = read_text(said["text"])
    for group in ("images_1", "images_2"):
        if group in said:
            said[group] = await upload(shell, here, said[group], owner)
    return replace(content, **said), template_id


def _title(content: Content) -> str:
    """The first line of the text, or the first image's name."""
    lines = [line.strip() for line in (content.text or "").splitlines() if line.strip()]
    names = [picture.name for picture in (*content.images_1, *content.images_2)]
    first = next(iter([*lines, *names]), "")
    return first if len(first) <= LONGEST_TITLE else first[: LONGEST_TITLE - 1] + "…"


@dataclass(frozen=True)
class Timed:
    """As it was typed. At most one of at, daily and weekly is given."""

    at: str | None = None
    daily: str | None = None
    weekly: str | None = None
    zone: str | None = None
    since: str | None = None
    until: str | None = None
    every_weeks: int | None = None

    @property
    def says_rule(self) -> bool:
        return any(one is not None for one in (self.at, self.daily, self.weekly))


def read_when(timed: Timed, now: datetime, old: When | None) -> When:
    """A new rule, or an old one with what is said anew. What names no zone is on the schedule's wall clock."""
    try:
        return _read(timed, now, old)
    except OverflowError as error:
        raise BadWhen(f"{timed.at or ''} {timed.until or ''}".strip()[:100]) from error


def _read(timed: Timed, now: datetime, old: When | None) -> When:
    zone = _zone(timed.zone or (old.zone if old is not None else SEOUL))
    when = _rule(timed, now, zone) if timed.says_rule or old is None else replace(old, zone=zone.key)
    if old is not None:
        # one moment that is put off takes its end with it
        until = max(old.valid_until, when.valid_until) if timed.at is not None else old.valid_until
        when = replace(when, valid_from=old.valid_from, valid_until=until, every_weeks=old.every_weeks)
    if timed.since is not None:
        when = replace(when, valid_from=moments.read_moment(timed.since, now, zone))
    if timed.until is not None:
        when = replace(when, valid_until=_end(timed.until, now, zone))
    return when if timed.every_weeks is None else replace(when, every_weeks=timed.every_weeks)


def _rule(timed: Timed, now: datetime, zone: ZoneInfo) -> When:
    """Valid from now on for a year, or for a day after its one moment."""
    said = [one for one in (timed.at, timed.daily, timed.weekly) if one is not None]
    if len(said) != 1:
        raise BadWhen(", ".join(said))
    if timed.at is not None:
        moment = moments.read_moment(timed.at, now, zone).astimezone(zone).replace(microsecond=0)
        until = max(now, moment) + _DAY
        return When(ScheduleType.ONCE, moment.time(), now, until, moment.date(), zone=zone.key)
    if timed.daily is not None:
        first, *more = _times(timed.daily)
        return When(ScheduleType.DAILY, first, now, now + _YEAR, zone=zone.key, more_times=tuple(more))
    days, clocks = _split(timed.weekly or "")
    first, *more = _times(clocks)
    rule = When(ScheduleType.WEEKLY, first, now, now + _YEAR, schedule_weekdays=days, zone=zone.key)
    return replace(rule, more_times=tuple(more))


def _split(text: str) -> tuple[tuple[Weekday, ...], str]:
    """Days and times, each with commas between them."""
    days, _, clocks = re.sub(r"\s*,\s*", ",", text.strip()).rpartition(" ")
    return tuple(_weekday(one.strip()) for one in days.split(",")), clocks


def _times(text: str) -> list[time]:
    return [_time(one) for one in text.split(",")]


def _weekday(text: str) -> Weekday:
    """mon, Monday, 월, 월요일."""
    first = text.removesuffix("요일")
    if len(first) == 1 and first in _KOREAN:
        return Weekday(_KOREAN.index(first))
    found = [day for day in Weekday if len(text) >= 3 and text[:3].upper() == day.name]
    if not found:
        raise BadWhen(text[:100])
    return found[0]


def _time(text: str) -> time:
    try:
        return time.fromisoformat(text.strip().rjust(5, "0")).replace(tzinfo=None, microsecond=0)
    except ValueError as error:
        raise BadWhen(text[:100]) from error


def _end(text: str, now: datetime, zone: ZoneInfo) -> datetime:
    """A day is valid to its end."""
    moment = moments.read_moment(text, now, zone)
    return moment + _DAY - _SECOND if _DATE.fullmatch(text.strip()) else moment


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError) as error:
        raise BadWhen(name[:100]) from error
