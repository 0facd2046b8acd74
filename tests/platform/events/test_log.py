"""Publishing: in the caller's commit, each id once in its unit, and only what is an event."""

from typing import Any

import pytest

from pabal.base.database import Database
from pabal.base.errors import Invalid
from pabal.platform import events
from pabal.platform.actor import ENGINE, Actor, NotAllowed, Role
from pabal.platform.events import EventIdTaken, NewEvent, PublishedEventNotFound, TooManyEvents
from pabal.platform.tenants import UnitNotFound, visible_to
from tests.platform.events.shop import logged, order, publish
from tests.support.people import Tree, person


@pytest.mark.req("D-36")
async def test_an_event_is_there_if_and_only_if_its_transaction_commits(db: Database, tree: Tree):
    with pytest.raises(ZeroDivisionError):
        await _publish_and_fail(db)
    await publish(db, order(2))

    assert await logged(db) == ["o-2"]


async def _publish_and_fail(db: Database) -> None:
    async with db.transaction() as tx:
        await events.publish(tx, ENGINE, order(1))
        raise ZeroDivisionError


@pytest.mark.req("D-31")
async def test_an_id_is_one_event_however_often_it_is_published(db: Database, tree: Tree):
    first = await publish(db, order(1), order(2))

    again = await publish(db, order(2), order(1), order(3))

    assert (again[1], again[0], await logged(db)) == (first[0], first[1], ["o-1", "o-2", "o-3"])
    with pytest.raises(EventIdTaken):
        await publish(db, order(4), order(1, paid=True))
    assert await logged(db) == ["o-1", "o-2", "o-3"]


async def test_an_event_without_an_id_gets_one(db: Database, tree: Tree):
    made = await publish(db, NewEvent("orders.paid"), NewEvent("orders.paid"))

    assert len({event.id for event in made}) == 2
    assert all(len(event.id) == 36 for event in made)


@pytest.mark.parametrize(
    "event",
    [
        NewEvent(""),
        NewEvent("orders paid"),
        NewEvent("orders..paid"),
        NewEvent("*"),
        NewEvent("o" * 201),
        NewEvent("orders", id="i" * 201),
        NewEvent("orders", id="a\nb"),
        NewEvent("orders", key="k\0"),
        NewEvent("orders", {"text": "\0"}),
        NewEvent("orders", {"text": "가" * 22_000}),
        NewEvent("orders", {"text": "\ud800"}),
        NewEvent("orders", {"number": float("nan")}),
        NewEvent("orders", {"what": object()}),
        NewEvent("orders", [1]),  # type: ignore[arg-type]  # what REST might be sent
    ],
)
async def test_what_is_no_event_is_refused(db: Database, tree: Tree, event: NewEvent):
    with pytest.raises(Invalid):
        await publish(db, order(1), event)

    assert await logged(db) == []


async def test_no_more_than_five_hundred_at_once(db: Database, tree: Tree):
    with pytest.raises(TooManyEvents):
        await publish(db, *(order(number) for number in range(501)))


@pytest.mark.req("D-29")
async def test_ones_unit_decides_what_one_sees_and_for_whom_one_publishes(db: Database, tree: Tree):
    haeundae, nampo, busan = person(tree.haeundae), person(tree.nampo), person(tree.busan)
    [mine] = await publish(db, order(1), actor=haeundae)
    await publish(db, order(1, of="nampo"), actor=nampo)  # the same id of another unit is another event
    await publish(db, order(2)._replace(unit_id=tree.nampo.id), actor=busan)

    assert mine.unit_id == tree.haeundae.id
    seen = {actor.unit_id: await logged(db, actor) for actor in (haeundae, nampo, busan, person(tree.gangnam))}
    assert list(seen.values()) == [["o-1"], ["o-1", "o-2"], ["o-1", "o-1", "o-2"], []]
    with pytest.raises(UnitNotFound):
        await publish(db, order(3)._replace(unit_id=tree.nampo.id), actor=haeundae)
    async with db.transaction() as tx:
        with pytest.raises(PublishedEventNotFound):
            await events.get_event(tx, await visible_to(tx, nampo), mine.seq)


@pytest.mark.parametrize("more", [{"role": Role.VIEWER}, {"scopes": ("events:read", "jobs:manage")}])
async def test_who_may_only_read_does_not_publish(db: Database, tree: Tree, more: dict[str, Any]):
    actor = Actor("token:1", tree.haeundae.id, **{"role": Role.ADMIN, **more})

    with pytest.raises(NotAllowed):
        await publish(db, order(1), actor=actor)
