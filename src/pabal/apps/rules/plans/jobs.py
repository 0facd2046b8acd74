"""rules.plan_draft: asks a language model once, keeps what it said, and proposes or asks again with its mistakes.
rules.plan_start: an approved plan becomes a workflow and runs, in the name of whoever approved it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from pabal.apps.rules.plans import actions, store
from pabal.apps.rules.plans import settings as own
from pabal.apps.rules.plans.actions import DRAFT, START
from pabal.apps.rules.plans.allowed import list_allowed, may
from pabal.apps.rules.plans.checking import check_plan, read_answer, read_refusal, tell_model
from pabal.apps.rules.plans.errors import PlanNameTaken, PlanOwnerGone
from pabal.apps.rules.plans.model import Plan, PlanAnswer, PlanMeaning, PlanState
from pabal.apps.rules.plans.offline import OfflinePlanner
from pabal.apps.rules.plans.prompting import make_prompt
from pabal.apps.rules.recall import actions as recall
from pabal.apps.rules.recall.choosing import ChosenEmbedder, NoMeanings, find_usable
from pabal.apps.rules.recall.embedding import Vector
from pabal.apps.rules.recall.model import CaseKind, Meaning, Recalled
from pabal.apps.rules.recall.scrubbing import scrub
from pabal.apps.rules.skills.choosing import ChosenModel, Role, Tools, choose_model, take_call
from pabal.apps.rules.skills.llm import Answer, AskLimits, OfflineLlm
from pabal.base.database import Tx
from pabal.base.errors import Invalid, PabalError
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import DONE, Cancel, Outcome, Retry, Snooze
from pabal.engine.workflows import checking, definitions
from pabal.engine.workflows.step_kinds import StepKinds
from pabal.platform import auth, settings
from pabal.platform.actor import Actor
from pabal.platform.tenants import visible_to
from pabal.platform.workflows import Workflows

# a strong model thinks before it writes
LIMITS = AskLimits(seconds=180.0)
OFFLINE = "offline"
Choose = Callable[[Tx, Tools], Awaitable[ChosenModel]]


@dataclass(frozen=True, slots=True)
class RequestToEmbed:
    """What a request means is asked for before examples are looked for: an attempt of its own."""

    plan: Plan
    chosen: ChosenEmbedder


@dataclass(frozen=True, slots=True)
class PlanToDraft:
    """`may_try`: whether a model that does not answer may be asked again."""

    plan: Plan
    asker: Actor
    chosen: ChosenModel
    prompt: str
    may_try: bool


class DraftPlan:
    def __init__(self, tools: Tools, kinds: StepKinds, choose: Choose) -> None:
        self._tools, self._kinds, self._choose = tools, kinds, choose

    async def prepare(self, tx: Tx, job: Job) -> PlanToDraft | RequestToEmbed | Outcome:
        plan = await _hold(tx, job)
        if plan is None:
            return Cancel("this draft is not wanted any more")
        asker = await auth.find_actor(tx, plan.asked_by)
        if asker is None:
            await actions.fail_plan(tx, plan, str(PlanOwnerGone(plan.asked_by)))
            return Cancel("its asker may not act here any more")
        embedding = await self._find_embedding(tx, plan)
        if embedding is not None:
            return embedding
        limited = await take_call(tx, job)
        if limited is not None:
            return limited
        try:
            chosen = await self._choose(tx, self._tools)
            # what is built in is nobody else, whatever it is called
            chosen = replace(chosen, model=plan.model) if plan.model and chosen.model != OFFLINE else chosen
        except Invalid as error:
            await actions.fail_plan(tx, plan, str(error))
            return Cancel(str(error)[:200])
        prompt = await self._prompt(tx, plan, asker)
        return PlanToDraft(plan, asker, chosen, prompt, job.attempt < job.max_failures)

    async def perform(self, job: Job, prepared: PlanToDraft | RequestToEmbed) -> Answer | list[Vector] | PabalError:
        try:
            if isinstance(prepared, RequestToEmbed):
                return await prepared.chosen.embedder.embed([scrub(prepared.plan.request)])
            chosen = prepared.chosen
            return await chosen.llm.ask(prepared.prompt, model=chosen.model, limits=LIMITS)
        except PabalError as error:
            return error

    async def record(
        self, tx: Tx, prepared: PlanToDraft | RequestToEmbed, result: Answer | list[Vector] | PabalError
    ) -> Outcome:
        plan = await store.hold_plan(tx, prepared.plan.id)
        if plan is None or not _is_same(plan, prepared.plan):
            return Cancel("this draft is not wanted any more")
        if isinstance(prepared, RequestToEmbed):
            await store.keep_meaning(tx, plan, _read_meaning(prepared.chosen.model, result))
            return Snooze(tx.now, "what it means is known")
        assert not isinstance(result, list)  # noqa: S101 -- what a language model said # nosec B101
        if isinstance(result, PabalError):
            if prepared.may_try:
                return Retry(str(result)[:200])
            await actions.fail_plan(tx, plan, str(result))
            return Cancel(str(result)[:200])
        return await self._take(tx, plan, prepared, result)

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        """Also after a Cancel of its own, when the plan has its end already."""
        plan = await _hold(tx, job)
        if plan is not None:
            await actions.fail_plan(tx, plan, f"drafting was given up: {reason}")

    async def _prompt(self, tx: Tx, plan: Plan, asker: Actor) -> str:
        """Examples are cases that the asker may see now."""
        most = await settings.value(tx, own.MOST_EXAMPLES)
        scope = await visible_to(tx, asker)
        meaning = await self._find_meaning(tx, plan)
        near = recall.find_nearest(tx, scope, plan.request, most, kind=CaseKind.PLAN, meaning=meaning)
        examples = await near if most else []
        await store.keep_examples(tx, plan.id, [_note(one) for one in examples])
        return make_prompt(plan, list_allowed(self._kinds, asker), examples, await _find_last(tx, plan))

    async def _find_embedding(self, tx: Tx, plan: Plan) -> RequestToEmbed | None:
        """None: it is known, or nobody can be asked. Where that is not as the settings want it, the plan says why."""
        if await store.find_meaning(tx, plan) is not None or not await settings.value(tx, own.MOST_EXAMPLES):
            return None
        usable = await find_usable(tx, self._tools)
        if isinstance(usable, NoMeanings):
            await store.keep_meaning(tx, plan, PlanMeaning("", None, usable.problem))
        return RequestToEmbed(plan, usable) if isinstance(usable, ChosenEmbedder) else None

    async def _find_meaning(self, tx: Tx, plan: Plan) -> Meaning | None:
        found = await store.find_meaning(tx, plan)
        return None if found is None or found.meaning is None else Meaning(found.model, tuple(found.meaning))

    async def _take(self, tx: Tx, plan: Plan, prepared: PlanToDraft, answer: Answer) -> Outcome:
        model = prepared.chosen.model
        refusal = read_refusal(answer.text)
        checked = check_plan(read_answer(answer.text), self._kinds, prepared.asker, plan.id)
        mistakes = [f"cannot: {refusal}"] if refusal else tell_model(checked) if isinstance(checked, list) else []
        await store.insert_answer(tx, plan, answer, model=model, mistakes=mistakes)
        if refusal is not None:
            await actions.fail_plan(tx, plan, refusal)
            return DONE
        if not isinstance(checked, list):
            await actions.propose(tx, plan, checked, actor=f"model:{model}")
            return DONE
        answers = [one for one in await store.list_answers(tx, [plan.id]) if one.draft == plan.draft]
        if len(answers) < await settings.value(tx, own.MOST_ANSWERS):
            return Snooze(tx.now, "asked again with its mistakes")
        await actions.fail_plan(tx, plan, "; ".join(mistakes))
        return DONE


class StartPlans:
    """Inside one commit: saved, started, and noted with the plan; or failed, with the reason."""

    def __init__(self, kinds: StepKinds) -> None:
        self._workflows = Workflows(kinds)

    async def start(self, tx: Tx, jobs: Sequence[Job]) -> None:
        for job in jobs:
            plan = await store.hold_plan(tx, job.args["plan"])
            if plan is None or plan.state != PlanState.APPROVED or plan.run_id is not None:
                continue
            try:
                async with tx.savepoint():
                    await self._start(tx, plan)
            except PabalError as error:
                await actions.fail_plan(tx, plan, str(error))

    async def _start(self, tx: Tx, plan: Plan) -> None:
        owner = await auth.find_actor(tx, plan.decided_by or "")
        if owner is None or not all(may(owner, right) for right in plan.rights):
            raise PlanOwnerGone(plan.decided_by or "")
        # kinds may have changed since it was proposed
        workflow = checking.read_yaml(plan.yaml, self._workflows.kinds)
        if await definitions.find_named(tx, workflow.name, plan.unit_id) is not None:
            raise PlanNameTaken(workflow.name)
        saved = await self._workflows.save_workflow(tx, owner, workflow, unit_id=plan.unit_id)
        run = await self._workflows.start(tx, owner, saved.id, {}, cause=plan.about)
        await store.keep_start(tx, plan.id, workflow_id=saved.id, run_id=run)


def make_plan_kinds(tools: Tools, steps: StepKinds, choose: Choose | None = None) -> Kinds:
    kinds = Kinds()
    kinds.steps(DRAFT, DraftPlan(tools, steps, choose or choose_planner))
    kinds.inside(START)(StartPlans(steps).start)
    return kinds


async def choose_planner(tx: Tx, tools: Tools) -> ChosenModel:
    """By the settings of the skills: the model for generating."""
    chosen = await choose_model(tx, tools, Role.GENERATING)
    if isinstance(chosen.llm, OfflineLlm):
        return ChosenModel(OfflinePlanner(chosen.llm.price), OFFLINE)
    return chosen


async def _hold(tx: Tx, job: Job) -> Plan | None:
    """The plan that this work drafts, if it is still wanted."""
    plan = await store.hold_plan(tx, job.args["plan"])
    is_wanted = plan is not None and plan.state == PlanState.DRAFTING and plan.draft == job.args["draft"]
    return plan if is_wanted else None


def _is_same(plan: Plan, drafted: Plan) -> bool:
    return plan.state == PlanState.DRAFTING and plan.draft == drafted.draft


async def _find_last(tx: Tx, plan: Plan) -> PlanAnswer | None:
    found = [one for one in await store.list_answers(tx, [plan.id]) if one.draft == plan.draft]
    return found[-1] if found else None


def _read_meaning(model: str, result: Answer | list[Vector] | PabalError) -> PlanMeaning:
    """A model of meanings that is away keeps nobody from a plan: its cases are found by their words."""
    if isinstance(result, list):
        return PlanMeaning(model, result[0])
    return PlanMeaning(model, None, f"no_answer: {result}"[:300])


def _note(one: Recalled) -> dict[str, object]:
    """Why it was chosen."""
    why = [each.value for each in one.why]
    return {"case": one.case.id, "score": round(one.score, 3), "words": list(one.words), "why": why}
