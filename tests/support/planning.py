"""What tests of plans share: an organisation, a language model that says what a test wants, and everything that runs
what comes of it."""

from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from pabal.apps.rules import parts as rule_parts
from pabal.apps.rules.machine import RULE, RULE_RUN
from pabal.apps.rules.plans import actions, store
from pabal.apps.rules.plans.jobs import Choose, make_plan_kinds
from pabal.apps.rules.plans.model import Plan, PlanAnswer
from pabal.apps.rules.recall.jobs import FillMeanings, make_recall_kinds
from pabal.apps.rules.skills.choosing import ChosenModel, Tools, make_tools
from pabal.apps.rules.skills.settings import SEARCH
from pabal.apps.rules.skills.startup import SkillsStartup
from pabal.apps.rules.skills.step_jobs import make_step_kinds as make_skill_kinds
from pabal.apps.rules.steps import STEPS
from pabal.base.database import Database, Tx
from pabal.engine.facts import Subscriber
from pabal.engine.kinds import Kinds, merge
from pabal.engine.workflows import listing
from pabal.engine.workflows.machine import WORKFLOW_RUN
from pabal.engine.workflows.step_kinds import Effect, StepCall, StepKinds
from pabal.engine.workflows.strands import Strands
from pabal.platform import approvals, auth, settings
from pabal.platform.actor import ENGINE, Actor, Right, Role
from pabal.platform.approvals import APPROVAL, Approvables, Verdict
from pabal.platform.auth import NewUser
from pabal.platform.storage import Files
from pabal.platform.tenants import Scope, Unit, visible_to
from pabal.platform.workflows import (
    OWN_STEPS,
    QUESTIONS,
    WORKFLOW_QUESTION,
    Destination,
    SliceStep,
    Workflows,
    make_step_kinds,
)
from pabal.testing import Parts, advance, drain
from tests.support.models import ScriptedModel
from tests.support.people import Tree, plant

HOUSE = Scope(None, None)
KNOWN: Approvables = {one.kind.name: one for one in (*rule_parts.APPROVABLES, *QUESTIONS)}
NEWS = "지난주 AI 뉴스 요약해서 보고서 만들어줘"
NOTICE = "name: hello\ntitle: 인사\nsteps:\n  - {name: tell, kind: platform.notify, input: {title: 안녕하세요}}\n"


class MailInput(BaseModel):
    to: str = Destination
    text: str = ""


class MailOutput(BaseModel):
    sent: str


async def _mail(tx: Tx, actor: Actor, given: MailInput, call: StepCall) -> MailOutput:
    return MailOutput(sent=given.to)


# kinds no app has yet: one that says where something goes, and one for administrators
MAIL = SliceStep(
    name="test.mail",
    version=1,
    title=("Send a letter", "편지 보내기"),
    input=MailInput,
    output=MailOutput,
    area="messaging",
    right=Right.WRITE,
    run=_mail,
    effects=(Effect.MESSAGES,),
)
WIPE = SliceStep(
    name="test.wipe",
    version=1,
    title=("Wipe everything", "모두 지우기"),
    input=MailInput,
    output=MailOutput,
    area="rules",
    right=Right.MANAGE,
    run=_mail,
)
ALL_STEPS = (*OWN_STEPS, *STEPS, *rule_parts.STEPS, MAIL, WIPE)


