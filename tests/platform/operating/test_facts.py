"""A fact that was put aside is handed over once more by those who may, of what they may see."""

import pytest

from pabal.base.database import Database
from pabal.engine.facts import AsideNotFound, Subscriber, deliver_once, record
from pabal.platform import audit, operating
from pabal.platform.actor import NotAllowed, Role
from pabal.platform.operating import FactNotFound, SubscriberNotFound
from pabal.platform.tenants import visible_to
from tests.support.facts import create_seen, notebook, seen_by
from tests.support.people import Tree, person, plant
from tests.support.work import advance


@pytest.fixture
async def tree(db: Database) -> Tree:
    await create_seen(db)
    return await plant(db)


async def put_aside(db: Database, tree: Tree) -> tuple[Subscriber, int]:
    """What could not be taken, and the subscriber after its mistake was mended."""
    broken = notebook(from_start=True, fails_at=lambda fact: True)
    async with db.transaction() as tx:
        await record(tx, "thing.made", "thing:1", {"n": 1}, tree.nampo.id)
    for _ in range(4):
        await deliver_once(db, broken)
        await advance(db, 10)
    async with db.transaction() as tx:
        [aside] = (await operating.list_aside(tx, await visible_to(tx, person(tree.hq)))).items
    return notebook(), aside.seq


async def test_a_retry_hands_the_fact_over_and_is_written_down(db: Database, tree: Tree) -> None:
    mended, seq = await put_aside(db, tree)

    async with db.transaction() as tx:
        await operating.retry_aside(tx, person(tree.nampo, Role.OPERATOR), mended, seq)

    assert [seen.seq for seen in await seen_by(db)] == [seq]
    async with db.transaction() as tx:
        scope = await visible_to(tx, person(tree.hq))
        assert (await operating.list_aside(tx, scope)).items == []
        [entry] = await audit.list_entries(tx, audit.Wanted(action="facts.retry"))
    assert (entry.about, entry.unit_id) == (f"fact:{seq}", tree.nampo.id)


async def test_another_branch_neither_sees_nor_retries_it(db: Database, tree: Tree) -> None:
    mended, seq = await put_aside(db, tree)
    stranger = person(tree.gangnam)

    async with db.transaction() as tx:
        scope = await visible_to(tx, stranger)
        assert (await operating.list_aside(tx, scope)).items == []
        with pytest.raises(FactNotFound):
            await operating.get_fact(tx, scope, seq)
        with pytest.raises(AsideNotFound):
            await operating.retry_aside(tx, stranger, mended, seq)
        with pytest.raises(NotAllowed):
            await operating.retry_aside(tx, person(tree.nampo, Role.VIEWER), mended, seq)

    assert await seen_by(db) == []


def test_a_subscriber_is_found_by_its_name() -> None:
    known = notebook()

    assert operating.find_subscriber([known], "notebook") is known
    with pytest.raises(SubscriberNotFound):
        operating.find_subscriber([known], "nobody")
