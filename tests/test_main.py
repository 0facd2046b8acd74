"""main builds a server of the roles asked for, with the apps named, on a database brought up to date."""

import json
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

import asyncpg
import httpx2
import pytest

from pabal import main
from pabal.base import open_files, telemetry
from pabal.base.database import Database, DatabaseUnavailable, Tx
from pabal.base.migrations import compare
from pabal.base.settings import Settings
from pabal.engine import listing, queue, schedules
from pabal.engine.loop import Loop
from pabal.main import App
from pabal.platform import auth, demo, tenants
from pabal.platform.actor import ENGINE
from pabal.platform.loading import AppNotFound
from pabal.platform.tenants import Scope
from tests.support.servers import until, until_ended
from tests.support.work import enqueue

ALL = frozenset({"web", "worker", "scheduler"})
GRACE = timedelta(milliseconds=500)


def settings(db: Database, folder: Path, **given: object) -> Settings:
    # the demo always has something under way, which no test here waits for
    values = {"database_url": db.url, "data_dir": folder, "port": 0, "apps": "", "shutdown_grace": GRACE, **given}
    return Settings(**values)  # type: ignore[arg-type]  # the tests name its fields


def loops(app: App) -> set[str]:
    return {state.name for state in app.loop_states()}


async def discard(app: App) -> None:
    await app.stop()


@pytest.mark.parametrize(
    ("roles", "has", "has_not"),
    [
        ({"web"}, {"heartbeat", "listener"}, {"claims", "rescue", "timers", "schedules"}),
        ({"worker"}, {"claims", "inside", "rescue", "expiry"}, {"timers", "schedules"}),
        ({"scheduler"}, {"timers", "schedules", "housekeeping"}, {"claims", "rescue"}),
        (set(ALL), {"claims", "rescue", "timers", "schedules", "housekeeping"}, set()),
    ],
)
async def test_a_server_has_the_loops_of_its_roles(
    db: Database, tmp_path: Path, roles: set[str], has: set[str], has_not: set[str]
) -> None:
    app = await main.build(settings(db, tmp_path), frozenset(roles))

    assert has <= loops(app)
    assert not has_not & loops(app)
    await discard(app)


async def test_the_demo_runs_its_job_its_schedule_and_its_machine(db: Database, tmp_path: Path) -> None:
    app = await main.build(settings(db, tmp_path), ALL, is_demo=True)

    greeting = await find_job(db, "demo.greet")
    await app.start()
    greeted = await until_ended(db, greeting)
    boiled = await until_ended(db, await enqueue(db, "demo.boil", args={"kettles": [1, 2]}))

    async def is_armed() -> bool:
        async with db.transaction() as tx:
            return (await listing.read_next_moments(tx)).timer_at is not None

    await until(is_armed)
    await app.stop()

    assert (greeted.result, boiled.result) == ("done", "done")


async def test_a_server_that_stops_does_not_wait_for_the_demos_tea(db: Database, tmp_path: Path) -> None:
    app = await main.build(settings(db, tmp_path, shutdown_grace=timedelta(seconds=60)), ALL, is_demo=True)
    await app.start()

    async def count_brewing() -> int:
        async with db.transaction() as tx:
            open_jobs = await listing.list_jobs(tx, listing.jobs.Wanted(units=None, kind="demo.brew"))
            return [(await queue.get_place(tx, job.id)).place for job in open_jobs.items].count("lease")

    await until(count_brewing)
    await app.stop()

    async with db.transaction() as tx:
        brews = await listing.list_jobs(tx, listing.jobs.Wanted(units=None, kind="demo.brew"))
        ends = [(await queue.get_place(tx, job.id)).result for job in brews.items]
    assert ends == [None, None]


async def test_starting_twice_makes_nothing_twice(db: Database, tmp_path: Path) -> None:
    counts = []
    for _ in range(2):
        await discard(await main.build(settings(db, tmp_path), ALL, is_demo=True))
        async with db.transaction() as tx:
            units = await tenants.list_units(tx, None)
            counts.append((len(await schedules.list_schedules(tx)), len(units), await count_jobs(tx)))

    assert counts[0] == counts[1]


async def test_the_demo_can_be_taken_out_again_and_leaves_what_was_there(db: Database, tmp_path: Path) -> None:
    app = await main.build(settings(db, tmp_path), ALL, is_demo=True)

    await demo.clear(app.database, app.slices, ENGINE)

    async with db.transaction() as tx:
        assert [unit.level for unit in await tenants.list_units(tx, None)] == ["hq"]
        assert [one.kind for one in await schedules.list_schedules(tx)] == ["backup.take"]
        assert await auth.list_users(tx, Scope(None, None)) == []
    await discard(app)


