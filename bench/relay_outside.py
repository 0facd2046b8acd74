"""Everything outside of a relay, in one process and on one clock: users, instances on streams, Kakao's callbacks."""

import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import uvloop

from bench.peers.words import main, say
from bench.relay_http import Lines, follow, taking_callbacks
from bench.result import percentile

CHANNEL = "bench"
PATIENCE = 10.0
AT_ONCE = 40


@dataclass
class Round:
    """Moments of one message: sent, answered by the relay, with its instance, called back."""

    sent: float
    accepted: float = 0.0
    received: float = 0.0
    ended: asyncio.Future[float] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    @property
    def is_answered(self) -> bool:
        return self.ended.done() and not self.ended.cancelled()


class Outside:
    def __init__(self) -> None:
        self._lines: list[Lines] = []
        self._ports: list[int] = []
        self._origin = ""
        self.rounds: dict[str, Round] = {}
        self.callbacks: Counter[str] = Counter()
        self._numbers = count()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._readers: list[asyncio.Task[None]] = []

    def meet(self, ports: list[int], origin: str) -> None:
        """The relay's servers: webhooks go to them in turn, instances sit at one each. `origin` takes callbacks."""
        self._lines = [Lines(port) for port in ports]
        self._ports, self._origin = ports, origin

    async def sit(self, accounts: int) -> None:
        """Each account has one instance, which answers at once."""
        self._readers = await connect(accounts, self._read)

    async def _read(self, number: int, is_up: asyncio.Event) -> None:
        place = number % len(self._ports)
        token = f"token{number}"
        async for name, data in follow(self._ports[place], token):
            if name == "connected":
                is_up.set()
            elif name == "message":
                self._spawn(self._answer(place, token, json.loads(data)))

    async def _answer(self, place: int, token: str, message: dict[str, Any]) -> None:
        text = message["normalized"]["text"]
        current = self.rounds.get(text)
        if current is not None and not current.received:
            current.received = time.monotonic()
        response = {"version": "2.0", "template": {"outputs": [{"simpleText": {"text": text}}]}}
        body = {"messageId": message["id"], "response": response}
        status, _ = await self._lines[place].post("/openclaw/reply", body, f"Authorization: Bearer {token}\r\n")
        assert status == 200, f"a reply was refused: {status}"

    async def say(self, user: int) -> Round:
        """One word of a user, to the servers in turn; over when Kakao has the answer."""
        number = next(self._numbers)
        text = f"m{number}"
        current = self.rounds[text] = Round(time.monotonic())
        url = f"{self._origin}/v1/bots/{CHANNEL}/callback/{text}"
        properties = {"plusfriendUserKey": f"user{user}", "isFriend": True}
        asked = {
            "callbackUrl": url,
            "utterance": text,
            "lang": "ko",
            "user": {"id": f"user{user}", "type": "botUserKey", "properties": properties},
        }
        body = {"userRequest": asked, "bot": {"id": CHANNEL, "name": "bench"}, "action": {"clientExtra": None}}
        # every other user's instance sits at the other server, as behind a balancer
        place = number // len(self._lines) % len(self._lines)
        _, answer = await self._lines[place].post("/kakao/webhook", body)
        current.accepted = time.monotonic()
        if answer.get("useCallback") is not True:
            # a user who was told so is no worse off than one whose answer never came: both are lost here
            current.ended.cancel()
        return current

    def on_callback(self, path: str, skill: Any) -> None:
        text = path.rpartition("/")[2]
        self.callbacks[text] += 1
        assert skill["template"]["outputs"][0]["simpleText"]["text"] == text, "an answer went to somebody else"
        ended = self.rounds[text].ended
        if not ended.done():
            ended.set_result(time.monotonic())

    def _spawn(self, work: Any) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def offer(self, rate: float, seconds: float, users: int) -> list[Round]:
        """An open loop: so many a second, whatever becomes of those before."""
        began, said = time.monotonic(), []
        for number in range(int(rate * seconds)):
            await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
            said.append(self._spawn(self.say(number % users)))
        found = await asyncio.gather(*said)
        await asyncio.wait([one.ended for one in found], timeout=PATIENCE)
        return found

    async def press(self, users: int, seconds: float) -> float:
        """A closed loop: each user speaks again once answered. Rounds a second."""
        until, done = time.monotonic() + seconds, 0

        async def speak(user: int) -> int:
            rounds = 0
            while time.monotonic() < until:
                current = await self.say(user)
                await asyncio.wait([current.ended], timeout=PATIENCE)
                rounds += current.is_answered
            return rounds

        began = time.monotonic()
        done = sum(await asyncio.gather(*(speak(user) for user in range(users))))
        return done / (time.monotonic() - began)

    def close(self) -> None:
        for task in (*self._readers, *self._tasks):
            task.cancel()
        for line in self._lines:
            line.close()


