"""Builders for tests of the simulated nexrender: jobs, a client, and what its journal holds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import httpx2

from pabal.apps.rendering.simulator.films import Film
from pabal.apps.rendering.simulator.journal import FarmEntry
from pabal.apps.rendering.simulator.options import LocalFolder, NexrenderOptions
from pabal.apps.rendering.simulator.server import SimulatedNexrender

E = TypeVar("E", bound=FarmEntry)
# Small and quick: what is shown does not depend on the time a render takes.
QUICK = NexrenderOptions(seconds=(0.0, 0.0), steps=4, film=Film(320, 180, 1.0))


class Farm:
    def __init__(self, nexrender: SimulatedNexrender, client: httpx2.AsyncClient) -> None:
        self.nexrender, self.client = nexrender, client

    async def post(self, uid: str, output: str = "", **fields: Any) -> httpx2.Response:
        return await self.client.post("/api/v1/jobs", json=make_job(uid, output, **fields))

    async def find(self, uid: str) -> Any:
        answer = await self.client.get(f"/api/v1/jobs/{uid}")
        return answer.json() if answer.content else None

    async def find_status(self, uid: str) -> Any:
        return (await self.client.get(f"/api/v1/jobs/{uid}/status")).json()

    def entries(self, kind: type[E]) -> list[E]:
        return [entry for entry in self.nexrender.journal.entries if isinstance(entry, kind)]

    async def until(self, kind: type[E], count: int = 1, **fields: Any) -> list[E]:
        """So many entries of this kind with these fields."""

        def find() -> list[E]:
            return [one for one in self.entries(kind) if all(getattr(one, name) == fields[name] for name in fields)]

        await self.nexrender.journal.until(lambda: len(find()) >= count)
        return find()


@asynccontextmanager
async def open_farm(options: NexrenderOptions = QUICK, **changes: Any) -> AsyncIterator[Farm]:
    async with SimulatedNexrender(replace(options, **changes)) as nexrender:
        headers = {"nexrender-secret": nexrender.options.secret} if nexrender.options.secret else {}
        async with httpx2.AsyncClient(base_url=nexrender.url, headers=headers, trust_env=False) as client:
            yield Farm(nexrender, client)


def make_job(uid: str, output: str = "", *, composition: str = "Main", **fields: Any) -> dict[str, Any]:
    """As section 3.2 of the protocol has it."""
    copy = {"module": "@nexrender/action-copy", "input": "result.mp4", "output": output}
    return {
        "uid": uid,
        "template": {"src": "file:///d:/templates/a.aep", "composition": composition, "outputExt": "mp4"},
        "assets": [{"type": "data", "layerName": "Name 1", "property": "Source Text", "value": "PHIL IVEY"}],
        "actions": {"postrender": [copy] if output else []},
        **fields,
    }


def map_drive(folder: Path) -> tuple[LocalFolder, ...]:
    return (LocalFolder("d:/output", folder),)
