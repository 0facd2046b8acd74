"""The table of message schedules. When one is due is the engine's row; both are read together here."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal, NamedTuple

from pabal.apps.messaging.errors import ScheduleNotFound
from pabal.apps.messaging.model.bots import route_of
from pabal.apps.messaging.model.content import Content, Picture, SendOrder
from pabal.apps.messaging.model.schedules import LatePolicy, NewSchedule, Schedule, ScheduleState, ScheduleType, When
from pabal.apps.messaging.model.upcoming import Neighbour
from pabal.apps.messaging.resources.schedules import MessageScheduleFilter, ScheduleSort
from pabal.apps.messaging.store.audiences import load_audiences
from pabal.base.database import Row, Tx
from pabal.base.errors import Invalid
from pabal.base.sql import load
from pabal.engine import occurrences
from pabal.engine.listing.paging import LAST, Page, cut, one_more, read_cursor, show_cursor
from pabal.engine.recurrence import Weekday
from pabal.platform.tenants import Scope

SQL = load(__file__)
# More schedules for one room than this are not compared: each moment is already far over the room's limits.
MOST_NEIGHBOURS = 200
_BEGINNING = datetime(1, 1, 1, tzinfo=UTC)
_UPCOMING, _RESTING = range(2)
_Part = Literal["upcoming", "resting", "newest"]
_WHEN = ("schedule_time", "valid_from", "valid_until", "schedule_date", "zone")


class _Place(NamedTuple):
    part: int
    next_at: datetime
    id: int


_NEWEST = _Place(_RESTING, _BEGINNING, LAST)
_ANY = MessageScheduleFilter()


async def get_schedule(tx: Tx, scope: Scope, schedule_id: int) -> Schedule:
    found = await find_schedule(tx, schedule_id)
    if found is None or found.state == ScheduleState.DELETED or not scope.holds(found.unit_id):
        raise ScheduleNotFound(str(schedule_id))
    return found


async def find_schedule(tx: Tx, schedule_id: int) -> Schedule | None:
    """Whoever's it is, deleted ones included."""
    return next(iter(await load_schedules(tx, [schedule_id])), None)


async def lock_schedule(tx: Tx, schedule_id: int) -> None:
    """Who changes it comes one after the other; who sends it and asks for its lock first, too."""
    await tx.value(SQL.lock_schedule, id=schedule_id)


async def load_schedules(tx: Tx, ids: Sequence[int]) -> list[Schedule]:
    """In the order given; those that are gone are left out."""
    rows = await tx.rows(SQL.load_schedules, ids=list(ids)) if ids else []
    timetables = [row["timetable_id"] for row in rows if row["next_at"] is not None]
    asked = await occurrences.list_asked(tx, timetables, after=tx.now) if timetables else {}
    audiences = await load_audiences(tx, [row["id"] for row in rows]) if rows else {}
    read = [_read(row, asked.get(row["timetable_id"], ())) for row in rows]
    return [replace(one, audience=audiences.get(one.id)) for one in read] if audiences else read


async def list_titled(tx: Tx, scope: Scope, title: str, *, most: int) -> list[Schedule]:
    """Those of exactly this title."""
    rows = await tx.rows(SQL.list_titled, units=scope.listed, title=title, most=most)
    return await load_schedules(tx, [row["id"] for row in rows])


async def list_schedules(
    tx: Tx, scope: Scope, wanted: MessageScheduleFilter = _ANY, *, cursor: str | None = None, limit: int = 50
) -> Page[Schedule]:
    """Sorted by what is sent next (then those with nothing ahead, the newest first), or all from the newest."""
    most = one_more(limit)
    place = None if cursor is None else _Place(*read_cursor(cursor, int, datetime, int))
    if wanted.sort is ScheduleSort.NEWEST and not wanted.due:
        found = await _find(tx, scope, wanted, "newest", place or _NEWEST, most)
    else:
        found = await _find_next(tx, scope, wanted, place, most)
    page = cut(found, limit, lambda one: show_cursor(*one))
    return Page(await load_schedules(tx, [one.id for one in page.items]), page.cursor)


async def count_states(tx: Tx, units: Sequence[int] | None) -> dict[str, int]:
    rows = await tx.rows(SQL.count_states, units=None if units is None else list(units))
    return {row["state"]: row["count"] for row in rows}


