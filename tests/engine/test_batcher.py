"""Those who ask together are answered together, each with its own answer."""

import asyncio

import pytest

from pabal.engine.batcher import MOST, Batcher


class Desk:
    """Answers with the double, or raises what a batch is said to."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.open = asyncio.Event()
        self.open.set()
        self.failing: list[Exception] = []

    async def work(self, batch: list[int]) -> list[int | Exception]:
        self.batches.append(batch)
        await self.open.wait()
        if self.failing:
            raise self.failing.pop()
        return [ValueError(str(one)) if one < 0 else one * 2 for one in batch]


async def test_who_asks_together_is_in_one_batch_and_gets_an_answer_of_its_own():
    desk = Desk()
    batcher = Batcher("doubling", desk.work)

    answers = await asyncio.gather(*(batcher.put(n) for n in (3, 1, -2)), return_exceptions=True)

    assert desk.batches == [[3, 1, -2]]
    assert (answers[:2], repr(answers[2])) == ([6, 2], "ValueError('-2')")


async def test_who_asks_while_a_batch_is_worked_on_is_in_the_next():
    desk = Desk()
    desk.open.clear()
    batcher = Batcher("doubling", desk.work)
    first = asyncio.create_task(batcher.put(1))
    while not desk.batches:
        await asyncio.sleep(0)

    others = [asyncio.create_task(batcher.put(n)) for n in (2, 3)]
    await asyncio.sleep(0)
    desk.open.set()

    assert await asyncio.gather(first, *others) == [2, 4, 6]
    assert desk.batches == [[1], [2, 3]]


async def test_one_that_was_alone_need_not_wait_for_company_until_there_is_some(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("pabal.engine.batcher.GATHER", 3600.0)
    desk = Desk()
    batcher = Batcher("doubling", desk.work, waits_alone=False)

    assert [await batcher.put(n) for n in (1, 2)] == [2, 4]
    assert await asyncio.gather(batcher.put(3), batcher.put(4)) == [6, 8]
    fifth = asyncio.create_task(batcher.put(5))
    for _ in range(20):
        await asyncio.sleep(0)

    assert desk.batches == [[1], [2], [3, 4]], "the fifth waits for a sixth"
    fifth.cancel()


async def test_a_batch_has_an_end():
    desk = Desk()

    batcher = Batcher("doubling", desk.work)

    answers = await asyncio.gather(*(batcher.put(n) for n in range(MOST + 1)))

    assert answers == [n * 2 for n in range(MOST + 1)]
    assert [len(batch) for batch in desk.batches] == [MOST, 1]


async def test_what_the_work_raises_is_everybodys_answer():
    desk = Desk()
    desk.failing = [OSError("away")]
    batcher = Batcher("doubling", desk.work)

    answers = await asyncio.gather(batcher.put(1), batcher.put(2), return_exceptions=True)
    later = await batcher.put(3)

    assert [repr(one) for one in answers] == ["OSError('away')"] * 2
    assert later == 6, "the next batch knows nothing of it"


async def test_a_batch_that_may_be_repeated_is_with_whoever_came_meanwhile_and_without_who_left():
    desk = Desk()
    desk.open.clear()
    desk.failing = [OSError("away")]
    batcher = Batcher("doubling", desk.work, may_repeat=lambda error, count: isinstance(error, OSError))
    stays, leaves = asyncio.create_task(batcher.put(1)), asyncio.create_task(batcher.put(2))
    while not desk.batches:
        await asyncio.sleep(0)

    comes = asyncio.create_task(batcher.put(3))
    leaves.cancel()
    desk.open.set()

    assert await asyncio.gather(stays, comes) == [2, 6]
    assert desk.batches == [[1, 2], [1, 3]]
    with pytest.raises(asyncio.CancelledError):
        await leaves
