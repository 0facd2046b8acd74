"""`pabal status` and `pabal next`."""

from datetime import timedelta

import pytest

from pabal.base.database import Database
from pabal.cli.state import capped
from pabal.engine import ids
from tests.support.cli import Cli
from tests.support.schedules import put
from tests.support.work import begin_life, enqueue, lapse, start

HOUR = timedelta(hours=1)


async def test_status_works_when_no_server_runs(db: Database, cli: Cli) -> None:
    await enqueue(db)
    await enqueue(db, delay=HOUR)

    told = cli("status")

    assert told.code == 0
    assert "ready 1 · delayed 1 · waiting 0 · running 0" in told.out
    assert "No server runs" in told.err


async def test_status_tells_servers_depths_and_what_is_due(db: Database, cli: Cli) -> None:
    await start(db)
    await lapse(db, await begin_life(db))
    await enqueue(db)
    await enqueue(db, delay=HOUR)

    report = cli("status", "-o", "json").json

    assert [server["state"] for server in report["servers"]] == ["ok", "silent"]
    assert report["servers"][0]["running"] == 1
    assert report["depths"] == {"ready": 1, "delayed": 1, "waiting": 0, "running": 1}
    assert report["oldest_ready_seconds"] >= 0
    assert report["next_due_at"] > report["now"]
    assert db.url not in str(report)


@pytest.mark.parametrize(("count", "said"), [(0, "0"), (10_000, "10,000"), (10_001, "10,000+")])
def test_depths_over_the_cap_are_said_as_more(count: int, said: str) -> None:
    assert capped(count, 10_000) == said


async def test_next_mixes_schedules_and_delayed_jobs_soonest_first_up_to_the_span(db: Database, cli: Cli) -> None:
    job = await enqueue(db, delay=timedelta(minutes=1), about="schedule:7")
    await enqueue(db, delay=timedelta(days=9))
    schedule = await put(db)

    coming = cli("next", "--for", "25h", "-o", "json").json["items"]

    assert [one["at"] for one in coming] == sorted(one["at"] for one in coming)
    assert (coming[0]["what"], coming[0]["id"]) == ("job", ids.show("job", job))
    assert {one["id"] for one in coming[1:]} == {f"sch_{schedule.id}"}
    assert cli("next", "--for", "soon").code == 2
