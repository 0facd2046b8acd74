"""Marks of many sends in one commit: each is fenced by itself, and a database that is away is asked again."""

import asyncio
from pathlib import Path

import pytest

from pabal.apps.messaging.jobs.preparing import Ready
from pabal.apps.messaging.jobs.sending import Marks
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.deliveries import SEND, PartState
from pabal.apps.messaging.store.sending import Mark, list_parts
from pabal.base.database import Database
from pabal.engine import claims, reports, routes, workers
from pabal.engine.claims import LeaseLost, RouteLost
from pabal.engine.kinds import Job, Report
from tests.support.botline import Desk, find_delivery, send_now
from tests.support.messaging import SQL, World, add_bot, add_room, add_schedule, make_world
from tests.support.work import until_blocked

BOTS = 12


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    return await make_world(db, tmp_path)


async def begin(world: World, name: str) -> tuple[Desk, Job, int]:
    """A bot of its own with a send that has begun: its desk, its job and its delivery."""
    bot_id, _ = await add_bot(world.db, world.tree.haeundae, name)
    room_id = await add_room(world.db, world.tree.haeundae, name, name, bots=[bot_id])
    schedule_id = await add_schedule(world, Content(text="안녕"), bot_id=bot_id, room_id=room_id, bot_name=name)
    await send_now(world.db, schedule_id)
    desk = await Desk.open(world, bot=name)
    job = await desk.claim()
    assert job is not None
    async with claims.fenced(world.db, job) as tx:
        await desk.kinds[job.kind].handler.prepare_all(tx, [job])
    return desk, job, (await find_delivery(world.db, schedule=schedule_id)).id


def writing(job: Job, delivery_id: int) -> Mark:
    return Mark(delivery_id, 0, PartState.WRITING)


@pytest.mark.req("A-181", "A-198")
async def test_ten_sends_are_taken_and_begun_with_as_many_statements_as_two(world: World):
    asked = []
    for count in (1, 2, 10):
        desk = await Desk.open(world)
        names = [f"bot{count}x{n}" for n in range(count)]
        for name in names:
            await wait_for(world, desk, name)
        counted: list[object] = []
        async with world.db.transaction() as tx:
            await workers.hold_life(tx, desk.worker)
            with tx._connection.query_logger(counted.append):
                held = [f"bot:{name}" for name in names]
                jobs = await claims.claim_routed(tx, desk.worker, held, kinds=[SEND], total=100)
                ready = await desk.kinds[SEND].handler.prepare_all(tx, jobs)
        asked.append((sum(isinstance(one, Ready) for one in ready), len(counted)))

    # the first is asked what it looks like, too
    [_, (two, few), (ten, many)] = asked
    assert (two, ten) == (2, 10)
    assert few == many


async def wait_for(world: World, desk: Desk, name: str) -> None:
    """A send of a bot of its own, which this desk holds."""
    bot_id, _ = await add_bot(world.db, world.tree.haeundae, name)
    room_id = await add_room(world.db, world.tree.haeundae, name, name, bots=[bot_id])
    content = Content(text="안녕", images_1=(world.picture,))
    await send_now(world.db, await add_schedule(world, content, bot_id=bot_id, room_id=room_id, bot_name=name))
    desk.services.connections.put(f"bot:{name}", desk.line)
    async with world.db.transaction() as tx:
        await routes.hold_route(tx, f"bot:{name}", worker=desk.worker)


@pytest.mark.req("A-181", "A-198")
async def test_marks_that_come_together_are_one_commit(world: World):
    begun = [await begin(world, f"bot{n}") for n in range(BOTS)]
    marks = Marks(world.db)

    await asyncio.gather(*(marks.put(job, writing(job, delivery_id)) for _, job, delivery_id in begun))

    async with world.db.transaction() as tx:
        parts = await list_parts(tx, [delivery_id for _, _, delivery_id in begun])
    assert {part.state for [part] in parts.values()} == {PartState.WRITING}
    assert len({part.began_at for [part] in parts.values()}) == 1, "one transaction, one moment"


async def test_who_lost_its_job_or_its_bot_hears_so_and_nobody_else(world: World):
    (one, lost, first), (two, moved, second), (_, kept, third) = [await begin(world, f"bot{n}") for n in range(3)]
    await one.die()
    await two.disconnect()
    marks = Marks(world.db)

    answers = await asyncio.gather(
        marks.put(lost, writing(lost, first)),
        marks.put(moved, writing(moved, second)),
        marks.put(kept, writing(kept, third)),
        return_exceptions=True,
    )

    assert [type(answer) for answer in answers] == [LeaseLost, RouteLost, type(None)]
    async with world.db.transaction() as tx:
        parts = await list_parts(tx, [first, second, third])
        counted = {row["label"]: row["count"] for row in await tx.rows(SQL.read_counts)}
    assert [part.state.value for [part] in parts.values()] == ["planned", "planned", "writing"]
    assert counted == {"lease_lost": 1, "route_lost": 1}, "two duplicates were prevented"


async def test_that_nothing_was_begun_can_be_said_after_the_bot_has_gone(world: World):
    desk, job, delivery_id = await begin(world, "bot1")
    marks = Marks(world.db)
    await marks.put(job, writing(job, delivery_id))
    await desk.disconnect()

    await marks.put(job, Mark(delivery_id, 0, PartState.PLANNED))

    with pytest.raises(RouteLost):
        await marks.put(job, writing(job, delivery_id))
    async with world.db.transaction() as tx:
        [part] = (await list_parts(tx, [delivery_id]))[delivery_id]
    assert (part.state, part.began_at) == (PartState.PLANNED, None)


@pytest.mark.req("A-191")
async def test_a_mark_outlives_a_broken_connection(world: World, database_url: str):
    _, job, delivery_id = await begin(world, "bot1")
    database = await Database.open(database_url, size=2)
    marks = Marks(database)

    async with world.db.transaction() as tx:
        await tx.rows(SQL.lock_part, no=0)
        putting = asyncio.create_task(marks.put(job, writing(job, delivery_id)))
        await until_blocked(world.db)
        await tx.rows(SQL.cut_waiting)
    await putting
    await database.close()

    async with world.db.transaction() as tx:
        [part] = (await list_parts(tx, [delivery_id]))[delivery_id]
    assert part.state is PartState.WRITING


async def test_marks_that_the_database_took_back_are_written_again(world: World, database_url: str):
    """As after a deadlock: here every conflict undoes the transaction."""
    desk, job, delivery_id = await begin(world, "bot1")
    # an address may have parameters already: that of a socket's folder
    joint = "&" if "?" in database_url else "?"
    database = await Database.open(f"{database_url}{joint}default_transaction_isolation=repeatable%20read", size=2)
    marks = Marks(database)

    async with world.db.transaction() as tx:
        assert await reports.write(tx, desk.worker, [(job, Report({"written": 0}))]) == {job.key}
        putting = asyncio.create_task(marks.put(job, writing(job, delivery_id)))
        await until_blocked(world.db)
    await putting
    await database.close()

    async with world.db.transaction() as tx:
        [part] = (await list_parts(tx, [delivery_id]))[delivery_id]
    assert part.state is PartState.WRITING
