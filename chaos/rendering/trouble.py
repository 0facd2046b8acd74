"""What is done to nexrender and the NAS besides what is done to the servers."""

import asyncio
from contextlib import suppress
from typing import Any

import httpx2

from chaos.monkey import Monkey
from chaos.plan import Fault
from chaos.rendering.crew import RenderCrew
from chaos.rendering.evidence import list_rendering
from chaos.rendering.places import Places
from chaos.rendering.plan import AWAY
from pabal.base.clock import elapsed

WAIT_SECONDS = 5.0
# How nexrender misbehaves by itself, each for one request or one job.
MISBEHAVIOURS: tuple[dict[str, Any], ...] = (
    {"kind": "no_answer", "match": "POST /api/v1/jobs"},
    {"kind": "no_answer", "match": "GET *"},
    {"kind": "slow", "value": 2.5, "match": "POST /api/v1/jobs"},
    {"kind": "forget"},
    {"kind": "double"},
    {"kind": "hang", "value": 40},
    {"kind": "fail", "value": 60, "text": "Error: aerender ERROR: the disk is full"},
    {"kind": "late_copy", "value": 2},
    {"kind": "no_file"},
    {"kind": "short_file"},
    {"kind": "broken_file"},
)


class RenderMonkey(Monkey):
    """`crew` is known here as what it is: it has a nexrender."""

    def __init__(self, crew: RenderCrew, places: Places, *given: Any, **more: Any) -> None:
        super().__init__(crew, *given, **more)
        self._farm, self._places = crew, places
        self._returning: asyncio.Task[None] | None = None

    async def _hurt(self, fault: Fault) -> None:
        seconds = AWAY[0] + fault.choice * (AWAY[1] - AWAY[0])
        match fault.what:
            case "nexrender":
                await self._find_rendering()
                self.done["nexrender"] += self._farm.kill_nexrender(seconds)
            case "restart":
                # only the server: its machines go on, and tell nobody
                await self._find_rendering()
                self.done["restart"] += await self._ask("restart", {"seconds": seconds})
            case "hang":
                self.done["hang"] += self._farm.stop_nexrender(seconds)
            case "nas":
                self._take_nas(seconds)
            case "lose":
                await self._lose_machine(fault.choice)
            case "misbehave":
                await self._ask("faults", MISBEHAVIOURS[int(fault.choice * len(MISBEHAVIOURS))])
                self.done["misbehave"] += 1
            case _:
                await super()._hurt(fault)

    async def calm(self) -> None:
        """Nothing more happens; whatever hangs goes on."""
        if self._returning is not None:
            await self._returning
        async with asyncio.timeout(30):
            while not await self._ask("faults", None, verb="DELETE") or not await self._ask("release", None):
                await asyncio.sleep(0.2)

    def _take_nas(self, seconds: float) -> None:
        if not self._places.nas.exists():
            return
        self._history.write("nas away", seconds=seconds)
        self._places.nas.rename(self._places.nas_away)
        self.done["nas"] += 1
        self._returning = asyncio.create_task(self._return_nas(seconds))

    async def _return_nas(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self._places.nas_away.rename(self._places.nas)
        self._history.write("nas back")

    async def _find_rendering(self) -> list[int]:
        """Machines that render, by the journal. Waits for one: what idles has nothing to lose."""
        ceiling = elapsed() + WAIT_SECONDS
        while not (found := list_rendering(self._places.journal)) and elapsed() < ceiling:
            await asyncio.sleep(0.05)
        return found

    async def _lose_machine(self, choice: float) -> None:
        """With what it renders; nexrender has no lease, and never learns of it."""
        found = await self._find_rendering() or [1]
        number = found[int(choice * len(found))]
        self.done["lose"] += await self._ask(f"workers/{number}/kill", None)
        await self._ask(f"workers/{number}/start", None)

    async def _ask(self, place: str, body: Any, *, verb: str = "POST") -> bool:
        """It may be away, or not answer."""
        with suppress(httpx2.RequestError):
            async with httpx2.AsyncClient(trust_env=False, timeout=1.0) as client:
                answer = await client.request(verb, f"{self._farm.nexrender_url}/sim/{place}", json=body)
                return answer.status_code == 200
        return False
