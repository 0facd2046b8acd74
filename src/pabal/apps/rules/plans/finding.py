"""Plans as their description asks for them: found, listed as far as the reader may see, and acted on."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from pabal.apps.rules.planner.errors import BadRequest
from pabal.apps.rules.plans import actions, store
from pabal.apps.rules.plans.errors import PlanNotFound
from pabal.apps.rules.plans.model import RULES, ModelUse, Plan, PlanAnswer
from pabal.apps.rules.plans.resources import PlanFilter
from pabal.base.database import Tx
from pabal.engine.listing import Page
from pabal.platform.actor import Actor, Right
from pabal.platform.resources import Filter
from pabal.platform.tenants import Scope
from pabal.platform.workflows import Workflows

USE_DAYS = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class PlanSeen:
    """A plan with what the language model took for it."""

    plan: Plan
    answers: list[PlanAnswer]

    @property
    def id(self) -> int:
        return self.plan.id

    @property
    def tokens(self) -> int:
        return sum(one.tokens_in + one.tokens_out for one in self.answers)

    @property
    def cost(self) -> Decimal:
        return sum((one.cost for one in self.answers), Decimal(0))


async def list_plans(
    tx: Tx,
    scope: Scope,
    wanted: PlanFilter,
    *,
    workflows: Workflows,
    reader: Actor,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[PlanSeen]:  # long: what a list is handed
    own = None if reader.may(Right.READ, RULES) else reader.name
    states = [one.value for one in wanted.state]
    page = await store.list_plans(tx, scope, states=states, q=wanted.q, asked_by=own, cursor=cursor, limit=limit)
    return Page(await see_all(tx, page.items), page.cursor)


async def get_plan(tx: Tx, scope: Scope, plan_id: int, *, workflows: Workflows, reader: Actor) -> PlanSeen:
    plan = await store.get_plan(tx, scope, plan_id)
    if not actions.may_see(reader, plan):
        raise PlanNotFound(str(plan_id))
    [seen] = await see_all(tx, [plan])
    return seen


async def find_plan(tx: Tx, scope: Scope, text: str, *, workflows: Workflows, reader: Actor) -> PlanSeen:
    """By its number: requests are no names."""
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise PlanNotFound(text[:100])
    return await get_plan(tx, scope, int(text), workflows=workflows, reader=reader)


async def hold_plan(tx: Tx, plan_id: int) -> None:
    await store.hold_plan(tx, plan_id)


async def request_plan(
    tx: Tx,
    actor: Actor,
    *,
    request: str,
    workflows: Workflows,
    reader: Actor,
    yaml: str | None = None,
    model: str = "",
    unit_id: int | None = None,
) -> PlanSeen:  # long: what one may say of a new one
    given: dict[str, Any] = {"request": request, "yaml": yaml, "model": model, "unit_id": unit_id}
    made = await actions.request_plan(tx, actor, workflows=workflows, **given)
    return await _see(tx, made)


async def edit_plan(tx: Tx, actor: Actor, plan_id: int, *, yaml: str, workflows: Workflows, reader: Actor) -> PlanSeen:
    return await _see(tx, await actions.edit_plan(tx, actor, plan_id, yaml=yaml, workflows=workflows))


async def withdraw_plan(tx: Tx, actor: Actor, plan_id: int, *, workflows: Workflows, reader: Actor) -> PlanSeen:
    return await _see(tx, await actions.withdraw_plan(tx, actor, plan_id))


async def redo_plan(
    tx: Tx, actor: Actor, plan_id: int, *, workflows: Workflows, reader: Actor, remark: str = "", model: str = ""
) -> PlanSeen:
    return await _see(tx, await actions.redo_plan(tx, actor, plan_id, remark=remark, model=model))


async def list_models(tx: Tx, scope: Scope, wanted: Filter) -> list[ModelUse]:
    return await store.sum_models(tx, scope, tx.now - USE_DAYS)


async def read_yaml(tx: Tx, scope: Scope, text: str) -> str:
    """`@FILE` is what the file says."""
    if not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadRequest(f"{text[1:200]}: {error}"[:300]) from error


async def see_all(tx: Tx, plans: list[Plan]) -> list[PlanSeen]:
    answers = await store.list_answers(tx, [plan.id for plan in plans])
    return [PlanSeen(plan, [one for one in answers if one.plan_id == plan.id]) for plan in plans]


async def _see(tx: Tx, plan: Plan) -> PlanSeen:
    [seen] = await see_all(tx, [plan])
    return seen
