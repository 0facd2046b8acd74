"""Reads what workers wrote about their attempts, and counts where a lane was not one at a time and in order."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path


@dataclass(frozen=True)
class Attempt:
    """`ended_at` is None when its worker was killed meanwhile: it ended then."""

    lane: int
    number: int
    started_at: float
    ended_at: float | None


def read_attempts(files: Iterable[Path]) -> list[Attempt]:
    """Lines `start lane number moment` and `end lane number moment`; a worker's last line may be cut."""
    attempts: list[Attempt] = []
    for file in files:
        open_ones: dict[tuple[int, int], float] = {}
        last = 0.0
        for line in file.read_text().splitlines(keepends=True):
            if not line.endswith("\n"):
                break
            word, lane, number, moment = line.split()
            place, last = (int(lane), int(number)), float(moment)
            if word == "start":
                open_ones[place] = last
            else:
                attempts.append(Attempt(*place, open_ones.pop(place), last))
        attempts += [Attempt(*place, started_at, None) for place, started_at in open_ones.items()]
    return attempts


def count_violations(attempts: Iterable[Attempt], *, lanes: int, each: int, killed_at: float) -> int:
    """Two at once, one before its turn, or one that never ended."""
    by_lane: dict[int, list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        by_lane[attempt.lane].append(attempt)
    return sum(_violations(by_lane[lane], each, killed_at) for lane in range(lanes))


def _violations(attempts: list[Attempt], each: int, killed_at: float) -> int:
    ordered = sorted(attempts, key=lambda attempt: attempt.started_at)
    wrong = each - len({attempt.number for attempt in ordered if attempt.ended_at is not None})
    for before, after in pairwise(ordered):
        ended_at = killed_at if before.ended_at is None else before.ended_at
        wrong += after.started_at < ended_at or after.number < before.number
    return wrong


def count_at_once(attempts: Iterable[Attempt], *, killed_at: float) -> int:
    """The most that ran at one moment; who ends as another starts makes room for it."""
    changes = [(attempt.started_at, 1) for attempt in attempts]
    changes += [(killed_at if attempt.ended_at is None else attempt.ended_at, -1) for attempt in attempts]
    return max(accumulate(change for _, change in sorted(changes)))
