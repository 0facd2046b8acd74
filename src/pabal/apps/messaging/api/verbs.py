"""What one does with a message schedule: pause, resume, skip one moment, send now, try it in a test room."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from fastapi.responses import Response
from pydantic import Field

from pabal.apps.messaging.actions import deliveries, schedules
from pabal.apps.messaging.api.asked import MessageScheduleShown, show_schedule
from pabal.apps.messaging.api.parts import BASE, Asked, Id, Number, Shown, answer, no_content, noun
from pabal.apps.messaging.api.schedules import hold
from pabal.apps.messaging.api.sends import MessageDeliveryWhole, show_whole
from pabal.apps.messaging.model.schedules import Schedule
from pabal.base.database import Tx
from pabal.engine import ids
from pabal.platform.actor import Actor
from pabal.platform.web.etags import answer_one
from pabal.platform.web.filters import Moment
from pabal.platform.web.idempotency import KEY_REQUIRED, Once, OnceOnly
from pabal.platform.web.identify import Visitor

router = noun()
Verb = Callable[[Tx, Actor, int], Awaitable[Schedule]]


class SkipOne(Asked):
    """Without a moment, the next one that would be sent."""

    at: Moment | None = Field(default=None, examples=["2026-07-03T00:00:00Z"])


class SkippedOne(Shown):
    at: datetime


class KeepOne(Asked):
    at: Moment


class SentNow(Shown):
    """The job that sends it: /api/v1/jobs/{job} says where it is."""

    job: str = Field(examples=["job_01h2xcejqtf2n"])


class TryOut(Asked):
    """A room of type test that you see."""

    room_id: Id = Field(examples=[4])


@router.post("/schedules/{id}/pause", response_model=MessageScheduleShown)
async def pause_message_schedule(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Makes a schedule inactive: what waits is withdrawn, what has begun goes on."""
    return await _move(once, id, schedules.deactivate)


@router.post("/schedules/{id}/resume", response_model=MessageScheduleShown)
async def resume_message_schedule(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Makes a schedule active again, from its next moment on. After errors it counts them anew."""
    return await _move(once, id, schedules.activate)


@router.post("/schedules/{id}/toggle", response_model=MessageScheduleShown)
async def toggle_message_schedule(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Makes an active schedule inactive, and any other active."""
    return await _move(once, id, schedules.toggle)


@router.post("/schedules/{id}/skip", response_model=SkippedOne)
async def skip_send(visit: Visitor, once: OnceOnly, id: Number, asked: SkipOne) -> Response:
    """Decides in advance that one moment is not sent."""

    async def act(tx: Tx) -> Response:
        await hold(tx, visit, id)
        return answer(SkippedOne(at=await schedules.skip(tx, visit.actor, id, asked.at)))

    return await once.run(act)


@router.post("/schedules/{id}/keep", status_code=204)
async def keep_send(visit: Visitor, once: OnceOnly, id: Number, asked: KeepOne) -> Response:
    """Takes a skip back while its moment is ahead."""

    async def act(tx: Tx) -> Response:
        await hold(tx, visit, id)
        await schedules.keep(tx, visit.actor, id, asked.at)
        return no_content()

    return await once.run(act)


@router.post("/schedules/{id}/send-now", response_model=SentNow, status_code=202, openapi_extra=KEY_REQUIRED)
async def send_message_now(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Sends it once more, now. It waits for the bot and the room's limits. Needs an Idempotency-Key."""

    async def act(tx: Tx) -> Response:
        await hold(tx, visit, id)
        job = ids.show("job", await schedules.send_now(tx, visit.actor, id))
        return answer(SentNow(job=job), 202, location=f"/api/v1/jobs/{job}")

    return await once.required().run(act)


@router.post("/schedules/{id}/test", response_model=MessageDeliveryWhole, status_code=202)
async def send_message_test(visit: Visitor, once: OnceOnly, id: Number, asked: TryOut) -> Response:
    """Sends the same content to a test room. The log marks it as a test."""

    async def act(tx: Tx) -> Response:
        await hold(tx, visit, id)
        made = show_whole(await deliveries.send_test(tx, visit.actor, id, asked.room_id), visit)
        return answer(made, 202, location=f"{BASE}/deliveries/{made.id}")

    return await once.run(act)


async def _move(once: Once, schedule_id: int, verb: Verb) -> Response:
    visit = once.visit

    async def act(tx: Tx) -> Response:
        await hold(tx, visit, schedule_id)
        return answer_one(visit, show_schedule(await verb(tx, visit.actor, schedule_id), visit.lang))

    return await once.run(act)
