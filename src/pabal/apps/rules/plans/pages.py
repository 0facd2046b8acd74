"""Plans in the console: ask, the list, one with its graph, its cost and its difference, and its form."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict

from pabal.apps.rules.planner.errors import BadRequest
from pabal.apps.rules.plans import actions, finding, store
from pabal.apps.rules.plans.asking import REQUEST
from pabal.apps.rules.plans.comparing import Compared, compare
from pabal.apps.rules.plans.errors import TooManyPlans
from pabal.apps.rules.plans.finding import PlanSeen
from pabal.apps.rules.plans.labels import DOORS, EFFECTS, ICONS
from pabal.apps.rules.plans.machine import PLAN
from pabal.apps.rules.plans.model import AREA, RULES, Plan, PlanState
from pabal.apps.rules.plans.resources import PlanFilter
from pabal.apps.rules.plans.wording import say_author, say_model, say_problem, show_value
from pabal.apps.rules.recall import store as cases
from pabal.apps.rules.recall.labels import WHY
from pabal.apps.rules.recall.labels import say_problem as say_lack
from pabal.apps.rules.recall.model import Case
from pabal.base.database import Tx
from pabal.engine import transitions
from pabal.engine.listing import Page
from pabal.engine.workflows import listing, yaml_form
from pabal.engine.workflows.model import FlowStep, Workflow
from pabal.engine.workflows.runs import RunNotFound
from pabal.engine.workflows.step_kinds import StepKind
from pabal.platform import approvals
from pabal.platform.actor import Right
from pabal.platform.approvals import Seen
from pabal.platform.findings import FieldsRefused
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair, put
from pabal.platform.language.rights import say_rights
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, turn
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit
from pabal.platform.web.workflow_graph import draw_workflow

HERE = "/rules/plans"
TOPICS = "plan.*,workflow_run.*"
PAGE = 30

router = APIRouter(prefix=HERE, include_in_schema=False)
Request = Annotated[str, Form(max_length=5000)]


class PlanFilters(BaseModel):
    model_config = ConfigDict(frozen=True)

    q: Word = ""
    state: Word = ""
    cursor: str = ""

    @property
    def is_set(self) -> bool:
        return bool(self.q or self.state)


@dataclass(frozen=True, slots=True)
class StepLine:
    """A step as its reader judges it; `kind` is None for a wait, and for a kind that is not here any more."""

    step: FlowStep
    kind: StepKind | None


@dataclass(frozen=True, slots=True)
class ShownExample:
    """`case` is None once it was forgotten, or is not the reader's to see."""

    number: int
    score: float
    words: Sequence[str]
    why: Sequence[str]
    case: Case | None


