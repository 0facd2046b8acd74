"""Another bot takes over: a send that waits for one that is away goes to the next of its room that is connected."""

from collections.abc import Sequence

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import opening
from pabal.apps.messaging.model.bulks import Speaker
from pabal.apps.messaging.store import bulks, schedules, sending, takeovers
from pabal.apps.messaging.store.audiences import list_speakers
from pabal.apps.messaging.store.sending import DeliveryToSend, Occurrence
from pabal.apps.messaging.store.takeovers import WaitingSend
from pabal.base.database import Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import facts, withdrawals
from pabal.engine.kinds import Kinds
from pabal.platform import settings

MOST = 200
# the delivery goes on by another job: nobody has anything to write about the end of this one
_NOBODY = Kinds()

declare("sending.taken_over", "Sends that another bot of the room took over")


async def take_over_once(database: Database) -> int:
    """Every server may look: of two, the second finds the job gone."""
    async with database.transaction() as tx:
        after = await settings.value(tx, own.TAKEOVER_AFTER)
        found = await takeovers.list_waiting(tx, before=tx.now - after, most=MOST) if after else []
        speakers = await list_speakers(tx, [one.room_id for one in found]) if found else {}
        moves = [(one, _next(speakers.get(one.room_id, ()), one.bot_id)) for one in found]
        done = [one for one, speaker in moves if speaker is not None and await _take_over(tx, one, speaker)]
    return len(done)


def _next(speakers: Sequence[Speaker], away: int) -> Speaker | None:
    """In the room's order; one without a turn is never asked."""
    able = [one for one in speakers if one.turn is not None and one.is_connected and not one.is_excluded]
    return min((one for one in able if one.bot_id != away), key=lambda one: one.turn or 0, default=None)


async def _take_over(tx: Tx, waiting: WaitingSend, speaker: Speaker) -> bool:
    """The job ends and another is made in one commit: a job cannot change its route."""
    if waiting.schedule_id is not None:
        await schedules.lock_schedule(tx, waiting.schedule_id)
    reason = f"bot {speaker.bot_name} takes over"
    done = await withdrawals.cancel_jobs(tx, [waiting.job_id], kinds=_NOBODY, reason=reason)
    if not done.ended:
        return False
    delivery = await _find(tx, waiting)
    if delivery is None:
        return False
    await takeovers.set_bot(tx, delivery.id, speaker.bot_id)
    moved = (await sending.find_deliveries(tx, [delivery.id]))[delivery.id]
    # this bot's phone may take images otherwise: other packets, so other parts
    await opening.plan(tx, [moved], anew={moved.id})
    until = None if moved.bulk_id is None else (await bulks.load_bulks(tx, [moved.bulk_id]))[0].until
    if until is None:
        await opening.dispatch(tx, moved)
    else:
        await opening.dispatch_many(tx, [moved], until=until)
    said = {"from": waiting.bot_id, "to": speaker.bot_id, "name": speaker.bot_name}
    await facts.record(tx, "messaging.delivery_taken_over", moved.about, said, moved.unit_id)
    emit("sending.taken_over", delivery=moved.id, bot=speaker.bot_name)
    return True


async def _find(tx: Tx, waiting: WaitingSend) -> DeliveryToSend | None:
    if waiting.delivery_id is not None:
        return await sending.find_delivery(tx, waiting.delivery_id)
    if waiting.schedule_id is None or waiting.fire_at is None:
        return None
    return await opening.open_delivery(tx, Occurrence(waiting.schedule_id, waiting.fire_at), job_id=None)
