"""One verb on many rows: how many at once, what is taken back, and whose it is."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal.apps.messaging.resources import SCHEDULE
from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import ids, queue, withdrawals
from pabal.platform import bulks
from pabal.platform.actor import Actor
from pabal.platform.bulks import Bulk, BulkNotFound, BulkRow, NothingChosen, Preview
from pabal.platform.bulks.model import BulkNotUndoable, BulkRunning, BulkTooLarge
from tests.support.messaging import World, add_schedule, make_world
from tests.support.people import person
from tests.support.work import begin_blocked

NOUNS = {"messaging.schedules": SCHEDULE}
HANDS: Any = dict.fromkeys
NOWHERE = [str(10**9 + n) for n in range(201)]


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    return await make_world(db, tmp_path)


@pytest.fixture
def actor(world: World) -> Actor:
    return person(world.tree.haeundae)


async def start(db: Database, actor: Actor, keys: list[str]) -> Bulk:
    order = bulks.make_order(NOUNS, "messaging.schedules", "pause", {})
    async with db.transaction() as tx:
        return await bulks.start(tx, actor, order, keys, lang="ko", hands=HANDS)


async def undo(db: Database, actor: Actor, bulk: Bulk) -> Bulk:
    async with db.transaction() as tx:
        return await bulks.undo(tx, actor, bulk.id, nouns=NOUNS, lang="ko", hands=HANDS)


async def get(db: Database, actor: Actor, bulk: Bulk) -> Bulk:
    async with db.transaction() as tx:
        return await bulks.get_bulk(tx, actor.name, bulk.id)


async def list_rows(db: Database, bulk: Bulk) -> list[BulkRow]:
    async with db.transaction() as tx:
        return await bulks.list_rows(tx, bulk.id)


async def test_fifty_are_done_at_once_and_more_are_work_that_outlives_who_asked(db: Database, actor: Actor):
    at_once, durable = await start(db, actor, NOWHERE[:50]), await start(db, actor, NOWHERE[:51])

    assert (at_once.state, at_once.refused) == ("failed", 50)
    assert (durable.state, durable.waiting) == ("running", 51)
    with pytest.raises(BulkRunning):
        await undo(db, actor, durable)


async def test_two_hundred_are_tried_beforehand_and_nothing_stays_of_it(db: Database, world: World, actor: Actor):
    schedule_id = await add_schedule(world)
    order = bulks.make_order(NOUNS, "messaging.schedules", "pause", {})

    async def look(keys: list[str]) -> Preview:
        async with db.transaction() as tx:
            return await bulks.preview(tx, actor, order, keys, lang="ko", hands=HANDS)

    whole, first = await look([str(schedule_id), *NOWHERE[:199]]), await look(NOWHERE)
    assert (whole.is_whole, len(whole.refused)) == (True, 199)
    assert (first.is_whole, len(first.looked_at)) == (False, 200)
    assert (await start(db, actor, [str(schedule_id)])).done == 1, "it was not paused by looking"


async def test_only_what_was_done_is_taken_back_the_last_first_and_once(db: Database, world: World, actor: Actor):
    one, was_so, other = [str(await add_schedule(world, title=title)) for title in ("하나", "이미", "둘")]
    await start(db, actor, [was_so])
    bulk = await start(db, actor, [one, was_so, other])

    back = await undo(db, actor, bulk)

    assert [(row.key, row.code) for row in await list_rows(db, bulk)] == [
        (one, None),
        (was_so, "already_so"),
        (other, None),
    ]
    assert [(row.key, row.result) for row in await list_rows(db, back)] == [(other, "done"), (one, "done")]
    with pytest.raises(BulkNotUndoable, match=bulk.shown_id):
        await undo(db, actor, bulk)
    assert (await get(db, actor, bulk)).undone_by == back.id


async def test_what_was_taken_back_once_stays_so_when_it_was_done_again(db: Database, world: World, actor: Actor):
    """Each bulk is taken back by itself: the second time it is paused it is another bulk."""
    key = str(await add_schedule(world))
    first = await start(db, actor, [key])
    await undo(db, actor, first)
    second = await start(db, actor, [key])

    with pytest.raises(BulkNotUndoable, match=first.shown_id):
        await undo(db, actor, first)

    assert (await start(db, actor, [key])).done == 0, "it is paused still"
    assert (await undo(db, actor, second)).done == 1


async def test_of_two_who_take_it_back_at_the_same_moment_one_does(db: Database, world: World, actor: Actor):
    keys = [str(await add_schedule(world, title=title)) for title in ("하나", "둘")]
    bulk = await start(db, actor, keys)

    async with db.transaction() as tx:
        back = await bulks.undo(tx, actor, bulk.id, nouns=NOUNS, lang="ko", hands=HANDS)
        second = await begin_blocked(db, undo(db, actor, bulk))
    with pytest.raises(BulkNotUndoable, match=bulk.shown_id):
        await second

    assert (await get(db, actor, bulk)).undone_by == back.id
    assert [(row.key, row.result) for row in await list_rows(db, back)] == [(key, "done") for key in reversed(keys)]
    async with db.transaction() as tx:
        assert len(await bulks.list_bulks(tx, actor.name, before=ids.LAST, limit=9)) == 2


async def test_nobody_elses_bulk_is_seen_or_taken_back(db: Database, world: World, actor: Actor):
    bulk = await start(db, actor, [str(await add_schedule(world))])
    other = person(world.tree.haeundae, number=2)

    with pytest.raises(BulkNotFound):
        await undo(db, other, bulk)
    async with db.transaction() as tx:
        with pytest.raises(BulkNotFound):
            await bulks.get_bulk(tx, other.name, bulk.id)


async def test_rows_that_nobody_comes_to_any_more_say_so(db: Database, actor: Actor):
    bulk = await start(db, actor, NOWHERE[:51])

    async with db.transaction() as tx:
        jobs = await queue.find_open(tx, about=f"bulk:{bulk.id}")
        kinds = bulks.make_kinds(lambda: NOUNS, lambda _actor: HANDS)
        await withdrawals.cancel_jobs(tx, jobs, kinds=kinds, reason="somebody stopped it")

    rows = await list_rows(db, bulk)
    assert {(row.result, row.code) for row in rows} == {("refused", "bulk_stopped")}
    async with db.transaction() as tx:
        assert (await bulks.get_bulk(tx, actor.name, bulk.id)).state == "failed"


async def test_what_ended_is_kept_for_thirty_days(db: Database, actor: Actor):
    await start(db, actor, NOWHERE[:1])
    await clock.advance(db, timedelta(days=29, hours=23))

    before = await bulks.forget_once(db)
    await clock.advance(db, timedelta(hours=2))

    assert (before, await bulks.forget_once(db)) == (0, 1)


def test_each_row_is_chosen_once_and_ten_thousand_at_most():
    many = [str(n) for n in range(10_000)]

    assert bulks.check_keys(["2", "1", "2"]) == ["2", "1"]
    assert len(bulks.check_keys([*many, "1"])) == 10_000
    with pytest.raises(BulkTooLarge):
        bulks.check_keys([*many, "one more"])
    with pytest.raises(NothingChosen):
        bulks.check_keys([])
