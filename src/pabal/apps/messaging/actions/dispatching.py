"""Puts a delivery that is open into its bot's lane: what a person asked for, and what must go another way."""

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions.timetables import lane_of
from pabal.apps.messaging.model.deliveries import SEND
from pabal.apps.messaging.store import errands
from pabal.apps.messaging.store.errands import Errand
from pabal.base.database import Tx
from pabal.engine.queue import NewJob, enqueue
from pabal.platform import settings


async def dispatch(tx: Tx, errand: Errand) -> int:
    """The job's id. It waits for its bot as long as an occurrence would."""
    values = await settings.values(tx, [own.LANE, own.CATCHUP_WINDOW])
    job = NewJob(
        SEND,
        {"delivery_id": errand.id},
        lane=lane_of(values, bot_name=errand.bot_name, room_id=errand.room_id),
        route=errand.route,
        about=errand.about,
        expires_at=tx.now + values[own.CATCHUP_WINDOW],
        unit_id=errand.unit_id,
        cause=errand.about,
    )
    made = await enqueue(tx, job)
    await errands.set_job(tx, errand.id, made.id)
    return made.id
