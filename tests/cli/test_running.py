"""`pabal up`, `serve` and `down`: really started, really stopped."""

import json
import os
import pty
import re
import shutil
import signal
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from pabal.base import embedded
from pabal.base.database import Database
from pabal.engine import listing
from pabal.engine.listing import jobs
from tests.support.cli import Cli, environment
from tests.support.embedded import copy_cluster, make_room
from tests.support.programs import start
from tests.support.servers import until, until_ended
from tests.support.work import enqueue

pytestmark = [pytest.mark.slow, pytest.mark.beside]

# The demo always has something under way, and a test that stops it has nothing to ask of how that ends.
SOON = {"PABAL_SHUTDOWN_GRACE": "500ms"}
# A variable that is empty counts as one that is not there.
NO_APPS = {"PABAL_APPS": ","}


@pytest.fixture
async def room() -> AsyncIterator[Path]:
    folder = make_room()
    yield folder
    await embedded.remove(folder / "postgres")
    shutil.rmtree(folder)


def fetch(url: str) -> dict[str, object]:
    with urllib.request.urlopen(url, timeout=30) as answer:
        found: dict[str, object] = json.load(answer)
        return found


def is_ready(url: str) -> bool:
    try:
        return fetch(f"{url}/readyz")["ready"] is True
    except urllib.error.HTTPError:
        return False


def postmaster(room: Path) -> int | None:
    cluster = embedded.find_running(room / "postgres")
    return None if cluster is None else int((cluster.data / "postmaster.pid").read_text().splitlines()[0])


async def names(db: Database) -> list[str]:
    async with db.transaction() as tx:
        return [",".join(server.meta["roles"]) for server in await listing.list_servers(tx) if server.is_alive]


async def test_up_makes_its_own_database_runs_the_demo_and_stops_when_asked(room: Path) -> None:
    cli = Cli(room, {"PABAL_DATA_DIR": str(room), **NO_APPS, **SOON})

    with cli.running("up", "--demo", "--port", "0") as server:
        url = server.wait_for_url()
        assert fetch(f"{url}/readyz")["ready"] is True
        await until_greeted(room)
        assert cli("jobs", "list", "--state", "done", "--kind", "demo.greet", "-o", "json").json["items"]
        in_use = cli("down")
        code = server.stop()

    assert (in_use.code, code) == (4, 0)
    assert cli("status", "-o", "json").json["servers"] == []
    assert (cli("down").code, cli("status").code, cli("down").code) == (0, 6, 0)


async def until_greeted(room: Path) -> None:
    """Looks by itself: each look of the command line is a process."""
    cluster = embedded.find_running(room / "postgres")
    assert cluster is not None
    database = await Database.open(cluster.url(), size=1)

    async def has_greeted() -> bool:
        async with database.transaction() as tx:
            return bool((await jobs.list_jobs(tx, jobs.Wanted(None, ("done",), kind="demo.greet"))).items)

    try:
        await until(has_greeted)
    finally:
        await database.close()


ODD = """
import logging

from pabal.base.telemetry import declare, emit
from pabal.platform.slice import Slice

declare("odd.noticed", "Something odd", level=logging.WARNING)


async def start(tx):
    emit("odd.noticed", what="no paper")


SLICE = Slice("odd", on_start=start)
"""


def up_at_a_terminal(cli: Cli, *arguments: str, **settings: str) -> list[str]:
    """What somebody sees from `pabal up` on to its end, line by line."""
    ours, theirs = pty.openpty()
    with open(theirs, "w", closefd=True) as terminal:
        env = environment(**{**cli.settings, **settings})
        process = start("pabal.cli", "up", *arguments, cwd=cli.folder, env=env, stdout=terminal, stderr=terminal)
    shown = b""
    try:
        while b"Ctrl-C" not in shown:
            shown += os.read(ours, 4096)
        process.send_signal(signal.SIGTERM)
        with suppress(OSError):  # the terminal's other end is closed
            while piece := os.read(ours, 4096):
                shown += piece
        assert process.wait(30) == 0
    finally:
        process.kill()
        os.close(ours)
    return shown.decode().splitlines()


def test_a_terminal_shows_a_handful_of_sentences_and_no_log(empty_url: str, tmp_path: Path) -> None:
    cli = Cli(tmp_path, {"PABAL_DATABASE_URL": empty_url, "PABAL_DATA_DIR": str(tmp_path)})

    lines = up_at_a_terminal(cli, "--port", "0")

    assert len(lines) <= 12
    assert re.fullmatch(r"Tables brought up to date \(\d\d steps\)\.", lines[0])
    assert lines[1].startswith("Pabal is ready: http://")
    assert lines[-1] == "Pabal has stopped."
    assert [line for line in lines if re.search(r"\d{4}-\d\d-\d\dT|info|\w+\.\w+ed\b|\x1b", line)] == []


def test_what_is_wrong_is_logged_at_a_terminal_too(empty_url: str, tmp_path: Path) -> None:
    cli = Cli(tmp_path, {"PABAL_DATABASE_URL": empty_url, "PABAL_DATA_DIR": str(tmp_path), **NO_APPS})
    (tmp_path / "odd.py").write_text(ODD)

    lines = up_at_a_terminal(cli, "--port", "0", "--app", str(tmp_path / "odd.py"), PABAL_LANG="ko")
    asked_for = up_at_a_terminal(cli, "--port", "0", PABAL_LOG_LEVEL="info")

    assert [line for line in lines if "odd.noticed" in line and "no paper" in line] != []
    assert re.fullmatch(r"테이블을 최신으로 맞췄습니다\(\d\d단계\)\.", lines[1])
    assert not any("migrations.applied" in line or "server.started" in line for line in lines)
    assert any("server.started" in line for line in asked_for)