async def insert_schedule(tx: Tx, new: NewSchedule, *, unit_id: int, created_by: str) -> int:
    """In the machine's first state; it must begin in the same commit."""
    made: int = await tx.value(SQL.insert_schedule, row={**_row(new, unit_id, tx.now), "created_by": created_by})
    await _put_rhythm(tx, made, new.when)
    return made


async def update_schedule(tx: Tx, schedule_id: int, new: NewSchedule, *, unit_id: int) -> None:
    await tx.run(SQL.update_schedule, id=schedule_id, row=_row(new, unit_id, tx.now))
    await _put_rhythm(tx, schedule_id, new.when)


async def _put_rhythm(tx: Tx, schedule_id: int, when: When) -> None:
    """Most have none: one time, every week."""
    if when.more_times or when.every_weeks > 1:
        given = {"more_times": list(when.more_times), "every_weeks": when.every_weeks}
        await tx.run(SQL.put_rhythm, id=schedule_id, **given)
    else:
        await tx.run(SQL.delete_rhythm, id=schedule_id)


async def set_timetable(tx: Tx, schedule_id: int, timetable_id: int) -> None:
    await tx.run(SQL.set_timetable, id=schedule_id, timetable_id=timetable_id)


async def note_change(tx: Tx, schedule_id: int, *, is_deleted: bool = False) -> None:
    await tx.run(SQL.note_change, id=schedule_id, is_deleted=is_deleted, now=tx.now)


async def clear_failures(tx: Tx, schedule_id: int) -> None:
    await tx.run(SQL.clear_failures, id=schedule_id)


async def list_delivery_ids(tx: Tx, schedule_id: int) -> list[int]:
    return [row["id"] for row in await tx.rows(SQL.list_delivery_ids, id=schedule_id)]


async def delete_schedule(tx: Tx, schedule_id: int) -> None:
    await tx.run(SQL.delete_schedule, id=schedule_id)


async def list_neighbours(tx: Tx, scope: Scope, room_id: int, *, but: int | None = None) -> list[Neighbour]:
    """The other schedules that send to this room. Of those not in sight, only when."""
    rows = await tx.rows(SQL.list_neighbours, room_id=room_id, but_id=but, most=MOST_NEIGHBOURS)
    return [Neighbour(row["title"] if scope.holds(row["unit_id"]) else None, _read_when(row)) for row in rows]


async def find_same_text(
    tx: Tx, scope: Scope, room_id: int, text: str, *, since: datetime, but: int | None = None
) -> tuple[str | None] | None:
    """Who sends the same to this room, or did since: its title, or None within when that is not in sight."""
    rows = await tx.rows(SQL.find_same_text, room_id=room_id, but_id=but, text=text, since=since)
    return next(((row["title"] if scope.holds(row["unit_id"]) else None,) for row in rows), None)


async def list_begun(tx: Tx, job_ids: Sequence[int]) -> set[int]:
    return {row["job_id"] for row in await tx.rows(SQL.list_begun, job_ids=list(job_ids))} if job_ids else set()


async def list_jobs_of_deliveries(tx: Tx, schedule_id: int) -> list[int]:
    """Of those that are open."""
    return [row["job_id"] for row in await tx.rows(SQL.list_jobs_of_deliveries, id=schedule_id)]


async def list_astray(tx: Tx, *, by_room: bool, windows: Mapping[str, timedelta], after: int, most: int) -> list[int]:
    """Schedules whose engine schedule has another lane, or another window for its late policy."""
    given = {"policies": list(windows), "windows": list(windows.values())}
    rows = await tx.rows(SQL.list_astray, by_room=by_room, **given, after_id=after, most=most)
    return [row["id"] for row in rows]


async def _find_next(
    tx: Tx, scope: Scope, wanted: MessageScheduleFilter, place: _Place | None, most: int
) -> list[_Place]:
    begin = place or _Place(_UPCOMING, _BEGINNING, 0)
    found: list[_Place] = []
    if begin.part == _UPCOMING:
        found = await _find(tx, scope, wanted, "upcoming", begin, most)
    if len(found) < most and not wanted.due:
        rest = begin if begin.part == _RESTING else _NEWEST
        found += await _find(tx, scope, wanted, "resting", rest, most - len(found))
    return found


