"""Whether a delivery may begin now, and what is left of it to send: everything that is asked before the first byte."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import endings, opening
from pabal.apps.messaging.actions.endings import End, Ended
from pabal.apps.messaging.actions.opening import dispatch
from pabal.apps.messaging.machine import DELIVERY, DeliveryEvent
from pabal.apps.messaging.model import limits as room_limits
from pabal.apps.messaging.model import rooms
from pabal.apps.messaging.model.content import Pace, Part, plan_parts
from pabal.apps.messaging.model.deliveries import DeliveryPart, DeliveryState, PartState
from pabal.apps.messaging.model.rooms import RoomType
from pabal.apps.messaging.model.schedules import LatePolicy, ScheduleState
from pabal.apps.messaging.store import sending, statistics
from pabal.apps.messaging.store.sending import ON_TIME, DeliveryToSend, Occurrence
from pabal.base.database import Tx
from pabal.engine import facts, withdrawals
from pabal.engine import limits as engine_limits
from pabal.engine.kinds import Job
from pabal.engine.limits import Limit
from pabal.engine.outcome import DONE, Cancel, Done, Fail, Limited, Miss, Outcome
from pabal.engine.transitions import transition
from pabal.platform import settings, storage
from pabal.platform.actor import ENGINE
from pabal.platform.settings import Values
from pabal.platform.storage import File
from pabal.platform.tenants import Scope, list_path

NEEDED = (
    *room_limits.SETTINGS,
    own.IMAGE_GAP_MS,
    own.UNKNOWN_PARTS,
    own.CATCHUP_WINDOW,
    own.RETRY_HORIZON,
    own.RETRY_AFTER,
    own.RETRIES,
    own.SEND_DEADLINE,
    own.CLAIM_BATCH_SIZE,
)
Key = tuple[int, int]
# What is held back because of its room's name is looked at again so often, until its time is over.
HELD_LOOK = timedelta(seconds=30)
# Sending is the engine's: whom the pictures belong to was asked when the schedule was saved.
_HOUSE = Scope(None, None)
_DUPLICATE = Done("it was sent already")
_WRITTEN = (DeliveryState.SENT, DeliveryState.PARTIAL, DeliveryState.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Ready:
    """An attempt that has begun: what is left to send, with its pictures' files."""

    job: Job
    delivery: DeliveryToSend
    parts: tuple[Part, ...]
    total: int
    files: dict[int, File]
    values: Values

    @property
    def deadline(self) -> timedelta:
        """Its own waits do not count, nor the time the phone takes by itself."""
        waits = timedelta(milliseconds=sum(part.wait_ms for part in self.parts))
        return (
            self.values[own.SEND_DEADLINE] + waits + timedelta(seconds=sum(part.phone_seconds for part in self.parts))
        )


class Start(NamedTuple):
    """Parts that are out already, of an attempt before this one, are not planned any more."""

    job: Job
    delivery: DeliveryToSend
    parts: tuple[DeliveryPart, ...]

    @property
    def is_out(self) -> bool:
        return bool(self.parts) and all(part.state is not PartState.PLANNED for part in self.parts)


async def prepare(tx: Tx, jobs: Sequence[Job], *, bots_here_by: datetime) -> list[Ready | Outcome]:
    """Before `bots_here_by` nothing is judged as too late: bots may still be on their way to this server."""
    answers: dict[Key, Ready | Outcome] = {}
    left = list(jobs)
    while left:
        # Two jobs of one delivery come one after the other, though in one commit.
        first = {_delivery_of(job): job for job in reversed(left)}
        answers |= await _prepare(tx, list(first.values()), bots_here_by)
        left = [job for job in left if job.key not in answers]
    return [answers[job.key] for job in jobs]


async def _prepare(tx: Tx, jobs: Sequence[Job], bots_here_by: datetime) -> dict[Key, Ready | Outcome]:
    values = await settings.values(tx, NEEDED)
    answers: dict[Key, Ready | Outcome] = {}
    starts: list[Start] = []
    for job, found in zip(jobs, await _find_starts(tx, jobs, values), strict=True):
        refusal = await _refuse(tx, found, values, bots_here_by) if isinstance(found, Start) else found
        if refusal is not None:
            answers[job.key] = refusal
        elif isinstance(found, Start):
            starts.append(found)
    answers |= await finish(tx, [(start, "bot_gone") for start in starts if start.is_out])
    answers |= await _take_limits(tx, [start for start in starts if not start.is_out], values)
    return answers | await _begin(tx, [start for start in starts if start.job.key not in answers], values)


def _delivery_of(job: Job) -> object:
    """What the job is about, whichever way it says so."""
    return job.args.get("delivery_id") or (job.args["message_schedule"], job.args["fire_at"])


