"""Events that start workflows: those of the unit and below, once each, in the name of who saved the workflow."""

from typing import Any

import pytest

from pabal.base.database import Database
from pabal.engine.kinds import Kinds
from pabal.engine.workflows import listing
from pabal.engine.workflows.listing import RunRow, WantedRuns
from pabal.engine.workflows.model import DEEPEST
from pabal.engine.workflows.strands import Strands
from pabal.platform import auth, events
from pabal.platform.actor import ENGINE, Actor, Role
from pabal.platform.auth import NewUser
from pabal.platform.events import NewEvent, PublishedEvent
from pabal.platform.platform_slice import make_step_kinds
from pabal.platform.tenants import Unit
from pabal.platform.workflows import STARTER, EventStart, Workflows, list_starts
from pabal.testing import Parts, drain
from tests.support.people import Tree, plant

PAID = """\
name: paid
start:
  event: order.paid
  when: {path: event.data.amount, op: ">=", value: 1000}
  input:
    order: {from: event.data.order}
    note: {text: "{event.key}: {event.data.amount}"}
    who: {from: event.data.who}
input: {order: integer, note: string, who: {type: string, default: 손님}}
steps:
  - {name: wait, wait: {event: never}}
"""
ECHO = """\
name: echo
start: {event: ping}
steps:
  - {name: again, kind: platform.publish, input: {name: ping}}
"""


class Desk:
    def __init__(self, db: Database, tree: Tree) -> None:
        self.db, self.tree = db, tree
        self.flows = Workflows(make_step_kinds(()))

    async def hire(self, unit: Unit, login: str = "owner", role: Role = Role.OPERATOR) -> Actor:
        async with self.db.transaction() as tx:
            return (await auth.add_user(tx, ENGINE, NewUser(login, login, unit.id, role))).actor()

    async def save(self, actor: Actor, text: str) -> int:
        async with self.db.transaction() as tx:
            return (await self.flows.save(tx, actor, text)).id

    async def append(self, unit: Unit, name: str = "order.paid", id: str = "", key: str = "", **data: Any) -> None:
        async with self.db.transaction() as tx:
            await events.append(tx, [NewEvent(name, data, id=id, key=key, unit_id=unit.id)])

    async def publish(self, unit: Unit, name: str = "order.paid", id: str = "", key: str = "", **data: Any) -> None:
        await self.append(unit, name, id, key, **data)
        await self.deliver()

    async def deliver(self) -> None:
        while await events.deliver_once(self.db, STARTER):
            pass

    async def hand_out_again(self) -> None:
        async with self.db.transaction() as tx:
            await events.replay(tx, ENGINE, STARTER.group, since=tx.now.replace(hour=0), again=True)
        await self.deliver()

    async def runs(self) -> list[RunRow]:
        """Oldest first."""
        async with self.db.transaction() as tx:
            return (await listing.list_runs(tx, WantedRuns(None))).items[::-1]

    async def starts(self, workflow: int) -> list[EventStart]:
        async with self.db.transaction() as tx:
            return await list_starts(tx, workflow)


@pytest.fixture
async def desk(db: Database) -> Desk:
    async with db.transaction() as tx:
        await events.begin(tx, STARTER)
    return Desk(db, await plant(db))


async def test_an_event_starts_a_run_with_what_it_says_in_the_name_of_who_saved_the_workflow(desk: Desk):
    owner = await desk.hire(desk.tree.haeundae)
    saved = await desk.save(owner, PAID)

    await desk.publish(desk.tree.haeundae, key="o-7", order=7, amount=5000)

    [run] = await desk.runs()
    assert run.input == {"order": 7, "note": "o-7: 5000", "who": "손님"}
    [start] = await desk.starts(saved)
    assert (run.owner, run.unit_id, run.cause) == (owner.name, desk.tree.haeundae.id, f"event:{start.event_seq}")
    assert (start.run_id, start.event_name, start.code) == (run.id, "order.paid", None)


async def test_a_condition_that_is_not_met_starts_nothing(desk: Desk):
    await desk.save(await desk.hire(desk.tree.haeundae), PAID)

    await desk.publish(desk.tree.haeundae, order=7, amount=999)

    assert await desk.runs() == []


