"""`pabal db`: address, backup, restore, migrations."""

import json
from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.platform import auth
from pabal.platform.tenants import Scope
from tests.cli.inside import Inside
from tests.support.cli import Cli
from tests.support.database import apply_unknown
from tests.support.work import begin_life, enqueue


def test_the_address_is_printed_alone(db: Database, cli: Cli) -> None:
    assert cli("db", "url").out == f"{db.url}\n"


def test_migrations_are_applied_once_and_can_be_looked_at_before(cli: Cli, empty_url: str) -> None:
    unready = cli("jobs", "list", PABAL_DATABASE_URL=empty_url)
    planned = cli("db", "migrate", "--dry-run", "-o", "json", PABAL_DATABASE_URL=empty_url).json["items"]
    applied = cli("db", "migrate", "-o", "json", PABAL_DATABASE_URL=empty_url).json["items"]
    again = cli("db", "migrate", PABAL_DATABASE_URL=empty_url)

    assert unready.code == 1
    assert "pabal db migrate" in unready.err
    assert planned == applied
    assert {one["owner"] for one in applied} == {
        "base",
        "engine",
        "platform",
        "messaging",
        "adgroups",
        "relay",
        "rendering",
        "rules",
    }
    assert (again.out, again.err) == ("", "Everything is up to date.\n")


async def test_a_backup_comes_back_into_an_empty_database(
    db: Database, cli: Cli, empty_url: str, tmp_path: Path
) -> None:
    await enqueue(db, about="kept")
    file = tmp_path / "pabal.dump"

    saved = cli("db", "backup", str(file))
    restored = cli("db", "restore", str(file), PABAL_DATABASE_URL=empty_url)

    assert (saved.code, restored.code) == (0, 0)
    [job] = cli("jobs", "list", "-o", "json", PABAL_DATABASE_URL=empty_url).json["items"]
    assert job["about"] == "kept"


async def test_a_full_database_is_only_replaced_when_that_is_said_twice(db: Database, cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "pabal.dump"
    cli("db", "backup", str(file))
    await enqueue(db)

    plain = cli("db", "restore", str(file))
    unsure = cli("db", "restore", str(file), "--replace")
    sure = cli("db", "restore", str(file), "--replace", "--yes")

    assert (plain.code, unsure.code, sure.code) == (5, 4, 0)
    assert cli("jobs", "list", "-o", "json").json["items"] == []


async def test_nothing_is_replaced_under_a_running_server(db: Database, cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "pabal.dump"
    cli("db", "backup", str(file))
    await begin_life(db)

    told = cli("db", "restore", str(file), "--replace", "--yes")

    assert told.code == 4
    assert "in_use" in told.err


@pytest.mark.parametrize(
    "command",
    [
        ["up", "--port", "0"],
        ["serve", "--role", "worker"],
        ["db", "migrate"],
        ["db", "migrate", "--dry-run"],
        ["user", "add", "kim", "--name", "Kim"],
    ],
)
async def test_a_database_of_a_newer_version_is_refused_with_what_to_do(
    db: Database, run: Inside, command: list[str]
) -> None:
    await apply_unknown(db, "platform", 99, "0099_future")

    told = await run(*command, "-o", "json")

    error = json.loads(told.err.splitlines()[-1])
    assert (told.code, error["code"]) == (5, "database_newer")
    assert "platform 0099_future" in error["reason"]
    assert "Start the newer version" in error["reason"]
    async with db.transaction() as tx:
        assert await auth.list_users(tx, Scope(None, None)) == []


async def test_a_newer_app_is_refused_where_it_is_loaded_and_no_obstacle_elsewhere(db: Database, run: Inside) -> None:
    await apply_unknown(db, "messaging", 99, "0099_future")

    loaded = await run("db", "migrate")
    own = await run("msg", "room", "list")
    without = await run("db", "migrate", PABAL_APPS="pabal.apps.adgroups")

    assert (loaded.code, own.code, without.code) == (5, 5, 0)
    assert "database_newer" in loaded.err
    assert "database_newer" in own.err


async def test_a_backup_of_a_newer_version_replaces_nothing(db: Database, cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "pabal.dump"
    await apply_unknown(db, "engine", 99, "0099_future")
    saved = cli("db", "backup", str(file))
    await enqueue(db, about="kept")
    async with db.transaction() as tx:
        await tx.script("delete from pabal.migration where number = 99")

    told = cli("db", "restore", str(file), "--replace", "--yes", "--lang", "ko")

    assert (saved.code, told.code) == (0, 5)
    assert "database_newer: 더 새로운 버전" in told.err
    [job] = cli("jobs", "list", "-o", "json").json["items"]
    assert job["about"] == "kept"
