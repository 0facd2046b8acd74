"""A delivery as sending sees it: what to send, where, by whom, and everything that may forbid it, in one row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from pabal.apps.messaging.model.bots import route_of
from pabal.apps.messaging.model.content import Content, ImageMode, Pace, plan_parts
from pabal.apps.messaging.model.deliveries import ABOUT, Cause, DeliveryPart, PartState
from pabal.apps.messaging.model.rooms import RoomLimits
from pabal.apps.messaging.model.variables import values_of
from pabal.base.database import Database, Row, Tx
from pabal.base.sql import load
from pabal.engine.kinds import Job

SQL = load(__file__)
# younger occurrences are on time; what begins later is a catch-up
ON_TIME = timedelta(seconds=30)
NO_TIME = timedelta(0)
_LIMITS = tuple(field.name for field in fields(RoomLimits))


@dataclass(frozen=True, slots=True)
class DeliveryToSend:
    """`room_name` is what this bot calls the room, None when it is not in it; `is_name_shared`: it calls another unit's
    room so too. Retries count from `counts_from`."""

    id: int
    unit_id: int
    state: str
    cause: str
    scheduled_at: datetime
    started_at: datetime | None
    attempts: int
    deferred_by: str | None
    job_id: int | None
    content: Content
    image_mode: ImageMode
    counts_from: datetime
    schedule_id: int
    bulk_id: int | None
    schedule_unit_id: int
    schedule_state: str
    late_policy: str
    timetable_id: int | None
    bot_id: int
    bot_name: str
    excluded_at: datetime | None
    room_id: int
    room_unit_id: int | None
    room_type: str
    channel_id: str
    room_name: str | None
    is_name_shared: bool
    limits: RoomLimits

    @property
    def about(self) -> str:
        return f"{ABOUT}:{self.id}"

    @property
    def is_test(self) -> bool:
        return self.cause == Cause.TEST

    @property
    def route(self) -> str:
        return route_of(self.bot_name)


class Occurrence(NamedTuple):
    schedule_id: int
    scheduled_at: datetime


@dataclass(frozen=True, slots=True)
class Opened:
    id: int
    schedule_id: int
    scheduled_at: datetime
    is_new: bool


@dataclass(frozen=True, slots=True)
class Noted:
    """A schedule after sends of it ended; it goes on while a moment is ahead."""

    id: int
    state: str
    failures: int
    schedule_type: str
    timetable_id: int | None
    goes_on: bool


async def open_deliveries(
    tx: Tx, occurrences: Mapping[Occurrence, int | None], *, must_be_active: bool = True
) -> list[Opened]:
    """Each with its job. Left out: what has begun or ended already, and schedules that may not send."""
    # in the order of schedules, as everybody locks them
    asked = sorted(occurrences)
    return await tx.all(
        Opened,
        SQL.open_deliveries,
        schedules=[one.schedule_id for one in asked],
        moments=[one.scheduled_at for one in asked],
        jobs=[occurrences[one] for one in asked],
        on_time=ON_TIME,
        must_be_active=must_be_active,
        now=tx.now,
    )


async def insert_test(tx: Tx, schedule_id: int, *, room_id: int, bot_id: int, asked_by: str) -> int:
    made: int = await tx.value(
        SQL.insert_test, schedule_id=schedule_id, room_id=room_id, bot_id=bot_id, asked_by=asked_by, now=tx.now
    )
    return made


async def find_at(tx: Tx, schedule_id: int, scheduled_at: datetime) -> int | None:
    found: int | None = await tx.value(SQL.find_at, schedule_id=schedule_id, scheduled_at=scheduled_at)
    return found


async def find_delivery(tx: Tx, delivery_id: int) -> DeliveryToSend | None:
    return (await find_deliveries(tx, [delivery_id])).get(delivery_id)


async def find_deliveries(tx: Tx, delivery_ids: Sequence[int]) -> dict[int, DeliveryToSend]:
    rows = await tx.rows(SQL.load_deliveries, ids=list(delivery_ids))
    return {row["id"]: as_delivery(row) for row in rows}


@dataclass(frozen=True, slots=True)
class OwnWords:
    """What a delivery's room reads in the place of variables. `columns` are of the first row of its schedule's CSV."""

    delivery_id: int
    room: str
    branch: str
    zone: str
    columns: dict[str, str]

    def values_at(self, moment: datetime) -> dict[str, str]:
        return values_of(self.room, self.branch, moment.astimezone(ZoneInfo(self.zone)), self.columns)


async def list_words(tx: Tx, delivery_ids: Sequence[int]) -> list[OwnWords]:
    return await tx.all(OwnWords, SQL.list_words, ids=list(delivery_ids))


async def set_contents(tx: Tx, contents: Mapping[int, Content]) -> None:
    await tx.run(SQL.set_contents, ids=list(contents), contents=[one.to_json() for one in contents.values()])


async def start_deliveries(tx: Tx, jobs: Mapping[int, int]) -> None:
    """Deliveries, each with the job of its attempt."""
    await tx.run(SQL.start_deliveries, ids=sorted(jobs), jobs=[jobs[one] for one in sorted(jobs)], now=tx.now)


async def defer_delivery(tx: Tx, delivery_id: int, *, job_id: int, by: str, until: datetime) -> None:
    await tx.run(SQL.defer_delivery, id=delivery_id, job_id=job_id, deferred_by=by, deferred_until=until)


async def set_job(tx: Tx, delivery_id: int, job_id: int) -> None:
    await tx.run(SQL.set_job, id=delivery_id, job_id=job_id)


async def note_error(tx: Tx, delivery_id: int, entry: dict[str, Any]) -> None:
    await tx.run(SQL.note_error, id=delivery_id, entry=entry)


async def end_deliveries(tx: Tx, ends: Mapping[int, tuple[str | None, dict[str, Any]]]) -> None:
    """Deliveries, each with its reason and what else there is to say."""
    reasons, details = [reason for reason, _ in ends.values()], [detail for _, detail in ends.values()]
    await tx.run(SQL.end_deliveries, ids=list(ends), reasons=reasons, details=details, now=tx.now)


async def reopen_delivery(tx: Tx, delivery_id: int, *, asked_by: str) -> None:
    detail = {"resumed_at": tx.now.isoformat()}
    await tx.run(SQL.reopen_delivery, id=delivery_id, asked_by=asked_by, detail=detail)


async def dismiss_delivery(tx: Tx, delivery_id: int, *, by: str) -> None:
    await tx.run(SQL.dismiss_delivery, id=delivery_id, detail={"dismissed_by": by})


async def find_last_ping(tx: Tx, bot_id: int) -> datetime | None:
    found: datetime | None = await tx.value(SQL.find_last_ping, bot_id=bot_id)
    return found


async def is_unproven(tx: Tx, bot_id: int) -> bool:
    """A phone of the bot is connected, and does not sign with its secret."""
    found: bool = await tx.value(SQL.is_unproven, bot_id=bot_id)
    return found


async def find_bot_in(tx: Tx, room_id: int, *, wanted: int) -> int | None:
    """The wanted one if it is in the room, otherwise another that is; never an excluded one."""
    rows = await tx.rows(SQL.list_bots_in, room_id=room_id, bot_id=wanted)
    return rows[0]["id"] if rows else None


async def note_ends(tx: Tx, sent: Mapping[int, int], failed: Mapping[int, int]) -> list[Noted]:
    """How many of each schedule's sends went out, and how many failed."""
    ids = sorted(sent.keys() | failed.keys())
    counts = {"sent": [sent.get(one, 0) for one in ids], "failed": [failed.get(one, 0) for one in ids]}
    return await tx.all(Noted, SQL.note_ends, ids=ids, now=tx.now, **counts)


