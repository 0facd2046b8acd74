"""64 renders on 8 slots at a nexrender that takes 15 to 25 seconds for each: what we add, and how busy slots are."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta

from bench.ground import Ground
from bench.render_ground import COMPOSITION, KEY, RENDERING, SQL, RenderTime, laid, point_at, read_times
from bench.result import Measured, Target, percentile
from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions.requesting import RenderRequest, request_many
from pabal.base.database import Database
from pabal.engine import client
from pabal.platform import settings
from pabal.platform.actor import ENGINE
from pabal.platform.secrets import Vault

CEILING = 600.0
TARGETS = (
    Target("added_p50_s", at_most=3.5),
    Target("added_p99_s", at_most=7),
    Target("busy", at_least=0.8),
    Target("twice", at_most=0),
)


@dataclass(frozen=True)
class Sizes:
    """`follow` None: as the settings are by default."""

    renders: int = 64
    slots: int = 8
    least: float = 15.0
    most: float = 25.0
    seed: int = 1
    follow: float | None = None


SMALL = Sizes(renders=3, slots=2, least=0.2, most=0.4, follow=0.2)


@dataclass(frozen=True)
class Rendered:
    """Moments in seconds since 1970; all clocks are this machine's."""

    id: int
    state: str
    slot: str
    created_at: float
    claimed_at: float
    completed_at: float | None


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    async with ground.fresh() as url, laid(url) as folder:
        await ground.settle(url)
        given = (folder, sizes.slots, sizes.least, sizes.most, sizes.seed)
        async with RENDERING.start("nexrender", *given) as nexrender:
            point_at((await nexrender.line())["address"], folder, sizes.slots)
            async with RENDERING.start("serve", url, folder) as server:
                await server.line()
                found = await _run(url, sizes)
        times = read_times(folder)
    added = list_added(found, times)
    fields = {
        "added_p50_s": percentile(added, 0.5),
        "added_p99_s": percentile(added, 0.99),
        "busy": share_busy(found, times, sizes.slots),
        "twice": sum(count - 1 for count in Counter(one.render_id for one in times).values()),
        "missing": sum(one.state != "completed" for one in found),
        "whole_s": max(one.completed_at or 0.0 for one in found) - min(one.created_at for one in found),
    }
    notes = (
        "Added is from the moment a slot was free and the job was there until it is completed, less the time its "
        "machine rendered it by nexrender's own journal: claim, checks, submission, noticing the end, check of the "
        "film, copy and verification.",
        "Busy is the share of the slots' time in which their machines rendered, from the first request until nobody "
        "waits any more.",
    )
    rounds = [{"round": 0, "added_s": [round(one, 2) for one in sorted(added)]}]
    return Measured(fields, (*TARGETS, Target("missing", at_most=0)), rounds, asdict(sizes), notes)


async def _run(url: str, sizes: Sizes) -> list[Rendered]:
    async with client.connect(url) as database:
        wanted = [
            RenderRequest(COMPOSITION, {"single_fields": {"pot": str(number)}}) for number in range(sizes.renders)
        ]
        async with database.transaction() as tx:
            if sizes.follow is not None:
                await settings.change(tx, ENGINE, own.FOLLOW_EVERY, timedelta(seconds=sizes.follow))
            await request_many(tx, ENGINE, Vault(KEY), wanted, unit_id=1)
        async with asyncio.timeout(CEILING):
            while await _count_open(database):
                await asyncio.sleep(0.5)
        async with database.transaction() as tx:
            return await tx.all(Rendered, SQL.list_renders)


async def _count_open(database: Database) -> int:
    async with database.transaction() as tx:
        count: int = await tx.value(SQL.count_open)
        return count


def list_added(found: Sequence[Rendered], times: Sequence[RenderTime]) -> list[float]:
    took = {one.render_id: one.ended - one.began for one in times}
    by_slot: dict[str, list[Rendered]] = defaultdict(list)
    for one in sorted(found, key=lambda one: one.claimed_at):
        by_slot[one.slot].append(one)
    added = []
    for renders in by_slot.values():
        free_at = [0.0, *(one.completed_at or 0.0 for one in renders)]
        for one, free in zip(renders, free_at, strict=False):
            if one.completed_at is not None:
                added.append(one.completed_at - max(one.created_at, free) - took[one.id])
    return added


def share_busy(found: Sequence[Rendered], times: Sequence[RenderTime], slots: int) -> float:
    since = min(one.created_at for one in found)
    until = max(one.claimed_at for one in found)
    rendering = sum(max(0.0, min(one.ended, until) - max(one.began, since)) for one in times)
    return rendering / (slots * (until - since))
