"""The request that a callback `approval` opens, about its run."""

from datetime import timedelta

from pabal.apps.rules.model.rules import RUN_ABOUT, Rule, Run
from pabal.base.database import Tx
from pabal.platform import approvals
from pabal.platform.approvals import Asked, Kind

# neither answer is a move of the run, which has ended
REQUEST = Kind("rules.request", machine=RUN_ABOUT, approve="approve", reject="reject")
OPEN_FOR = timedelta(days=7)


async def ask(tx: Tx, rule: Rule, run: Run) -> None:
    asked = Asked(run.number, rule.unit_id, rule.created_by, alike=rule.about, deadline_at=tx.now + OPEN_FOR)
    await approvals.ask(tx, REQUEST, [asked])