async def list_through(tx: Tx, timetables: Mapping[int, int | None], *, jobs: Sequence[int]) -> list[int]:
    """Of these schedules, those with nothing under way besides these jobs, which are ending."""
    given = {"ids": list(timetables), "timetables": list(timetables.values())}
    return [row["id"] for row in await tx.rows(SQL.list_through, jobs=list(jobs), **given)]


def as_delivery(row: Row) -> DeliveryToSend:
    values = dict(row)
    values["limits"] = RoomLimits(**{name: values.pop(name) for name in _LIMITS})
    values["content"] = Content.from_json(values["content"])
    values["image_mode"] = ImageMode(values["image_mode"])
    return DeliveryToSend(**values)


@dataclass(frozen=True, slots=True)
class Mark:
    """A part is about to be written, has been, was handled, or turned out not to have been begun.

    `written` and `handled`: how long ago, for what is told later than it happened.
    """

    delivery_id: int
    no: int
    state: PartState
    written: timedelta = NO_TIME
    handled: timedelta = NO_TIME


class Marked(NamedTuple):
    """Whether the attempt still has its job and its route, and the part is now as the mark says."""

    is_held: bool
    has_route: bool
    stands: bool


async def mark_parts(database: Database, asked: Sequence[tuple[Job, Mark]]) -> list[Marked]:
    """A commit of its own, each fenced by itself; no two marks of one part together, please."""
    rows = await database.rows(
        SQL.mark_parts,
        jobs=[job.id for job, _ in asked],
        tokens=[job.token for job, _ in asked],
        queues=[job.queue for job, _ in asked],
        epochs=[job.route_epoch for job, _ in asked],
        deliveries=[mark.delivery_id for _, mark in asked],
        numbers=[mark.no for _, mark in asked],
        states=[mark.state for _, mark in asked],
        written=[mark.written for _, mark in asked],
        handled=[mark.handled for _, mark in asked],
    )
    return [Marked(*row) for row in rows]