@router.get("")
async def show_list(visit: Visitor, filters: Annotated[PlanFilters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    return await _show_list(visit, filters)


@router.post("/new")
async def ask(visit: Visitor, request: Request = "") -> Response:
    try:
        async with visit.change() as tx:
            made = await actions.request_plan(tx, visit.actor, request=request, workflows=visit.site.workflows)
    except (BadRequest, TooManyPlans) as error:
        return await _show_list(visit, PlanFilters(), request=request, fault=explain(error, visit.lang))
    said = ("It is being drafted.", "계획을 만들고 있습니다.")
    return visit.go(f"{HERE}/{made.id}", said=said)


@router.get("/{plan_id}")
async def show(visit: Visitor, plan_id: RowId) -> Response:
    return await _show(visit, plan_id)


@router.post("/{plan_id}/redo")
async def redo(visit: Visitor, plan_id: RowId, remark: Annotated[str, Form(max_length=1000)] = "") -> Response:
    async with visit.change() as tx:
        await actions.redo_plan(tx, visit.actor, plan_id, remark=remark)
    return visit.go(f"{HERE}/{plan_id}", said=("It is being drafted again.", "다시 만들고 있습니다."))


@router.post("/{plan_id}/withdraw")
async def withdraw(visit: Visitor, plan_id: RowId) -> Response:
    async with visit.change() as tx:
        await actions.withdraw_plan(tx, visit.actor, plan_id)
    return visit.go(f"{HERE}/{plan_id}", said=("Withdrawn.", "거두어들였습니다."))


@router.get("/{plan_id}/edit")
async def show_edit(visit: Visitor, plan_id: RowId) -> Response:
    visit.actor.require(Right.WRITE, RULES)
    async with visit.read() as tx:
        plan = (await _get(tx, visit, plan_id)).plan
    return await _show_form(visit, plan, plan.yaml)


@router.post("/{plan_id}/edit")
async def edit(visit: Visitor, plan_id: RowId, yaml: Annotated[str, Form(max_length=200_000)] = "") -> Response:
    try:
        async with visit.change() as tx:
            await actions.edit_plan(tx, visit.actor, plan_id, yaml=yaml, workflows=visit.site.workflows)
    except FieldsRefused as error:
        async with visit.read() as tx:
            plan = (await _get(tx, visit, plan_id)).plan
        return await _show_form(visit, plan, yaml, [put(visit.lang, one.text) for one in error.findings])
    return visit.go(
        f"{HERE}/{plan_id}", said=("Changed; it is asked for again.", "고쳤습니다. 승인을 다시 요청합니다.")
    )


async def _show_list(visit: Visit, filters: PlanFilters, *, request: str = "", fault: str = "") -> Response:
    async with visit.read() as tx:
        page = await _load_page(tx, visit, filters)
        uses = await finding.list_models(tx, visit.scope, PlanFilter()) if visit.actor.may(Right.READ, RULES) else []
        tree = await load_tree(tx, visit.scope)
    return await visit.show(
        "rules/plans.html",
        422 if fault else 200,
        lines=[(one, tree.names(one.plan.unit_id)) for one in page.items],
        states=[str(one) for one in PlanState],
        filters=filters,
        uses=uses,
        doors=DOORS,
        say_model=say_model,
        say_problem=say_problem,
        request_text=request,
        fault=fault,
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
    )


async def _load_page(tx: Tx, visit: Visit, filters: PlanFilters) -> Page[PlanSeen]:
    states = [PlanState(filters.state)] if filters.state in set(PlanState) else []
    wanted = PlanFilter(state=states, q=filters.q or None)
    flows, reader = visit.site.workflows, visit.actor
    return await read_page(
        lambda cursor: finding.list_plans(
            tx, visit.scope, wanted, workflows=flows, reader=reader, cursor=cursor, limit=PAGE
        ),
        filters.cursor,
    )


async def _show(visit: Visit, plan_id: int) -> Response:  # long: all that one page says of a plan
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        seen = await _get(tx, visit, plan_id)
        plan = seen.plan
        asked = await _find_asked(tx, visit, plan)
        history = await transitions.history(tx, PLAN, plan_id)
        tree = await load_tree(tx, visit.scope)
        people = {plan.asked_by, plan.written_by, *(step.actor for step in history)}
        names = {one: await _name(tx, visit, one) for one in people}
        examples = await _list_examples(tx, visit, plan)
        compared = await _compare(tx, visit, plan)
        run = await _find_run(tx, visit, plan)
        states = {} if run is None else await _list_states(tx, run)
        case = await _find_case(tx, plan)
        by_words = await _explain_words(tx, plan)
    workflow, _, _ = yaml_form.read_workflow(plan.yaml) if plan.yaml else (None, None, None)
    return await visit.show(
        "rules/plan.html",
        plan=plan,
        seen=seen,
        asked=asked,
        path=tree.names(plan.unit_id),
        workflow=workflow,
        graph=None if workflow is None else draw_workflow(workflow, states),
        steps=[] if workflow is None else _list_steps(visit, workflow),
        examples=examples,
        compared=compared,
        run=run,
        case=case,
        by_words=by_words,
        whys=WHY,
        history=history[::-1][:20],
        names=names,
        rights=say_rights(plan.rights),
        say_model=say_model,
        say_problem=say_problem,
        show_value=show_value,
        doors=DOORS,
        effects=EFFECTS,
        icons=ICONS,
        live_topics=TOPICS,
    )


async def _get(tx: Tx, visit: Visit, plan_id: int) -> PlanSeen:
    return await finding.get_plan(tx, visit.scope, plan_id, workflows=visit.site.workflows, reader=visit.actor)


async def _name(tx: Tx, visit: Visit, one: str) -> Pair:
    return say_author(one) if one.startswith("model:") else await approvals.name_actor(tx, visit.actor, one)


async def _find_asked(tx: Tx, visit: Visit, plan: Plan) -> Seen | None:
    """The inbox's open request for it, as this reader sees it."""
    numbers = await approvals.list_open_of(tx, REQUEST, [plan.id])
    found = await approvals.load_seen(tx, visit.actor, visit.scope, visit.site.approvables, numbers)
    return found[0] if found else None


async def _list_examples(tx: Tx, visit: Visit, plan: Plan) -> list[ShownExample]:
    found = {case.id: case for case in await cases.load_cases(tx, [one["case"] for one in plan.examples])}
    mine = {number: case for number, case in found.items() if visit.scope.holds(case.unit_id)}
    return [
        ShownExample(one["case"], one["score"], one["words"], one.get("why", ["words"]), mine.get(one["case"]))
        for one in plan.examples
    ]


async def _find_case(tx: Tx, plan: Plan) -> Case | None:
    """What it is remembered as."""
    number = await cases.find_of_plan(tx, plan.id)
    found = [] if number is None else await cases.load_cases(tx, [number])
    return found[0] if found else None


async def _explain_words(tx: Tx, plan: Plan) -> Pair | None:
    """Why its examples were looked for by words alone, where a model of meanings was wanted."""
    found = await store.find_meaning(tx, plan)
    return say_lack(found.problem) if found is not None and found.problem else None


async def _compare(tx: Tx, visit: Visit, plan: Plan) -> Compared | None:
    return compare(plan, await store.list_approved(tx, visit.scope, but=plan.id)) if plan.yaml else None


async def _find_run(tx: Tx, visit: Visit, plan: Plan) -> listing.RunRow | None:
    if plan.run_id is None:
        return None
    try:
        return await listing.get_run(tx, plan.run_id, units=visit.scope.listed)
    except RunNotFound:
        return None


async def _list_states(tx: Tx, run: listing.RunRow) -> dict[str, str]:
    """How far its first run is, step by step."""
    plain = [one for one in await listing.list_steps(tx, run.id) if one.item < 0 and not one.undo]
    return {one.label: one.state for one in plain}


def _list_steps(visit: Visit, workflow: Workflow) -> list[StepLine]:
    kinds = visit.site.workflows.kinds
    return [StepLine(step, kinds.find(step.kind) if step.kind else None) for step in workflow.steps]


async def _show_form(visit: Visit, plan: Plan, yaml: str, faults: Sequence[str] = ()) -> Response:
    kinds = sorted(visit.site.workflows.kinds, key=lambda kind: kind.full_name)
    status = 422 if faults else 200
    return await visit.show("rules/plan_form.html", status, plan=plan, yaml=yaml, faults=faults, kinds=kinds)
