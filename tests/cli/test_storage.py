"""`pabal storage`: how much is where, and a move from folder to folder that goes on after it was killed."""

import os
from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.platform import storage
from pabal.platform.storage import Files, Upload
from tests.cli.inside import Inside
from tests.platform.storage.samples import everything_in, stream
from tests.support.buckets import object_server
from tests.support.people import Tree, person
from tests.support.programs import start
from tests.support.servers import until


async def accept(db: Database, files: Files, tree: Tree, content: bytes) -> storage.File:
    upload = Upload(stream(content), "report.csv", unit_id=tree.busan.id)
    return await storage.accept_file(db, files, person(tree.hq), upload, max_bytes=1000)


async def test_without_files_here_nothing_is_moved(run: Inside, tree: Tree) -> None:
    told = await run("storage", "move", "--to", "/nowhere")

    assert "files_not_here" in told.err


async def test_an_address_that_is_none_is_refused_without_its_secret(run: Inside, tree: Tree, tmp_path: Path) -> None:
    (run.folder / "data" / "files").mkdir(parents=True)
    told = await run("storage", "move", "--to", "s3://key:hunter2@host")

    assert "bad_storage_address" in told.err
    assert "hunter2" not in told.out + told.err


@pytest.mark.slow
@pytest.mark.beside
async def test_files_move_to_a_bucket_whose_key_is_not_on_the_line(db: Database, run: Inside, tree: Tree) -> None:
    here = run.folder / "data" / "files"
    file = await accept(db, Files(here), tree, b"one")
    with object_server() as server:
        key, _, rest = server.address.removeprefix("s3://").partition("@")

        tried = await run("storage", "move", "--to", f"s3://{rest}", "--dry-run", "-o", "json", PABAL_STORAGE_KEY=key)
        before = await run("storage", "list", "-o", "json")
        moved = await run("storage", "move", "--to", f"s3://{rest}", "-o", "json", PABAL_STORAGE_KEY=key)
        after = await run("storage", "list", "-o", "json", PABAL_STORAGE_URL=server.address)
        keys = server.list_keys()

    assert [(one["store"], one["files"], one["is_main"]) for one in before.json["items"]] == [("folder", 1, True)]
    assert (tried.code, tried.json["files"], tried.json["bytes"]) == (0, 1, 3)
    assert (moved.code, moved.json["files"], moved.json["missing"]) == (0, 1, [])
    assert [one["store"] for one in after.json["items"]] == [f"s3://127.0.0.1:{server.port}/pabal"]
    assert (keys, everything_in(here)) == ([file.key], [])


async def test_the_same_store_by_another_name_is_refused_and_nothing_is_lost(
    db: Database, run: Inside, tree: Tree
) -> None:
    here = run.folder / "data" / "files"
    file = await accept(db, Files(here), tree, b"one")
    other = run.folder / "by-another-name"
    other.symlink_to(here)

    told = await run("storage", "move", "--to", str(other))

    assert "same_store" in told.err
    assert everything_in(here) == [file.key]


async def test_a_move_that_was_killed_goes_on_and_every_file_is_whole(db: Database, run: Inside, tree: Tree) -> None:
    here, there = run.folder / "data" / "files", run.folder / "there"
    made = [await accept(db, Files(here), tree, f"report {number}".encode()) for number in range(30)]
    settings = {"PABAL_DATABASE_URL": db.url, "PABAL_DATA_DIR": str(run.folder / "data"), "PABAL_APPS": ""}
    mover = start("pabal.cli", "storage", "move", "--to", str(there), cwd=run.folder, env={**os.environ, **settings})
    await until(lambda: len(list(there.glob("kept/*/file_*"))) >= 3)
    mover.kill()
    mover.wait()

    again = await run("storage", "move", "--to", str(there), "-o", "json")
    once_more = await run("storage", "move", "--to", str(there), "-o", "json")

    assert (again.code, again.json["missing"], once_more.json["files"]) == (0, [], 0)
    assert [(there / file.key).read_bytes() for file in made] == [f"report {number}".encode() for number in range(30)]
    assert everything_in(here) == []
