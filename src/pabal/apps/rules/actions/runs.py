"""What people do to runs: cancel one."""

from uuid import UUID

from pabal.apps.rules.errors import RunEnded
from pabal.apps.rules.model.rules import AREA, Run, RunReason
from pabal.apps.rules.store import runs
from pabal.base.database import Tx
from pabal.engine import withdrawals
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import visible_to


async def cancel_run(tx: Tx, actor: Actor, run_id: UUID, *, reason: str | None = None) -> Run:
    """It is told to stop right after this; its end says that it was cancelled."""
    actor.require(Right.WRITE, AREA)
    await runs.hold_run(tx, run_id)
    run = await runs.get_run(tx, await visible_to(tx, actor), run_id)
    if not run.is_open or run.work_id is None:
        raise RunEnded(str(run_id))
    await withdrawals.ask(tx, [run.work_id], reason=RunReason.CANCELLED.value)
    await audit.record(tx, actor, "rules.run_cancel", run.about, unit_id=run.unit_id, after={"reason": reason})
    return run
