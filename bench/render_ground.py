"""What the figures of rendering stand on: one composition, folders of a worker and a NAS, and what was written down."""

import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.sides import Side
from pabal.apps.rendering.actions.compositions import put_composition
from pabal.apps.rendering.model.compositions import Composition, FieldMapping
from pabal.apps.rendering.simulator.projects import make_project
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.base.sql import load
from pabal.engine import client, housekeeping
from pabal.platform import tenants
from pabal.platform.actor import ENGINE
from pabal.platform.slice import list_migrations, load_slices

SQL = load(__file__)
APP = "pabal.apps.rendering"
COMPOSITION = "bench"
KEY = "a key for figures only"
# as the worker with After Effects calls it
OUTPUT = "D:/output"
RENDERING = Side("rendering", (sys.executable, "-m", "bench.render_side"))


@dataclass(frozen=True)
class RenderTime:
    """When a machine was at which render, by its own clock, in seconds since 1970."""

    render_id: int
    began: float
    ended: float


@asynccontextmanager
async def laid(url: str) -> AsyncIterator[Path]:
    """The folder of all files."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for one in ("output", "nas", "templates"):
            (folder / one).mkdir()
        (folder / "templates" / "bench.aep").write_bytes(make_project(["_MAIN Bench"]))
        async with client.connect(url) as database:
            await install(database, template=str(folder / "templates" / "bench.aep"))
        yield folder


async def install(database: Database, *, template: str) -> int:
    """The unit everything belongs to."""
    await migrate(database, list_migrations(load_slices([APP])))
    await housekeeping.make_partitions(database)
    one = Composition(id=COMPOSITION, name="_MAIN Bench", template_src=template)
    async with database.transaction() as tx:
        hq = await tenants.ensure_hq(tx)
        await put_composition(tx, ENGINE, one, [FieldMapping(COMPOSITION, "Single - pot", "Pot")], unit_id=hq.id)
    return hq.id


def point_at(nexrender: str, folder: Path, slots: int) -> None:
    """The servers that are started from here on render there."""
    os.environ |= {
        "PABAL_RENDERING_NEXRENDER_URL": nexrender,
        "PABAL_RENDERING_SLOTS": str(slots),
        "PABAL_RENDERING_OUTPUT_DIR": OUTPUT,
        "PABAL_RENDERING_PATHS": f"output = {folder / 'output'} | {OUTPUT}",
        "NAS_MOUNT_PATH": str(folder / "nas"),
    }


def read_times(folder: Path) -> list[RenderTime]:
    """Every render that came to its end."""
    began: dict[int, float] = {}
    found = []
    for line in _read_lines(folder / "nexrender.jsonl"):
        at = datetime.fromisoformat(line["at"]).timestamp()
        if line["kind"] == "render_began":
            began[line["render"]] = at
        elif line["kind"] == "render_ended":
            found.append(RenderTime(int(line["uid"].split("-")[1]), began[line["render"]], at))
    return found


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    for text in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(text)