async def test_events_of_units_below_start_it_and_those_of_strangers_do_not(desk: Desk):
    above = await desk.hire(desk.tree.busan, "above")
    await desk.save(above, PAID)

    await desk.publish(desk.tree.haeundae, order=1, amount=5000)
    await desk.publish(desk.tree.hq, order=2, amount=5000)

    assert [(run.input["order"], run.unit_id) for run in await desk.runs()] == [(1, desk.tree.busan.id)]


async def test_an_event_starts_a_workflow_once_however_often_it_is_published_or_handed_out(desk: Desk):
    await desk.save(await desk.hire(desk.tree.haeundae), PAID)
    for _ in range(2):
        await desk.publish(desk.tree.haeundae, id="o-7", order=7, amount=5000)

    await desk.hand_out_again()

    assert [run.input["order"] for run in await desk.runs()] == [7]


async def test_a_server_that_dies_while_it_takes_an_event_leaves_no_run_and_the_next_starts_it(desk: Desk):
    await desk.save(await desk.hire(desk.tree.haeundae), PAID)
    await desk.append(desk.tree.haeundae, order=7, amount=5000)

    class Died(BaseException):
        pass

    async def take_and_die(tx: Any, published: list[PublishedEvent]) -> None:
        await STARTER.handle(tx, published)
        raise Died

    with pytest.raises(Died):
        await events.deliver_once(desk.db, events.Consumer(STARTER.group, STARTER.patterns, take_and_die))
    assert await desk.runs() == []
    await desk.deliver()

    assert len(await desk.runs()) == 1


async def test_a_start_that_is_refused_says_why_and_can_be_made_up_for(desk: Desk):
    owner = await desk.hire(desk.tree.haeundae)
    number = int(owner.name.removeprefix("user:"))
    saved = await desk.save(owner, PAID)
    async with desk.db.transaction() as tx:
        await auth.deactivate_user(tx, ENGINE, number)

    await desk.publish(desk.tree.haeundae, order=7, amount=5000)

    assert [(one.run_id, one.code) for one in await desk.starts(saved)] == [(None, "workflow_owner_gone")]
    async with desk.db.transaction() as tx:
        await auth.edit_user(tx, ENGINE, number, is_active=True)
    await desk.hand_out_again()
    [start], [run] = await desk.starts(saved), await desk.runs()
    assert (start.run_id, start.code) == (run.id, None)


async def test_an_event_that_does_not_fit_spoils_only_its_own_start(desk: Desk):
    owner = await desk.hire(desk.tree.haeundae)
    saved = await desk.save(owner, PAID)
    await desk.append(desk.tree.haeundae, order="seven", amount=5000)

    await desk.publish(desk.tree.haeundae, order=8, amount=5000)

    assert [run.input["order"] for run in await desk.runs()] == [8]
    assert [one.code for one in await desk.starts(saved)] == [None, "bad_run_input"]


async def test_nothing_starts_a_workflow_that_was_put_away_or_says_so_no_more(desk: Desk):
    owner = await desk.hire(desk.tree.haeundae)
    saved = await desk.save(owner, PAID)
    async with desk.db.transaction() as tx:
        await desk.flows.archive(tx, owner, saved)
    await desk.publish(desk.tree.haeundae, order=1, amount=5000)
    await desk.save(owner, PAID.replace("order.paid", "order.sent"))

    await desk.publish(desk.tree.haeundae, order=2, amount=5000)

    assert await desk.runs() == []


async def test_a_workflow_whose_event_starts_it_again_comes_to_an_end(desk: Desk):
    """Each run of its publishes the event that starts the next."""
    await desk.save(await desk.hire(desk.tree.haeundae), ECHO)
    parts = Parts(desk.db, Strands(desk.db, desk.flows.kinds).add_to(Kinds()))

    await desk.publish(desk.tree.haeundae, "ping")
    while await drain(parts):
        await desk.deliver()

    runs = await desk.runs()
    assert len(runs) == DEEPEST + 1
    [*_, refused] = sorted(await desk.starts(runs[0].workflow_id), key=lambda one: one.event_seq)
    assert (refused.run_id, refused.code) == (None, "workflow_too_deep")
