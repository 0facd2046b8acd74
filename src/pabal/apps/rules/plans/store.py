"""The only code that touches the tables of plans."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pabal.apps.rules.plans.errors import PlanNotFound
from pabal.apps.rules.plans.model import Door, ModelUse, Plan, PlanAnswer, PlanCost, PlanMeaning
from pabal.apps.rules.skills.llm import Answer
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.platform.tenants import Scope

SQL = load(__file__)
# approved ones that a new plan is compared with
MOST_COMPARED = 500


async def insert_plan(tx: Tx, unit_id: int, *, request: str, door: Door, asked_by: str, model: str = "") -> int:
    given = {"request": request, "door": door.value, "asked_by": asked_by, "model": model}
    made: int = await tx.value(SQL.insert_plan, unit_id=unit_id, **given)
    return made


async def get_plan(tx: Tx, scope: Scope, plan_id: int) -> Plan:
    found = await load_plans(tx, [plan_id])
    if not found or not scope.holds(found[0].unit_id):
        raise PlanNotFound(str(plan_id))
    return found[0]


async def load_plans(tx: Tx, ids: list[int]) -> list[Plan]:
    return await tx.all(Plan, SQL.load_plans, ids=ids)


async def hold_plan(tx: Tx, plan_id: int) -> Plan | None:
    return await tx.one(Plan, SQL.hold_plan, id=plan_id)


async def list_plans(  # long: what one may ask a list for
    tx: Tx,
    scope: Scope,
    *,
    states: Sequence[str] = (),
    q: str | None = None,
    asked_by: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Plan]:
    """The newest first."""
    found = await tx.all(
        Plan,
        SQL.list_plans,
        units=scope.listed,
        states=list(states) or None,
        q=q or None,
        asked_by=asked_by,
        before=paging.LAST if cursor is None else paging.read_cursor(cursor, int)[0],
        most=paging.one_more(limit),
    )
    return paging.cut(found, limit, lambda one: paging.show_cursor(one.id))


async def count_open(tx: Tx, asked_by: str) -> int:
    found: int = await tx.value(SQL.count_open, asked_by=asked_by)
    return found


async def keep_workflow(  # long: a row
    tx: Tx, plan_id: int, *, yaml: str, rights: Sequence[str], cost: PlanCost, written_by: str
) -> None:
    given = {"yaml": yaml, "rights": list(rights), "cost": cost.as_data(), "written_by": written_by}
    await tx.run(SQL.keep_workflow, id=plan_id, **given)


async def keep_examples(tx: Tx, plan_id: int, examples: Sequence[Mapping[str, Any]]) -> None:
    await tx.run(SQL.keep_examples, id=plan_id, examples=[dict(one) for one in examples])


async def keep_problem(tx: Tx, plan_id: int, problem: str) -> None:
    await tx.run(SQL.keep_problem, id=plan_id, problem=problem)


async def begin_draft(tx: Tx, plan_id: int, remark: str, model: str = "") -> None:
    await tx.run(SQL.begin_draft, id=plan_id, remark=remark, model=model)


async def keep_decision(tx: Tx, plan_id: int, decided_by: str) -> None:
    await tx.run(SQL.keep_decision, id=plan_id, decided_by=decided_by)


async def keep_start(tx: Tx, plan_id: int, *, workflow_id: int, run_id: int) -> None:
    await tx.run(SQL.keep_start, id=plan_id, workflow_id=workflow_id, run_id=run_id)


async def list_approved(tx: Tx, scope: Scope, *, but: int) -> list[Plan]:
    return await tx.all(Plan, SQL.list_approved, units=scope.listed, but=but, most=MOST_COMPARED)


async def find_of_workflows(tx: Tx, workflows: Sequence[int]) -> list[Plan]:
    return await tx.all(Plan, SQL.find_of_workflows, workflows=list(workflows))


async def find_meaning(tx: Tx, plan: Plan) -> PlanMeaning | None:
    """Of this draft; None until a model of meanings was asked, or it was found that none can be."""
    return await tx.one(PlanMeaning, SQL.find_meaning, id=plan.id, draft=plan.draft)


async def keep_meaning(tx: Tx, plan: Plan, meaning: PlanMeaning) -> None:
    numbers = None if meaning.meaning is None else list(meaning.meaning)
    given = {"model": meaning.model, "meaning": numbers, "problem": meaning.problem}
    await tx.run(SQL.keep_meaning, id=plan.id, draft=plan.draft, **given)


async def insert_answer(tx: Tx, plan: Plan, answer: Answer, *, model: str, mistakes: Sequence[str]) -> None:
    await tx.run(
        SQL.insert_answer,
        plan_id=plan.id,
        draft=plan.draft,
        model=model,
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        cost=answer.cost,
        is_estimated=answer.is_estimated,
        answer=answer.text.replace("\0", ""),
        mistakes=list(mistakes),
    )


async def list_answers(tx: Tx, plan_ids: Sequence[int]) -> list[PlanAnswer]:
    """In the order they came."""
    return await tx.all(PlanAnswer, SQL.list_answers, plans=list(plan_ids))


async def sum_models(tx: Tx, scope: Scope, since: datetime) -> list[ModelUse]:
    """The dearest first."""
    return await tx.all(ModelUse, SQL.sum_models, units=scope.listed, since=since)


async def delete_old(tx: Tx, before: datetime, *, most: int) -> list[int]:
    return [row["id"] for row in await tx.rows(SQL.delete_old, before=before, most=most)]