async def note_handled(tx: Tx, told: Sequence[tuple[Job, Mark]]) -> None:
    """The last parts of attempts that this transaction ends, and holds."""
    await tx.run(
        SQL.note_handled,
        deliveries=[mark.delivery_id for _, mark in told],
        numbers=[mark.no for _, mark in told],
        tokens=[job.token for job, _ in told],
        written=[mark.written for _, mark in told],
        handled=[mark.handled for _, mark in told],
        now=tx.now,
    )


class Echo(NamedTuple):
    """A bot heard itself say this in a room."""

    bot_id: int
    channel_id: str
    text: str


async def note_seen(tx: Tx, echoes: Sequence[Echo], *, since: datetime) -> int:
    """How many parts that makes seen."""
    given = {"bots": [one.bot_id for one in echoes], "channels": [one.channel_id for one in echoes]}
    return len(await tx.rows(SQL.note_seen, texts=[one.text for one in echoes], since=since, now=tx.now, **given))


async def settle_begun(tx: Tx, delivery_id: int, *, resend: bool) -> int:
    state = PartState.PLANNED if resend else PartState.UNKNOWN
    return await tx.run(SQL.settle_begun, delivery_id=delivery_id, state=state, resent=int(resend))


async def plan_unknown(tx: Tx, delivery_id: int) -> int:
    """Somebody says: send it again, although it may arrive twice."""
    return await tx.run(SQL.plan_unknown, delivery_id=delivery_id)


async def list_parts(tx: Tx, delivery_ids: Sequence[int]) -> dict[int, tuple[DeliveryPart, ...]]:
    return _by_delivery(delivery_ids, await tx.rows(SQL.list_parts, deliveries=list(delivery_ids)))


class Plan(NamedTuple):
    """`anew`: it was planned before, and nothing of it has begun."""

    delivery_id: int
    content: Content
    mode: ImageMode
    anew: bool = False


async def plan(tx: Tx, plans: Sequence[Plan]) -> dict[int, tuple[DeliveryPart, ...]]:
    """By delivery."""
    anew = [plan.delivery_id for plan in plans if plan.anew]
    if anew:
        await tx.run(SQL.delete_parts, deliveries=anew)
    parts = [(plan.delivery_id, part) for plan in plans for part in plan_parts(plan.content, Pace(plan.mode))]
    rows = await tx.rows(
        SQL.insert_parts,
        deliveries=[delivery_id for delivery_id, _ in parts],
        numbers=[part.no for _, part in parts],
        components=[part.component for _, part in parts],
        firsts=[part.first_image for _, part in parts],
        lasts=[part.last_image for _, part in parts],
    )
    return _by_delivery([plan.delivery_id for plan in plans], rows)


def _by_delivery(delivery_ids: Iterable[int], rows: Iterable[Row]) -> dict[int, tuple[DeliveryPart, ...]]:
    found: dict[int, list[DeliveryPart]] = {delivery_id: [] for delivery_id in delivery_ids}
    for row in rows:
        found[row["delivery_id"]].append(as_part(row))
    return {delivery_id: tuple(parts) for delivery_id, parts in found.items()}


def as_part(row: Row) -> DeliveryPart:
    values = dict(row)
    return DeliveryPart(**{**values, "state": PartState(values["state"])})
