"""Stand-ins and people of a run, in a process of its own: python -m chaos.platform.outside.

SIGUSR1: enough trouble; what still waits is answered. SIGTERM ends it.
"""

import argparse
import asyncio
import os
import random
import signal
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import uvloop

from chaos.history import History
from chaos.platform.desk import ASKED, COUNTED
from chaos.platform.evidence import approval_of
from chaos.platform.ground import BOT, GROUP, PEOPLE, Laid
from chaos.platform.standins import HOST, Bucket, Cable, Chat, Receiver, serve
from chaos.relay.outside import _on, _until_over

# these files say that servers were reached, and that everything was said
CONNECTED, QUIET = "connected", "quiet"
AWAY = (httpx2.HTTPError, OSError)


class People:
    def __init__(
        self, urls: list[str], laid: Laid, chat: Chat, receiver: Receiver, history: History, *, seed: int
    ) -> None:  # long: whom they talk to, and what they are told by
        self._urls, self._chat, self._receiver, self._history = urls, chat, receiver, history
        headers = {"Authorization": f"Bearer {laid.token}"}
        self._client = httpx2.AsyncClient(headers=headers, timeout=6.0)
        self._seed = seed
        self._pressed: dict[int, int] = {}

    async def connect(self) -> None:
        while await self._call("GET", "/api/v1/me", times=1) is None:
            await asyncio.sleep(0.2)

    async def publish(self, calm: asyncio.Event) -> None:
        """Each until somebody says that it is taken, under the same key."""
        chance = random.Random(f"publish {self._seed}")
        for number in count(1):
            if calm.is_set():
                return
            name, event_id = (ASKED if number % 12 == 1 else COUNTED), f"e-{number}"
            said = {"name": name, "event_id": event_id, "key": f"k:{number % 5}", "data": {"n": number}}
            self._history.write("saying", id=event_id, name=name)
            answer = await self._call("POST", "/api/v1/events", json=said, key=event_id)
            self._history.write("said", id=event_id, name=name, status=None if answer is None else answer.status_code)
            await asyncio.sleep(chance.uniform(0.02, 0.25))

    async def upload(self, calm: asyncio.Event) -> None:
        chance = random.Random(f"files {self._seed}")
        for number in count(1):
            if calm.is_set():
                return
            text = f"file {number} of {self._seed} " * chance.randint(1, 200)
            given = {"file": (f"f-{number}.txt", text.encode())}
            answer = await self._call("POST", "/api/v1/files?kind=any", files=given, times=1)
            if answer is not None and answer.status_code == 201:
                self._history.write(
                    "kept", id=answer.json()["id"], sha256=answer.json()["sha256"], name=f"f-{number}.txt"
                )
            await asyncio.sleep(chance.uniform(0.2, 0.8))

    async def press(self, calm: asyncio.Event) -> None:
        """Until it is cancelled. Several press the same card, some of them the other button; at the end what waits."""
        chance = random.Random(f"press {self._seed}")
        while True:
            await asyncio.sleep(chance.uniform(0.05, 0.3))
            waiting = [one for one in self._chat.received if one.buttons]
            for one in waiting[: 1 + 4 * calm.is_set()]:
                for _ in range(chance.choice((1, 1, 2, 3))):
                    self._press_one(one.message_id, chance)
            if chance.random() < 0.2 or calm.is_set():
                await self._decide(chance)

    def _press_one(self, message_id: int, chance: random.Random) -> None:
        one = next(found for found in self._chat.received if found.message_id == message_id)
        if not one.buttons or self._pressed.get(message_id, 0) > 40:
            return
        self._pressed[message_id] = self._pressed.get(message_id, 0) + 1
        who, (_, data) = chance.choice(PEOPLE), chance.choice(one.buttons[0])
        self._history.write("pressed", message=message_id, who=who, data=data)
        self._chat.press(bot_id=BOT, from_id=who, chat_id=GROUP, message_id=message_id, data=data)

    async def _decide(self, chance: random.Random) -> None:
        """By REST, at both servers at once with opposite answers. Only what they were told of: a request that nobody
        tells anybody about is left, and seen."""
        listed = await self._call("GET", "/api/v1/approvals?state=open", times=1)
        if listed is None or listed.status_code != 200:
            return
        told = {data.split(":")[1] for one in self._chat.received for row in one.buttons for _, data in row}
        told |= {approval_of(about) for about in self._receiver.told}
        waiting = [one["id"] for one in listed.json()["items"] if one["id"] in told]
        if not waiting:
            return
        which = chance.choice(waiting)
        verdicts = ["approve", "reject"]
        chance.shuffle(verdicts)
        await asyncio.gather(*(self._say(which, verdict, slot) for slot, verdict in enumerate(verdicts)))

    async def _say(self, which: str, verdict: str, slot: int) -> None:
        path = f"/api/v1/approvals/{which}/decision"
        answer = await self._call("POST", path, json={"verdict": verdict}, times=1, first=slot)
        if answer is not None and answer.status_code == 200:
            self._history.write("decided", id=which, verdict=verdict, state=answer.json()["state"])

    async def _call(
        self, method: str, path: str, *, key: str = "", times: int = 60, first: int | None = None, **given: Any
    ) -> httpx2.Response | None:
        """At one server, then at the other, until one has an answer that is not about its own trouble."""
        headers = {"Idempotency-Key": f"key-{key}"} if key else {}
        start = len(self._pressed) if first is None else first
        for number in range(times):
            url = self._urls[(start + number) % len(self._urls)]
            try:
                answer = await self._client.request(method, f"{url}{path}", headers=headers, **given)
            except AWAY:
                await asyncio.sleep(0.15)
                continue
            if (answer.status_code < 500 and answer.status_code != 409) or times == 1:
                return answer
            await asyncio.sleep(0.15)
        return None


