"""Send: one attempt at a delivery. Each part is marked before its first byte, and when its phone has handled it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple, cast

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import endings, opening
from pabal.apps.messaging.actions.endings import End
from pabal.apps.messaging.errors import BotGone, NoReceipt
from pabal.apps.messaging.gateway import BotLine, Receipt
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
LAST_WORD = 2.0
# A phone that answers within this has no mark between the first byte and its answer.
QUICK = 0.05
# What was handled is told together with the next part, if that follows so soon.
RIDES_WITHIN = 2.0

declare("sending.failed", "Attempts at a delivery that failed", labels=("reason",), level=30)
declare("sending.bot_gone", "Attempts cut off because the bot went away", labels=("began",))


@dataclass(frozen=True, slots=True)
class Result:
    """None: every part that was left is out. Otherwise a code, and what was said.

    `last`: a part that was handled, and is not marked so yet.
    """

    reason: str | None = None
    error: str = ""
    last: "Handled | None" = None


class Handled(NamedTuple):
    """A part, and when it was out and when its phone had handled it, in seconds of the steady clock."""

    no: int
    written_at: float
    handled_at: float

    def mark(self, delivery_id: int) -> Mark:
        now = elapsed()
        ages = (timedelta(seconds=now - self.written_at), timedelta(seconds=now - self.handled_at))
        return Mark(delivery_id, self.no, PartState.HANDLED, *ages)


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
                last = await self._send_all(job, ready, limit)
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
        except NoReceipt as error:
            return Result("no_receipt", str(error))
        except (Unavailable, Invalid) as error:
            return Result("bot_error", str(error))
        return Result(last=last)

    async def record_all(self, tx: Tx, performed: Sequence[tuple[Ready, Result]]) -> list[Outcome]:
        last = [(ready.job, result.last.mark(ready.delivery.id)) for ready, result in performed if result.last]
        if last:
            await sending.note_handled(tx, last)
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

    async def _send_all(self, job: Job, ready: Ready, limit: asyncio.Timeout) -> Handled | None:
        """A wait counts from the last byte before it. Answers what is not marked as handled yet."""
        out = ready.total - len(ready.parts)
        before: Handled | None = None
        try:
            for index, part in enumerate(ready.parts):
                if before is not None:
                    await self._pause(job, ready, before, part.wait_ms / 1000)
                before = await self._send_part(job, ready, part, before, limit)
                await job.report({"handled": out + index + 1, "parts": ready.total})
        except BaseException:
            if before is not None:
                await self._say(job, before.mark(ready.delivery.id))
            raise
        return before

    async def _pause(self, job: Job, ready: Ready, before: Handled, seconds: float) -> None:
        """What was handled is told with the next part, unless that is far away."""
        left = before.written_at + seconds - elapsed()
        if left > RIDES_WITHIN:
            await self._marks.put(job, before.mark(ready.delivery.id))
            left = before.written_at + seconds - elapsed()
        await asyncio.sleep(max(left, 0))

    async def _send_part(
        self, job: Job, ready: Ready, part: Part, before: Handled | None, limit: asyncio.Timeout
    ) -> Handled:
        """Once its first mark stands, only what surely did not begin may be taken back."""
        pictures = [await self._read(ready, picture.file_id) for picture in part.pictures]
        line = cast("BotLine | None", self._services.connections.find(job.queue))
        if line is None or line.epoch != job.route_epoch:
            raise RouteLost(f"job {job.id} route {job.queue}: the connection it was claimed for is gone")
        planned = Mark(ready.delivery.id, part.no, PartState.PLANNED)
        async with taking_turns(line, limit):
            beginning = asyncio.create_task(self._begin(job, ready, part, before))
            try:
                await asyncio.shield(beginning)
            except asyncio.CancelledError:
                await self._take_back(job, beginning, planned)
                raise
            try:
                receipt = await self._write(line, ready, part, pictures)
            except BotGone as gone:
                if not gone.began:
                    await self._say(job, planned)
                raise
            return await self._confirm(job, ready, part, receipt)

    async def _begin(self, job: Job, ready: Ready, part: Part, before: Handled | None) -> None:
        told = () if before is None else (before.mark(ready.delivery.id),)
        await self._marks.put(job, *told, Mark(ready.delivery.id, part.no, PartState.WRITING))

    async def _take_back(self, job: Job, beginning: "asyncio.Task[None]", planned: Mark) -> None:
        """Two batches of marks are written side by side: asked for before the first mark stands, this one may be passed
        by it, and the part would seem to have begun."""
        await asyncio.wait([beginning], timeout=LAST_WORD)
        if not beginning.done():
            beginning.cancel()
        elif beginning.exception() is None:
            await self._say(job, planned)

    async def _write(self, line: BotLine, ready: Ready, part: Part, pictures: list[bytes]) -> Receipt:
        delivery = ready.delivery
        room_name = delivery.room_name or ""
        if part.text is not None:
            return await line.send_text(room_name, delivery.channel_id, part.text)
        extension = part.pictures[0].extension
        return await line.send_images(delivery.channel_id, room_name, pictures, extension, part.media_wait)

    async def _confirm(self, job: Job, ready: Ready, part: Part, receipt: Receipt) -> Handled:
        """That it is out is marked only where the phone takes its time: a quick one costs no commit more."""
        written_at = elapsed()
        written = Mark(ready.delivery.id, part.no, PartState.WRITTEN)
        try:
            if not await receipt.wait(QUICK):
                await self._marks.put(job, written)
                await receipt.wait(None)
        except (BotGone, NoReceipt):
            await self._say(job, written)
            raise
        return Handled(part.no, written_at, elapsed())

    async def _say(self, job: Job, mark: Mark) -> None:
        """Not at any price: a part that stays as it was marked is unknown, which is true enough."""
        with suppress(LeaseLost, TimeoutError):
            async with asyncio.timeout(LAST_WORD):
                await self._marks.put(job, mark)

    async def _read(self, ready: Ready, file_id: int) -> bytes:
        content = await storage.read(self._services.files, ready.files[file_id])
        return b"".join([chunk async for chunk in content.chunks])


@asynccontextmanager
async def taking_turns(line: BotLine, limit: asyncio.Timeout) -> AsyncIterator[None]:
    """While others' parts are with the phone, no time of this send passes."""
    running = asyncio.get_running_loop()
    left = (limit.when() or 0.0) - running.time()
    limit.reschedule(None)
    async with line.turn():
        limit.reschedule(running.time() + left)
        yield


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
    "no_receipt",
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
    await sending.settle_begun(tx, delivery.id, resend=False)
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