async def connect(
    streams: int, read: Callable[[int, asyncio.Event], Coroutine[Any, Any, None]]
) -> list[asyncio.Task[None]]:
    """Readers that are all connected; one that is refused ends the run instead of being waited for."""
    up = [asyncio.Event() for _ in range(streams)]
    readers: list[asyncio.Task[None]] = []
    # a server takes only so many strangers of one address at once
    for start in range(0, streams, AT_ONCE):
        some = list(enumerate(up))[start : start + AT_ONCE]
        readers += [asyncio.create_task(read(number, event)) for number, event in some]
        await asyncio.wait_for(asyncio.gather(*(event.wait() for _, event in some)), PATIENCE)
    return readers


def describe(rounds: list[Round]) -> dict[str, float]:
    accepted = [1000 * (one.accepted - one.sent) for one in rounds]
    received = [1000 * (one.received - one.sent) for one in rounds if one.received]
    ended = [1000 * (one.ended.result() - one.sent) for one in rounds if one.is_answered]
    return {
        "webhook_p50_ms": percentile(accepted, 0.5),
        "webhook_p99_ms": percentile(accepted, 0.99),
        "webhook_to_client_p50_ms": percentile(received, 0.5),
        "webhook_to_client_p99_ms": percentile(received, 0.99),
        "round_p50_ms": percentile(ended, 0.5),
        "round_p99_ms": percentile(ended, 0.99),
        "lost": len(rounds) - len(ended),
    }


async def wait_for_ports() -> list[int]:
    """Whoever started this says where the servers listen, once they do."""
    line = await asyncio.to_thread(sys.stdin.readline)
    return [int(port) for port in line.split()]


async def drive(word: str, first: float, seconds: float, *more: float) -> dict[str, Any]:
    """`windows`: rate, seconds, accounts, windows, users. `closed`: users, seconds, accounts."""
    outside = Outside()
    async with taking_callbacks(outside.on_callback) as origin:
        say(origin=origin)
        outside.meet(await wait_for_ports(), origin)
        await outside.sit(int(more[0]))
        if word == "closed":
            await outside.press(int(first), min(seconds, 1.0))
            answer: dict[str, Any] = {"rounds_per_s": await outside.press(int(first), seconds)}
        else:
            answer = await _windows(outside, first, seconds, windows=int(more[1]), users=int(more[2]))
        answer["twice"] = sum(number - 1 for number in outside.callbacks.values())
        outside.close()
    return answer


async def _windows(outside: Outside, rate: float, seconds: float, *, windows: int, users: int) -> dict[str, Any]:
    # the first of a process finds its way
    await outside.offer(rate, min(seconds, 2.0), users)
    found = [describe(await outside.offer(rate, seconds, users)) for _ in range(windows)]
    return {"windows": found, "most_per_s": await outside.press(min(users, 50), seconds / 2)}


async def listen(url: str, port: float, streams: float) -> dict[str, Any]:
    """So many idle streams at one server, until it is killed."""

    async def read(number: int, is_up: asyncio.Event) -> None:
        async for name, _ in follow(int(port), f"token{number}"):
            if name == "connected":
                is_up.set()

    readers = await connect(int(streams), read)
    say(connected=len(readers))
    await asyncio.gather(*readers)
    return {}


if __name__ == "__main__":
    main({"drive": drive, "listen": listen}, uvloop.run)
