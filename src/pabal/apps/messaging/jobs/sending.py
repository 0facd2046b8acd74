"""Send: one attempt at a delivery. Each part is marked before its first byte and after its last."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import endings, opening
from pabal.apps.messaging.actions.endings import End
from pabal.apps.messaging.errors import BotGone
from pabal.apps.messaging.gateway import BotLine
from pabal.apps.messaging.jobs import preparing
from pabal.apps.messaging.jobs.preparing import Ready, Start
from pabal.apps.messaging.machine import DeliveryEvent
from pabal.apps.messaging.model.content import Part
from pabal.apps.messaging.model.deliveries import DeliveryState, PartState
from pabal.apps.messaging.model.schedules import ScheduleState
from pabal.apps.messaging.store import sending, statistics
from pabal.apps.messaging.store.sending import DeliveryToSend, Mark, Marked, Occurrence
from pabal.base.clock import elapsed
from pabal.base.database import ConnectionFailure, Database, DatabaseError, DatabaseUnavailable, Tx
from pabal.base.errors import Invalid, Unavailable
from pabal.base.telemetry import declare, emit
from pabal.engine import queue
from pabal.engine.batcher import Batcher
from pabal.engine.claims import LeaseLost, RouteLost
from pabal.engine.kinds import Job
from pabal.engine.outcome import Fail, Outcome, Retry, Snooze
from pabal.platform import storage
from pabal.platform.services import Services
from pabal.platform.storage import ContentMissing, StoreFailed

# A bot that is gone may look connected for a moment more: the next look is not at once.
PAUSE = timedelta(seconds=1)
TAKING_BACK = 2.0

declare("sending.failed", "Attempts at a delivery that failed", labels=("reason",), level=30)
declare("sending.bot_gone", "Attempts cut off because the bot went away", labels=("began",))


@dataclass(frozen=True, slots=True)
class Result:
    """None: every part that was left is out. Otherwise a code, and what was said."""

    reason: str | None = None
    error: str = ""


class Send:
    """The handler of `messaging.send`. Runs where the bot's connection is."""

    def __init__(self, services: Services, *, began: float | None = None) -> None:
        self._services = services
        self._marks = Marks(services.database)
        self._began = elapsed() if began is None else began
        self._claim_most = own.CLAIM_BATCH_SIZE.default

    def claim_most(self) -> int:
        """As the setting said when the last send began."""
        return self._claim_most

    async def prepare_all(self, tx: Tx, jobs: Sequence[Job]) -> list[Ready | Outcome]:
        here = [job for job in jobs if self._services.connections.find(job.queue) is not None]
        running = timedelta(seconds=elapsed() - self._began)
        bots_here_by = tx.now - running + self._services.settings.reconnect_wait
        prepared = await preparing.prepare(tx, here, bots_here_by=bots_here_by)
        said = dict(zip((job.key for job in here), prepared, strict=True))
        for one in prepared:
            if isinstance(one, Ready):
                self._claim_most = one.values[own.CLAIM_BATCH_SIZE]
        return [said.get(job.key) or Snooze(tx.now + PAUSE, "bot_gone") for job in jobs]

    async def perform(self, job: Job, ready: Ready) -> Result:
        try:
            async with asyncio.timeout(ready.deadline.total_seconds()) as limit:
                await self._send_all(job, ready)
        except TimeoutError:
            if not limit.expired():
                raise
            return Result("deadline", f"longer than {ready.deadline}")
        except ContentMissing as error:
            return Result("file_missing", str(error))
        except StoreFailed as error:
            return Result("store_failed", str(error))
        except BotGone as gone:
            emit("sending.bot_gone", began=str(gone.began), job=job.id, delivery=ready.delivery.id)
            raise RouteLost(f"job {job.id} route {job.queue}: the bot is gone") from gone
        except (Unavailable, Invalid) as error:
            return Result("bot_error", str(error))
        return Result()

    async def record_all(self, tx: Tx, performed: Sequence[tuple[Ready, Result]]) -> list[Outcome]:
        parts = await preparing.list_settled(tx, {ready.delivery.id: ready.values for ready, _ in performed})
        starts = {ready.job.key: Start(ready.job, ready.delivery, parts[ready.delivery.id]) for ready, _ in performed}
        over = [(starts[ready.job.key], result.reason or "bot_gone") for ready, result in performed]
        for ready, result in performed:
            if result.reason is not None:
                await self._note(tx, ready, result)
        finished = await preparing.finish(tx, [(start, reason) for start, reason in over if start.is_out])
        return [finished.get(ready.job.key) or _try_again(tx, ready, result) for ready, result in performed]

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        await give_up(tx, job, reason)

    async def _note(self, tx: Tx, ready: Ready, result: Result) -> None:
        job = ready.job
        entry = {"at": tx.now.isoformat(), "attempt": job.attempt, "reason": result.reason, "error": result.error}
        await sending.note_error(tx, ready.delivery.id, entry)
        emit(
            "sending.failed", reason=result.reason, error=result.error, delivery=ready.delivery.id, attempt=job.attempt
        )

    async def _send_all(self, job: Job, ready: Ready) -> None:
        """A wait counts from the last byte before it; the mark after that byte is in it."""
        out = ready.total - len(ready.parts)
        written_at = elapsed()
        for index, part in enumerate(ready.parts):
            if index:
                await asyncio.sleep(max(written_at + part.wait_ms / 1000 - elapsed(), 0))
            written_at = await self._send_part(job, ready, part)
            await job.report({"written": out + index + 1, "parts": ready.total})

    async def _send_part(self, job: Job, ready: Ready, part: Part) -> float:
        """Answers when it was out. Once the first mark stands, only what surely did not begin may be taken back."""
        pictures = [await self._read(ready, picture.file_id) for picture in part.pictures]
        line = cast("BotLine | None", self._services.connections.find(job.queue))
        if line is None or line.epoch != job.route_epoch:
            raise RouteLost(f"job {job.id} route {job.queue}: the connection it was claimed for is gone")
        try:
            await self._mark(job, ready, part, PartState.WRITING)
        except asyncio.CancelledError:
            await self._take_back(job, ready, part)
            raise
        try:
            await self._write(line, ready, part, pictures)
        except BotGone as gone:
            if not gone.began:
                await self._take_back(job, ready, part)
            raise
        written_at = elapsed()
        await self._mark(job, ready, part, PartState.WRITTEN)
        return written_at

    async def _write(self, line: BotLine, ready: Ready, part: Part, pictures: list[bytes]) -> None:
        delivery = ready.delivery
        room_name = delivery.room_name or ""
        if part.text is not None:
            await line.send_text(room_name, delivery.channel_id, part.text)
        else:
            extension = part.pictures[0].extension
            await line.send_images(delivery.channel_id, room_name, pictures, extension, part.media_wait)

    async def _mark(self, job: Job, ready: Ready, part: Part, state: PartState) -> None:
        await self._marks.put(job, Mark(ready.delivery.id, part.no, state))

    async def _take_back(self, job: Job, ready: Ready, part: Part) -> None:
        """Not at any price: a part that stays marked is unknown, which is true enough."""
        with suppress(LeaseLost, TimeoutError):
            async with asyncio.timeout(TAKING_BACK):
                await self._mark(job, ready, part, PartState.PLANNED)

    async def _read(self, ready: Ready, file_id: int) -> bytes:
        content = await storage.read(self._services.files, ready.files[file_id])
        return b"".join([chunk async for chunk in content.chunks])