def test_without_a_terminal_every_event_is_a_line_of_json(empty_url: str, tmp_path: Path) -> None:
    cli = Cli(tmp_path, {"PABAL_DATABASE_URL": empty_url, "PABAL_DATA_DIR": str(tmp_path), **NO_APPS})

    with cli.running("up", "--port", "0") as server:
        server.wait_for_url()
        server.stop()
        assert server.process.stdout is not None
        assert server.process.stderr is not None
        out, logged = server.process.stdout.read(), server.process.stderr.readlines()

    events = [json.loads(line)["event"] for line in logged]
    assert events.count("migrations.applied") > 20
    assert {"housekeeping.made", "server.started", "main.settled", "server.stopped"} <= set(events)
    assert "Tables" not in out


async def test_a_private_database_that_dies_is_started_again_and_the_server_goes_on(
    room: Path, stopped_cluster: Path
) -> None:
    copy_cluster(stopped_cluster, room / "postgres")
    cli = Cli(room, {"PABAL_DATA_DIR": str(room), **NO_APPS})

    with cli.running("up", "--port", "0") as server:
        url = server.wait_for_url()
        first = postmaster(room)
        assert first is not None
        os.kill(first, signal.SIGKILL)
        await until(lambda: postmaster(room) not in (None, first))
        await until(lambda: is_ready(url))
        code = server.stop()

    assert code == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_server_runs_an_app_from_a_file_and_says_goodbye(
    db: Database, cli: Cli, tmp_path: Path, number: signal.Signals
) -> None:
    (tmp_path / "hello.py").write_text(HELLO)
    small = Cli(cli.folder, {**cli.settings, **NO_APPS})

    with small.running("serve", "--role", "web,worker", "--app", "hello.py", "--port", "0") as server:
        url = server.wait_for_url()
        job = await enqueue(db, "hello.write")
        await until_ended(db, job)
        assert await names(db) == ["web,worker"]
        assert fetch(f"{url}/readyz")["roles"] == ["web", "worker"]
        code = server.stop(number)

    assert code == 0
    assert (tmp_path / "said").read_text() == "hello"
    assert await names(db) == []


async def test_letting_strangers_in_is_warned_about_in_the_language_of_who_starts_it(cli: Cli) -> None:
    settings = {"PABAL_TRUSTED_PROXIES": "*", **NO_APPS, **SOON}
    said = []
    for lang in ("en", "ko"):
        open_to_all = Cli(cli.folder, {**cli.settings, **settings, "PABAL_LANG": lang})
        with open_to_all.running("up", "--demo", "--demo-from-anywhere", "--port", "0") as server:
            server.wait_for_url()
            server.stop()
            assert server.process.stdout is not None
            said.append(server.process.stdout.read())

    assert said[0].count("WARNING") == said[1].count("경고") == 2
    assert all("--demo-from-anywhere" in one and "PABAL_TRUSTED_PROXIES" in one for one in said)


def test_production_has_no_demo_server_and_the_word_needs_a_demo(cli: Cli) -> None:
    production = {"PABAL_MODE": "production", "PABAL_SECRET_KEY": "k" * 32, "PABAL_PUBLIC_URL": "https://pabal.example"}

    refused = cli("up", "--demo", "--port", "0", **production)
    alone = cli("up", "--demo-from-anywhere", "--port", "0")

    assert (refused.code, "demo_refused" in refused.err) == (4, True)
    assert (alone.code, "--demo" in alone.err) == (2, True)


async def test_a_taken_port_is_not_taken_twice_and_the_other_is_printed(cli: Cli) -> None:
    small = Cli(cli.folder, {**cli.settings, **NO_APPS})
    with small.running("up", "--port", "0") as first:
        port = int(first.wait_for_url().rpartition(":")[2])
        with small.running("up", "--port", str(port)) as second:
            other = second.wait_for_url()
            assert int(other.rpartition(":")[2]) > port
            assert fetch(f"{other}/readyz")["ready"] is True
            assert second.stop() == 0
        assert first.stop() == 0


async def test_the_second_signal_does_not_wait(db: Database, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    small = Cli(cli.folder, {**cli.settings, **NO_APPS})

    with small.running("up", "--app", "stubborn.py", "--port", "0") as server:
        server.wait_for_url()
        await enqueue(db, "stubborn.stay", about=str(tmp_path / "began"))
        await until((tmp_path / "began").exists)
        server.process.send_signal(signal.SIGTERM)
        code = server.stop(signal.SIGINT)

    # Two that come together are handed over in either order.
    assert code in (128 + signal.SIGINT, 128 + signal.SIGTERM)


def test_unknown_roles_are_wrong_usage(cli: Cli) -> None:
    told = cli("serve", "--role", "web,king")

    assert told.code == 2
    assert "web, worker, scheduler" in told.err


def test_an_app_that_is_not_there_is_not_found(cli: Cli) -> None:
    told = cli("up", "--app", "nowhere.py")

    assert told.code == 3
    assert "app_not_found" in told.err


HELLO = """
from pathlib import Path

from pabal.engine.kinds import Kinds
from pabal.platform.slice import Slice

kinds = Kinds()


@kinds.plain("hello.write")
async def write(job):
    Path("said").write_text("hello")


SLICE = Slice("hello", kinds=kinds)
"""

STUBBORN = """
import asyncio
from pathlib import Path

from pabal.engine.kinds import Kinds
from pabal.platform.slice import Slice

kinds = Kinds()


@kinds.plain("stubborn.stay")
async def stay(job):
    Path(job.about).touch()
    await asyncio.Event().wait()


SLICE = Slice("stubborn", kinds=kinds)
"""
