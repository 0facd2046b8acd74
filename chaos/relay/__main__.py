"""python -m chaos.relay --seconds 45 --seed 1: a run and its report. Ends with 1 on a violation."""

import argparse
import sys

from chaos.entry import carry_out, say
from chaos.relay.run import Chosen, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="chaos.relay", description=__doc__)
    parser.add_argument("--seconds", type=float, default=45.0, help="how long faults happen")
    parser.add_argument("--seed", type=int, default=1, help="decides which fault happens when, and who says what")
    parser.add_argument("--users", type=int, default=50, help="KakaoTalk users, each a conversation")
    parser.add_argument("--keep", action="store_true", help="keep the logs of a good run too")
    parser.add_argument("--any", action="store_true", help="let a run count however little it did; for trying out")
    given = parser.parse_args()
    chosen = Chosen(given.seconds, given.seed, keep=given.keep, is_any_enough=given.any, users=given.users)
    return carry_out(run(chosen, say), level="warning")


if __name__ == "__main__":
    sys.exit(main())
