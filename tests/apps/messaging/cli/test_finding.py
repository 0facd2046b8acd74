"""What a command names is found by its exact name, however many others have it within theirs."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from pabal.apps.messaging.cli import finding
from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.platform.commands.options import NameAmbiguous
from pabal.platform.tenants import Scope
from tests.support.messaging import World, add_room, add_schedule

SQL = load(__file__)
PARTIAL = 250
HOUSE = Scope(None, None)
Find = Callable[[Tx, Scope, str], Awaitable[Any]]


@pytest.fixture
async def crowd(db: Database, world: World) -> None:
    """One of each thing, and 250 whose name begins like its name; in a list they all come first."""
    await add_schedule(world, title="원본")
    await add_room(db, world.tree.haeundae, "900", "공지", bots=[])
    await add_room(db, None, "901", "새 방", bots=[])
    async with db.transaction() as tx:
        await tx.run(SQL.add_exact, unit_id=world.tree.haeundae.id)
        await tx.run(SQL.add_partial, n=PARTIAL)


@pytest.mark.usefixtures("crowd")
@pytest.mark.parametrize(
    ("find", "name"),
    [
        (finding.find_schedule, "공지"),
        (finding.find_template, "공지"),
        (finding.find_room, "공지"),
        (finding.find_room, "새 방"),
        (finding.find_room, "901"),
        (finding.find_bot, "공지"),
    ],
)
async def test_an_exact_name_is_found_among_250_that_contain_it(db: Database, find: Find, name: str) -> None:
    async with db.transaction() as tx:
        found = await find(tx, HOUSE, f" {name} ")

    assert name in {getattr(found, each, None) for each in ("title", "name", "channel_id")}


@pytest.mark.usefixtures("crowd")
async def test_two_of_one_name_are_told_by_their_numbers(db: Database, world: World) -> None:
    await add_schedule(world, title="공지")

    async with db.transaction() as tx:
        with pytest.raises(NameAmbiguous) as refused:
            await finding.find_schedule(tx, HOUSE, "공지")

    assert str(refused.value).count("공지") == 2
