"""Whether a delivery may begin now, and what is left of it to send: everything that is asked before the first byte."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import endings, missing
from pabal.apps.messaging.actions.dispatching import dispatch
from pabal.apps.messaging.actions.endings import End
from pabal.apps.messaging.machine import DELIVERY, DeliveryEvent
from pabal.apps.messaging.model import limits
from pabal.apps.messaging.model.content import Pace, Part, plan_parts
from pabal.apps.messaging.model.deliveries import DeliveryPart, DeliveryState, PartState
from pabal.apps.messaging.model.rooms import RoomType
from pabal.apps.messaging.model.schedules import LatePolicy, ScheduleState
from pabal.apps.messaging.store import counts, errands, marks
from pabal.apps.messaging.store.errands import ON_TIME, Errand
from pabal.base.database import Tx
from pabal.engine import facts, withdrawals
from pabal.engine import limits as engine_limits
from pabal.engine.kinds import Job
from pabal.engine.outcome import DONE, Cancel, Done, Fail, Limited, Miss, Outcome
from pabal.engine.transitions import transition
from pabal.platform import settings, storage
from pabal.platform.actor import ENGINE
from pabal.platform.settings import Values
from pabal.platform.storage import File, FileNotFound
from pabal.platform.tenants import Scope, list_path

NEEDED = (
    *limits.SETTINGS,
    own.IMAGE_GAP_MS,
    own.UNKNOWN_PARTS,
    own.CATCHUP_WINDOW,
    own.RETRY_HORIZON,
    own.RETRY_AFTER,
    own.RETRIES,
    own.SEND_DEADLINE,
    own.CLAIM_BATCH_SIZE,
)
# Sending is the engine's: whom the pictures belong to was asked when the schedule was saved.
_HOUSE = Scope(None, None)
_DUPLICATE = Done("it was sent already")
_WRITTEN = (DeliveryState.SENT, DeliveryState.PARTIAL, DeliveryState.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Ready:
    """An attempt that has begun: what is left to send, with its pictures' files."""

    job: Job
    errand: Errand
    parts: tuple[Part, ...]
    total: int
    files: dict[int, File]
    values: Values

    @property
    def deadline(self) -> timedelta:
        """Its own waits do not count."""
        return self.values[own.SEND_DEADLINE] + timedelta(milliseconds=sum(part.wait_ms for part in self.parts))


async def prepare(tx: Tx, job: Job, *, bots_here_by: datetime) -> Ready | Outcome:
    """Before `bots_here_by` nothing is judged as too late: bots may still be on their way to this server."""
    errand = await find_errand(tx, job)
    if not isinstance(errand, Errand):
        return errand
    if errand.route != job.queue:
        # the schedule was given to another bot while this waited
        await dispatch(tx, errand)
        return Done("another bot sends it")
    values = await settings.values(tx, NEEDED)
    refusal = await _refuse(tx, job, errand, values, bots_here_by)
    if refusal is not None:
        return refusal
    parts = await list_settled(tx, errand.id, values)
    if parts and all(part.state is not PartState.PLANNED for part in parts):
        return await finish(tx, job, errand, parts, reason="bot_gone")
    return await _take_limits(tx, job, errand, values, parts) or await _begin(tx, job, errand, values, parts)


async def find_errand(tx: Tx, job: Job) -> Errand | Outcome:
    """What the job is for, or why there is nothing to do. What went out is never begun again."""
    delivery_id = job.args.get("delivery_id")
    if delivery_id is None:
        schedule_id, fire_at = job.args["message_schedule"], datetime.fromisoformat(job.args["fire_at"])
        fresh = await missing.open_delivery(tx, schedule_id, fire_at, job_id=job.id)
        if fresh is not None:
            return fresh
        delivery_id = await errands.find_at(tx, schedule_id, fire_at)
    errand = None if delivery_id is None else await errands.find_errand(tx, delivery_id)
    if errand is None:
        return Cancel("schedule_inactive")
    if errand.state in _WRITTEN:
        await counts.count(tx, "duplicates_prevented", "already_sent")
        return _DUPLICATE
    if errand.state != DeliveryState.OPEN:
        return await _reopen(tx, job, errand)
    is_begun = errand.attempts > 0 or "delivery_id" in job.args
    if errand.schedule_state == ScheduleState.DELETED or not is_begun:
        return Cancel("schedule_inactive")
    return errand


async def finish(tx: Tx, job: Job, errand: Errand, parts: tuple[DeliveryPart, ...], *, reason: str | None) -> Outcome:
    """Nothing is left to send."""
    event = endings.judge(parts)
    is_sent = event is DeliveryEvent.SEND
    await endings.end(tx, errand, End(event, None if is_sent else reason), job_id=job.id)
    return DONE if is_sent else Done("a part may not have arrived", partial=True)


