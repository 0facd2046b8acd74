"""The channel with its users and the instances of a run, in a process of its own: python -m chaos.relay.outside.

What each of them sees it writes down itself. They make their own trouble, by the seed, until SIGUSR1 says that it is
enough; then every user says one last word. SIGTERM ends them.
"""

import argparse
import asyncio
import os
import random
import signal
from collections.abc import Awaitable, Callable
from itertools import cycle
from pathlib import Path

import uvloop

from chaos.history import History
from chaos.relay import words
from chaos.relay.ground import CHANNEL, LIFE, Laid
from chaos.relay.instances import Home, Instance
from pabal.apps.relay.simulator.kakao import KakaoChannel, SkillAsked, SkillCall
from pabal.apps.relay.simulator.options import CallbackBehaviour, ChannelOptions, ReadingMode

# These files say that all instances are, and that every user has said the last word.
CONNECTED, QUIET = "connected", "quiet"
INSTANCES_EACH = 2
# Seconds between two messages of a user.
PAUSES = (1.5, 5.0)
BEHAVIOURS = {
    CallbackBehaviour(): 88,
    CallbackBehaviour(slow=0.6): 4,
    CallbackBehaviour(refuse=True): 3,
    CallbackBehaviour(die=True): 3,
    CallbackBehaviour(error=True): 2,
}
REPEATED_SHARE = 0.2
LAST_WORDS = 5


class Callers:
    """KakaoTalk, which calls the two servers in turn, and the other one where nobody listens."""

    def __init__(self, channel: KakaoChannel, urls: list[str], history: History) -> None:
        self._channel, self._urls, self._history = channel, urls, history
        self._slots = cycle(range(len(urls)))

    async def say(self, user: str, text: str, chance: random.Random) -> None:
        with_callback = chance.random() < 0.8
        event_id = text if chance.random() < (0.1 if with_callback else 0.5) else None
        behaviour = chance.choices(list(BEHAVIOURS), list(BEHAVIOURS.values()))[0]
        nulls, repeated_after = chance.random() < 0.2, chance.choice((0.0, 0.3, 1.5))
        is_repeated = chance.random() < REPEATED_SHARE
        saying = asyncio.create_task(
            self._call(
                lambda: self._channel.say(
                    user, text, with_callback=with_callback, event_id=event_id, bot_id=CHANNEL, nulls=nulls,
                    behaviour=behaviour,
                )
            )
        )  # fmt: skip
        if is_repeated:
            await asyncio.sleep(repeated_after)
            asked = self._find_asked(text)
            await self._call(lambda: self._channel.repeat(asked))
        await saying

    async def say_last(self, user: str, text: str) -> bool:
        """Whether it is queued: late answers go out with it."""
        return (await self._call(lambda: self._channel.say(user, text, bot_id=CHANNEL))).uses_callback

    def _find_asked(self, text: str) -> SkillAsked:
        entries = reversed(self._channel.journal.entries)
        return next(one for one in entries if isinstance(one, SkillAsked) and one.text == text)

    async def _call(self, call: Callable[[], Awaitable[SkillCall]]) -> SkillCall:
        slot = next(self._slots)
        made = await self._call_at(slot, call)
        if made.fault.startswith("ConnectError"):
            made = await self._call_at((slot + 1) % len(self._urls), lambda: self._channel.repeat(made))
        return made

    async def _call_at(self, slot: int, call: Callable[[], Awaitable[SkillCall]]) -> SkillCall:
        """The address is read before anything is awaited."""
        self._channel.relay_url = self._urls[slot]
        made = await call()
        self._history.write("posted", number=made.number, slot=slot)
        return made


async def live(given: argparse.Namespace) -> None:
    folder: Path = given.folder
    laid, urls = Laid.read(folder), [f"http://127.0.0.1:{port}" for port in given.ports]
    calm, stopped = _on(signal.SIGUSR1), _on(signal.SIGTERM)
    history = History(folder / "history", "outside")
    options = ChannelOptions(port=given.channel, life_seconds=LIFE.total_seconds(), log=folder / "channel.jsonl")
    instances = _make_instances(folder, laid, urls, given.seed)
    async with KakaoChannel(urls[0], options) as channel:
        callers = Callers(channel, urls, history)

        async def work() -> None:
            await asyncio.gather(*(one.start() for one in instances))
            await asyncio.gather(*(one.wait_until_connected() for one in instances))
            (folder / CONNECTED).touch()
            chance = random.Random(f"outside {given.seed}")
            talking = (_talk(user, callers, given.seed, calm) for user in laid.users)
            await asyncio.gather(_trouble(instances, history, chance, calm), *talking)
            (folder / QUIET).touch()
            await stopped.wait()

        working, over = asyncio.create_task(work()), asyncio.create_task(_until_over(stopped))
        await asyncio.wait((working, over), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            await working
        working.cancel()
        await asyncio.gather(*(one.stop() for one in instances))


async def _until_over(stopped: asyncio.Event) -> None:
    parent = os.getppid()
    while not stopped.is_set() and os.getppid() == parent:
        await asyncio.sleep(0.1)


def _make_instances(folder: Path, laid: Laid, urls: list[str], seed: int) -> list[Instance]:
    """Of each account one by stream and one by long poll, at different servers."""
    (folder / "instances").mkdir(exist_ok=True)
    chance = random.Random(f"strangers {seed}")
    made: list[Instance] = []

    def find_stranger(own: Instance) -> Instance:
        return chance.choice([one for one in made if one.home.account != own.home.account])

    for account, token in laid.tokens.items():
        for number, mode in enumerate((ReadingMode.SSE, ReadingMode.POLL)[:INSTANCES_EACH]):
            log = folder / "instances" / f"{account}.{number + 1}.jsonl"
            turned = (*urls[len(made) % 2 :], *urls[: len(made) % 2])
            made.append(Instance(Home(account, token, turned, mode, log), str(seed), find_stranger))
    return made


async def _talk(user: str, callers: Callers, seed: int, calm: asyncio.Event) -> None:
    chance, number = random.Random(f"{seed} {user}"), 0
    while not calm.is_set():
        await asyncio.sleep(chance.uniform(*PAUSES))
        number += 1
        await callers.say(user, words.ask(user, number), chance)
    for last in range(number + 1, number + 1 + LAST_WORDS):
        if await callers.say_last(user, words.ask(user, last, is_last=True)):
            return


async def _trouble(instances: list[Instance], history: History, chance: random.Random, calm: asyncio.Event) -> None:
    """One after the other, so that most of them are there."""
    while not calm.is_set():
        await asyncio.sleep(chance.uniform(0.3, 1.5))
        victim, seconds = chance.choice(instances), chance.uniform(0.1, 1.5)
        history.write("crash", instance=victim.home.log.stem)
        await victim.crash(seconds)


def _on(number: signal.Signals) -> asyncio.Event:
    event = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(number, event.set)
    return event


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--ports", type=int, nargs="+", required=True)
    parser.add_argument("--channel", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(live(parser.parse_args()))


if __name__ == "__main__":
    main()
