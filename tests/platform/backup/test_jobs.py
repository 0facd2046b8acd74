"""Backups are taken by real work with the real pg_dump, and proven by bringing them back."""

import asyncio
import hashlib
import secrets
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import SplitResult, urlsplit, urlunsplit

import pytest

from pabal.base.database import Database
from pabal.base.migrations import Migration
from pabal.base.sql import load
from pabal.engine import queue
from pabal.engine.queue import Place
from pabal.engine.reading import Fact, Wanted, read_page, start_cursor
from pabal.platform import backup, settings
from pabal.platform.actor import ENGINE
from pabal.platform.backup import Backup, ScratchForbidden
from pabal.platform.backup.dumping import beside, dump, scratch, sweep_partials
from pabal.platform.backup.plan import KEEP_DAYS
from pabal.platform.backup.store import delete_backups
from pabal.platform.schema import MIGRATIONS
from pabal.testing import Parts, advance, drain, list_enqueued
from tests.support.database import apply_unknown
from tests.support.embedded import ask, until
from tests.support.work import begin_life, enqueue

pytestmark = [pytest.mark.slow, pytest.mark.beside]

SQL = load(__file__)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backups"


@pytest.fixture
async def parts(db: Database, folder: Path) -> AsyncIterator[Parts]:
    yield Parts(db, backup.make_kinds(db, folder, MIGRATIONS), subscribers=[backup.SUBSCRIBER])
    async with db.transaction() as tx:
        assert await tx.rows(SQL.list_scratch) == [], "no scratch database is left over"


async def take(parts: Parts) -> Backup:
    async with parts.database.transaction() as tx:
        await backup.back_up_now(tx, ENGINE)
    await drain(parts)
    return (await listed(parts.database))[0]


async def check(parts: Parts, one: Backup) -> Backup:
    async with parts.database.transaction() as tx:
        await backup.check_now(tx, ENGINE, one.id)
    await drain(parts)
    async with parts.database.transaction() as tx:
        return await backup.get_backup(tx, one.id)


async def listed(db: Database) -> list[Backup]:
    async with db.transaction() as tx:
        return await backup.list_backups(tx, ENGINE)


async def change_age(db: Database, one: Backup, *, days: int) -> None:
    async with db.transaction() as tx:
        await tx.run(SQL.age_backup, id=one.id, days=days)


async def place_of(db: Database, job_id: int) -> Place:
    async with db.transaction() as tx:
        return await queue.get_place(tx, job_id)


async def test_a_backup_is_a_whole_file_with_its_sum_and_the_rows_it_holds(parts: Parts, folder: Path) -> None:
    await enqueue(parts.database, about="kept")

    taken = await take(parts)

    path = folder / taken.file
    assert taken.ending == "done"
    assert (taken.folder, taken.requested_by) == (str(folder), "engine")
    assert taken.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert taken.size == path.stat().st_size
    assert taken.counts is not None
    assert taken.counts["work"] == 2, "the job that is kept, and the one that takes the backup"
    assert list(folder.iterdir()) == [path]
    assert path.stat().st_mode & 0o077 == 0


async def test_the_schedule_takes_one_each_day_and_checks_one_each_week(parts: Parts) -> None:
    async with parts.database.transaction() as tx:
        await backup.ensure_schedule(tx)
        await settings.change(tx, ENGINE, KEEP_DAYS, 3)

    await advance(parts, timedelta(days=7))

    assert len(await list_enqueued(parts.database, backup.TAKE)) == 7
    assert len(await list_enqueued(parts.database, backup.CHECK)) == 1
    results = [one.check_result for one in await listed(parts.database)]
    assert results.count("good") == 1
    assert len(results) in (4, 5), "those of three days, the newest, and the proven one if it is older"


async def test_what_happened_is_recorded_as_facts(parts: Parts) -> None:
    async with parts.database.transaction() as tx:
        cursor = await start_cursor(tx)

    await check(parts, await take(parts))

    async with parts.database.transaction() as tx:
        facts: list[Fact] = (await read_page(tx, cursor, Wanted(("backup.*",)))).facts
    assert [(fact.name, fact.data.get("result")) for fact in facts] == [
        ("backup.taken", None),
        ("backup.checked", "good"),
    ]


