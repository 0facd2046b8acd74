"""Saving a schedule, which may be tried first, and those of its verbs that answer something else than the schedule."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from fastapi import Query
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import ValidationError

from pabal.apps.messaging.actions import checking, deliveries
from pabal.apps.messaging.actions import schedules as actions
from pabal.apps.messaging.api.parts import AREA, BASE, Number, noun
from pabal.apps.messaging.model.schedules import NewSchedule, Schedule
from pabal.apps.messaging.resources.checks import (
    CheckView,
    KeepSend,
    NextSendView,
    SentNowView,
    SkippedView,
    SkipSend,
    TestSend,
    view_bubbles,
    view_check,
)
from pabal.apps.messaging.resources.deliveries import DELIVERY
from pabal.apps.messaging.resources.schedules import (
    SCHEDULE,
    MessageScheduleEdit,
    MessageScheduleNew,
    as_asked,
    as_new,
)
from pabal.base.database import Tx
from pabal.engine import forecasts, ids
from pabal.platform.actor import Right
from pabal.platform.operating.model import tried
from pabal.platform.web.endpoints import no_content
from pabal.platform.web.idempotency import KEY_REQUIRED, OnceOnly
from pabal.platform.web.identify import Visitor, guess_language
from pabal.platform.web.models import body_of, model_of, read_ask
from pabal.platform.web.paging import Page, answer_all, answer_json
from pabal.platform.web.rest import DryRun, answer_row, find_row, match_row, view_row
from pabal.platform.web.visit import Visit

router = noun()
Check = Annotated[bool, Query(description="Only say what would come of it; nothing is saved.")]
New: Any = body_of(MessageScheduleNew)
Edit: Any = body_of(MessageScheduleEdit)
Skip: Any = body_of(SkipSend)
Keep: Any = body_of(KeepSend)
Test: Any = body_of(TestSend)
Shown, Checked = model_of(SCHEDULE.shows), model_of(CheckView)
_CHECKED: dict[int | str, dict[str, Any]] = {
    200: {"model": Checked, "description": "With `dry_run`: what would come of it."}
}


@router.post("/schedules", response_model=Shown, status_code=201, responses=_CHECKED)
async def create_message_schedule(visit: Visitor, once: OnceOnly, asked: New, dry_run: Check = False) -> Response:
    """Saves a new schedule, or refuses it with what is wrong beside each field."""
    new = _read(asked)
    if dry_run:
        return await _only_check(visit, new)

    async def act(tx: Tx) -> Response:
        made = await actions.create(tx, visit.actor, new)
        return answer_json(view_row(visit, SCHEDULE, made), 201, {"Location": f"{BASE}/schedules/{made.id}"})

    return await once.run(act)


@router.post("/schedules/preview", response_model=Checked)
async def preview_message_schedule(visit: Visitor, asked: New) -> Response:
    """Says what would come of it: next moments, limits, conflicts, bubbles. Nothing is saved."""
    return await _only_check(visit, _read(asked))


@router.put("/schedules/{id}", response_model=Shown | Checked)
async def replace_message_schedule(
    visit: Visitor, once: OnceOnly, id: Number, asked: New, dry_run: Check = False
) -> Response:
    """Replaces a schedule; what is not given is as if it were new. What has begun goes on as it was."""

    async def act(tx: Tx) -> Response:
        return await _edit(tx, visit, id, lambda old: with_owner(_read(asked), old), dry_run=dry_run)

    return await once.run(act)


@router.patch("/schedules/{id}", response_model=Shown | Checked)
async def edit_message_schedule(
    visit: Visitor, once: OnceOnly, id: Number, asked: Edit, dry_run: Check = False
) -> Response:
    """Changes only what is given (JSON merge patch)."""

    async def act(tx: Tx) -> Response:
        return await _edit(tx, visit, id, partial(_merge, asked), dry_run=dry_run)

    return await once.run(act)


@router.delete("/schedules/{id}", status_code=204)
async def delete_message_schedule(
    visit: Visitor,
    id: Number,
    purge: Annotated[bool, Query(description="Also its deliveries, for good. Administrators only.")] = False,
    dry_run: DryRun = False,
) -> Response:
    """Deletes a schedule. Nothing more of it is sent; its deliveries stay in the log."""
    async with visit.change() as tx, tried(tx, dry_run=dry_run):
        if not purge:
            await match_row(tx, visit, SCHEDULE, id)
        await (actions.purge if purge else actions.delete)(tx, visit.actor, id)
    return no_content()


@router.get("/schedules/{id}/next", response_model=Page[model_of(NextSendView)])  # type: ignore[misc]  # made from the view
async def list_next_sends(
    visit: Visitor, id: Number, limit: Annotated[int, Query(ge=1, le=200, description="How many that are sent.")] = 5
) -> Response:
    """Lists the next moments of a schedule, with a reason beside those that are not sent."""
    async with visit.read() as tx:
        found = await find_row(tx, visit, SCHEDULE, id)
        ahead = [] if found.timetable_id is None else await forecasts.preview(tx, found.timetable_id, limit)
    return answer_all([NextSendView.of(one, at=one.moment, wall=one.wall.isoformat()) for one in ahead])


@router.post("/schedules/{id}/skip", response_model=model_of(SkippedView))
async def skip_send(visit: Visitor, once: OnceOnly, id: Number, asked: Skip, dry_run: DryRun = False) -> Response:
    """Decides in advance that one moment is not sent."""

    async def act(tx: Tx) -> Response:
        await match_row(tx, visit, SCHEDULE, id)
        return answer_json(SkippedView(at=await actions.skip(tx, visit.actor, id, asked.at)))

    return await once.run(act, dry_run=dry_run)


@router.post("/schedules/{id}/keep", status_code=204)
async def keep_send(visit: Visitor, once: OnceOnly, id: Number, asked: Keep, dry_run: DryRun = False) -> Response:
    """Takes a skip back while its moment is ahead."""

    async def act(tx: Tx) -> Response:
        await match_row(tx, visit, SCHEDULE, id)
        await actions.keep(tx, visit.actor, id, asked.at)
        return no_content()

    return await once.run(act, dry_run=dry_run)


@router.post(
    "/schedules/{id}/send-now", response_model=model_of(SentNowView), status_code=202, openapi_extra=KEY_REQUIRED
)
async def send_message_now(visit: Visitor, once: OnceOnly, id: Number, dry_run: DryRun = False) -> Response:
    """Sends it once more, now. It waits for the bot and the room's limits. Needs an Idempotency-Key."""

    async def act(tx: Tx) -> Response:
        await match_row(tx, visit, SCHEDULE, id)
        job = ids.show("job", await actions.send_now(tx, visit.actor, id))
        return answer_json(SentNowView(job=job), 202, {"Location": f"/api/v1/jobs/{job}"})

    return await once.required().run(act, dry_run=dry_run)