async def trouble(cables: dict[str, Cable], history: History, seed: int, calm: asyncio.Event) -> None:
    """One service at a time is gone for up to two seconds."""
    chance = random.Random(f"cables {seed}")
    while not calm.is_set():
        await asyncio.sleep(chance.uniform(0.5, 2.5))
        name = chance.choice(sorted(cables))
        history.write("cut", service=name)
        cables[name].cut()
        await asyncio.sleep(chance.uniform(0.1, 2.0))
        await cables[name].mend()
        history.write("mended", service=name)


async def live(given: argparse.Namespace) -> None:
    folder: Path = given.folder
    calm, stopped = _on(signal.SIGUSR1), _on(signal.SIGTERM)
    history = History(folder / "history", "outside")
    chat, receiver, bucket = Chat(history), Receiver(history), Bucket()
    ports = dict(zip(("telegram", "webhook", "store"), zip(given.fronts, given.backs, strict=True), strict=True))
    apps = {"telegram": chat, "webhook": receiver, "store": bucket}
    serving = [asyncio.create_task(serve(app, ports[name][1])) for name, app in apps.items()]
    cables = {name: Cable(*ends) for name, ends in ports.items()}
    for cable in cables.values():
        await cable.mend()
    urls = [f"http://{HOST}:{port}" for port in given.ports]
    people = People(urls, Laid.read(folder), chat, receiver, history, seed=given.seed)

    async def work() -> None:
        await people.connect()
        (folder / CONNECTED).touch()
        pressing = asyncio.create_task(people.press(calm))
        await asyncio.gather(trouble(cables, history, given.seed, calm), people.publish(calm), people.upload(calm))
        (folder / QUIET).touch()
        await asyncio.wait((pressing, asyncio.create_task(stopped.wait())), return_when=asyncio.FIRST_COMPLETED)
        pressing.cancel()

    working, over = asyncio.create_task(work()), asyncio.create_task(_until_over(stopped))
    await asyncio.wait((working, over), return_when=asyncio.FIRST_COMPLETED)
    for path, content in bucket.objects.items():
        history.write("object", path=path, size=len(content))
    if working.done():
        await working
    for task in (working, *serving):
        task.cancel()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    for name in ("--ports", "--fronts", "--backs"):
        parser.add_argument(name, type=int, nargs="+", required=True)
    parser.add_argument("--seed", type=int, required=True)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(live(parser.parse_args()))
    os._exit(0)


if __name__ == "__main__":
    main()
