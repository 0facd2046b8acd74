"""What a phone has handled: it takes line after line, so the pong to a ping right behind a part proves the part."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from pabal.apps.messaging.errors import BotGone, NoReceipt
from pabal.apps.messaging.listener.wire import host_moment

# Beyond the time the phone itself takes.
PATIENCE = 60.0

_MILLISECOND = timedelta(milliseconds=1)


class Receipt:
    """Of one part. `due`: the phone must have answered by then; None while the part is still being written."""

    def __init__(self) -> None:
        self.due: float | None = None
        self._answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # Perhaps nobody waits for it any more.
        self._answer.add_done_callback(lambda answer: None if answer.cancelled() else answer.exception())

    async def wait(self, seconds: float | None) -> bool:
        done, _ = await asyncio.wait([self._answer], timeout=seconds)
        for answer in done:
            answer.result()
        return bool(done)

    async def over(self) -> None:
        """Whatever became of it."""
        await asyncio.wait([self._answer])

    def settle(self, problem: Exception | None = None) -> None:
        if self._answer.done():
            return
        if problem is None:
            self._answer.set_result(None)
        else:
            self._answer.set_exception(problem)


class Receipts:
    """Of one connection: those that its phone still owes."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._owed: dict[str, Receipt] = {}
        self._turn = asyncio.Lock()
        self._last = datetime.min.replace(tzinfo=UTC)

    def stamp(self) -> datetime:
        """The moment a ping says, and the phone says back: a millisecond no other ping of this connection has."""
        moment = host_moment()
        self._last = max(moment.replace(microsecond=moment.microsecond // 1000 * 1000), self._last + _MILLISECOND)
        return self._last

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """For one part. What an attempt that gave up had written is still with the phone: its receipt comes first."""
        async with self._turn:
            for owed in list(self._owed.values()):
                await owed.over()
            yield

    def ask(self, stamp: str) -> Receipt:
        receipt = self._owed[stamp] = Receipt()
        return receipt

    def written(self, receipt: Receipt, seconds: float) -> None:
        """`seconds`: how long the phone is busy with it by itself."""
        receipt.due = self._now() + seconds + PATIENCE

    def hear(self, stamp: str) -> None:
        receipt = self._owed.pop(stamp, None)
        if receipt is not None:
            receipt.settle()

    def forget(self, stamp: str, problem: Exception) -> None:
        """Nothing of it left: the phone owes nothing."""
        receipt = self._owed.pop(stamp, None)
        if receipt is not None:
            receipt.settle(problem)

    def is_overdue(self) -> bool:
        now = self._now()
        return any(one.due is not None and now >= one.due for one in self._owed.values())

    def end(self, who: object, *, is_overdue: bool = False) -> None:
        """The connection is over, and with it what is owed."""
        owed, self._owed = self._owed, {}
        for one in owed.values():
            one.settle(NoReceipt(f"{who}") if is_overdue else BotGone(f"{who}", began=True))
