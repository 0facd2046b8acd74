"""The verbs of heartbeats: made, changed, paused and removed by people; reported to by jobs elsewhere."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from pabal.apps.rules.heartbeats import store
from pabal.apps.rules.heartbeats.errors import BadHeartbeat, HeartbeatNotFound
from pabal.apps.rules.heartbeats.machine import HEARTBEAT, HeartbeatEvent
from pabal.apps.rules.heartbeats.model import (
    ABOUT,
    AREA,
    DEFAULT_GRACE,
    LONGEST_NAME,
    Heartbeat,
    HeartbeatPlan,
    HeartbeatState,
    Report,
    ReportKind,
)
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import subjects, timers, transitions
from pabal.platform import audit, tenants
from pabal.platform.actor import Actor, Right
from pabal.platform.resources import KEPT, Kept, chosen
from pabal.platform.tenants import UnitNotFound, visible_to

declare("rules.heartbeat.reported", "Reports of jobs elsewhere", labels=("kind",), level=10)
# who moves a heartbeat when a report comes
REPORTER = "reporter"


async def create_heartbeat(
    tx: Tx,
    actor: Actor,
    *,
    name: str,
    cron: str | None = None,
    every: timedelta | None = None,
    zone: str = "Asia/Seoul",
    grace: timedelta = DEFAULT_GRACE,
    unit_id: int | None = None,
) -> Heartbeat:  # long: what one may say of a new one
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    owner = unit_id or scope.unit_id
    if owner is None or not scope.holds(owner):
        raise UnitNotFound(str(owner))
    await tenants.get_unit(tx, owner)
    plan = HeartbeatPlan(cron or None, every, zone, grace)
    made = await store.insert_heartbeat(tx, owner, _check_name(name), plan)
    await transitions.begin(tx, HEARTBEAT, [made], actor=actor.name)
    heartbeat = await store.get_heartbeat(tx, scope, made)
    await _record(tx, actor, "create", heartbeat, after=_shown(heartbeat))
    return heartbeat


async def edit_heartbeat(
    tx: Tx,
    actor: Actor,
    heartbeat_id: int,
    *,
    name: str | Kept = KEPT,
    cron: str | Kept | None = KEPT,
    every: timedelta | Kept | None = KEPT,
    zone: str | Kept = KEPT,
    grace: timedelta | Kept = KEPT,
) -> Heartbeat:  # long: what one may change
    """What is expected next is reckoned again from the last report. A cron takes the place of an interval, and back."""
    before = await _hold(tx, actor, heartbeat_id)
    was = before.plan
    if not isinstance(cron, Kept) and cron and isinstance(every, Kept):
        every = None
    if not isinstance(every, Kept) and every is not None and isinstance(cron, Kept):
        cron = None
    plan = HeartbeatPlan(
        chosen(cron, was.cron) or None, chosen(every, was.every), chosen(zone, was.zone), chosen(grace, was.grace)
    )
    due_at = None if before.reported_at is None else plan.next_after(before.reported_at)
    said = _check_name(chosen(name, before.name))
    await store.update_heartbeat(tx, heartbeat_id, name=said, plan=plan, due_at=due_at)
    await timers.rearm(tx, HEARTBEAT, [heartbeat_id])
    [after] = await store.load_heartbeats(tx, [heartbeat_id])
    await _record(tx, actor, "edit", after, before=_shown(before), after=_shown(after))
    return after


async def pause_heartbeat(tx: Tx, actor: Actor, heartbeat_id: int, *, reason: str | None = None) -> Heartbeat:
    return await _move(tx, actor, heartbeat_id, HeartbeatEvent.PAUSE, reason)


async def resume_heartbeat(tx: Tx, actor: Actor, heartbeat_id: int, *, reason: str | None = None) -> Heartbeat:
    """Nothing is expected before its next report."""
    await _hold(tx, actor, heartbeat_id)
    await store.note_report(tx, heartbeat_id, reported_at=None, due_at=None)
    return await _move(tx, actor, heartbeat_id, HeartbeatEvent.RESUME, reason)


async def new_address(tx: Tx, actor: Actor, heartbeat_id: int) -> Heartbeat:
    """For an address that somebody learned who should not have. Reports to the old one are refused at once."""
    await _hold(tx, actor, heartbeat_id)
    await store.replace_key(tx, heartbeat_id)
    [heartbeat] = await store.load_heartbeats(tx, [heartbeat_id])
    await _record(tx, actor, "new_address", heartbeat)
    return heartbeat


async def delete_heartbeat(tx: Tx, actor: Actor, heartbeat_id: int) -> None:
    before = await _hold(tx, actor, heartbeat_id)
    await remove(tx, [heartbeat_id])
    await _record(tx, actor, "delete", before, before=_shown(before))


async def remove(tx: Tx, ids: list[int]) -> None:
    await subjects.forget(tx, HEARTBEAT, ids)
    for one in ids:
        await store.delete_heartbeat(tx, one)


async def report(tx: Tx, key: UUID, said: Report) -> Heartbeat:
    """What a job elsewhere sent to its address, in the moment it came. Who pauses a heartbeat is not overruled."""
    heartbeat = await store.hold_by_key(tx, key)
    if heartbeat is None:
        raise HeartbeatNotFound
    ended = said.kind in (ReportKind.SUCCESS, ReportKind.FAIL)
    began = heartbeat.started_at
    took = tx.now - began if ended and began is not None else None
    await store.keep_report(tx, heartbeat.id, said, at=tx.now, took=took)
    emit("rules.heartbeat.reported", kind=said.kind, heartbeat=heartbeat.id)
    if said.kind is ReportKind.START:
        await store.note_start(tx, heartbeat.id, tx.now)
    elif ended:
        await store.note_report(tx, heartbeat.id, reported_at=tx.now, due_at=heartbeat.plan.next_after(tx.now))
    await _follow(tx, heartbeat, said)
    return heartbeat


async def _follow(tx: Tx, heartbeat: Heartbeat, said: Report) -> None:
    """The move that a report is, if it is one; otherwise it puts off what is armed."""
    events = {ReportKind.SUCCESS: HeartbeatEvent.SUCCEED, ReportKind.FAIL: HeartbeatEvent.FAIL}
    event = events.get(said.kind)
    if event is not None and HEARTBEAT.find_move(heartbeat.state, event) is not None:
        reason = None if said.exit_code is None else f"exit code {said.exit_code}"
        await transitions.transition(tx, HEARTBEAT, heartbeat.id, event, actor=REPORTER, reason=reason)
    elif said.kind is not ReportKind.LOG and heartbeat.state in (HeartbeatState.UP, HeartbeatState.LATE):
        await timers.rearm(tx, HEARTBEAT, [heartbeat.id])


async def _move(tx: Tx, actor: Actor, heartbeat_id: int, event: HeartbeatEvent, reason: str | None) -> Heartbeat:
    before = await _hold(tx, actor, heartbeat_id)
    await transitions.transition(tx, HEARTBEAT, heartbeat_id, event, actor=actor.name, reason=reason)
    [after] = await store.load_heartbeats(tx, [heartbeat_id])
    await _record(tx, actor, event, after, before={"state": before.state}, after={"state": after.state})
    return after


async def _hold(tx: Tx, actor: Actor, heartbeat_id: int) -> Heartbeat:
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    found = await store.hold_heartbeat(tx, heartbeat_id)
    if found is None or not scope.holds(found.unit_id):
        raise HeartbeatNotFound(str(heartbeat_id))
    return found


def _check_name(name: str) -> str:
    said = name.strip()
    if not 1 <= len(said) <= LONGEST_NAME or not said.isprintable():
        raise BadHeartbeat("name")
    return said


def _shown(heartbeat: Heartbeat) -> dict[str, Any]:
    """Without its address: whoever knows it may report."""
    return {
        "name": heartbeat.name,
        "cron": heartbeat.cron,
        "every_seconds": heartbeat.every_seconds,
        "zone": heartbeat.zone,
        "grace_seconds": heartbeat.grace_seconds,
    }


async def _record(
    tx: Tx,
    actor: Actor,
    verb: str,
    heartbeat: Heartbeat,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    about, unit_id = f"{ABOUT}:{heartbeat.id}", heartbeat.unit_id
    await audit.record(tx, actor, f"rules.heartbeat_{verb}", about, unit_id=unit_id, before=before, after=after)
