"""python -m chaos --seconds 60 --seed 1: a run and its report. Ends with 1 on a violation or too little proof."""

import argparse
import sys

from chaos.entry import carry_out, say
from chaos.plan import Minimums
from chaos.run import Chosen, run


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
    minimums = Minimums() if given.any else None
    chosen = Chosen(given.seconds, given.seed, given.workers, minimums=minimums, keep=given.keep)
    return carry_out(run(chosen, say), level="warning")


if __name__ == "__main__":
    sys.exit(main())