@router.post("/schedules/{id}/test", response_model=model_of(DELIVERY.shows), status_code=202)
async def send_message_test(
    visit: Visitor, once: OnceOnly, id: Number, asked: Test, dry_run: DryRun = False
) -> Response:
    """Sends the same content to a test room. The log marks it as a test."""

    async def act(tx: Tx) -> Response:
        await match_row(tx, visit, SCHEDULE, id)
        made = await deliveries.send_test(tx, visit.actor, id, asked.room_id)
        there = {"Location": f"{BASE}/deliveries/{ids.show('dlv', made.id)}"}
        return answer_json(view_row(visit, DELIVERY, made), 202, there)

    return await once.run(act, dry_run=dry_run)


def with_owner(new: NewSchedule, old: Schedule) -> NewSchedule:
    """Whoever does not name an owner leaves it as it is, unless the room is another."""
    if new.unit_id is None and new.room_id == old.room_id and (new.audience is None) == (old.audience is None):
        return replace(new, unit_id=old.unit_id)
    return new


def _read(asked: Any) -> NewSchedule:
    said: Any = read_ask(MessageScheduleNew, asked)
    return as_new(said)


def _merge(asked: Any, old: Schedule) -> NewSchedule:
    """Raises what FastAPI raises of a body that does not fit: null where something is needed, say."""
    given = {name: getattr(asked, name) for name in asked.model_fields_set}
    try:
        whole = New(**{name: value for name, value in {**as_asked(old), **given}.items() if value is not None})
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from error
    return _read(whole)


async def _edit(
    tx: Tx, visit: Visit, schedule_id: int, merge: Callable[[Schedule], NewSchedule], *, dry_run: bool
) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    await match_row(tx, visit, SCHEDULE, schedule_id)
    if dry_run:
        return await _check(tx, visit, merge(await find_row(tx, visit, SCHEDULE, schedule_id)), schedule_id)
    return answer_row(visit, SCHEDULE, await actions.amend(tx, visit.actor, schedule_id, merge))


async def _only_check(visit: Visit, new: NewSchedule) -> Response:
    async with visit.read() as tx:
        return await _check(tx, visit, new, None)


async def _check(tx: Tx, visit: Visit, new: NewSchedule, schedule_id: int | None) -> Response:
    """As saving it would. Nothing is saved."""
    checked = await checking.check(tx, visit.actor, new, schedule_id=schedule_id)
    bubbles = view_bubbles(checked.parts, checked.begins_at(tx.now), await checking.read_fold(tx))
    return answer_json(view_check(checked, bubbles, guess_language(visit.request)))
