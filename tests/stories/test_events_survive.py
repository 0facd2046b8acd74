"""kill -9 at the worst moments and at any moment: no event is lost, and none has two effects on a consumer."""

import asyncio
import os
import signal

import pytest

from pabal.base.database import Database
from pabal.base.killpoints import EXIT_CODE, PLATFORM_POINTS
from tests.platform.events.conftest import tree
from tests.platform.events.shop import SQL, begin, drain, logged, order, publish, taken
from tests.platform.events.victim import CONSUMERS
from tests.support.people import Tree
from tests.support.programs import PIPE, ROOT, Program, start
from tests.support.servers import until

__all__ = ["tree"]
EVENTS = 30


def victim(db: Database, count: int = EVENTS, point: str = "") -> Program:
    env = {**os.environ, "PABAL_KILL_POINT": point}
    return start("tests.platform.events.victim", db.url, str(count), cwd=ROOT, env=env, stdout=PIPE)


def read_published(program: Program) -> set[str]:
    assert program.stdout is not None
    return {f"o-{line.strip()}" for line in program.stdout if line.strip()}


async def finish(db: Database) -> None:
    """PostgreSQL takes a moment to see that a killed server is gone; until then its share is nobody else's."""

    async def is_free() -> bool:
        async with db.transaction() as tx:
            return bool(await tx.value(SQL.count_holders) == 0)

    await until(is_free)
    for one in CONSUMERS:
        await begin(db, one)
        await drain(db, one)


@pytest.mark.req("D-31", "D-32")
@pytest.mark.parametrize("times", [1, 4])
@pytest.mark.parametrize("point", PLATFORM_POINTS)
async def test_what_a_killed_server_had_in_hand_is_finished_by_another(
    db: Database, tree: Tree, point: str, times: int
):
    await begin(db, *CONSUMERS)
    dying = victim(db, point=f"{point}:{times}")
    assert await asyncio.to_thread(dying.wait, 30) == EXIT_CODE
    told = read_published(dying)

    assert told <= set(await logged(db))
    await publish(db, *(order(number) for number in range(EVENTS)))  # whoever got no answer sends it again
    await finish(db)

    assert await logged(db) == [f"o-{number}" for number in range(EVENTS)]
    assert await taken(db, "billing") == [f"o-{number}" for number in range(EVENTS)]
    assert sorted(await taken(db, "stock")) == sorted(f"o-{number}" for number in range(EVENTS))


@pytest.mark.req("D-31")
async def test_servers_killed_at_any_moment_lose_nothing_and_do_nothing_twice(db: Database, tree: Tree):
    """Three share the consumers' work; each is killed when the others have come a little further."""
    await begin(db, *CONSUMERS)
    servers = [victim(db, 400) for _ in range(3)]  # all publish the same ids: each is one event
    told: set[str] = set()
    for number, server in enumerate(servers, start=1):

        async def has_moved(enough: int = 12 * number) -> bool:
            return len(await taken(db, "billing")) >= enough

        await until(has_moved)
        server.send_signal(signal.SIGKILL)
        assert await asyncio.to_thread(server.wait, 30) == -signal.SIGKILL
        told |= read_published(server)

    await finish(db)

    kept = [f"o-{number}" for number in range(400)]
    async with db.transaction() as tx:
        there = {row[0] for row in await tx.rows(SQL.list_ids)}
    assert told <= there <= set(kept)
    for group in ("billing", "stock"):
        assert sorted(await taken(db, group)) == sorted(there)
