"""A private PostgreSQL is made, shared and survives every crash we can cause."""

import asyncio
import fcntl
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import psutil
import pytest

from pabal.base import embedded
from tests.support.embedded import (
    FAST,
    ask,
    copy_cluster,
    has_ended,
    open_room,
    postmaster_pid,
    running,
    starter,
    until,
)

pytestmark = [pytest.mark.slow, pytest.mark.beside]

BUSY = "select count(*) from generate_series(1, 1000000000000)"


@pytest.fixture
async def room() -> AsyncIterator[Path]:
    async with open_room() as room:
        yield room


@pytest.fixture
def folder(room: Path) -> Path:
    """Empty: there is nothing yet."""
    return room / "pg"


@pytest.fixture
def made(folder: Path, stopped_cluster: Path) -> Path:
    """Here a cluster was made and stopped."""
    copy_cluster(stopped_cluster, folder)
    return folder


async def test_an_empty_folder_becomes_a_running_database(folder: Path) -> None:
    cluster = await embedded.ensure(folder, settings=FAST)

    assert await ask(cluster.url(), "select current_database()") == "pabal"
    assert await ask(cluster.url(), "show server_encoding") == "UTF8"
    assert await ask(cluster.url(), "show listen_addresses") == ""
    assert await ask(cluster.url(), "show max_connections") == "200"


async def test_it_is_durable_unless_told_otherwise(made: Path) -> None:
    cluster = await embedded.ensure(made)

    assert await ask(cluster.url(), "show fsync") == "on"
    assert await ask(cluster.url(), "show synchronous_commit") == "on"
    assert await ask(cluster.url(), "show full_page_writes") == "on"


async def test_nobody_gets_in_without_the_password(made: Path) -> None:
    cluster = await embedded.ensure(made, settings=FAST)

    with pytest.raises(asyncpg.InvalidPasswordError):
        await ask(cluster.url().replace(cluster.password, "guess"), "select 1")
    assert cluster.password not in repr(cluster)
    assert (made / "password").stat().st_mode & 0o077 == 0


async def test_a_second_call_gets_the_same_running_server(made: Path) -> None:
    first = await embedded.ensure(made, settings=FAST)
    started = postmaster_pid(first)

    second = await embedded.ensure(made, settings=FAST)

    assert second == first == embedded.find_running(made)
    assert postmaster_pid(second) == started


async def test_four_processes_racing_on_an_empty_folder_share_one_server(folder: Path) -> None:
    racers = [starter(folder) for _ in range(4)]

    answers = [racer.communicate(timeout=30)[0].strip() for racer in racers]

    assert [racer.returncode for racer in racers] == [0] * 4
    assert len(set(answers)) == 1
    assert await ask(answers[0], "select 1") == 1


async def test_the_server_outlives_the_process_that_started_it(made: Path) -> None:
    starting = starter(made)
    starting.communicate(timeout=30)

    cluster = running(made)

    assert os.getsid(postmaster_pid(cluster)) != starting.pid
    assert os.getsid(postmaster_pid(cluster)) != os.getsid(0)
    assert await ask(cluster.url(), "select 1") == 1


async def test_a_killed_postmaster_is_replaced_although_a_backend_is_still_busy(made: Path) -> None:
    cluster = await embedded.ensure(made, settings=FAST)
    await ask(cluster.url(), "create table kept as select 7 as number")
    busy = await asyncpg.connect(cluster.url())
    backend = psutil.Process(await busy.fetchval("select pg_backend_pid()"))
    query = asyncio.create_task(busy.execute(BUSY))
    await until(lambda: backend.cpu_percent(interval=0.05) > 0)
    os.kill(postmaster_pid(cluster), signal.SIGKILL)

    again = await embedded.ensure(made, settings=FAST)

    assert again == cluster
    assert has_ended(backend)
    assert await ask(again.url(), "select number from kept") == 7
    with pytest.raises((asyncpg.PostgresError, OSError, asyncpg.InterfaceError)):
        await query


async def test_a_pid_file_that_names_a_stranger_does_not_keep_it_from_starting(made: Path) -> None:
    cluster = await embedded.ensure(made, settings=FAST)
    await embedded.stop(made)
    # PostgreSQL would see through a process of another user by itself.
    stranger = subprocess.Popen(["sleep", "60"], user=cluster.data.stat().st_uid)
    write_pid_files(cluster, stranger.pid)

    assert embedded.find_running(made) is None
    again = await embedded.ensure(made, settings=FAST)

    assert await ask(again.url(), "select 1") == 1
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