async def _find_starts(tx: Tx, jobs: Sequence[Job], values: Values) -> list[Start | Outcome]:
    """What each job is for, or why there is nothing to do. What went out is never begun again."""
    asked = {_occurrence_of(job): job.id for job in jobs if "delivery_id" not in job.args}
    opened = await opening.open_deliveries(tx, asked) if asked else {}
    found: list[Start | Outcome] = []
    for job in jobs:
        fresh = None if "delivery_id" in job.args else opened.get(_occurrence_of(job))
        found.append(Start(job, *fresh) if fresh is not None else await _find_known(tx, job, values))
    return found


def _occurrence_of(job: Job) -> Occurrence:
    return Occurrence(job.args["message_schedule"], datetime.fromisoformat(job.args["fire_at"]))


async def _find_known(tx: Tx, job: Job, values: Values) -> Start | Outcome:
    """Its delivery is older than this attempt."""
    delivery_id = job.args.get("delivery_id") or await sending.find_at(tx, *_occurrence_of(job))
    delivery = None if delivery_id is None else await sending.find_delivery(tx, delivery_id)
    if delivery is None:
        return Cancel("schedule_inactive")
    if delivery.state in _WRITTEN:
        await statistics.count(tx, "duplicates_prevented", "already_sent")
        return _DUPLICATE
    if delivery.state != DeliveryState.OPEN:
        delivery = await _reopen(tx, job, delivery)
    elif delivery.schedule_state == ScheduleState.DELETED or not (delivery.attempts or "delivery_id" in job.args):
        return Cancel("schedule_inactive")
    return Start(job, delivery, (await list_settled(tx, {delivery.id: values}))[delivery.id])


async def finish(tx: Tx, ended: Sequence[tuple[Start, str]]) -> dict[Key, Outcome]:
    """Nothing is left to send; each with the reason of what did not arrive."""
    if not ended:
        return {}
    events = {start.job.key: endings.judge(start.parts) for start, _ in ended}
    await endings.end_all(tx, [_end(start, events[start.job.key], reason) for start, reason in ended])
    cut = Done("a part may not have arrived", partial=True)
    return {key: DONE if event is DeliveryEvent.SEND else cut for key, event in events.items()}


def _end(start: Start, event: DeliveryEvent, reason: str) -> Ended:
    end = End(event, None if event is DeliveryEvent.SEND else reason)
    return Ended(start.delivery, end, start.job.id)


async def list_settled(tx: Tx, values_of: Mapping[int, Values]) -> dict[int, tuple[DeliveryPart, ...]]:
    """Deliveries' parts; what an attempt left unconfirmed is unknown now, or by the setting sent again."""
    found = await sending.list_parts(tx, list(values_of))
    for delivery_id, parts in found.items():
        if any(part.is_begun for part in parts):
            resend = values_of[delivery_id][own.UNKNOWN_PARTS] == "resend"
            await sending.settle_begun(tx, delivery_id, resend=resend)
            found |= await sending.list_parts(tx, [delivery_id])
    return found


async def _reopen(tx: Tx, job: Job, delivery: DeliveryToSend) -> DeliveryToSend:
    """Its job was started again by hand: what failed or was missed may be sent after all."""
    await transition(tx, DELIVERY, delivery.id, DeliveryEvent.RESUME, actor=ENGINE.name, reason="job_retried")
    await sending.reopen_delivery(tx, delivery.id, asked_by=ENGINE.name)
    await sending.set_job(tx, delivery.id, job.id)
    return (await sending.find_deliveries(tx, [delivery.id]))[delivery.id]


async def _refuse(tx: Tx, start: Start, values: Values, bots_here_by: datetime) -> Outcome | None:
    job, delivery = start.job, start.delivery
    if delivery.route != job.queue:
        # the schedule was given to another bot while this waited
        await dispatch(tx, delivery)
        return Done("another bot sends it")
    if delivery.attempts == 0 and "delivery_id" not in job.args:
        latest = max(delivery.scheduled_at + _window(delivery.late_policy, values), bots_here_by)
        if tx.now > latest:
            return Miss("too_late")
    if delivery.room_name is None:
        return Fail("bot_not_in_room")
    if not await _may_enter(tx, delivery):
        return Fail("room_not_allowed")
    return await _hold_back(tx, job, delivery) if delivery.is_name_shared else None


