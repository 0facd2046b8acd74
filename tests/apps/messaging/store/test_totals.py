"""Kept totals: whatever becomes of deliveries, the counters since the beginning are a count of them."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pabal.apps.messaging import SLICE
from pabal.apps.messaging.actions import reports
from pabal.apps.messaging.store import schedules, statistics
from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.platform.tenants import Scope
from tests.apps.messaging.history import add_deliveries, ended
from tests.support.messaging import World, add_schedule, make_world

SQL = load(__file__)
NOON = datetime(2035, 6, 4, 3, tzinfo=UTC)
STATES = ("sent", "sent", "sent", "partial", "failed", "unknown", "missed", "open")
REASONS = (None, None, "paused")


class Ledger:
    """Schedules with deliveries, and what a random hand does with them."""

    def __init__(self, db: Database, world: World, dice: random.Random) -> None:
        self.db, self.world, self.dice = db, world, dice
        self.schedules: list[int] = []
        self.minutes = 0

    async def add_schedule(self) -> None:
        self.schedules.append(await add_schedule(self.world))

    async def add(self) -> None:
        rows = []
        for _ in range(self.dice.randint(1, 8)):
            self.minutes += 1
            at = NOON + timedelta(minutes=self.minutes)
            took = self.dice.choice((None, 0, 700, 1300))
            cause = self.dice.choice(("schedule", "now", "test"))
            rows.append(
                ended(self.dice.choice(STATES), at, took_ms=took, cause=cause, reason=self.dice.choice(REASONS))
            )
        await add_deliveries(self.db, self.dice.choice(self.schedules), rows)

    async def end(self) -> None:
        """As sending does it: the state first, then how long it took and why."""
        state, took, reason = self.dice.choice(STATES[:-1]), self.dice.choice((None, 250)), self.dice.choice(REASONS)
        async with self.db.transaction() as tx:
            chosen = await self._choose(tx, "open")
            await tx.run(SQL.set_state, ids=chosen, state=state)
            await tx.run(SQL.set_end, ids=chosen, duration_ms=took, reason=reason)

    async def reopen(self) -> None:
        async with self.db.transaction() as tx:
            chosen = await self._choose(tx, "ended")
            await tx.run(SQL.set_end, ids=chosen, duration_ms=None, reason=None)
            await tx.run(SQL.set_state, ids=chosen, state="open")

    async def give_away(self) -> None:
        """To another unit."""
        async with self.db.transaction() as tx:
            await tx.run(SQL.set_unit, ids=await self._choose(tx, "ended"))

    async def forget(self) -> None:
        """As retention does."""
        async with self.db.transaction() as tx:
            await tx.run(SQL.delete_deliveries, ids=await self._choose(tx, "ended"))

    async def delete_schedule(self) -> None:
        if len(self.schedules) > 1:
            gone = self.schedules.pop(self.dice.randrange(len(self.schedules)))
            async with self.db.transaction() as tx:
                await schedules.delete_schedule(tx, gone)

    async def fold(self) -> None:
        await reports.fold_once(self.db)

    async def _choose(self, tx: Tx, kind: str) -> list[int]:
        found = [row["id"] for row in await tx.rows(SQL.list_ids, is_open=kind == "open")]
        return self.dice.sample(found, min(len(found), self.dice.randint(1, 3)))


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    return await make_world(db, tmp_path)


async def compare(db: Database) -> int:
    """How many are counted."""
    async with db.transaction() as tx:
        units = [row["id"] for row in await tx.rows(SQL.list_units)]
        for scope in (Scope(None, None), *(Scope(frozenset({one}), one) for one in units)):
            kept = await statistics.read_counters(tx, scope)
            counted = await tx.one(statistics.Ended, SQL.count_history, units=scope.listed)
            assert kept == counted, scope
        return (await statistics.read_counters(tx, Scope(None, None))).processed


@pytest.mark.parametrize("seed", range(4))
async def test_totals_are_a_count_of_history_whatever_happens(db: Database, world: World, seed: int):
    ledger = Ledger(db, world, random.Random(seed))
    await ledger.add_schedule()
    for _ in range(5):
        await ledger.add()
    operations = (
        *(ledger.add_schedule, ledger.add, ledger.add, ledger.end, ledger.end, ledger.reopen, ledger.give_away),
        *(ledger.forget, ledger.delete_schedule, ledger.fold),
    )
    most = 0

    for _ in range(40):
        await ledger.dice.choice(operations)()
        most = max(most, await compare(db))

    assert most > 5


async def test_folding_leaves_one_line_for_each_unit(db: Database, world: World):
    ledger = Ledger(db, world, random.Random(1))
    await ledger.add_schedule()
    for _ in range(5):
        await ledger.add()
    before = await compare(db)

    folded = [await reports.fold_once(db) for _ in range(2)]

    async with db.transaction() as tx:
        lines = await tx.value(SQL.count_lines)
    assert (folded[0] > 1, folded[1], lines) == (True, 0, 1)
    assert await compare(db) == before


async def test_the_migrations_count_what_is_there(db: Database, world: World):
    ledger = Ledger(db, world, random.Random(2))
    await ledger.add_schedule()
    for _ in range(5):
        await ledger.add()
    migrations = [one for one in SLICE.read_migrations() if one.name.startswith(("0004", "0010"))]

    async with db.transaction() as tx:
        for drop in (SQL.drop_counting, SQL.drop_recounting, SQL.drop_totals):
            await tx.run(drop)
        for migration in migrations:
            await tx.script(migration.text)

    assert await compare(db) > 5
