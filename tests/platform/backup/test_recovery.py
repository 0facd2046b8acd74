"""docs/operations/recovery.md, run as it stands: everything lost, brought back, and the servers go on."""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pabal.base import embedded
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.base.sql import load
from pabal.engine import housekeeping
from pabal.platform import backup
from pabal.platform.actor import ENGINE
from pabal.platform.slice import list_migrations, load_slice
from pabal.testing import Parts, drain
from tests.support.cli import ROOT, Cli, environment
from tests.support.embedded import FAST
from tests.support.servers import until
from tests.support.work import enqueue

pytestmark = [pytest.mark.slow, pytest.mark.beside]

SQL = load(__file__)
PAGE = ROOT / "docs" / "operations" / "recovery.md"
SHOP = Path(__file__).parent / "shop" / "shop.py"


@pytest.fixture
async def room() -> AsyncIterator[Path]:
    """Not pytest's own folder: that one is closed to the user who runs PostgreSQL when we are root."""
    folder = Path(tempfile.mkdtemp(prefix="pabal-test-"))
    folder.chmod(0o755)
    write_program(folder / "bin" / "pabal")
    yield folder
    await embedded.remove(folder / "data" / "postgres")
    shutil.rmtree(folder)


@pytest.mark.req("A-178")
async def test_everything_comes_back_after_the_wrong_thing_and_after_a_lost_disk(room: Path) -> None:
    taken = await sell_and_back_up(room)
    async with shop(room) as parts:
        await drain_sale(parts)
        await sold_is(parts.database, 3)
        await lose(parts.database)

    said = run_page("a", room)

    assert taken in said
    assert (room / "before-recovery.dump").is_file()
    await goes_on(room, sold=2)

    await embedded.remove(room / "data" / "postgres")
    run_page("b", room)

    await goes_on(room, sold=2)


async def sell_and_back_up(room: Path) -> str:
    """Two sales, counted by a subscriber, are in the backup; its name is the answer."""
    await embedded.ensure(room / "data" / "postgres", settings=FAST)
    async with shop(room) as parts:
        await drain_sale(parts)
        await drain_sale(parts)
        async with parts.database.transaction() as tx:
            await backup.ensure_schedule(tx)
            await backup.back_up_now(tx, ENGINE)
        await drain(parts)
        async with parts.database.transaction() as tx:
            [taken] = await backup.list_backups(tx, ENGINE)
    assert taken.ending == "done"
    return taken.file


async def goes_on(room: Path, *, sold: int) -> None:
    """A real server does what was left, and its subscriber counts the next sale, once."""
    cluster = embedded.find_running(room / "data" / "postgres")
    assert cluster is not None
    database = await Database.open(cluster.url())
    try:
        await sold_is(database, sold)
        await enqueue(database, "shop.sell")
        with Cli(room, {"PABAL_APPS": str(SHOP)}).running("serve", "--role", "worker,scheduler") as server:
            await until(lambda: has_sold(database, sold + 1) if server.process.poll() is None else True)
            assert server.stop() == 0
        await sold_is(database, sold + 1)
    finally:
        await database.close()


@asynccontextmanager
async def shop(room: Path) -> AsyncIterator[Parts]:
    cluster = embedded.find_running(room / "data" / "postgres")
    assert cluster is not None
    slice_ = load_slice(str(SHOP))
    database = await Database.open(cluster.url())
    try:
        migrations = list_migrations([slice_])
        await migrate(database, migrations)
        await housekeeping.make_partitions(database)
        kinds = backup.make_kinds(database, room / "data" / "backups", migrations)
        kinds.add(slice_.kinds["shop.sell"])
        yield Parts(database, kinds, subscribers=slice_.subscribers)
    finally:
        await database.close()


async def drain_sale(parts: Parts) -> None:
    await drain(parts)
    await enqueue(parts.database, "shop.sell")
    await drain(parts)


async def sold_is(database: Database, number: int) -> None:
    async with database.transaction() as tx:
        assert await tx.value(SQL.read_sold) == number


async def has_sold(database: Database, number: int) -> bool:
    async with database.transaction() as tx:
        return bool(await tx.value(SQL.read_sold) == number)


async def lose(database: Database) -> None:
    async with database.transaction() as tx:
        await tx.script(SQL.lose_everything.text)


def run_page(procedure: str, room: Path) -> str:
    """Every block of one procedure in one shell, which ends at the first command that fails."""
    blocks = re.findall(rf"^ *```sh {procedure}\n(.*?)^ *```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert blocks
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(blocks)],
        cwd=room,
        env={**environment(PABAL_APPS=str(SHOP)), "PATH": f"{room / 'bin'}:/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def write_program(path: Path) -> None:
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pabal.cli "$@"\n')
    path.chmod(0o755)
