"""`python -m bench.pairs BEFORE NAME …` measures this code and an older checkout in turn, and prints paired ratios.

A ratio above 1 is worse than before, whatever the field means. Each run reports its processor time, WAL and buffers,
PostgreSQL's included; peers are left out, because only our two sides are compared.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from bench.ground import ROOT

# Smaller than a figure's own sizes where a run would take minutes: ten runs of each must fit into an hour.
SIZES: Mapping[str, Mapping[str, float]] = {
    "queue": {"rounds": 1},
    "limit": {"rounds": 1},
    "scale": {"many": 200_000, "rounds": 1},
    "snapshot": {"seconds": 10, "edge": 3},
    "lanes": {"rounds": 1},
    "storm": {"rounds": 1, "timers": 50_000},
    "schedules": {"schedules": 50_000, "spread": 2_000, "spread_seconds": 8},
    "dispatch": {},
    "pages": {"rows": 60_000, "times": 5},
}
# Fields that say how quick something is; the others are settings, counts or ratios to a peer.
QUICK, SLOW = ("_per_s",), ("_ms", "_s", "_bytes_per_job", "cpu_s", "wal_mb", "buffers")

# Run by each checkout's own interpreter, with that checkout's own `bench`.
ONE_SIDE = Path(__file__).with_name("one_side.py")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.pairs", description=__doc__)
    parser.add_argument("before", type=Path, help="an older checkout with its .venv")
    parser.add_argument("names", nargs="+", choices=SIZES)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--through", default="", help="a command that each run goes through, to be alone for example")
    given = parser.parse_args()
    for name in given.names:
        pairs = [_pair(given.before, name, given.through.split(), number) for number in range(given.pairs)]
        print(json.dumps({"name": name, "sizes": SIZES[name], "worse_by": compare(pairs), "pairs": pairs}), flush=True)
    return 0


def _pair(before: Path, name: str, through: list[str], number: int) -> dict[str, dict[str, float]]:
    """Who goes first changes, so that neither has the warmer machine."""
    sides = [("before", before), ("now", ROOT)]
    return {side: _run(root, name, through) for side, root in (sides if number % 2 == 0 else sides[::-1])}


def _run(root: Path, name: str, through: list[str]) -> dict[str, float]:
    command = [*through, str(root / ".venv/bin/python"), str(ONE_SIDE), name, json.dumps(SIZES[name])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "src")])}
    ended = subprocess.run(command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(ended.stdout.splitlines()[-1])
    return found


def compare(pairs: list[dict[str, dict[str, float]]]) -> dict[str, float]:
    """The median of the paired ratios of every field that both sides have."""
    shared = set(pairs[0]["before"]) & set(pairs[0]["now"])
    return {field: median(_ratios(pairs, field)) for field in sorted(shared) if field.endswith(QUICK + SLOW)}


def _ratios(pairs: Iterable[dict[str, dict[str, Any]]], field: str) -> list[float]:
    ratios = [one["now"][field] / one["before"][field] for one in pairs if one["before"][field] and one["now"][field]]
    return [1 / ratio for ratio in ratios] if field.endswith(QUICK) else (ratios or [1.0])


if __name__ == "__main__":
    sys.exit(main())
