"""A handler in a process of its own: stopped whatever it does, dead when its server is, otherwise like any other."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal.base.database import Database
from pabal.engine import children, withdrawals
from pabal.engine.children import read_answer, run_in_child, show_answer
from pabal.engine.kinds import BadKind, Job, Kinds, Stop
from pabal.engine.outcome import Cancel, Done, Fail, Miss, Outcome, Retry, Snooze, Stopped
from pabal.engine.retry import fixed
from pabal.engine.server import Server
from tests.support.child_handlers import LATER, attempt, go_on, make_kinds
from tests.support.programs import PIPE, start
from tests.support.servers import ROOT, enqueue_via, serving, until, until_ended
from tests.support.work import counters, place

KINDS = make_kinds()


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    return tmp_path / "locks"


def is_there(pid: int) -> bool:
    """A zombie that nobody has buried yet is dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def read_note(folder: Path, token: int = 1) -> dict[str, Any]:
    path = folder / f"note-{token}.json"
    await until(path.exists)
    noted: dict[str, Any] = json.loads(path.read_text())
    return noted


async def run(kind: str, **args: Any) -> Outcome | None:
    return await run_in_child(attempt(kind, **args), KINDS[kind])


@pytest.mark.parametrize(
    ("say", "expected"),
    [
        ("nothing", None),
        ("done", Done("rendered", data={"frames": 3})),
        ("retry", Retry("busy")),
        ("snooze", Snooze(LATER)),
    ],
)
async def test_what_the_handler_answers_comes_back(say: str, expected: Outcome | None) -> None:
    assert await run("test.answer", say=say) == expected


@pytest.mark.parametrize("answer", [Cancel("no"), Fail("never"), Miss("late"), Stopped(), Retry("x"), None])
def test_every_answer_can_be_sent(answer: Outcome | None) -> None:
    assert read_answer(json.loads(json.dumps(show_answer(answer)))) == answer


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("test.fail", "ValueError: no such scene"),
        ("test.answer_nonsense", "BadOutcome: "),
        ("test.die", "its process ended with 7"),
    ],
)
async def test_what_goes_wrong_in_the_process_is_a_failure_with_its_reason(kind: str, reason: str) -> None:
    answer = await run(kind)

    assert isinstance(answer, Retry)
    assert answer.reason.startswith(reason)


async def test_a_process_that_is_killed_is_a_failure(tmp_path: Path) -> None:
    running = asyncio.create_task(run("test.spin", folder=str(tmp_path)))
    os.kill((await read_note(tmp_path))["pid"], signal.SIGKILL)

    assert await running == Retry("its process ended with SIGKILL")


@asynccontextmanager
async def begun(kind: str, folder: Path) -> AsyncIterator[tuple[Job, "asyncio.Task[Any]", int]]:
    job = attempt(kind, folder=str(folder))
    running = asyncio.create_task(run_in_child(job, KINDS[kind]))
    pid = (await read_note(folder))["pid"]
    try:
        yield job, running, pid
    finally:
        running.cancel()
        await asyncio.wait([running])


async def test_one_that_never_looks_up_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "PATIENCE", 0.05)

    async with begun("test.spin", tmp_path) as (job, running, pid):
        job.tell(Stop.CANCEL)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    assert not is_there(pid)


async def test_one_that_looks_is_told_why_and_answers(tmp_path: Path) -> None:
    async with begun("test.obey", tmp_path) as (job, running, _):
        job.tell(Stop.DEADLINE)
        running.cancel()

        assert await running == Stopped()

    assert job.checkpoint == {"told": "deadline"}


async def test_one_that_was_told_before_it_had_begun_hears_of_it(tmp_path: Path) -> None:
    job = attempt("test.obey", folder=str(tmp_path))
    job.tell(Stop.SHUTDOWN)

    async with asyncio.timeout(30):
        answer = await run_in_child(job, KINDS["test.obey"])

    assert answer == Stopped()
    assert job.checkpoint == {"told": "shutdown"}


async def test_what_a_handler_started_dies_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "PATIENCE", 0.05)

    async with begun("test.start_stranger", tmp_path) as (job, running, _):
        other = (await read_note(tmp_path))["other"]
        job.tell(Stop.CANCEL)
        running.cancel()
        await asyncio.wait([running])

    await until(lambda: not is_there(other))


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's part is Linux; elsewhere its pipe closes")
async def test_it_dies_with_its_server_even_by_kill_9(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    parent = start("tests.support.child_parent", str(tmp_path), cwd=ROOT, env=environment, stdout=PIPE)
    noted = await read_note(tmp_path)
    alive = is_there(noted["pid"]), is_there(noted["other"])

    parent.kill()
    parent.communicate()

    assert alive == (True, True)
    await until(lambda: not is_there(noted["pid"]) and not is_there(noted["other"]))


def test_a_handler_that_a_process_could_not_find_is_refused() -> None:
    def local(job: Job) -> None:
        return None

    async def coroutine(job: Job) -> None:
        return None

    for handler in (local, coroutine, lambda job: None):
        with pytest.raises(BadKind):
            Kinds().process("test.hidden")(handler)


async def cancel(server: Server, job_id: int) -> None:
    async with server.database.transaction() as tx:
        await withdrawals.cancel_jobs(tx, [job_id], kinds=server.kinds)


async def test_a_server_goes_on_where_the_process_before_stopped(db: Database, locks: Path, tmp_path: Path) -> None:
    kinds = Kinds()
    kinds.process("test.go_on", backoff=fixed(timedelta(0)))(go_on)

    async with serving(db, kinds, locks) as server:
        job = await enqueue_via(server, "test.go_on", args={"folder": str(tmp_path)})
        ended = await until_ended(db, job)

    noted = await read_note(tmp_path, token=2)
    assert ended.result == "done"
    assert (noted["checkpoint"], noted["progress"]) == ({"frame": 12}, {"percent": 40})


async def test_a_cancel_stops_it(db: Database, locks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "PATIENCE", 0.05)

    async with serving(db, KINDS, locks) as server:
        job = await enqueue_via(server, "test.spin", args={"folder": str(tmp_path)})
        pid = (await read_note(tmp_path))["pid"]
        await cancel(server, job)
        ended = await until_ended(db, job)

    assert ended.result == "cancelled"
    assert not is_there(pid)


async def test_a_server_that_stops_leaves_none_behind(db: Database, locks: Path, tmp_path: Path) -> None:
    async with serving(db, KINDS, locks) as server:
        job = await enqueue_via(server, "test.obey", args={"folder": str(tmp_path)})
        pid = (await read_note(tmp_path))["pid"]

    assert not is_there(pid)
    assert (await place(db, job)).place == "ready"
    assert await counters(db, job) == (0, 0, 0)