async def test_a_failure_is_kept_with_its_reason_and_leaves_the_last_good_one_alone(parts: Parts, folder: Path) -> None:
    good = await take(parts)
    await change_age(parts.database, good, days=99)
    # Nobody, not even root, makes a file below a file.
    broken = folder.parent / "file"
    broken.write_text("")
    failing = Parts(parts.database, backup.make_kinds(parts.database, broken / "backups", MIGRATIONS))

    async with parts.database.transaction() as tx:
        await backup.back_up_now(tx, ENGINE)
    await advance(failing, timedelta(days=1))

    [failed, kept] = await listed(parts.database)
    assert failed.ending == "failed"
    assert failed.reason is not None
    assert "file" in failed.reason
    assert kept.id == good.id
    assert (folder / good.file).is_file()


async def test_old_ones_go_after_a_newer_one_succeeded_and_strangers_stay(parts: Parts, folder: Path) -> None:
    old, newer = [await take(parts) for _ in range(2)]
    for one in (old, newer):
        await change_age(parts.database, one, days=15)
    stranger = folder / "by-hand.dump"
    stranger.write_text("mine")

    new = await take(parts)

    assert [one.id for one in await listed(parts.database)] == [new.id, newer.id], "what was the newest good one stays"
    assert sorted(folder.iterdir()) == sorted([stranger, folder / newer.file, folder / new.file])
    async with parts.database.transaction() as tx:
        assert await backup.list_stray_files(tx, ENGINE, folder) == [stranger]


async def test_a_file_on_another_host_is_that_hosts_to_delete(parts: Parts, folder: Path) -> None:
    old, newer = [await take(parts) for _ in range(2)]
    await change_age(parts.database, old, days=15)
    async with parts.database.transaction() as tx:
        await tx.run(SQL.move_to_host, id=old.id, host="elsewhere")
    (folder / old.file).rename(folder.parent / old.file)

    new = await take(parts)

    assert [one.id for one in await listed(parts.database)] == [new.id, newer.id, old.id]


async def test_what_a_killed_process_had_begun_to_write_is_swept(parts: Parts, folder: Path) -> None:
    folder.mkdir()
    (folder / ".pabal-20260101-000000.dump.abcd.partial").write_text("half")
    (folder / ".other.partial").write_text("not ours")

    sweep_partials(folder)

    assert [path.name for path in folder.iterdir()] == [".other.partial"]


async def test_a_good_backup_is_proven_by_bringing_it_back(parts: Parts) -> None:
    await enqueue(parts.database)
    taken = await take(parts)
    await enqueue(parts.database)

    checked = await check(parts, taken)

    assert (checked.check_result, checked.check_detail) == ("good", "")
    assert checked.checked_at is not None


async def test_a_backup_taken_while_others_write_holds_exactly_the_rows_it_says(parts: Parts) -> None:
    async def write() -> None:
        while not written.is_set():
            await enqueue(parts.database)

    written = asyncio.Event()
    writing = asyncio.create_task(write())
    taken = await take(parts)
    written.set()
    await writing

    assert (await check(parts, taken)).check_result == "good"


async def test_a_file_that_was_changed_is_found_bad(parts: Parts, folder: Path) -> None:
    taken = await take(parts)
    with (folder / taken.file).open("r+b") as file:
        file.seek(1000)
        file.write(b"\0\0\0\0")

    assert (await check(parts, taken)).check_result == "bad"


async def test_a_file_that_is_gone_is_found_bad(parts: Parts, folder: Path) -> None:
    taken = await take(parts)
    (folder / taken.file).unlink()

    checked = await check(parts, taken)

    assert checked.check_result == "bad"
    assert checked.check_detail is not None
    assert "no file" in checked.check_detail


async def test_rows_that_do_not_come_back_are_named(parts: Parts) -> None:
    taken = await take(parts)
    assert taken.counts is not None
    async with parts.database.transaction() as tx:
        await tx.run(SQL.miscount, id=taken.id, counts={**taken.counts, "work": 99})

    checked = await check(parts, taken)

    assert (checked.check_result, checked.check_detail) == ("bad", "work: 1 rows instead of 99")


async def test_a_broken_promise_of_the_engine_in_the_dump_is_named(parts: Parts, folder: Path) -> None:
    lost = await enqueue(parts.database)
    async with parts.database.transaction() as tx:
        await tx.run(SQL.lose_place, id=lost)
    taken = await take(parts)

    checked = await check(parts, taken)
    async with parts.database.transaction() as tx:
        await tx.run(SQL.forget_job, id=lost)

    assert checked.check_result == "bad"
    assert checked.check_detail == "jobs that are nowhere, in two places, or open after their end: 1"