async def _hold_back(tx: Tx, job: Job, delivery: DeliveryToSend) -> Outcome:
    """The bot finds a room by its name and has this one for another unit's room too: it would arrive in either."""
    held = Limited(tx.now + HELD_LOOK, rooms.shared_name(delivery.room_id))
    if delivery.deferred_by == rooms.SHARED_NAME:
        # told when it began: this may go on for a day
        await sending.defer_delivery(tx, delivery.id, job_id=job.id, by=rooms.SHARED_NAME, until=held.until)
    else:
        await _defer(tx, job, delivery, held)
    return held


def _window(policy: str, values: Values) -> timedelta:
    match policy:
        case LatePolicy.WINDOW:
            return values[own.CATCHUP_WINDOW]
        case LatePolicy.SEND_LATE:
            return values[own.RETRY_HORIZON]
        case _:
            return ON_TIME


async def _may_enter(tx: Tx, delivery: DeliveryToSend) -> bool:
    """Asked again: the room may have been given away, or be no test room any more, since the schedule was saved."""
    if delivery.room_unit_id is None:
        return False
    if delivery.is_test:
        return delivery.room_type == RoomType.TEST
    if delivery.room_unit_id == delivery.schedule_unit_id:
        return True
    return delivery.schedule_unit_id in {unit.id for unit in await list_path(tx, delivery.room_unit_id)}


async def _take_limits(tx: Tx, starts: Sequence[Start], values: Values) -> dict[Key, Outcome]:
    """Those that may not start now."""
    refused: dict[Key, Outcome] = {}
    wanted: list[tuple[Start, list[Limit]]] = []
    for start in starts:
        messages = _count_messages(start.parts)
        allowed = room_limits.resolve(start.delivery.limits, values)
        too_small = rooms.find_too_small(allowed, messages)
        if too_small is not None:
            refused[start.job.key] = await _fail_limit(tx, start, too_small)
        else:
            room_id, is_resumed = start.delivery.room_id, start.delivery.attempts > 0
            wanted.append((start, room_limits.to_engine(room_id, allowed, messages, is_resumed=is_resumed)))
    answers = await engine_limits.take_all(tx, [(start.job, taken) for start, taken in wanted])
    for (start, _), limited in zip(wanted, answers, strict=True):
        if limited is not None:
            await _defer(tx, start.job, start.delivery, limited)
            refused[start.job.key] = limited
    return refused


def _count_messages(parts: Sequence[DeliveryPart]) -> int:
    """Components of which nothing is out yet."""
    begun = {part.component for part in parts if part.state is not PartState.PLANNED}
    return len({part.component for part in parts} - begun)


async def _fail_limit(tx: Tx, start: Start, name: str) -> Outcome:
    entry = {"at": tx.now.isoformat(), "attempt": start.job.attempt, "reason": "limit_too_small", "error": name}
    await sending.note_error(tx, start.delivery.id, entry)
    return Fail("limit_too_small")


async def _defer(tx: Tx, job: Job, delivery: DeliveryToSend, limited: Limited) -> None:
    name = rooms.limit_name(limited.limit)
    await sending.defer_delivery(tx, delivery.id, job_id=job.id, by=name, until=limited.until)
    await statistics.count(tx, "limit_reached", name)
    said = {"limit": name, "until": limited.until, "schedule_id": delivery.schedule_id, "room_id": delivery.room_id}
    await facts.record(tx, "messaging.delivery_deferred", delivery.about, said, delivery.unit_id)


async def _begin(tx: Tx, starts: Sequence[Start], values: Values) -> dict[Key, Ready | Outcome]:
    if not starts:
        return {}
    plans = {start.job.key: plan_parts(start.delivery.content, _pace(start.delivery, values)) for start in starts}
    wanted = {picture.file_id for plan in plans.values() for part in plan for picture in part.pictures}
    files = await storage.find_files(tx, _HOUSE, wanted)
    ready = {start.job.key: _ready(start, plans[start.job.key], files, values) for start in starts}
    begun = [one for one in ready.values() if isinstance(one, Ready)]
    await sending.start_deliveries(tx, {one.delivery.id: one.job.id for one in begun})
    until = {one.job.id: one.delivery.counts_from + values[own.RETRY_HORIZON] for one in begun}
    await withdrawals.extend(tx, until)
    return ready


def _pace(delivery: DeliveryToSend, values: Values) -> Pace:
    return Pace(delivery.image_mode, values[own.IMAGE_GAP_MS])


def _ready(start: Start, planned: Sequence[Part], files: Mapping[int, File], values: Values) -> Ready | Outcome:
    waiting = {part.no for part in start.parts if part.state is PartState.PLANNED}
    left = tuple(part for part in planned if part.no in waiting)
    wanted = {picture.file_id for part in left for picture in part.pictures}
    if not wanted <= files.keys():
        return Fail("file_missing")
    return Ready(start.job, start.delivery, left, len(planned), {one: files[one] for one in wanted}, values)
