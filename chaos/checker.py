"""Proves the promises from histories and tables, apart from the run: python -m chaos.checker FOLDER URL."""

import argparse
import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

from chaos import checks_long, checks_order, checks_time, checks_work
from chaos.evidence import Evidence, gather
from chaos.report import Finding, Report

CHECKS: tuple[Callable[[Evidence], Finding], ...] = (
    checks_work.i1_nothing_is_lost,
    checks_work.i2_one_attempt_at_a_time,
    checks_work.i3_zombies_write_nothing,
    checks_work.i4_one_end,
    checks_work.i5_failures_are_the_handlers_own,
    checks_work.i6_rescued_in_time,
    checks_order.i7_lanes_keep_order,
    checks_order.i27_at_most_n_at_once,
    checks_order.i8_limits_hold,
    checks_work.i10_a_cancelled_job_starts_no_more,
    checks_work.i10_a_running_one_gets_the_signal,
    checks_order.i11_routed_work_runs_where_the_route_is,
    checks_time.i12_each_moment_has_one_decision_and_one_end,
    checks_time.i19_facts_are_taken_once_and_in_order,
    checks_long.i21_what_is_claimed_begins,
    checks_long.i21_deadlines_count_from_the_start,
    checks_long.i22_poison_is_quarantined,
    checks_order.i23_urgent_work_of_any_route_goes_first,
    checks_long.i26_checkpoints_are_handed_on,
    checks_long.stops_are_told_soon_and_rightly,
    checks_long.children_die_with_their_server,
    checks_time.ends_are_told,
    checks_work.inside_effects_happen_once,
    checks_order.keys_are_open_once,
    checks_order.labels_are_kept,
    checks_order.turns_are_kept,
    checks_order.moved_priorities_stay,
    checks_work.delays_are_kept,
)


async def check(folder: Path, url: str, *, ttl: float) -> Report:
    evidence = await gather(folder, url, ttl=ttl)
    ended = sum(outcome.final for outcome in evidence.outcomes.values())
    return Report([examine(evidence) for examine in CHECKS], ended)


def main() -> int:
    parser = argparse.ArgumentParser(prog="chaos.checker", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("url")
    parser.add_argument("--ttl", type=float, default=7.0)
    given = parser.parse_args()
    report = asyncio.run(check(given.folder, given.url, ttl=given.ttl))
    for line in report.lines():
        print(line)
    return 0 if report.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