_Asked = tuple[Job, tuple[Mark, ...]]
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

    async def put(self, job: Job, *marks: Mark) -> None:
        """Returns once all are committed. Raises LeaseLost or RouteLost when this attempt may write nothing any more.

        While the database is away it is tried again, until whoever waits here is cancelled because the life lapsed.
        """
        await self._gathering.put((job, marks))

    async def _commit(self, batch: Sequence[_Asked]) -> list[Exception | None]:
        flat = [(job, mark) for job, marks in batch for mark in marks]
        answers = iter(await sending.mark_parts(self._database, flat))
        lost = [_find_loss(job, [(mark, next(answers)) for mark in marks]) for job, marks in batch]
        emit("marks.kept", count=sum(error is None for error in lost))
        await self._count(batch, lost)
        return lost

    async def _count(self, batch: Sequence[_Asked], lost: Sequence[Exception | None]) -> None:
        """Each part that would have gone out from here too, and did not."""
        for why, kind in (("lease_lost", LeaseLost), ("route_lost", RouteLost)):
            refused = [one for one, error in zip(batch, lost, strict=True) if isinstance(error, kind)]
            begun = [(job, mark) for job, marks in refused for mark in marks if mark.state is PartState.WRITING]
            for job, mark in begun:
                emit("marks.refused", why=why, job=job.id, delivery=mark.delivery_id, part=mark.no)
            if begun:
                async with self._database.transaction() as tx:
                    await statistics.count(tx, "duplicates_prevented", why, len(begun))


def _find_loss(job: Job, answered: Sequence[tuple[Mark, Marked]]) -> Exception | None:
    for mark, answer in answered:
        if not answer.is_held:
            return LeaseLost(f"job {job.id} token {job.token}")
        if not answer.has_route and mark.state is PartState.WRITING:
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
