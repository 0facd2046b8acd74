"""One run of one figure for `bench.pairs`, by whichever checkout is on the path: it uses only what old ones have."""

import asyncio
import importlib
import json
import resource
import sys
from dataclasses import replace
from typing import Any

import psutil

from bench.ground import Ground, folder, stand

# WAL and buffers of the whole cluster, whatever databases were dropped meanwhile.
USED = """
select (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 / 2 ^ 20 as wal_mb,
  (select sum(coalesce(hits, 0) + coalesce(reads, 0)) from pg_stat_io)::float8 as buffers
"""


async def measure(name: str, sizes: dict[str, float]) -> dict[str, float]:
    figure: Any = importlib.import_module(f"bench.figures.{name}")
    if hasattr(figure, "peers"):
        figure.peers, figure._against_best = _no_peers, _no_ratio
    async with stand() as ground:
        before = await _used(ground)
        measured = await figure.measure(ground, replace(figure.Sizes(), **sizes))
        after = await _used(ground)
    return {**measured.fields, **{each: after[each] - before[each] for each in before}}


async def _no_peers() -> list[Any]:
    return []


def _no_ratio(*_: object) -> float:
    return 1.0


async def _used(ground: Ground) -> dict[str, float]:
    [row] = await ground._admin.fetch(USED)
    return {"cpu_s": _cpu_seconds(), **row}


def _cpu_seconds() -> float:
    """Of PostgreSQL and of the programs that have ended so far."""
    [cluster] = folder().glob("postgres/**/postmaster.pid")
    postmaster = psutil.Process(int(cluster.read_text().split()[0]))
    alive = [one.cpu_times() for one in (postmaster, *postmaster.children())]
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    of_ended_backends = alive[0].children_user + alive[0].children_system
    return sum(one.user + one.system for one in alive) + of_ended_backends + ended.ru_utime + ended.ru_stime


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(sys.argv[1], json.loads(sys.argv[2])))))