async def test_the_demo_can_be_loaded_again_after_it_was_taken_out(db: Database, tmp_path: Path) -> None:
    app = await main.build(settings(db, tmp_path), ALL, is_demo=True)
    await demo.clear(app.database, app.slices, ENGINE)

    await demo.load(app.services, app.slices)

    async with db.transaction() as tx:
        assert len(await tenants.list_units(tx, None)) == 12
    await discard(app)


async def test_the_migrations_of_every_slice_are_applied(db: Database, tmp_path: Path) -> None:
    app = await main.build(settings(db, tmp_path), ALL, is_demo=True)

    assert {one.owner for one in app.migrations} == {"base", "engine", "platform", "demo"}
    found = await compare(db, app.migrations)
    assert (found.missing, found.newer, found.changed) == ((), (), ())
    assert await app.compare_migrations() == found
    await discard(app)


async def find_job(db: Database, kind: str) -> int:
    async with db.transaction() as tx:
        page = await listing.list_jobs(tx, listing.jobs.Wanted(units=None, kind=kind))
    [job] = page.items
    return job.id


async def count_jobs(tx: Tx) -> int:
    return await listing.count_jobs(tx, listing.jobs.Wanted(units=None))


async def test_an_app_in_a_file_is_loaded_and_its_jobs_run(db: Database, tmp_path: Path) -> None:
    file = tmp_path / "hello.py"
    file.write_text(HELLO)
    app = await main.build(settings(db, tmp_path, apps=str(file)), ALL)
    await app.start()

    job = await enqueue(db, "hello.write", args={"file": str(tmp_path / "said")})
    await until_ended(db, job)

    assert (tmp_path / "said").read_text() == "hello"
    await app.stop()


async def test_an_app_that_is_not_there_stops_the_start_and_leaves_nothing_open(db: Database, tmp_path: Path) -> None:
    with pytest.raises(AppNotFound):
        await main.build(settings(db, tmp_path, apps="nowhere:SLICE"), ALL)


async def test_a_stopped_server_says_goodbye(db: Database, tmp_path: Path) -> None:
    app = await main.build(settings(db, tmp_path), ALL)
    await app.start()
    async with db.transaction() as tx:
        [server] = await listing.list_servers(tx)

    await app.stop()

    assert server.meta["roles"] == ["scheduler", "web", "worker"]
    async with db.transaction() as tx:
        assert await listing.list_servers(tx) == []


async def test_a_server_stops_in_order_though_the_database_is_gone(db: Database, tmp_path: Path) -> None:
    app = await main.build(settings(db, tmp_path), ALL)
    closed: list[str] = []

    class Edge:
        loops: ClassVar[list[Loop]] = []

        def __init__(self, name: str, error: Exception | None = None) -> None:
            self.name, self.error = name, error

        async def start(self) -> None: ...
        def refuse_new(self) -> None: ...
        async def close(self) -> None:
            closed.append(self.name)
            if self.error is not None:
                raise self.error

    away = (DatabaseUnavailable("gone"), asyncpg.InterfaceError("the connection is closed"), ConnectionResetError())
    app.gateways += [*(Edge(type(one).__name__, one) for one in away), Edge("last")]
    await app.start()

    await app.stop()

    assert closed == ["DatabaseUnavailable", "InterfaceError", "ConnectionResetError", "last"]


async def test_a_started_server_may_have_more_files_open_than_a_shell_gives(
    db: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1_024, before[1]))
    app = await main.build(settings(db, tmp_path), ALL)
    telemetry.start_logging()
    try:
        await app.start()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        await app.stop()
    finally:
        telemetry.start_logging(level="warning")
        resource.setrlimit(resource.RLIMIT_NOFILE, before)

    told = [json.loads(line) for line in capsys.readouterr().err.splitlines() if "open_files" in line]
    assert soft == (open_files.WANTED if hard == resource.RLIM_INFINITY else min(hard, open_files.WANTED))
    assert [(line["event"], line["most"]) for line in told] == [("main.open_files_allowed", soft)]


HELLO = """
from pathlib import Path

from pabal.engine.kinds import Kinds
from pabal.platform.slice import Slice

kinds = Kinds()


@kinds.plain("hello.write")
async def write(job):
    Path(job.args["file"]).write_text("hello")


SLICE = Slice("hello", kinds=kinds)
"""


async def test_a_demo_starts_the_simulators_that_apps_register_and_its_own(db: Database, tmp_path: Path) -> None:
    seen: list[str] = []

    @asynccontextmanager
    async def simulator() -> AsyncIterator[None]:
        seen.append("entered")
        yield
        seen.append("left")

    app = await main.build(settings(db, tmp_path), ALL, is_demo=True)
    app.simulators.append(simulator())
    await app.start()
    async with httpx2.AsyncClient(trust_env=False) as client:
        answer = await client.get(f"{app.settings.telegram_url}/bot1:x/getMe")
    await app.stop()

    assert app.settings.telegram_url.startswith("http://127.0.0.1:")
    assert answer.status_code in (200, 401)
    assert seen == ["entered", "left"]
