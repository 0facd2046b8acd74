"""`pabal backup`: asked for at the terminal, taken by a server with the real pg_dump."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.engine.server import Server
from pabal.platform import backup
from pabal.platform.schema import MIGRATIONS
from tests.cli.inside import Inside
from tests.support.people import Tree
from tests.support.servers import serving


@pytest.fixture
async def server(db: Database, tree: Tree, tmp_path: Path) -> AsyncIterator[Server]:
    kinds = backup.make_kinds(db, tmp_path / "backups", MIGRATIONS)
    async with serving(db, kinds, tmp_path / "locks", meta={"kinds": sorted(kinds)}) as running:
        yield running


async def test_a_backup_is_waited_for_and_the_newest_can_be_checked(server: Server, run: Inside) -> None:
    taken = await run("backup", "take", "-o", "json")
    checked = await run("backup", "check", "-o", "json")
    listed = (await run("backup", "list", "-o", "json")).json["items"]

    assert (taken.code, taken.json["state"], checked.code) == (0, "done", 0)
    assert (checked.json["id"], checked.json["check_result"]) == (taken.json["id"], "good")
    assert Path(taken.json["folder"], taken.json["file"]).stat().st_size == taken.json["size"]
    assert [one["id"] for one in listed] == [taken.json["id"]]


async def test_a_backup_that_was_damaged_is_found_bad(server: Server, run: Inside) -> None:
    taken = (await run("backup", "take", "-o", "json")).json
    Path(taken["folder"], taken["file"]).write_bytes(b"torn")

    checked = await run("backup", "check", str(taken["id"]))

    assert checked.code == 1
    assert "backup_bad" in checked.err


async def test_without_a_server_nobody_waits_but_what_was_asked_for_is_kept(run: Inside, tree: Tree) -> None:
    told = await run("backup", "take")
    asked = (await run("backup", "take", "--no-wait", "-o", "json")).json

    assert (told.code, "pabal up" in told.err) == (6, True)
    assert asked["is_new"] is False
    assert (await run("jobs", "show", asked["job"], "-o", "json")).json["state"] == "ready"


async def test_a_dry_run_asks_nobody(run: Inside, tree: Tree) -> None:
    tried = await run("backup", "take", "--dry-run", "-o", "json")

    assert tried.json["is_new"] is True
    assert (await run("jobs", "list", "-o", "json")).json["items"] == []


async def test_what_is_no_backup_is_named(run: Inside, tree: Tree) -> None:
    none = await run("backup", "check")
    wrong = await run("backup", "check", "seven")
    empty = await run("backup", "list")

    assert [none.code, wrong.code] == [3, 2]
    assert "pabal backup list" in wrong.err
    assert "pabal backup take" in empty.err