def _try_again(tx: Tx, ready: Ready, result: Result) -> Outcome:
    """A part is left: later, unless that would be too often or too late."""
    job, values = ready.job, ready.values
    reason = result.reason or "bot_error"
    after = values[own.RETRY_AFTER] * 2**job.failures
    is_over = tx.now + after > ready.delivery.counts_from + values[own.RETRY_HORIZON]
    if job.failures >= values[own.RETRIES] or is_over:
        return Fail(reason)
    return Retry(reason, after)


CODES = (
    "bot_error",
    "bot_not_in_room",
    "deadline",
    "file_missing",
    "limit_too_small",
    "room_not_allowed",
    "store_failed",
)


async def give_up(tx: Tx, job: Job, reason: str) -> None:
    """In the commit that ends the job."""
    place = await queue.find_place(tx, job.id)
    result = "failed" if place is None else place.result
    delivery = await _find(tx, job, make=result != "cancelled")
    if delivery is None or delivery.state != DeliveryState.OPEN or delivery.job_id not in (None, job.id):
        return
    await sending.settle_writing(tx, delivery.id, resend=False)
    event = endings.judge((await sending.list_parts(tx, [delivery.id]))[delivery.id])
    if event is not DeliveryEvent.FAIL:
        await endings.end(tx, delivery, End(event, _broken_off(event, result, reason)), job_id=job.id)
    elif result == "expired":
        why, detail = await opening.find_reason(tx, delivery, reason)
        await opening.miss(tx, delivery, why, detail, job_id=job.id)
    elif result == "cancelled":
        # somebody withdrew it: nobody has to decide about it again
        code = "paused" if delivery.schedule_state == ScheduleState.INACTIVE else "cancelled"
        end = End(DeliveryEvent.MISS, code, {"dismissed_by": "engine", "said": reason})
        await endings.end(tx, delivery, end, job_id=job.id)
    else:
        end = End(event, _code(result, reason), {"error": reason})
        await endings.end(tx, delivery, end, job_id=job.id)


