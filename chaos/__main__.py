"""python -m chaos --seconds 60 --seed 1: a run and its report. Ends with 1 on a violation or too little proof."""

import argparse
import asyncio
import logging
import signal
import sys

from chaos.plan import Minimums
from chaos.run import Chosen, run
from pabal.base.telemetry import start_logging


def main() -> int:
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long faults happen")
    parser.add_argument("--seed", type=int, default=1, help="decides which fault happens when")
    parser.add_argument("--workers", type=int, default=5, help="server processes, at least four")
    parser.add_argument("--keep", action="store_true", help="keep the histories and logs of a good run too")
    parser.add_argument("--any", action="store_true", help="let a run count however little it did; for trying out")
    given = parser.parse_args()
    if given.workers < 4:
        parser.error("a run needs four workers")
    minimums = Minimums(0, 0, 0, 0) if given.any else Minimums()
    chosen = Chosen(given.seconds, given.seed, given.workers, minimums=minimums, keep=given.keep)
    # asyncpg reports every failed try of its pool; here the database is down on purpose.
    logging.getLogger("asyncpg").setLevel(logging.CRITICAL)
    start_logging(level="warning")
    # Whoever ends the run early ends its servers and its PostgreSQL with it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    report = asyncio.run(run(chosen, say))
    for line in report.lines():
        say(line)
    return 0 if report.is_good else 1


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
