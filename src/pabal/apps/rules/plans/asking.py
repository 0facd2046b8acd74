"""The inbox's request for a plan: opened when it is proposed, closed by whatever becomes of it."""

import hashlib

from pabal.apps.rules.plans import settings as own
from pabal.apps.rules.plans.machine import PLAN, PlanEvent
from pabal.apps.rules.plans.model import Plan
from pabal.base.database import Tx
from pabal.platform import approvals, settings
from pabal.platform.approvals import Asked, Kind

REQUEST = Kind("rules.plan", PLAN.name, PlanEvent.APPROVE, PlanEvent.REJECT)


async def ask(tx: Tx, plan: Plan) -> None:
    """About exactly this workflow: asked again with another one, the request before is withdrawn."""
    deadline = tx.now + await settings.value(tx, own.DECIDE_WITHIN)
    seen = hashlib.sha256(plan.yaml.encode()).hexdigest()
    asked = Asked(plan.id, plan.unit_id, plan.asked_by, alike="plan", seen=seen, deadline_at=deadline)
    await approvals.ask(tx, REQUEST, [asked])


async def settle(tx: Tx, plan_id: int) -> None:
    await approvals.settle(tx, REQUEST, [plan_id])
