"""The examples of the README run as they are printed there."""

import importlib.util
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.engine import timers, transitions
from pabal.engine.transitions import GuardRefused
from pabal.platform.slice import Slice, load_slice
from pabal.testing import Parts, advance, assert_enqueued, drain

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "docs" / "examples"


async def start(db: Database, slice_: Slice) -> Parts:
    await migrate(db, slice_.read_migrations())
    if slice_.on_start is not None:
        async with db.transaction() as tx:
            await slice_.on_start(tx)
    return Parts(db, slice_.kinds, slice_.machines, slice_.subscribers)


async def test_the_first_job_greets_once(db: Database, capsys: pytest.CaptureFixture[str]):
    parts = await start(db, load_slice(str(EXAMPLES / "first_job.py")))
    await drain(parts)

    assert capsys.readouterr().out == "안녕하세요, 파발!\n"
    await assert_enqueued(db, "hello.greet", name="파발", count=1)


async def test_the_first_schedule_speaks_every_morning(db: Database, capsys: pytest.CaptureFixture[str]):
    parts = await start(db, load_slice(str(EXAMPLES / "first_schedule.py")))
    await start(db, load_slice(str(EXAMPLES / "first_schedule.py")))

    await advance(parts, timedelta(days=3))

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert all("T00:00:00+00:00" in line for line in lines), "nine in Seoul is midnight in UTC"


async def test_the_first_machine_lapses_after_a_day_or_is_answered(db: Database):
    slice_ = load_slice(str(EXAMPLES / "first_machine" / "ticket.py"))
    parts = await start(db, slice_)
    [machine] = slice_.machines
    module = __import__("sys").modules["pabal_app_ticket"]
    async with db.transaction() as tx:
        answered, forgotten = [await module.open_ticket(tx, actor="user:1") for _ in range(2)]
    async with db.transaction() as tx:
        with pytest.raises(GuardRefused, match="no_answer"):
            async with tx.savepoint():
                await transitions.transition(tx, machine, answered, "answer", actor="user:1")
        await tx.run(module.SQL.write_answer, id=answered, answer="내일 보내 드립니다")
        await transitions.transition(tx, machine, answered, "answer", actor="user:1")

    await advance(parts, timedelta(days=2))

    async with db.transaction() as tx:
        states = {ticket.id: ticket.state for ticket in await module.load_tickets(tx, [answered, forgotten])}
        past = await transitions.history(tx, machine, forgotten)
        assert await timers.list_timers(tx, machine, forgotten) == []
    assert states == {answered: "answered", forgotten: "lapsed"}
    assert [(step.event, step.target) for step in past][-1] == ("lapse", "lapsed")


async def test_the_first_test_passes(empty_database_url: str):
    spec = importlib.util.spec_from_file_location("first_test", EXAMPLES / "first_test.py")
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    await module.three_mornings_three_notices(empty_database_url, load_slice(str(EXAMPLES / "first_schedule.py")))


@pytest.mark.parametrize("name", ["first_job.py", "first_schedule.py", "first_machine/ticket.py", "first_test.py"])
def test_the_readme_prints_the_examples_that_run(name: str):
    assert (EXAMPLES / name).read_text(encoding="utf-8").strip() in (ROOT / "README.md").read_text(encoding="utf-8")
