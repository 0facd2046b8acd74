"""The one background loop: it goes on whatever its step does, and is woken rather than late."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from pabal.engine.loop import Loop
from tests.support.servers import until

NEVER = 3600.0
NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)


class Counted:
    """A step that counts its runs and does what the script says for each."""

    def __init__(self, *script: int | Exception | Callable[[], Awaitable[int]]) -> None:
        self.runs = 0
        self._script = script

    async def __call__(self) -> int:
        self.runs += 1
        act = self._script[self.runs - 1] if self.runs <= len(self._script) else 0
        if isinstance(act, Exception):
            raise act
        return act if isinstance(act, int) else await act()


@asynccontextmanager
async def started(loop: Loop) -> AsyncIterator[Loop]:
    loop.start()
    try:
        yield loop
    finally:
        await loop.stop()


async def hang() -> int:
    await asyncio.Event().wait()
    return 0


async def rested(step: Counted, runs: int) -> None:
    """It has run so often and had every chance to run once more."""
    await until(lambda: step.runs >= runs)
    for _ in range(20):
        await asyncio.sleep(0)


async def test_it_repeats_its_step_while_there_is_something_to_do():
    step = Counted(5, 5, 0)

    async with started(Loop("test", step, idle=NEVER)):
        await rested(step, 3)

    assert step.runs == 3


async def test_a_hint_on_its_topic_wakes_it_and_others_do_not():
    step = Counted()

    async with started(Loop("test", step, idle=NEVER, wake_on=["delayed"])) as loop:
        await rested(step, 1)
        loop.hear("signals", None)
        await rested(step, 1)
        before = step.runs
        loop.hear("delayed", None)
        await until(lambda: step.runs == 2)

    assert before == 1


async def test_a_hint_for_everybody_wakes_it():
    step = Counted()

    async with started(Loop("test", step, idle=NEVER)) as loop:
        await rested(step, 1)
        loop.hear("*", None)
        await until(lambda: step.runs == 2)


async def test_a_hint_that_comes_during_the_step_is_not_lost():
    loop: Loop

    async def be_hinted() -> int:
        loop.hear("delayed", None)
        return 0

    step = Counted(be_hinted)
    loop = Loop("test", step, idle=NEVER, wake_on=["delayed"])

    async with started(loop):
        await until(lambda: step.runs == 2)


async def test_a_step_that_raises_is_tried_again_and_shown():
    over = asyncio.Event()

    async def hold() -> int:
        await over.wait()
        return 0

    step = Counted(ValueError("no"), hold)

    async with started(Loop("test", step, idle=NEVER)) as loop:
        await until(lambda: step.runs == 2)
        state = loop.state()
        over.set()

    assert state.last_error == "ValueError('no')"


async def test_a_success_clears_the_error():
    step = Counted(ValueError("no"))

    async with started(Loop("test", step, idle=NEVER)) as loop:
        await until(lambda: step.runs == 2)
        await rested(step, 2)
        state = loop.state()

    assert state.last_error is None
    assert state.is_healthy


async def test_it_sleeps_until_the_next_moment():
    step = Counted()

    async def soon() -> tuple[datetime, datetime]:
        return NOON + timedelta(milliseconds=20), NOON

    async with started(Loop("test", step, idle=NEVER, next_moment=soon)):
        await until(lambda: step.runs >= 3)


async def test_a_hint_for_later_than_it_sleeps_does_not_wake_it_and_an_earlier_one_does():
    step = Counted()

    async def in_an_hour() -> tuple[datetime, datetime]:
        return NOON + timedelta(hours=1), NOON

    async with started(Loop("test", step, idle=NEVER, wake_on=["delayed"], next_moment=in_an_hour)) as loop:
        await rested(step, 1)
        loop.hear("delayed", NOON + timedelta(hours=2))
        await rested(step, 1)
        before = step.runs
        loop.hear("delayed", NOON + timedelta(minutes=1))
        await until(lambda: step.runs == 2)

    assert before == 1


async def test_a_next_moment_that_cannot_be_read_does_not_end_it():
    step = Counted()

    async def fail() -> tuple[datetime, datetime]:
        raise ValueError("no")

    async with started(Loop("test", step, idle=NEVER, next_moment=fail)):
        await until(lambda: step.runs >= 2)


async def test_a_loop_that_died_is_mended():
    step = Counted()

    async with started(Loop("test", step, idle=NEVER)) as loop:
        await rested(step, 1)
        [task] = [task for task in asyncio.all_tasks() if task.get_name() == "loop:test"]
        task.cancel()
        await until(task.done)
        was_mended = loop.mend()
        await until(lambda: step.runs == 2)
        state = loop.state()

    assert was_mended
    assert state.restarts == 1


@pytest.mark.req("A-190")
@pytest.mark.parametrize("script", [(hang,), (ValueError("no"), hang)], ids=["at once", "after a failure"])
async def test_a_loop_whose_step_hangs_is_mended(monkeypatch: pytest.MonkeyPatch, script: tuple[object, ...]):
    monkeypatch.setattr("pabal.engine.loop.STALLED", 0.02)
    step = Counted(*script)  # type: ignore[arg-type]  # one script of each kind of act

    async with started(Loop("test", step, idle=0.0)) as loop:
        await until(lambda: step.runs == len(script))
        await until(loop.mend)
        await until(lambda: step.runs > len(script))


async def test_a_loop_that_is_well_is_left_alone():
    step = Counted()

    async with started(Loop("test", step, idle=NEVER)) as loop:
        await rested(step, 1)
        was_mended = loop.mend()

    assert not was_mended


async def test_stopping_lets_the_step_under_way_finish():
    begun, finish, finished = asyncio.Event(), asyncio.Event(), []

    async def work() -> int:
        begun.set()
        await finish.wait()
        finished.append(True)
        return 0

    loop = Loop("test", Counted(work), idle=NEVER)
    loop.start()
    await begun.wait()
    stopping = asyncio.create_task(loop.stop())
    await asyncio.sleep(0)
    finish.set()
    await stopping

    assert finished == [True]