@dataclass
class PlansWorld:
    """With `model` None the offline planner plans."""

    db: Database
    tree: Tree
    folder: Path
    model: ScriptedModel | None = None
    tools: Tools = field(default_factory=lambda: make_tools(SkillsStartup()))
    steps: StepKinds = field(default_factory=lambda: make_step_kinds(ALL_STEPS))

    @property
    def flows(self) -> Workflows:
        return Workflows(self.steps)

    @property
    def files(self) -> Files:
        return Files(self.folder / "files")

    @property
    def parts(self) -> Parts:
        choose: Choose | None = None if self.model is None else self._choose
        kinds = merge(
            [
                make_plan_kinds(self.tools, self.steps, choose),
                make_recall_kinds(self.tools),
                make_skill_kinds(self.tools, self.db, self.files),
                Strands(self.db, self.steps).add_to(Kinds()),
            ]
        )
        machines = (RULE, RULE_RUN, APPROVAL, WORKFLOW_RUN, WORKFLOW_QUESTION, *rule_parts.MACHINES)
        follow = partial(approvals.follow_deadlines, approvables=KNOWN)
        deadlines = Subscriber("approvals.deadlines", ("approval.expired",), follow)
        return Parts(self.db, kinds, machines=machines, subscribers=(*rule_parts.SUBSCRIBERS, deadlines))

    async def _choose(self, tx: Tx, tools: Tools) -> ChosenModel:
        assert self.model is not None
        return ChosenModel(self.model, "strong")

    async def hire(self, unit: Unit, role: Role = Role.OPERATOR, login: str = "kim") -> Actor:
        async with self.db.transaction() as tx:
            return (await auth.add_user(tx, ENGINE, NewUser(login, login, unit.id, role))).actor()

    async def ask(self, actor: Actor, request: str = NEWS, **more: Any) -> Plan:
        async with self.db.transaction() as tx:
            made = await actions.request_plan(tx, actor, request=request, workflows=self.flows, **more)
        await self.drain()
        return await self.look(made)

    async def do(self, verb: Any, actor: Actor, plan: Plan, **more: Any) -> Plan:
        async with self.db.transaction() as tx:
            await verb(tx, actor, plan.id, **more)
        await self.drain()
        return await self.look(plan)

    async def decide(self, actor: Actor, plan: Plan, verdict: Verdict = Verdict.APPROVE, reason: str = "") -> Plan:
        """In the inbox, as every door does."""
        async with self.db.transaction() as tx:
            scope = await visible_to(tx, actor)
            found = await approvals.list_seen(tx, actor, scope, KNOWN, approvals.Wanted(tuple(KNOWN)), limit=50)
            [asked] = [one for one in found if one.approval.subject == plan.id and one.approval.is_open]
            await approvals.decide(tx, actor, asked.id, approvables=KNOWN, verdict=verdict, reason=reason)
        await self.drain()
        return await self.look(plan)

    async def look(self, plan: Plan) -> Plan:
        return await self.look_at(plan.id)

    async def look_at(self, plan_id: int) -> Plan:
        async with self.db.transaction() as tx:
            return await store.get_plan(tx, HOUSE, plan_id)

    async def answers(self, plan: Plan) -> list[PlanAnswer]:
        async with self.db.transaction() as tx:
            return await store.list_answers(tx, [plan.id])

    async def run_of(self, plan: Plan) -> listing.RunRow:
        assert plan.run_id is not None, plan
        async with self.db.transaction() as tx:
            return await listing.get_run(tx, plan.run_id, units=None)

    async def outputs(self, plan: Plan) -> dict[str, Any]:
        assert plan.run_id is not None, plan
        async with self.db.transaction() as tx:
            return {one.label: one.output for one in await listing.list_steps(tx, plan.run_id)}

    async def set(self, setting: settings.Setting[Any], value: Any) -> None:
        async with self.db.transaction() as tx:
            await settings.change(tx, ENGINE, setting, setting.show(value))

    async def fill(self) -> None:
        """What a server does by itself: cases get their vectors."""
        await FillMeanings(self.db, self.tools).run_once()
        await self.drain()

    async def drain(self) -> None:
        await drain(self.parts)

    async def advance(self, **by: float) -> None:
        await advance(self.parts, timedelta(**by))


async def make_planning(db: Database, folder: Path) -> PlansWorld:
    """Articles are made up; subscribers begin with what is committed after their first sight."""
    world = PlansWorld(db, await plant(db), folder)
    await world.set(SEARCH, "offline")
    await world.drain()
    return world
