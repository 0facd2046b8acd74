"""Workflows for people: rights when a step runs, what is in sight, approvals and events as signals."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pabal.base.database import Database
from pabal.engine.kinds import Kinds
from pabal.engine.workflows import listing
from pabal.engine.workflows.definitions import WorkflowNotFound
from pabal.engine.workflows.runs import RunNotFound
from pabal.engine.workflows.strands import Strands
from pabal.platform import approvals, auth, events
from pabal.platform.actor import ENGINE, Actor, NotAllowed, Role
from pabal.platform.approvals import Verdict
from pabal.platform.auth import NewUser
from pabal.platform.events import NewEvent
from pabal.platform.platform_slice import make_step_kinds
from pabal.platform.tenants import Unit, visible_to
from pabal.platform.workflows import CONSUMER, QUESTIONS, Workflows
from tests.support.people import Tree, person, plant
from tests.support.servers import serving, until

pytestmark = pytest.mark.req("D-33")
KNOWN = {one.kind.name: one for one in QUESTIONS}
NOTIFY = (
    "name: tell\nsteps:\n  - {name: wait, wait: {event: go}}\n"
    "  - {name: tell, kind: platform.notify, input: {title: 안녕}}\n"
)
ASK = (
    "name: ask\nsteps:\n  - {name: ask, kind: platform.approval, input: {title: 보낼까요, within: 2h}}\n"
    "output: {by: {from: steps.ask.by}}\n"
)


class Office:
    def __init__(self, db: Database, tree: Tree) -> None:
        self.db, self.tree = db, tree
        self.flows = Workflows(make_step_kinds(()))

    async def hire(self, unit: Unit, role: Role, login: str) -> Actor:
        async with self.db.transaction() as tx:
            user = await auth.add_user(tx, ENGINE, NewUser(login, login, unit.id, role))
        return user.actor()

    async def start(self, actor: Actor, text: str) -> int:
        async with self.db.transaction() as tx:
            saved = await self.flows.save(tx, actor, text)
            return await self.flows.start(tx, actor, saved.id, {})

    async def see(self, run: int) -> listing.RunRow:
        async with self.db.transaction() as tx:
            return await listing.get_run(tx, run, units=None)

    async def until_waiting(self, run: int) -> None:
        async def is_so() -> bool:
            async with self.db.transaction() as tx:
                return any(one.state == "waiting" for one in await listing.list_steps(tx, run))

        await until(is_so)

    async def until_over(self, run: int) -> listing.RunRow:
        async def is_so() -> bool:
            return (await self.see(run)).ended_at is not None

        await until(is_so)
        return await self.see(run)

    async def publish(self, actor: Actor, name: str, **data: Any) -> None:
        async with self.db.transaction() as tx:
            await events.publish(tx, actor, NewEvent(name, data))
        await events.deliver_once(self.db, CONSUMER)

    async def decide(self, actor: Actor, verdict: Verdict, reason: str = "") -> None:
        async with self.db.transaction() as tx:
            scope = await visible_to(tx, actor)
            [asked] = await approvals.list_seen(tx, actor, scope, KNOWN, approvals.Wanted(tuple(KNOWN)), limit=5)
            await approvals.decide(tx, actor, asked.id, approvables=KNOWN, verdict=verdict, reason=reason)


@pytest.fixture
async def office(db: Database, tmp_path: Path) -> AsyncIterator[Office]:
    office = Office(db, await plant(db))
    async with db.transaction() as tx:
        await events.begin(tx, CONSUMER)
    kinds = Strands(db, office.flows.kinds).add_to(Kinds())
    async with serving(db, kinds, tmp_path / "locks") as server:
        # steps commit through the other one: it tells the server's loops as the server's own does
        office.db, db.announce = server.database, server.database.announce
        yield office
        db.announce = None


async def test_rights_are_asked_for_when_the_step_runs(office: Office):
    owner = await office.hire(office.tree.haeundae, Role.OPERATOR, "owner")
    run = await office.start(owner, NOTIFY)
    await office.until_waiting(run)
    async with office.db.transaction() as tx:
        await auth.deactivate_user(tx, ENGINE, int(owner.name.removeprefix("user:")))

    await office.publish(person(office.tree.haeundae), "go")

    over = await office.until_over(run)
    assert (over.state, "may not act here any more" in (over.reason or "")) == ("failed", True)


async def test_a_step_acts_in_the_name_of_its_owner_where_they_may(office: Office):
    owner = await office.hire(office.tree.haeundae, Role.OPERATOR, "owner")
    run = await office.start(owner, NOTIFY)
    await office.until_waiting(run)

    await office.publish(person(office.tree.haeundae), "go")

    assert (await office.until_over(run)).state == "done"


async def test_an_event_of_a_stranger_is_no_signal(office: Office):
    owner = await office.hire(office.tree.haeundae, Role.OPERATOR, "owner")
    run = await office.start(owner, NOTIFY)
    await office.until_waiting(run)

    await office.publish(person(office.tree.gangnam), "go")
    assert (await office.see(run)).state == "running"
    await office.publish(person(office.tree.haeundae), "go")

    assert (await office.until_over(run)).state == "done"


async def test_a_yes_in_the_inbox_lets_the_run_go_on_in_the_same_commit(office: Office):
    owner = await office.hire(office.tree.haeundae, Role.OPERATOR, "owner")
    run = await office.start(owner, ASK)
    await office.until_waiting(run)
    boss = await office.hire(office.tree.busan, Role.ADMIN, "boss")

    await office.decide(boss, Verdict.APPROVE)

    over = await office.until_over(run)
    assert (over.state, over.output) == ("done", {"by": boss.name})


async def test_a_no_fails_the_step_with_its_reason(office: Office):
    owner = await office.hire(office.tree.haeundae, Role.OPERATOR, "owner")
    run = await office.start(owner, ASK)
    await office.until_waiting(run)

    await office.decide(await office.hire(office.tree.busan, Role.ADMIN, "boss"), Verdict.REJECT, "not today")

    assert (await office.until_over(run)).reason == "ask: not today"


async def test_a_cancelled_run_takes_its_question_back(office: Office):
    owner = await office.hire(office.tree.haeundae, Role.OPERATOR, "owner")
    run = await office.start(owner, ASK)
    await office.until_waiting(run)

    async with office.db.transaction() as tx:
        await office.flows.cancel(tx, owner, run, "enough")

    assert (await office.until_over(run)).state == "cancelled"
    async with office.db.transaction() as tx:
        scope = await visible_to(tx, owner)
        wanted = approvals.Wanted(tuple(KNOWN), tuple(approvals.State))
        [asked] = await approvals.list_seen(tx, owner, scope, KNOWN, wanted, limit=5)
    assert asked.approval.state == "withdrawn"


async def test_nobody_touches_what_is_not_in_sight(office: Office):
    owner = await office.hire(office.tree.haeundae, Role.OPERATOR, "owner")
    run = await office.start(owner, NOTIFY.replace("name: tell\n", "name: tell\nseen_by: operator\n", 1))
    stranger = await office.hire(office.tree.gangnam, Role.ADMIN, "stranger")
    viewer = await office.hire(office.tree.haeundae, Role.VIEWER, "viewer")
    saved = (await office.see(run)).workflow_id

    async with office.db.transaction() as tx:
        with pytest.raises(RunNotFound):
            await office.flows.cancel(tx, stranger, run, "mine")
        with pytest.raises(WorkflowNotFound):
            await office.flows.start(tx, stranger, saved, {})
        with pytest.raises(RunNotFound):
            await office.flows.get_run(tx, viewer, run)
        with pytest.raises(NotAllowed):
            await office.flows.pause(tx, viewer, run)
