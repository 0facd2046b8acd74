"""Opens deliveries and dispatches them. What nobody could send in time gets one with its reason, for a person."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import endings
from pabal.apps.messaging.actions.endings import End
from pabal.apps.messaging.actions.timetables import lane_of
from pabal.apps.messaging.machine import DELIVERY, DeliveryEvent
from pabal.apps.messaging.model.checks import list_picture_ids
from pabal.apps.messaging.model.deliveries import SEND, DeliveryPart, about_of
from pabal.apps.messaging.model.schedules import LatePolicy
from pabal.apps.messaging.model.variables import fill, has_any
from pabal.apps.messaging.store import bulks, sending
from pabal.apps.messaging.store.sending import DeliveryToSend, Occurrence, Plan
from pabal.base.database import Tx
from pabal.engine import routes
from pabal.engine.queue import NewJob, enqueue, enqueue_many
from pabal.engine.transitions import begin
from pabal.platform import settings, storage
from pabal.platform.actor import ENGINE
from pabal.platform.settings import Values


class Planned(NamedTuple):
    delivery: DeliveryToSend
    parts: tuple[DeliveryPart, ...]


async def open_delivery(tx: Tx, occurrence: Occurrence, *, job_id: int | None) -> DeliveryToSend | None:
    """For one that was missed: also when its schedule may not send any more."""
    opened = await open_deliveries(tx, {occurrence: job_id}, must_be_active=False)
    return opened[occurrence].delivery if occurrence in opened else None


async def open_deliveries(
    tx: Tx, occurrences: Mapping[Occurrence, int | None], *, must_be_active: bool = True
) -> dict[Occurrence, Planned]:
    """The occurrences' own deliveries, made where there is none, brought up to date while nothing of it has begun.

    Left out: the schedule is gone or may not send; or what it has, has begun or ended, and stays as it is.
    """
    opened = await sending.open_deliveries(tx, occurrences, must_be_active=must_be_active)
    await begin(tx, DELIVERY, [one.id for one in opened if one.is_new], actor=ENGINE.name)
    found = await fill_in(tx, await sending.find_deliveries(tx, [one.id for one in opened]))
    parts = await plan(tx, list(found.values()), anew={one.id for one in opened if not one.is_new})
    return {Occurrence(one.schedule_id, one.scheduled_at): Planned(found[one.id], parts[one.id]) for one in opened}


async def fill_in(tx: Tx, found: Mapping[int, DeliveryToSend]) -> dict[int, DeliveryToSend]:
    """Each with the words that its room reads in the place of variables. Few have any."""
    asked = [one.id for one in found.values() if has_any(one.content.text)]
    if not asked:
        return dict(found)
    filled: dict[int, DeliveryToSend] = {}
    for own_words in await sending.list_words(tx, asked):
        delivery = found[own_words.delivery_id]
        text = fill(delivery.content.text or "", own_words.values_at(delivery.scheduled_at))
        filled[delivery.id] = replace(delivery, content=replace(delivery.content, text=text))
    await sending.set_contents(tx, {one.id: one.content for one in filled.values()})
    return {**found, **filled}


async def plan(
    tx: Tx, made: Sequence[DeliveryToSend], *, anew: Collection[int] = ()
) -> dict[int, tuple[DeliveryPart, ...]]:
    """Their parts; and what was sent is shown as it was, whatever becomes of the schedule, so its pictures stay."""
    parts = await sending.plan(tx, [Plan(one.id, one.content, one.image_mode, one.id in anew) for one in made])
    await storage.keep_many(
        tx, [(file_id, about_of(one.id)) for one in made for file_id in list_picture_ids(one.content)]
    )
    return parts


async def miss(
    tx: Tx, delivery: DeliveryToSend, reason: str, detail: dict[str, Any], *, job_id: int | None = None
) -> None:
    """Where the schedule says that what is late is skipped, nobody is asked."""
    is_skipped = delivery.late_policy == LatePolicy.SKIP
    told = {**detail, "dismissed_by": "policy"} if is_skipped else detail
    await endings.end(tx, delivery, End(DeliveryEvent.MISS, reason, told), job_id=job_id)


async def find_reason(tx: Tx, delivery: DeliveryToSend, said: str) -> tuple[str, dict[str, Any]]:
    """Why it was not begun in time: a limit, the bot, or others before it in its lane."""
    last_ping_at = await sending.find_last_ping(tx, delivery.bot_id)
    detail = {"last_ping_at": last_ping_at.isoformat()} if last_ping_at else {}
    if delivery.deferred_by is not None:
        return delivery.deferred_by, detail
    if delivery.excluded_at is not None:
        return "bot_excluded", detail
    if await routes.find_route(tx, delivery.route) is None:
        return ("wrong_secret" if await sending.is_unproven(tx, delivery.bot_id) else "bot_offline"), detail
    if said == "too_late":
        return "too_late", detail
    return ("lane_busy" if delivery.bulk_id is None else "bulk_window"), detail


async def dispatch(tx: Tx, delivery: DeliveryToSend) -> int:
    """The job's id. It waits for its bot as long as an occurrence would."""
    values = await settings.values(tx, [own.LANE, own.CATCHUP_WINDOW])
    made = await enqueue(tx, _job(delivery, values, tx.now + values[own.CATCHUP_WINDOW]))
    await sending.set_job(tx, delivery.id, made.id)
    return made.id


async def dispatch_many(tx: Tx, deliveries: Sequence[DeliveryToSend], *, until: datetime) -> None:
    """In their order, each from its own moment on. They wait for their bots and their turns until then."""
    values = await settings.values(tx, [own.LANE])
    jobs = await enqueue_many(tx, [_job(one, values, until) for one in deliveries])
    await bulks.set_jobs(tx, {one.id: job.id for one, job in zip(deliveries, jobs, strict=True)})


def _job(delivery: DeliveryToSend, values: Values, until: datetime) -> NewJob:
    return NewJob(
        SEND,
        {"delivery_id": delivery.id},
        lane=lane_of(values, bot_name=delivery.bot_name, room_id=delivery.room_id),
        route=delivery.route,
        about=delivery.about,
        run_at=delivery.scheduled_at,
        expires_at=until,
        unit_id=delivery.unit_id,
        cause=delivery.about,
    )
