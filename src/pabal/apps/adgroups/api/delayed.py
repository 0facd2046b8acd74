"""Delayed events under the seed's names: seen, exported, fired, moved, taken out. They are the engine's timers."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any

from fastapi import Path, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import BeforeValidator, Field

from pabal.apps.adgroups.actions import delayed as actions
from pabal.apps.adgroups.actions.delayed import DelayedEvent
from pabal.apps.adgroups.api.names import AdGroupId, Status, TimedName, noun, read_event, show_id, show_status
from pabal.apps.adgroups.api.parts import answer_group, explain_group, hold, may_read, reporting
from pabal.apps.adgroups.api.shown import AdGroupShown
from pabal.apps.adgroups.model.adgroups import AdGroup
from pabal.base.database import Tx
from pabal.engine.listing import Page as Rows
from pabal.engine.timers import ArmedTimer, Timer
from pabal.platform.web.endpoints import Asked, Shown
from pabal.platform.web.filters import Listed, Moment, split_commas
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_list
from pabal.platform.web.visit import Visit

router = noun()
KEY = "adgroup:delayed:events"
JSON_LINES = "application/x-ndjson"
AT_ONCE = 500
_LINES: dict[int | str, dict[str, Any]] = {200: {"content": {JSON_LINES: {}}}}
_CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {}}}}
Named = Annotated[TimedName, Path(description="Which delayed event.", examples=["START"])]


class Member(Shown):
    """As the seed's sorted set has it."""

    adGroupId: str = Field(examples=["adg_01h2xcejqtf2n"])  # noqa: N815 -- the seed's own name
    event: TimedName = Field(examples=["START"])


class DelayedShown(Shown):
    """`key`, `member` and `score` (Unix time) are the seed's names for a timer of ours. `due_at` null: it failed three
    times and waits for an edit."""

    key: str = Field(examples=[KEY])
    member: Member
    score: float | None = Field(examples=[1783036800.0])
    scheduled_key: str = Field(description="The seed's set of it.", examples=["adgroup:scheduled:adg_01h2xcejqtf2n"])
    lock_key: str = Field(
        description="The seed's lock; with us the ad group's row is locked.",
        examples=["adgroup:event:lock:adg_01h2xcejqtf2n"],
    )
    due_at: datetime | None
    late_seconds: float = Field(examples=[0.0])
    schedule_version: int = Field(examples=[1])
    tries: int = Field(examples=[0])
    error: str | None = Field(examples=[None])
    name: str = Field(examples=["여름 행사"])
    status: Status = Field(examples=["APPROVED"])
    unit_id: int = Field(examples=[3])


class DelayedFilter(Listed):
    event: Annotated[
        tuple[TimedName, ...], BeforeValidator(split_commas), Field(description="Any of these, separated by commas.")
    ] = ()
    late: Annotated[bool, Field(description="Only those whose moment has passed.")] = False


class MoveAsked(Asked):
    """A start or an end is its date; a daily one is that day's boundary alone."""

    to: Moment


@router.get("/delayed-events", response_model=Page[DelayedShown], responses=_CSV)
async def list_delayed_events(visit: Visitor, wanted: Annotated[DelayedFilter, Query()]) -> Response:
    """Lists what ad groups wait for, the next one first."""
    may_read(visit)
    names = [read_event(one) for one in wanted.event]

    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[DelayedEvent]:
        late_at = tx.now if wanted.late else None
        return await actions.list_delayed(tx, visit.scope, names=names, late_at=late_at, cursor=cursor, limit=limit)

    def show(one: DelayedEvent) -> DelayedShown:
        return show_delayed(one.timer, one.group, visit.now)

    return await answer_list(visit, wanted, Source("delayed_events", DelayedShown, load, show), has_csv=True)


@router.get("/delayed-events/export", response_class=Response, responses=_LINES)
async def export_delayed_events(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Sends all of them as JSON lines, as the seed's Redis would hold them: key, member, score."""
    may_read(visit)
    headers = {"Content-Disposition": 'attachment; filename="delayed-events.jsonl"', "Cache-Control": "no-store"}
    return StreamingResponse(_lines(visit), headers=headers, media_type=JSON_LINES)


@router.post("/delayed-events/{id}/{event}/fire", response_model=AdGroupShown)
async def fire_delayed_event(visit: Visitor, once: OnceOnly, id: AdGroupId, event: Named) -> Response:
    """Sends it now instead of then; its guard decides as it would."""
    named = read_event(event)

    async def act(tx: Tx) -> Response:
        group = await hold(tx, visit, id)
        with reporting(await explain_group(tx, visit, group, named)):
            return answer_group(visit, await actions.fire(tx, visit.actor, id, named), tx.now)

    return await once.run(act)


@router.post("/delayed-events/{id}/{event}/move", response_model=AdGroupShown)
async def move_delayed_event(visit: Visitor, once: OnceOnly, id: AdGroupId, event: Named, asked: MoveAsked) -> Response:
    """Moves it to another moment, and what it comes from with it: the start, the end, or one boundary of its hours."""

    async def act(tx: Tx) -> Response:
        await hold(tx, visit, id)
        return answer_group(visit, await actions.move(tx, visit.actor, id, read_event(event), asked.to), tx.now)

    return await once.run(act)


@router.post("/delayed-events/{id}/{event}/cancel", response_model=AdGroupShown)
async def cancel_delayed_event(visit: Visitor, once: OnceOnly, id: AdGroupId, event: Named) -> Response:
    """Takes it out. A start waits for another word; a boundary of the day is passed over; an ad group must end."""

    async def act(tx: Tx) -> Response:
        await hold(tx, visit, id)
        return answer_group(visit, await actions.cancel(tx, visit.actor, id, read_event(event)), tx.now)

    return await once.run(act)


def show_delayed(timer: Timer | ArmedTimer, group: AdGroup, now: datetime) -> DelayedShown:
    shown, due_at = show_id(group.id), timer.due_at
    event: Any = timer.event.upper()
    return DelayedShown(
        key=KEY,
        member=Member(adGroupId=shown, event=event),
        score=None if due_at is None else due_at.timestamp(),
        scheduled_key=f"adgroup:scheduled:{shown}",
        lock_key=f"adgroup:event:lock:{shown}",
        due_at=due_at,
        late_seconds=0.0 if due_at is None else max(0.0, (now - due_at).total_seconds()),
        schedule_version=group.schedule_version,
        tries=timer.tries,
        error=timer.error,
        name=group.name,
        status=show_status(group.state),
        unit_id=group.unit_id,
    )


async def _lines(visit: Visit) -> AsyncIterator[str]:
    """No transaction is open while somebody slow reads."""
    cursor: str | None = None
    while True:
        async with visit.read() as tx:
            page = await actions.list_delayed(tx, visit.scope, cursor=cursor, limit=AT_ONCE)
        shown = [show_delayed(one.timer, one.group, visit.now) for one in page.items]
        yield "".join(f"{one.model_dump_json(include={'key', 'member', 'score'})}\n" for one in shown)
        cursor = page.cursor
        if cursor is None:
            return
