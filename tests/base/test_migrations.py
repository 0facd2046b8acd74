import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.migrations import (
    DatabaseNewer,
    Migration,
    MigrationChanged,
    MigrationMisnamed,
    compare,
    migrate,
    read_migrations,
)
from pabal.base.sql import load
from pabal.platform.schema import MIGRATIONS
from tests.support.database import NewDatabase, apply_unknown, list_loaded

SQL = load(__file__)
# The texts of migrations that were edited after they had landed, as they were before.
EARLIER = {
    path.stem: path.read_text(encoding="utf-8") for path in (Path(__file__).parent / "earlier_migrations").iterdir()
}


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


def earlier(migrations: list[Migration], edited: str) -> list[Migration]:
    """With the earlier text of one of them, and none behind it; or with that of each that has one."""
    names = [f"{one.owner}-{one.name}" for one in migrations]
    if edited != "all":
        place = names.index(edited)
        return [*migrations[:place], replace(migrations[place], text=EARLIER[edited])]
    return [replace(one, text=EARLIER.get(name, one.text)) for one, name in zip(migrations, names, strict=True)]


@pytest.mark.parametrize("edited", [*sorted(EARLIER), "all"])
async def test_a_database_that_ran_a_migration_before_it_was_edited_comes_to_the_same_schema(
    new_database: NewDatabase, edited: str
):
    migrations = list_loaded()
    url = await new_database()
    database = await Database.open(url)
    await migrate(database, earlier(migrations, edited))

    first = await migrate(database, migrations)
    again = await migrate(database, migrations)

    amended = {f"{one.owner}-{one.name}" for one in first} & set(EARLIER)
    assert amended >= ({edited} if edited != "all" else set(EARLIER))
    assert again == []
    assert (await compare(database, migrations)).changed == ()
    await database.close()
    fresh = await Database.open(fresh_url := await new_database())
    await migrate(fresh, migrations)
    await fresh.close()
    assert await schema_of(url) == await schema_of(fresh_url)


async def test_servers_that_start_together_amend_once(new_database: NewDatabase):
    database = await Database.open(await new_database())
    await migrate(database, earlier(MIGRATIONS, "all"))

    applied = await asyncio.gather(*(migrate(database, MIGRATIONS) for _ in range(3)))

    assert sorted(len(part) for part in applied) == [0, 0, 3]
    await database.close()


async def test_an_amendment_that_fails_leaves_everything_as_it_was(new_database: NewDatabase):
    old = Migration("rooms", 1, "0001_rooms", "create table pabal.room (id int);")
    new = replace(old, text=old.text + "--", amendments={old.checksum: "drop table pabal.room; select 1 / 0;"})
    database = await Database.open(await new_database())
    await migrate(database, [*MIGRATIONS, old])

    with pytest.raises(Exception, match="division"):
        await migrate(database, [*MIGRATIONS, new])

    assert (await compare(database, [old])).changed == ()
    assert "column room.id integer YES " in await schema_of(database.url)
    await database.close()


async def test_a_database_that_a_newer_version_migrated_is_refused_and_left_alone(db: Database):
    await apply_unknown(db, "engine", 99, "0099_future")
    later = replace(MIGRATIONS[-1], owner="rooms", number=1, text="create table pabal.room (id int)")

    with pytest.raises(DatabaseNewer, match="engine 0099_future") as refused:
        await migrate(db, [*MIGRATIONS, later])

    assert refused.value.code == "database_newer"
    assert [str(one) for one in (await compare(db, [*MIGRATIONS, later])).missing] == [str(later)]


async def test_migrations_of_an_app_that_is_not_loaded_are_no_obstacle(db: Database):
    await apply_unknown(db, "rooms", 1, "0001_rooms")

    assert await migrate(db, list_loaded()) == []

    found = await compare(db, list_loaded())
    assert (found.newer, found.unloaded) == ((), ("rooms 0001_rooms",))
