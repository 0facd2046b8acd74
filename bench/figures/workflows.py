"""Runs of ten sequential steps that do nothing, every step its own commit, against DBOS in the same PostgreSQL."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from bench.ground import Ground
from bench.result import Measured, Target, middle
from bench.sides import PEER_PACKAGES, PEERS, Side, peer_python

# as its guide shows it, with threads and with coroutines
WAYS = ("sync", "coroutines")
OURS = Side("pabal", (sys.executable, "-m", "bench.workflows_side"))
TARGETS = (
    Target("steps_vs_dbos", at_least=4),
    Target("run_ms_vs_dbos", at_most=2),
    Target("unseen", at_most=0),
)


@dataclass(frozen=True)
class Sizes:
    runs: int = 1_000
    steps: int = 10
    singles: int = 20
    rounds: int = 3


SMALL = Sizes(runs=10, steps=3, singles=2, rounds=1)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    dbos = Side("dbos", (str(await peer_python()), str(PEERS / "dbos_side.py")))
    rounds = [await _round(ground, dbos, sizes, WAYS)]
    # The worse of the two would take half of the time that is left: ten thousand steps are half a minute there.
    better = (rounds[0]["dbos_way"],)
    rounds += [await _round(ground, dbos, sizes, better) for _ in range(sizes.rounds - 1)]
    fields = {
        "steps_vs_dbos": float(median(one["steps_per_s"] / one["dbos_steps_per_s"] for one in rounds)),
        "run_ms_vs_dbos": float(median(one["run_ms"] / one["dbos_run_ms"] for one in rounds)),
        "unseen": float(sum(one["unseen"] for one in rounds)),
        **{name: middle(rounds, name) for name in ("steps_per_s", "dbos_steps_per_s", "run_ms", "dbos_run_ms")},
    }
    version = next(one for one in PEER_PACKAGES if one.startswith("dbos"))
    notes = (
        f"Peer, in its own environment: {version}, its default pool, sync or async, the better one of the first round.",
        "One worker process on each side, which also starts the runs. A run counts once its end is committed.",
        "unseen: sampled steps whose step before was not done for a second connection when they began.",
    )
    return Measured(fields, TARGETS, rounds, asdict(sizes), notes)


async def _round(ground: Ground, dbos: Side, sizes: Sizes, ways: Sequence[str]) -> dict[str, Any]:
    given = (sizes.runs, sizes.steps, sizes.singles)
    async with ground.fresh() as url:
        await OURS.run("install", url)
        await ground.settle(url)
        ours = await OURS.run("runs", url, *given)
    theirs = {}
    for way in ways:
        async with ground.fresh() as url:
            await dbos.run("install", url)
            await ground.settle(url)
            theirs[way] = await dbos.run(way, url, *given)
    return {
        "steps_per_s": ours["steps"] / ours["seconds"],
        "run_ms": median(ours["single_ms"]),
        "unseen": ours["unseen"],
        "sampled": ours["sampled"],
        "dbos_way": min(theirs, key=lambda way: theirs[way]["seconds"]),
        "dbos_steps_per_s": max(one["steps"] / one["seconds"] for one in theirs.values()),
        "dbos_run_ms": min(median(one["single_ms"]) for one in theirs.values()),
    }