async def test_a_dump_whose_migrations_this_version_cannot_carry_on_is_bad(parts: Parts, folder: Path) -> None:
    taken = await take(parts)
    broken = [*MIGRATIONS, Migration("later", 1, "0001_broken", "select 1 / 0")]
    stricter = Parts(parts.database, backup.make_kinds(parts.database, folder, broken))

    checked = await check(stricter, taken)

    assert checked.check_result == "bad"
    assert checked.check_detail is not None
    assert "division by zero" in checked.check_detail


async def test_a_dump_of_a_newer_version_is_bad_and_says_why(parts: Parts) -> None:
    await apply_unknown(parts.database, "engine", 99, "0099_future")
    taken = await take(parts)

    checked = await check(parts, taken)

    assert checked.check_result == "bad"
    assert checked.check_detail is not None
    assert checked.check_detail.startswith("migrations: database_newer: ")
    assert "engine 0099_future" in checked.check_detail


async def test_a_scratch_database_that_a_crash_left_is_swept_by_the_next_check(parts: Parts) -> None:
    taken = await take(parts)
    async with parts.database.transaction() as tx:
        left = await tx.value(SQL.scratch_name)
    await ask(parts.database.url, f'create database "{left}"')

    await check(parts, taken)

    async with parts.database.transaction() as tx:
        assert await tx.rows(SQL.list_scratch) == []


async def test_a_check_whose_file_is_elsewhere_waits_for_a_server_there_or_says_so(parts: Parts, folder: Path) -> None:
    taken = await take(parts)
    (folder / taken.file).unlink()
    async with parts.database.transaction() as tx:
        await tx.run(SQL.move_to_host, id=taken.id, host="elsewhere")

    alone = await check(parts, taken)
    await begin_life(parts.database, host="elsewhere")
    async with parts.database.transaction() as tx:
        asked = await backup.check_now(tx, ENGINE, taken.id)
    await drain(parts)

    assert alone.check_result == "failed"
    assert alone.check_detail is not None
    assert "elsewhere" in alone.check_detail
    assert (await place_of(parts.database, asked.id)).place == "delayed"


async def test_a_dump_that_is_cancelled_leaves_no_file(db: Database, folder: Path) -> None:
    async def report(_progress: object) -> None:
        return None

    dumping = asyncio.create_task(dump(db, folder / "pabal-x.dump", report))
    await until(lambda: folder.is_dir() and any(folder.iterdir()))

    dumping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await dumping

    assert list(folder.iterdir()) == []


async def test_a_user_who_may_not_create_databases_is_told_what_to_do(db: Database) -> None:
    role = f"test_{secrets.token_hex(4)}"
    await ask(db.url, f"create role {role} login password '{role}'")
    try:
        plain = await Database.open(urlunsplit(as_user(urlsplit(db.url), role)), size=1)
        with pytest.raises(ScratchForbidden, match="CREATEDB"):
            async with scratch(plain):
                pass
        await plain.close()
    finally:
        await ask(db.url, f"drop role {role}")


def as_user(url: SplitResult, role: str) -> SplitResult:
    return url._replace(netloc=f"{role}:{role}@{url.netloc.rpartition('@')[2]}")


async def test_a_check_of_a_backup_that_was_deleted_ends(parts: Parts) -> None:
    taken = await take(parts)
    async with parts.database.transaction() as tx:
        asked = await backup.check_now(tx, ENGINE, taken.id)
        await delete_backups(tx, [taken.id])

    await drain(parts)

    assert (await place_of(parts.database, asked.id)).result == "cancelled"


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("postgresql://u:p%40@h:1/pabal", "postgresql://u:p%40@h:1/other"),
        ("postgresql://u:p@/pabal?host=%2Ftmp&port=5", "postgresql://u:p@/other?host=%2Ftmp&port=5"),
        ("postgresql://a:1,b:2/x?dbname=y&sslmode=require", "postgresql://a:1,b:2/other?sslmode=require"),
        ("postgres://h", "postgres://h/other"),
    ],
)
def test_the_scratch_database_is_on_the_same_server(url: str, wanted: str) -> None:
    assert beside(url, "other") == wanted