async def test_a_pid_file_that_names_a_dead_postgres_nobody_collected_does_not_either(made: Path) -> None:
    cluster = await embedded.ensure(made, settings=FAST)
    await embedded.stop(made)
    async with open_room(on_disk=True) as disk:
        program = shutil.copy(shutil.which("true") or "", disk / "postgres")
        zombie = subprocess.Popen([program], user=cluster.data.stat().st_uid)
    await until(lambda: psutil.Process(zombie.pid).status() == psutil.STATUS_ZOMBIE)
    write_pid_files(cluster, zombie.pid)

    assert embedded.find_running(made) is None
    again = await embedded.ensure(made, settings=FAST)

    assert await ask(again.url(), "select 1") == 1
    zombie.wait()


async def test_a_pid_file_left_empty_by_a_power_failure_does_not_keep_it_from_starting(made: Path) -> None:
    cluster = await embedded.ensure(made, settings=FAST)
    await embedded.stop(made)
    (cluster.data / "postmaster.pid").touch()

    again = await embedded.ensure(made, settings=FAST)

    assert await ask(again.url(), "select 1") == 1


async def test_an_init_whose_process_was_killed_is_begun_anew_once_its_initdb_has_ended(folder: Path) -> None:
    killed = starter(folder)
    await until((folder / "data.new" / "PG_VERSION").exists)
    [initdb] = psutil.Process(killed.pid).children()
    initdb.suspend()
    killed.kill()
    killed.wait()
    try:
        with (folder / "lock").open() as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        initdb.resume()

    cluster = await embedded.ensure(folder, settings=FAST)

    assert has_ended(initdb)
    assert await ask(cluster.url(), "select 1") == 1
    assert not (folder / "data.new").exists()


async def test_what_is_no_cluster_is_left_alone(folder: Path) -> None:
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "thesis.txt").write_text("years of work")

    with pytest.raises(embedded.FolderUnusable, match="move it away"):
        await embedded.ensure(folder, settings=FAST)

    assert (folder / "data" / "thesis.txt").read_text() == "years of work"


async def test_a_dropped_database_is_created_again(made: Path) -> None:
    cluster = await embedded.ensure(made, settings=FAST)
    await ask(cluster.url("postgres"), "drop database pabal")

    await embedded.ensure(made, settings=FAST)

    assert await ask(cluster.url(), "select 1") == 1


async def test_an_immediate_stop_keeps_what_was_committed(made: Path) -> None:
    cluster = await embedded.ensure(made, settings=FAST)
    await ask(cluster.url(), "create table kept as select 7 as number")

    await embedded.stop(made, mode="immediate")
    again = await embedded.ensure(made, settings=FAST)

    assert again.url() == cluster.url()
    assert await ask(again.url(), "select number from kept") == 7


async def test_a_stopped_server_is_gone_and_can_be_stopped_again(made: Path) -> None:
    cluster = await embedded.ensure(made, settings=FAST)
    process = psutil.Process(postmaster_pid(cluster))

    await embedded.stop(made)
    await embedded.stop(made)

    assert embedded.find_running(made) is None
    assert has_ended(process)


async def test_stopping_what_never_was_makes_nothing(folder: Path) -> None:
    await embedded.stop(folder)

    assert not folder.exists()
    assert embedded.find_running(folder) is None


async def test_the_keeper_restarts_what_crashed_and_leaves_what_was_stopped(made: Path) -> None:
    cluster = await embedded.ensure(made, settings=FAST)
    keeper = embedded.Keeper(made, settings=FAST)
    os.kill(postmaster_pid(cluster), signal.SIGKILL)
    await until(lambda: embedded.find_running(made) is None)

    assert [await keeper.run_once(), await keeper.run_once()] == [1, 0]
    assert await ask(cluster.url(), "select 1") == 1

    await embedded.stop(made)

    assert await keeper.run_once() == 0
    assert embedded.find_running(made) is None


def write_pid_files(cluster: embedded.Cluster, pid: int) -> None:
    lines = f"{pid}\n{cluster.data}\n1700000000\n5432\n{cluster.socket_dir}\n\n0 0\nready\n"
    (cluster.data / "postmaster.pid").write_text(lines)
    (cluster.socket_dir / ".s.PGSQL.5432.lock").write_text(lines)