async def _find(tx: Tx, job: Job, *, make: bool) -> DeliveryToSend | None:
    """What nobody even began gets its delivery now, to say so; what was withdrawn before needs none."""
    delivery_id = job.args.get("delivery_id")
    if delivery_id is None:
        schedule_id, fire_at = job.args["message_schedule"], datetime.fromisoformat(job.args["fire_at"])
        delivery_id = await sending.find_at(tx, schedule_id, fire_at)
        if delivery_id is None:
            if not make:
                return None
            return await opening.open_delivery(tx, Occurrence(schedule_id, fire_at), job_id=job.id)
    return await sending.find_delivery(tx, delivery_id)


def _broken_off(event: DeliveryEvent, result: str | None, reason: str) -> str | None:
    if event is DeliveryEvent.SEND:
        return None
    return "bot_gone" if result == "expired" else _code(result, reason)


def _code(result: str | None, reason: str) -> str:
    match result:
        case "cancelled":
            return "cancelled"
        case "quarantined":
            return "server_died"
        case _:
            return reason if reason in CODES else "error"


_Asked = tuple[Job, Mark]
AT_ONCE = 2
# the class of SQLSTATE for transactions that were undone through no fault of theirs
ROLLED_BACK = "40"

declare("marks.kept", "Marks of parts committed, and how many at once", amount="count", level=10)
declare("marks.refused", "Marks of attempts that had lost their job or their bot", labels=("why",), level=30)
declare("marks.repeated", "Marks written again because the database did not answer", level=30)


class Marks:
    """Few commits, each with all that asked while those before it were written."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._gathering = Batcher[_Asked, None](
            "messaging.marks", self._commit, at_once=AT_ONCE, may_repeat=_may_repeat
        )

    async def put(self, job: Job, mark: Mark) -> None:
        """Returns once it is committed. Raises LeaseLost or RouteLost when this attempt may write nothing any more.

        While the database is away it is tried again, until whoever waits here is cancelled because the life lapsed.
        """
        await self._gathering.put((job, mark))

    async def _commit(self, batch: Sequence[_Asked]) -> list[Exception | None]:
        answers = await sending.mark_parts(self._database, batch)
        lost = [_find_loss(*one, answer) for one, answer in zip(batch, answers, strict=True)]
        emit("marks.kept", count=sum(error is None for error in lost))
        await self._count(batch, lost)
        return lost

    async def _count(self, batch: Sequence[_Asked], lost: Sequence[Exception | None]) -> None:
        """Each part that would have gone out from here too, and did not."""
        for why, kind in (("lease_lost", LeaseLost), ("route_lost", RouteLost)):
            refused = [one for one, error in zip(batch, lost, strict=True) if isinstance(error, kind)]
            for job, mark in refused:
                emit("marks.refused", why=why, job=job.id, delivery=mark.delivery_id, part=mark.no)
            prevented = sum(mark.state is PartState.WRITING for _, mark in refused)
            if prevented:
                async with self._database.transaction() as tx:
                    await statistics.count(tx, "duplicates_prevented", why, prevented)


def _find_loss(job: Job, mark: Mark, answer: Marked) -> Exception | None:
    if not answer.is_held:
        return LeaseLost(f"job {job.id} token {job.token}")
    if not answer.has_route and mark.state is not PartState.PLANNED:
        return RouteLost(f"job {job.id} route {job.queue}")
    if not answer.stands:
        return LeaseLost(f"part {mark.no} of delivery {mark.delivery_id} is another attempt's")
    return None


def _may_repeat(error: Exception, count: int) -> bool:
    """The database is away, or took the whole transaction back: a deadlock, say. What is marked twice stands once."""
    is_away = isinstance(error, (DatabaseUnavailable, *ConnectionFailure))
    is_undone = isinstance(error, DatabaseError) and str(error.sqlstate).startswith(ROLLED_BACK)
    if is_away or is_undone:
        emit("marks.repeated", error=repr(error), count=count)
    return is_away or is_undone
