"""Second thoughts about a request: later, for oneself alone; and taking a decision back, while nobody acted on it."""

from datetime import datetime, timedelta

from pabal.base.database import Tx
from pabal.engine import subjects
from pabal.platform import tenants
from pabal.platform.actor import Actor, Right
from pabal.platform.approvals import actions, store
from pabal.platform.approvals.model import (
    AREA,
    Answer,
    Approvable,
    Approvables,
    Approval,
    ApprovalDecided,
    Seen,
    UndoTooLate,
    Verdict,
)
from pabal.platform.tenants import Scope

LATER = timedelta(hours=1)
# so long it is offered; a little longer it is taken, for whoever pressed at the last moment
UNDO_FOR = timedelta(seconds=10)
_GRACE = timedelta(seconds=5)
_VERDICTS = {"approved": Verdict.APPROVE, "rejected": Verdict.REJECT}


async def put_off(tx: Tx, actor: Actor, approval_id: int, *, approvables: Approvables) -> datetime:
    """Out of this person's way for an hour, or for half of the time that is left. Everybody else sees it as before."""
    actor.require(Right.WRITE, AREA)
    approval = await actions.get_open(tx, actor, approvables, approval_id)
    until = tx.now + LATER
    if approval.deadline_at is not None:
        until = min(until, tx.now + (approval.deadline_at - tx.now) / 2)
    await store.put_off(tx, approval_id, actor.name, until)
    return until


async def take_up(tx: Tx, actor: Actor, approval_id: int) -> None:
    """Now after all."""
    await store.take_up(tx, approval_id, actor.name)


async def undo(tx: Tx, actor: Actor, approval_id: int, *, approvables: Approvables) -> Approval:
    """Takes back one's own decision by the app's own verb, as long as it is the last thing that happened."""
    actor.require(Right.WRITE, AREA)
    scope = await tenants.visible_to(tx, actor)
    seen = await actions.get_seen(tx, actor, scope, approvables, approval_id)
    approval, approvable = seen.approval, seen.approvable
    await subjects.lock_and_load(tx, approvable.machine, [approval.subject])
    way = _way_back(approvable, approval)
    if approval.decided_by != actor.name or approval.is_open:
        raise ApprovalDecided(approval, seen.who)
    if way is None or not await _is_fresh(tx, approvable, approval, UNDO_FOR + _GRACE):
        raise UndoTooLate(approval.shown_id)
    await way(tx, actor, approval, None)
    return approval


async def find_undoable(tx: Tx, actor: Actor, scope: Scope, approvables: Approvables, approval_id: int) -> Seen | None:
    """A decision that its maker may take back just now."""
    found = await actions.load_seen(tx, actor, scope, approvables, [approval_id])
    for seen in found:
        is_mine = seen.approval.decided_by == actor.name and _way_back(seen.approvable, seen.approval) is not None
        if is_mine and await _is_fresh(tx, seen.approvable, seen.approval, UNDO_FOR):
            return seen
    return None


def _way_back(approvable: Approvable, approval: Approval) -> Answer | None:
    verdict = _VERDICTS.get(approval.state)
    return None if verdict is None else approvable.undo.get(verdict)


async def _is_fresh(tx: Tx, approvable: Approvable, approval: Approval, span: timedelta) -> bool:
    """What was decided by a move of its subject, a moment ago, and nothing happened to it since."""
    event = approvable.kind.approve if approval.state == "approved" else approvable.kind.reject
    at = approval.decided_at
    return at is not None and tx.now - at <= span and await store.is_last_move(tx, approval, event)
