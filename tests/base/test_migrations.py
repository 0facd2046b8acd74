import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.migrations import MigrationChanged, MigrationMisnamed, migrate, read_migrations
from pabal.base.sql import load
from pabal.platform.schema import MIGRATIONS

SQL = load(__file__)


async def schema_of(url: str) -> list[str]:
    database = await Database.open(url)
    async with database.transaction() as tx:
        rows = [row["line"] for row in await tx.rows(SQL.describe_schema)]
    await database.close()
    return rows


async def test_a_fresh_schema_equals_one_migrated_step_by_step(new_database):
    fresh, stepwise = await new_database(), await new_database()
    database = await Database.open(fresh)
    await migrate(database, MIGRATIONS)
    await database.close()

    for count in range(1, len(MIGRATIONS) + 1):
        database = await Database.open(stepwise)
        applied = await migrate(database, MIGRATIONS[:count])
        await database.close()
        assert [migration.name for migration in applied] == [MIGRATIONS[count - 1].name]

    described = await schema_of(fresh)
    assert len(described) > 100
    assert await schema_of(stepwise) == described


async def test_migrating_again_changes_nothing(db: Database):
    assert await migrate(db, MIGRATIONS) == []


async def test_servers_that_start_together_apply_each_migration_once(empty_database_url: str):
    databases = [await Database.open(empty_database_url) for _ in range(4)]

    applied = await asyncio.gather(*(migrate(database, MIGRATIONS) for database in databases))

    assert sorted(len(part) for part in applied) == [0, 0, 0, len(MIGRATIONS)]
    for database in databases:
        await database.close()


async def test_a_migration_that_fails_leaves_nothing_behind(empty_database_url: str):
    database = await Database.open(empty_database_url)
    broken = [*MIGRATIONS, replace(MIGRATIONS[-1], owner="zz", text="create table pabal.half (id int); select 1 / 0;")]

    with pytest.raises(Exception, match="division"):
        await migrate(database, broken)

    assert len(await migrate(database, MIGRATIONS)) == len(MIGRATIONS)
    await database.close()


async def test_a_migration_whose_text_changed_after_it_was_applied_is_refused(db: Database):
    changed = [replace(MIGRATIONS[0], text=MIGRATIONS[0].text + "\n-- a second thought"), *MIGRATIONS[1:]]

    with pytest.raises(MigrationChanged):
        await migrate(db, changed)


@pytest.mark.parametrize("names", [["0002_b.sql"], ["0001_a.sql", "0003_c.sql"], ["first.sql"]])
def test_migrations_are_numbered_without_gaps(tmp_path: Path, names: list[str]):
    for name in names:
        (tmp_path / name).write_text("select 1;")

    with pytest.raises(MigrationMisnamed):
        read_migrations("rooms", tmp_path)


async def test_a_migration_may_take_longer_than_a_heartbeat(new_database, monkeypatch: pytest.MonkeyPatch):
    database = await Database.open(await new_database())
    monkeypatch.setitem(Database.connect.__kwdefaults__, "timeout", 0.05)
    slow = replace(MIGRATIONS[0], text="select pg_sleep(0.3)")

    applied = await migrate(database, [slow])

    assert applied == [slow]
    await database.close()
