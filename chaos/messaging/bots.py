"""The phones of a run, in a process of its own: python -m chaos.messaging.bots. What arrives, each writes down itself.

They also make their own trouble, by the seed, until SIGUSR1 says that it is enough. SIGTERM ends them.
"""

import argparse
import asyncio
import json
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

from chaos.history import History
from chaos.messaging.ground import bot_name
from pabal.apps.messaging.simulator.bot import SimulatedBot
from pabal.apps.messaging.simulator.options import Change, Options, Server, Trouble
from pabal.apps.messaging.simulator.witness import Received

# A phone that takes four seconds to come back takes a fifth of one.
PACE = 0.05
TROUBLES = {"leave": 3, "move": 4, "cut": 3, "deaf": 2, "kill": 4}
# Every so many phones sleep so much longer over a picture than their own rule says.
SLOW_ONE_IN, SLOW_FACTOR = 4, 5.0
# This file says that all are.
CONNECTED = "connected"
CUTS = (1000, 70_000, 1_000_000)


class Witness:
    """One bot's log: a line for each arrival and each change of its connection, on disk before the next step."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o644)

    def tell(self, news: Received | Change) -> None:
        if isinstance(news, Received):
            what = [news.text] if news.kind == "text" else [image.sha256 for image in news.images]
            line = {"what": "received", "parts": what, "room": news.room, "channel": news.channel_id}
        else:
            line = {"what": news.state, "message": news.message}
        self._append({"at": news.at.timestamp(), **line, "server": news.server})

    def _append(self, line: dict[str, object]) -> None:
        os.write(self._file, (json.dumps(line, ensure_ascii=False) + "\n").encode())
        os.fdatasync(self._file)


async def live(folder: Path, servers: list[Server], *, count: int, seed: int) -> None:
    (folder / "bots").mkdir(exist_ok=True)
    bots = []
    for number in range(count):
        witness = Witness(folder / "bots" / f"{bot_name(number)}.jsonl")
        # Half of them begin with the one, half with the other.
        given = servers if number % 2 else servers[::-1]
        slow = Trouble(media_factor=1.0 if number % SLOW_ONE_IN else SLOW_FACTOR)
        bots.append(SimulatedBot(bot_name(number), given, Options(pace=PACE, tell=witness.tell, trouble=slow)))
    calm, stopped = _on(signal.SIGUSR1), _on(signal.SIGTERM)
    parent = os.getppid()
    for bot in bots:
        bot.start()
    await asyncio.gather(*(bot.until(lambda one: one.is_approved, timeout=60) for bot in bots))
    (folder / CONNECTED).touch()
    troubles = Troubles(bots, History(folder / "history", "bots"), random.Random(f"bots {seed}"))
    while not stopped.is_set() and os.getppid() == parent:
        await (asyncio.sleep(0.1) if calm.is_set() else troubles.make_one())
    await asyncio.gather(*(bot.stop() for bot in bots))


class Troubles:
    def __init__(self, bots: list[SimulatedBot], history: History, chance: random.Random) -> None:
        self._bots, self._history, self._chance = bots, history, chance

    async def make_one(self) -> None:
        chance = self._chance
        await asyncio.sleep(chance.uniform(0.05, 0.5))
        bot, what = chance.choice(self._bots), chance.choices(list(TROUBLES), list(TROUBLES.values()))[0]
        # Drawn in any case, so that what comes next does not hang on what this one was.
        cut, seconds = chance.choice(CUTS), chance.uniform(0.3, 2.5)
        self._history.write(what, bot=bot.name)
        match what:
            case "leave":
                bot.hang_up()
            case "move":
                bot.move(bot.servers[::-1])
            case "cut":
                bot.trouble.cut_after_bytes = cut
            case "kill":
                # Wherever it is: with what it has read and not handled, asleep over a picture, before its answer.
                await bot.stop()
                asyncio.get_running_loop().call_later(seconds / 2, bot.start)
            case _:
                bot.stop_reading()
                asyncio.get_running_loop().call_later(seconds, _hear_again(bot))


def _hear_again(bot: SimulatedBot) -> Callable[[], None]:
    """It did not read, and then it is gone: whatever was on its way is cut in the middle."""

    def hear() -> None:
        bot.hang_up()
        bot.resume_reading()

    return hear


def _on(number: signal.Signals) -> asyncio.Event:
    event = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(number, event.set)
    return event


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--ports", type=int, nargs="+", required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    given = parser.parse_args()
    servers = [("127.0.0.1", port) for port in given.ports]
    asyncio.run(live(given.folder, servers, count=given.count, seed=given.seed))


if __name__ == "__main__":
    main()
