"""Fan-out: the job of an occurrence that goes to many rooms. Opens their deliveries, and ends after the last one."""

from datetime import datetime, timedelta

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import bulks, endings
from pabal.apps.messaging.model.bulks import BulkSend
from pabal.apps.messaging.store import bulks as store
from pabal.apps.messaging.store.sending import Occurrence
from pabal.base.database import Database, Tx
from pabal.engine import queue, withdrawals
from pabal.engine.kinds import Job
from pabal.engine.outcome import DONE, Cancel, Done, Outcome, Snooze
from pabal.platform import settings

# Whether the last room has ended is looked at so often; retries may go on for a day.
LOOK = timedelta(seconds=15)
MOST_LOOKS = 20_000


class FanOut:
    """The handler of `messaging.bulk`. Runs anywhere: each room's send goes to where its bot is."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def run(self, job: Job) -> Outcome:
        async with self._database.transaction() as tx:
            return await fan_out(tx, job)

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        """Nobody opened it in time: each of its rooms was missed. What was opened goes on by itself."""
        place = await queue.find_place(tx, job.id)
        if place is not None and place.result == "cancelled":
            return
        await bulks.miss(tx, _occurrence_of(job), "too_late", {"said": reason})


async def fan_out(tx: Tx, job: Job) -> Outcome:
    """Opened once, however often it is tried: an occurrence has one bulk."""
    occurrence = _occurrence_of(job)
    bulk = await store.find_at(tx, occurrence) or await bulks.open_bulk(tx, occurrence, job_id=job.id)
    if bulk is None:
        return Cancel("schedule_inactive")
    if bulk.is_open:
        horizon = await settings.value(tx, own.RETRY_HORIZON)
        await withdrawals.extend(tx, {job.id: bulk.until + horizon})
        return Snooze(tx.now + LOOK, "rooms_left")
    await endings.complete_after(tx, bulk.schedule_id, job_id=job.id)
    return DONE if bulk.sent == bulk.rooms else Done(_tell(bulk), partial=True)


def _tell(bulk: BulkSend) -> str:
    return bulk.summary[0]


def _occurrence_of(job: Job) -> Occurrence:
    return Occurrence(job.args["message_schedule"], datetime.fromisoformat(job.args["fire_at"]))
