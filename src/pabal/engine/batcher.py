"""Many who ask at the same time are answered together: who asks while a batch is worked on is in the next."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar, cast

A = TypeVar("A")
B = TypeVar("B")

# Long enough for those that were woken together, too short for anybody to notice.
GATHER = 0.002
PAUSE = 0.2
MOST = 100


class Batcher(Generic[A, B]):
    """`work` answers a batch in its order; an exception among the answers is raised where that one waits.

    What `work` raises is everybody's answer, unless `may_repeat` says that the batch may be worked on again.
    At most `at_once` batches are worked on side by side. `waits_alone`: one who was alone in the last batch still waits
    for company; where one asks many times in a row, that wait would be most of its time.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[list[A]], Awaitable[Sequence[B | Exception]]],
        *,
        at_once: int = 1,
        waits_alone: bool = True,
        may_repeat: Callable[[Exception, int], bool] = lambda _error, _count: False,
    ) -> None:
        self._name = name
        self._work = work
        self._may_repeat = may_repeat
        self._asked: list[tuple[A, asyncio.Future[B]]] = []
        self._at_once = at_once
        self._waits_alone = waits_alone
        self._was_alone = True
        self._is_gathering = False
        self._working: set[asyncio.Task[None]] = set()

    async def put(self, what: A) -> B:
        """Whoever is cancelled while it waits here may be in a batch all the same."""
        answer: asyncio.Future[B] = asyncio.get_running_loop().create_future()
        self._asked.append((what, answer))
        self._begin()
        return await answer

    def _begin(self) -> None:
        """A batch, if one is needed, none is being gathered, and not too many are worked on."""
        if self._asked and not self._is_gathering and len(self._working) < self._at_once:
            self._is_gathering = True
            self._working.add(asyncio.create_task(self._run(), name=self._name))

    async def _run(self) -> None:
        await asyncio.sleep(GATHER if self._waits_alone or not self._was_alone else 0.0)
        waiting = [one for one in self._asked if not one[1].done()]
        batch, self._asked = waiting[:MOST], waiting[MOST:]
        self._is_gathering = False
        self._was_alone = len(waiting) <= 1
        self._begin()
        try:
            for (_, answer), said in zip(batch, await self._answer(batch), strict=True):
                _tell(answer, said)
        except Exception as error:  # noqa: BLE001 -- those who wait must hear of it, whatever it is
            if self._may_repeat(error, len(batch)):
                self._asked[:0] = batch
                await asyncio.sleep(PAUSE)
            else:
                for _, answer in batch:
                    _tell(answer, error)
        finally:
            self._working.discard(cast("asyncio.Task[None]", asyncio.current_task()))
            self._begin()

    async def _answer(self, batch: list[tuple[A, "asyncio.Future[B]"]]) -> Sequence[B | Exception]:
        return await self._work([what for what, _ in batch]) if batch else []


def _tell(waiting: "asyncio.Future[B]", answer: B | Exception) -> None:
    if waiting.done():
        return
    if isinstance(answer, Exception):
        waiting.set_exception(answer)
    else:
        waiting.set_result(answer)
