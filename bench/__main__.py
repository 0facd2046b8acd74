"""`python -m bench NAME --json` measures one figure (`--write`: into docs/benchmarks.md too); `python -m bench` all."""

import argparse
import asyncio
import importlib
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from bench import page, sides
from bench.ground import stand
from bench.result import as_json
from pabal.base.telemetry import start_logging

NAMES = (
    "queue",
    "limit",
    "scale",
    "snapshot",
    "lanes",
    "mixed",
    "fair",
    "at_most",
    "storm",
    "schedules",
    "pages",
    "dispatch",
    "bulk",
    "bots",
    "upload",
    "midnight",
    "redis_design",
    "commands",
    "strangers",
    "relay",
    "relay_seed",
    "streams",
    "render",
    "render_queue",
    "render_copy",
    "approvals",
    "events",
    "rules",
    "workflows",
    "fanout",
    "recall",
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("name", nargs="?", choices=NAMES, help="one figure; all when left out")
    parser.add_argument("--json", action="store_true", help="print the whole result as one JSON object, last")
    parser.add_argument("--size", choices=("full", "small"), default="full", help="small: only to see that it runs")
    parser.add_argument("--write", action="store_true", help="put the figure into docs/benchmarks.md")
    given = parser.parse_args()
    start_logging(level="warning")
    # one figure alone starts its few sides from nothing: to import everything would take longer
    is_rough = given.name is None and given.size == "small"
    if is_rough:
        sides.start_small = importlib.import_module("bench.forked").start
    names = NAMES if given.name is None else (given.name,)
    show = json.dumps if given.json else page.summary
    results = asyncio.run(_measure(names, given.size, is_rough, lambda result: print(show(result), flush=True)))
    if given.name is None and given.size == "full":
        page.write(results)
    elif given.write and given.size == "full":
        page.write_one(results[0], NAMES)
    return 0


async def _measure(
    names: tuple[str, ...], size: str, is_rough: bool, tell: Callable[[dict[str, Any]], None]
) -> list[dict[str, Any]]:
    """Each is told as soon as it is there: the last ones may fail, the first ones took minutes."""
    results = []
    async with stand(settles=not is_rough) as ground:
        for name in names:
            print(f"measuring {name}", file=sys.stderr, flush=True)
            figure = importlib.import_module(f"bench.figures.{name}")
            began = time.monotonic()
            measured = await figure.measure(ground, figure.Sizes() if size == "full" else figure.SMALL)
            results.append(as_json(name, measured, await ground.describe(), time.monotonic() - began))
            tell(results[-1])
    return results


if __name__ == "__main__":
    sys.exit(main())
