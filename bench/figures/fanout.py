"""One workflow over 10,000 items and back in, against 10,000 plain jobs of the same server."""

import sys
from dataclasses import asdict, dataclass
from typing import Any

from bench.ground import Ground
from bench.result import Measured, Target, middle, middle_ratio
from bench.sides import Side

OURS = Side("pabal", (sys.executable, "-m", "bench.workflows_side"))
TARGETS = (Target("of_plain", at_most=3),)


@dataclass(frozen=True)
class Sizes:
    items: int = 10_000
    rounds: int = 3


SMALL = Sizes(items=100, rounds=1)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    rounds: list[dict[str, Any]] = []
    for _ in range(sizes.rounds):
        async with ground.fresh() as url:
            await OURS.run("install", url)
            await ground.settle(url)
            rounds.append(await OURS.run("fanout", url, sizes.items))
    fields = {
        "of_plain": middle_ratio(rounds, "seconds", "plain_seconds"),
        "run_seconds": middle(rounds, "seconds"),
        "plain_seconds": middle(rounds, "plain_seconds"),
    }
    notes = (
        "From the commit that starts it to the commit that ends it. "
        "Items that end together share a commit, and so do plain jobs.",
    )
    return Measured(fields, TARGETS, rounds, asdict(sizes), notes)