async def list_settled(tx: Tx, delivery_id: int, values: Values) -> tuple[DeliveryPart, ...]:
    """Its parts; what an attempt left in the middle is unknown now, or by the setting sent again."""
    parts = (await marks.list_parts(tx, [delivery_id]))[delivery_id]
    if all(part.state is not PartState.WRITING for part in parts):
        return parts
    await marks.settle_writing(tx, delivery_id, resend=values[own.UNKNOWN_PARTS] == "resend")
    return (await marks.list_parts(tx, [delivery_id]))[delivery_id]


async def _reopen(tx: Tx, job: Job, errand: Errand) -> Errand | Outcome:
    """Its job was started again by hand: what failed or was missed may be sent after all."""
    await transition(tx, DELIVERY, errand.id, DeliveryEvent.RESUME, actor=ENGINE.name, reason="job_retried")
    await errands.reopen_errand(tx, errand.id, asked_by=ENGINE.name)
    await errands.set_job(tx, errand.id, job.id)
    return await errands.find_errand(tx, errand.id) or Cancel("schedule_inactive")


async def _refuse(tx: Tx, job: Job, errand: Errand, values: Values, bots_here_by: datetime) -> Outcome | None:
    if errand.attempts == 0 and "delivery_id" not in job.args:
        latest = max(errand.scheduled_at + _window(errand.late_policy, values), bots_here_by)
        if tx.now > latest:
            return Miss("too_late")
    if errand.room_name is None:
        return Fail("bot_not_in_room")
    if not await _may_enter(tx, errand):
        return Fail("room_not_allowed")
    return None


def _window(policy: str, values: Values) -> timedelta:
    match policy:
        case LatePolicy.WINDOW:
            return values[own.CATCHUP_WINDOW]
        case LatePolicy.SEND_LATE:
            return values[own.RETRY_HORIZON]
        case _:
            return ON_TIME


async def _may_enter(tx: Tx, errand: Errand) -> bool:
    """Asked again: the room may have been given away, or be no test room any more, since the schedule was saved."""
    if errand.room_unit_id is None:
        return False
    if errand.is_test:
        return errand.room_type == RoomType.TEST
    if errand.room_unit_id == errand.schedule_unit_id:
        return True
    return errand.schedule_unit_id in {unit.id for unit in await list_path(tx, errand.room_unit_id)}


async def _take_limits(
    tx: Tx, job: Job, errand: Errand, values: Values, parts: tuple[DeliveryPart, ...]
) -> Outcome | None:
    begun = {part.component for part in parts if part.state is not PartState.PLANNED}
    messages = len({part.component for part in parts} - begun)
    allowed = limits.resolve(errand.limits, values)
    too_small = limits.find_too_small(allowed, messages)
    if too_small is not None:
        entry = {"at": tx.now.isoformat(), "attempt": job.attempt, "reason": "limit_too_small", "error": too_small}
        await errands.note_error(tx, errand.id, entry)
        return Fail("limit_too_small")
    wanted = limits.to_engine(errand.room_id, allowed, messages, is_resumed=errand.attempts > 0)
    limited = await engine_limits.take(tx, job, wanted) if wanted else None
    if limited is not None:
        await _defer(tx, job, errand, limited)
    return limited


async def _defer(tx: Tx, job: Job, errand: Errand, limited: Limited) -> None:
    name = limits.limit_name(limited.limit)
    await errands.defer_errand(tx, errand.id, job_id=job.id, by=name, until=limited.until)
    await counts.count(tx, "limit_reached", name)
    said = {"limit": name, "until": limited.until, "schedule_id": errand.schedule_id, "room_id": errand.room_id}
    await facts.record(tx, "messaging.delivery_deferred", errand.about, said, errand.unit_id)


async def _begin(tx: Tx, job: Job, errand: Errand, values: Values, parts: tuple[DeliveryPart, ...]) -> Ready | Outcome:
    planned = plan_parts(errand.content, Pace(errand.image_mode, values[own.IMAGE_GAP_MS]))
    waiting = {part.no for part in parts if part.state is PartState.PLANNED}
    left = tuple(part for part in planned if part.no in waiting)
    wanted = {picture.file_id for part in left for picture in part.pictures}
    try:
        files = {file_id: await storage.get_file(tx, _HOUSE, file_id) for file_id in sorted(wanted)}
    except FileNotFound:
        return Fail("file_missing")
    await errands.start_errand(tx, errand.id, job_id=job.id)
    await withdrawals.extend(tx, job.id, errand.counts_from + values[own.RETRY_HORIZON])
    return Ready(job, errand, left, len(planned), files, values)