async def _find(
    tx: Tx, scope: Scope, wanted: MessageScheduleFilter, part: _Part, begin: _Place, most: int
) -> list[_Place]:
    q = (wanted.q or "").strip()
    rows = await tx.rows(
        SQL.find_schedules,
        part=part,
        units=scope.listed,
        states=[one.value for one in wanted.state] or None,
        types=[one.value for one in wanted.type] or None,
        room_id=wanted.room,
        bot_id=wanted.bot,
        q="%" + re.sub(r"([\\%_])", r"\\\1", q) + "%" if q else None,
        is_due=wanted.due,
        now=tx.now,
        next_at=begin.next_at,
        id=begin.id,
        most=most,
    )
    kind = _UPCOMING if part == "upcoming" else _RESTING
    return [_Place(kind, row["next_at"] or _BEGINNING, row["id"]) for row in rows]


def _row(new: NewSchedule, unit_id: int, now: datetime) -> dict[str, Any]:
    """The columns a person decides, as JSON has them."""
    when = new.when
    return {
        **{name: getattr(new, name) for name in ("title", "description", "bot_id", "room_id", "template_id")},
        **new.content.to_json(),
        **{name: _as_json(getattr(when, name)) for name in _WHEN},
        "schedule_type": when.schedule_type.value,
        "schedule_weekdays": [int(day) for day in when.schedule_weekdays],
        "late_policy": new.late_policy.value,
        "unit_id": unit_id,
        "updated_at": now.isoformat(),
    }


def _as_json(value: date | time | str | None) -> str | None:
    return value if value is None or isinstance(value, str) else value.isoformat()


def _read(row: Row, asked: Sequence[datetime]) -> Schedule:
    values = dict(row)
    for name in (*_WHEN, "schedule_type", "schedule_weekdays", "deleted_at", "more_times", "every_weeks"):
        values.pop(name)
    content = {name: values.pop(name) for name in Content.__dataclass_fields__}
    next_at = values.pop("next_at")
    values["late_policy"] = LatePolicy(values["late_policy"])
    when = _read_when(row)
    return Schedule(**values, content=_read_content(content), when=when, next_send_at=_without(next_at, asked, when))


def _read_content(values: dict[str, Any]) -> Content:
    groups = {name: tuple(Picture(**each) for each in values[name]) for name in ("images_1", "images_2")}
    return Content(**{**values, **groups, "send_order": SendOrder(values["send_order"])})


def _read_when(row: Row) -> When:
    days = tuple(Weekday(day) for day in row["schedule_weekdays"])
    given = {name: row[name] for name in _WHEN}
    return When(
        schedule_type=ScheduleType(row["schedule_type"]),
        schedule_weekdays=days,
        more_times=tuple(row["more_times"] or ()),
        every_weeks=row["every_weeks"] or 1,
        **given,
    )


def _without(next_at: datetime | None, asked: Sequence[datetime], when: When) -> datetime | None:
    """The engine looks at a skipped moment when it comes; a person wants to know what is sent next."""
    try:
        while next_at is not None and next_at in asked:
            next_at = when.timing.next_after(next_at)
    except Invalid:
        # a rule that can no longer be read (a zone that is gone) must not hide the schedule
        return next_at
    return next_at


@dataclass(frozen=True, slots=True)
class Last:
    schedule_id: int
    id: int
    state: str
    scheduled_at: datetime
    reason: str | None


async def list_last(tx: Tx, schedules: Sequence[int]) -> dict[int, Last]:
    """By schedule. One that never sent anything is not there."""
    found = await tx.all(Last, SQL.list_last, schedules=list(schedules))
    return {one.schedule_id: one for one in found}


async def count_today(tx: Tx, units: Sequence[int] | None, until: datetime) -> int:
    found: int = await tx.value(SQL.count_today, units=None if units is None else list(units), until=until)
    return found


async def show_bot_states(tx: Tx, bots: Sequence[int]) -> dict[int, str]:
    """As a bot says of itself, for many at once."""
    rows = await tx.rows(SQL.list_bots, bots=list(bots))
    routes = {row["id"]: route_of(row["name"]) for row in rows}
    held = {row["route"] for row in await tx.rows(SQL.list_held, routes=list(routes.values()))}
    return {
        row["id"]: "excluded"
        if row["is_excluded"]
        else "online"
        if routes[row["id"]] in held
        else row["away"] or "offline"
        for row in rows
    }
