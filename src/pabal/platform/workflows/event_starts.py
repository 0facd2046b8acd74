"""Published events start the workflows that say so: of the event's unit and of every unit above it, once each."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pabal.base.database import Tx
from pabal.base.errors import PabalError
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine import conditions
from pabal.engine.workflows import definitions, values
from pabal.engine.workflows.definitions import StoredWorkflow
from pabal.engine.workflows.model import StartOn
from pabal.platform import tenants
from pabal.platform.events import Consumer, PublishedEvent
from pabal.platform.workflows.starting import StartFor, find_depth_behind, start_for

SQL = load(__file__)

declare("workflows.started_by_event", "Runs of workflows that an event started")
declare("workflows.start_refused", "Events that could not start their workflow", labels=("code",), level=30)


@dataclass(frozen=True, slots=True)
class EventStart:
    """What became of an event that starts a workflow: a run, or why there is none."""

    event_seq: int
    event_name: str
    event_id: str
    run_id: int | None
    code: str | None
    reason: str | None
    at: datetime


async def start_by_events(tx: Tx, published: list[PublishedEvent]) -> None:
    paths = {unit: [one.id for one in await tenants.list_path(tx, unit)] for unit in {one.unit_id for one in published}}
    units = sorted({unit for path in paths.values() for unit in path})
    found = await definitions.list_started_by(tx, sorted({one.name for one in published}), units)
    starts = [(one, one.workflow.start) for one in found]
    for event in published:
        for workflow, start in starts:
            is_in_sight = workflow.unit_id is None or workflow.unit_id in paths[event.unit_id]
            if start is not None and start.event == event.name and is_in_sight:
                await _start(tx, workflow, start, event)


async def list_starts(tx: Tx, workflow_id: int, *, most: int = 10) -> list[EventStart]:
    """The newest first."""
    return await tx.all(EventStart, SQL.list_starts, workflow=workflow_id, most=most)


async def _start(tx: Tx, workflow: StoredWorkflow, start: StartOn, event: PublishedEvent) -> None:
    data = _data_of(event)
    if start.when is not None and not conditions.judge(start.when, data, data).met:
        return
    if await tx.value(SQL.was_started, workflow=workflow.id, seq=event.seq):
        return
    given = values.resolve_each(start.input, data)
    wanted = StartFor(
        owner=workflow.made_by,
        # what the event does not say is not given, so that defaults hold
        input={name: value for name, value in given.items() if value is not None},
        cause=f"event:{event.seq}",
        depth=await find_depth_behind(tx, event.source),
    )
    try:
        async with tx.savepoint():
            run = await start_for(tx, workflow, wanted)
    except PabalError as error:
        emit("workflows.start_refused", code=error.code, workflow=workflow.id, seq=event.seq, reason=str(error))
        await _note(tx, workflow, event, code=error.code, reason=str(error)[:500])
        return
    emit("workflows.started_by_event", workflow=workflow.id, run=run)
    await _note(tx, workflow, event, run=run)


def _data_of(event: PublishedEvent) -> Mapping[str, Any]:
    return {"event": {"id": event.id, "name": event.name, "key": event.key, "data": event.data}}


async def _note(tx: Tx, workflow: StoredWorkflow, event: PublishedEvent, **became: Any) -> None:
    given = {"run": None, "code": None, "reason": None, **became}
    named = {"seq": event.seq, "name": event.name, "id": event.id}
    await tx.run(SQL.note_start, workflow=workflow.id, **named, **given)


STARTER = Consumer("workflows.starts", ("*",), start_by_events)
