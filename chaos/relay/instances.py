"""An instance of an account: reads its mailbox at one server or the other, crashes, and answers as its seed says."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path

from chaos.relay import words
from chaos.relay.ground import IN_TIME
from pabal.apps.relay.simulator.journal import JournalEntry
from pabal.apps.relay.simulator.openclaw import ConnectionChange, MessageReceived, OpenClaw
from pabal.apps.relay.simulator.options import InstanceBehaviour, InstanceOptions, ReadingMode

# How an instance answers, and how often. A late one has the address die under it.
MANNERS = {"prompt": 62, "twice": 12, "pieces": 8, "late": 14, "never": 4}
FOREIGN_SHARE = 0.08
TRIES, PAUSE = 30, 0.4
# It comes back sooner than a real one, which has all day.
_OPTIONS = InstanceOptions(
    behaviour=InstanceBehaviour.NEVER, wait=3.0, backoff_ms=50, backoff_most_ms=500, most_attempts=None
)


@dataclass(frozen=True)
class Home:
    """Which account it is of, and where it finds its relay."""

    account: str
    token: str
    urls: tuple[str, ...]
    mode: ReadingMode
    log: Path


class Instance:
    """`find_stranger` is an instance of another account, which answers what it was not asked."""

    def __init__(self, home: Home, seed: str, find_stranger: Callable[["Instance"], "Instance"]) -> None:
        self.home = home
        self._seed, self._find_stranger = seed, find_stranger
        self._options = replace(_OPTIONS, mode=home.mode, log=home.log, tell=self._hear)
        self._urls = cycle(home.urls)
        self._answering: set[asyncio.Task[None]] = set()
        self._claw = OpenClaw(next(self._urls), home.token, self._options)

    async def start(self) -> None:
        await self._claw.__aenter__()

    async def wait_until_connected(self) -> None:
        await self._claw.wait_until_connected(60)

    async def stop(self) -> None:
        for task in self._answering:
            task.cancel()
        await asyncio.gather(*self._answering, return_exceptions=True)
        await self._claw.__aexit__(None, None, None)

    async def crash(self, seconds: float) -> None:
        """It forgets where it was and what it wanted to say, and is back after a while, at the other server."""
        await self.stop()
        await asyncio.sleep(seconds)
        self._claw = OpenClaw(next(self._urls), self.home.token, self._options)
        await self.start()

    async def reply(self, message_id: str, text: str) -> None:
        """Until somebody says yes or no: what was lost on its way is said again, at the other server."""
        for _ in range(TRIES):
            try:
                sent = await self._claw.reply(message_id, text)
            except RuntimeError:
                # it has just crashed, and a stranger's words with it
                return
            if sent.status is not None and sent.status < 500:
                return
            self._turn_away()
            await asyncio.sleep(PAUSE)

    def _hear(self, entry: JournalEntry) -> None:
        if isinstance(entry, ConnectionChange) and entry.state in ("failed", "closed"):
            self._turn_away()
        elif isinstance(entry, MessageReceived):
            task = asyncio.create_task(self._answer(entry))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)

    def _turn_away(self) -> None:
        self._claw.relay_url = next(self._urls)

    async def _answer(self, received: MessageReceived) -> None:
        asked = received.text
        # by the words, so that the seed decides whoever gets them, and however often
        chance = random.Random(f"{self._seed} {asked}")
        manner = "prompt" if words.is_last(asked) else chance.choices(list(MANNERS), list(MANNERS.values()))[0]
        if chance.random() < FOREIGN_SHARE:
            stranger = self._find_stranger(self)
            await stranger.reply(received.id, words.answer_foreign(asked, stranger.home.account))
        text = words.answer(asked, self.home.account)
        await asyncio.sleep(IN_TIME + chance.uniform(0.3, 2.5) if manner == "late" else chance.uniform(0.0, 0.4))
        if manner == "never":
            return
        if manner == "twice":
            await asyncio.gather(self.reply(received.id, text), self.reply(received.id, text))
            return
        await self.reply(received.id, text)
        if manner == "pieces":
            await self.reply(received.id, words.answer(asked, self.home.account, part=2))
