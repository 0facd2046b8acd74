"""`pabal top`: the whole at a glance, once where nobody sits at a terminal."""

import os
import pty
import signal
import subprocess
from datetime import timedelta

import pytest

from pabal.base.database import Database
from pabal.engine.outcome import Retry
from pabal.engine.recurrence import Cron
from tests.cli.inside import Inside
from tests.support.cli import Cli, command, environment
from tests.support.people import Tree
from tests.support.schedules import put
from tests.support.work import enqueue, settle, start


async def test_servers_depths_what_comes_and_what_needs_somebody(db: Database, run: Inside, tree: Tree) -> None:
    await enqueue(db, delay=timedelta(minutes=5))
    await put(db, Cron("*/5 * * * *"))
    failed = await start(db, max_failures=1)
    await settle(db, failed, Retry("no paper"))

    report = (await run("top", "-o", "json")).json
    told = await run("top", "--lang", "ko")

    assert [server["state"] for server in report["servers"]] == ["ok"]
    assert report["depths"]["delayed"] == 1
    assert {one["what"]: one["times"] for one in report["next"]} == {"job": 1, "schedule": 12}
    assert [(need["severity"], need["reason"]) for need in report["needs"]] == [("failure", "no paper")]
    assert "확인할 것 1개" in told.out
    assert "no paper" in told.out


async def test_a_quiet_house_says_that_nothing_needs_you(run: Inside, tree: Tree) -> None:
    told = await run("top")

    assert "No server runs." in told.out
    assert "Nothing needs you." in told.out


@pytest.mark.slow
@pytest.mark.beside
def test_at_a_terminal_it_goes_on_until_ctrl_c_and_ends_well(db: Database, cli: Cli) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("top"),
        cwd=cli.folder,
        env=environment(**cli.settings, TERM="xterm", COLUMNS="120", LINES="40"),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.PIPE,
    )
    os.close(theirs)
    seen = b""
    try:
        while b"Nothing needs you" not in seen:
            seen += os.read(ours, 65536)
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=30)
    finally:
        process.kill()
        process.communicate()
        os.close(ours)

    assert code == 0
