"""A database is dumped to a file and comes back whole, or not at all."""

from collections.abc import AsyncIterator
from itertools import count
from os import getpid
from pathlib import Path

import pytest

from pabal.base import embedded
from pabal.base.disk import DiskFull
from pabal.base.embedded.dumps import NotAnAddress, environment_of
from tests.support.database import with_database
from tests.support.disk import cramped
from tests.support.embedded import ask

PUBLIC = (
    "select array[nspowner::regrole::text, nspacl::text, obj_description(oid, 'pg_namespace')] "
    "from pg_namespace where nspname = 'public'"
)
_numbers = count(1)


@pytest.fixture
async def source(cluster_url: str) -> AsyncIterator[str]:
    async for url in fresh_database(cluster_url):
        yield url


@pytest.fixture
async def other(cluster_url: str) -> AsyncIterator[str]:
    async for url in fresh_database(cluster_url):
        yield url


async def test_a_backup_comes_back_whole_in_another_database(source: str, other: str, tmp_path: Path) -> None:
    await ask(source, "create schema shop")
    await ask(source, "create table shop.item as select n, '한글 ' || n as name from generate_series(1, 1000) n")
    dump = tmp_path / "pabal.dump"

    await embedded.backup(source, dump)
    await embedded.restore(other, dump, replace=False)

    sums = "select md5(string_agg(name, ',' order by n)) from shop.item"
    assert await ask(other, sums) == await ask(source, sums)
    assert dump.stat().st_mode & 0o077 == 0
    assert list(tmp_path.iterdir()) == [dump]


async def test_a_restore_refuses_a_database_that_is_not_empty(source: str, tmp_path: Path) -> None:
    await ask(source, "create table old as select 1 as number")
    await embedded.backup(source, tmp_path / "pabal.dump")
    await ask(source, "update old set number = 2")

    with pytest.raises(embedded.NotEmpty, match=r"public\.old"):
        await embedded.restore(source, tmp_path / "pabal.dump", replace=False)

    assert await ask(source, "select number from old") == 2


async def test_replacing_leaves_exactly_what_the_dump_holds(source: str, tmp_path: Path) -> None:
    await ask(source, "create table old as select 1 as number")
    await embedded.backup(source, tmp_path / "pabal.dump")
    public = await ask(source, PUBLIC)
    await ask(source, "update old set number = 2")
    await ask(source, "create schema later")
    await ask(source, "create table later.thing as select * from public.old")

    await embedded.restore(source, tmp_path / "pabal.dump", replace=True)

    assert await ask(source, "select number from old") == 1
    assert await ask(source, "select to_regnamespace('later')") is None
    assert await ask(source, PUBLIC) == public


async def test_a_restore_that_fails_half_way_changes_nothing(source: str, other: str, tmp_path: Path) -> None:
    here = source.rpartition("/")[2].partition("?")[0]
    await ask(source, f"create function here() returns boolean language sql return current_database() = '{here}'")
    await ask(source, "create table thing (number int check (here()))")
    await ask(source, "insert into thing values (1)")
    await embedded.backup(source, tmp_path / "pabal.dump")
    await ask(other, "create table kept as select 7 as number")

    with pytest.raises(embedded.RestoreFailed, match="violates check constraint"):
        await embedded.restore(other, tmp_path / "pabal.dump", replace=True)

    assert await ask(other, "select number from kept") == 7


@pytest.mark.parametrize("damage", ["garbage", "cut short", "absent"])
async def test_a_damaged_dump_changes_nothing(source: str, tmp_path: Path, damage: str) -> None:
    dump = tmp_path / "pabal.dump"
    await ask(source, "create table kept as select 7 as number")
    await embedded.backup(source, dump)
    match damage:
        case "garbage":
            dump.write_text("this is no dump")
        case "cut short":
            dump.write_bytes(dump.read_bytes()[:-60])
        case "absent":
            dump.unlink()

    with pytest.raises(embedded.RestoreFailed):
        await embedded.restore(source, dump, replace=True)

    assert await ask(source, "select number from kept") == 7


async def test_a_backup_that_fails_leaves_what_was_there(cluster_url: str, tmp_path: Path) -> None:
    dump = tmp_path / "pabal.dump"
    dump.write_text("yesterday")

    with pytest.raises(embedded.DumpFailed, match="no_such_database"):
        await embedded.backup(with_database(cluster_url, "no_such_database"), dump)

    assert dump.read_text() == "yesterday"
    assert list(tmp_path.iterdir()) == [dump]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://db.example/shop?sslmode=require", {"PGHOST": "db.example", "PGSSLMODE": "require"}),
        ("postgresql://db.example:6000/shop?jit=off", {"PGHOST": "db.example", "PGPORT": "6000"}),
        ("postgres://me:p%40ss@/shop?host=/run/pg", {"PGUSER": "me", "PGPASSWORD": "p@ss", "PGHOST": "/run/pg"}),
        ("postgresql://[::1]:5433/shop", {"PGHOST": "::1", "PGPORT": "5433"}),
        ("postgresql://a:1,b:2/shop", {"PGHOST": "a,b", "PGPORT": "1,2"}),
    ],
)
def test_an_address_becomes_the_environment_of_the_programs(url: str, expected: dict[str, str]) -> None:
    assert environment_of(url) == {**expected, "PGDATABASE": "shop"}


def test_what_is_no_address_is_refused_without_repeating_its_secret() -> None:
    with pytest.raises(NotAnAddress) as refused:
        environment_of("mysql://me:secret@db/shop")

    assert "secret" not in str(refused.value)


async def fresh_database(cluster_url: str) -> AsyncIterator[str]:
    name = f"dumps_{getpid()}_{next(_numbers)}"
    await ask(cluster_url, f"create database {name}")
    yield with_database(cluster_url, name)
    await ask(cluster_url, f"drop database {name} with (force)")


async def test_a_dump_that_finds_no_room_is_named_and_leaves_no_file(source: str, tmp_path: Path) -> None:
    await ask(source, "create table large as select md5(n::text) from generate_series(1, 20000) n")

    with pytest.raises(DiskFull), cramped(50_000):
        await embedded.backup(source, tmp_path / "pabal.dump")

    assert list(tmp_path.iterdir()) == []
