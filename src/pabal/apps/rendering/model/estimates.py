"""How long a render takes, from earlier ones of its composition, and when a queue over n slots is through. Pure."""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Literal

Stage = Literal["preparing", "rendering", "encoding", "uploading"]
STAGES: tuple[Stage, ...] = ("preparing", "rendering", "encoding", "uploading")
# before anything was rendered: the middle of what the seed expects of each stage (1-2, 30-120, 10-60 and 5-30 s)
WITHOUT_HISTORY: Mapping[Stage, float] = {"preparing": 1.5, "rendering": 75, "encoding": 35, "uploading": 17.5}
LAST = 20
# the usual deviation is this many times the median one, where times are spread normally
_DEVIATION = 1.4826
# a stage that takes longer than expected is taken to need this share of its time again
_OVERTIME = 0.1
# below it the progress of a render says little about its speed
_LEAST_PROGRESS = 5

OnAir = Literal["safe", "tight", "missed"]


@dataclass(frozen=True, slots=True)
class Past:
    """A finished render: seconds of each stage it went through. A render that was resumed has some of them only."""

    seconds: Mapping[Stage, float]


@dataclass(frozen=True, slots=True)
class Estimate:
    """`margin` is how much longer it may well take: two usual deviations, and a tenth of the whole at least."""

    seconds: Mapping[Stage, float]
    margin: float
    samples: int

    @property
    def total(self) -> float:
        return sum(self.seconds.values())


@dataclass(frozen=True, slots=True)
class QueueMember:
    """A render that waits, in the order in which they are taken."""

    id: int
    seconds: float


@dataclass(frozen=True, slots=True)
class QueueEta:
    id: int
    starts_at: datetime
    ends_at: datetime


def expected(history: Sequence[Past]) -> Estimate:
    """The median of each stage over the last 20, newest first: one render that hung does not move it."""
    last = history[:LAST]
    times = {stage: [one.seconds[stage] for one in last if stage in one.seconds] for stage in STAGES}
    seconds = {stage: median(found) if found else WITHOUT_HISTORY[stage] for stage, found in times.items()}
    spread = sum(_deviation(found) if found else WITHOUT_HISTORY[stage] / 2 for stage, found in times.items())
    return Estimate(seconds, max(2 * spread, sum(seconds.values()) / 10), len(last))


def remaining(estimate: Estimate, stage: Stage, spent: float, progress: int = 0) -> float:
    """Seconds until the render is through, `spent` seconds into a stage. The further nexrender's progress, the more it
    counts beside the history."""
    usual = estimate.seconds[stage]
    by_history = max(usual - spent, usual * _OVERTIME)
    share = min(progress, 100) / 100 if stage == "rendering" and progress >= _LEAST_PROGRESS else 0
    by_progress = spent / share * (1 - share) if share else 0
    later = sum(estimate.seconds[one] for one in STAGES[STAGES.index(stage) + 1 :])
    return by_history * (1 - share) + by_progress * share + later


def queue_eta(waiting: Sequence[QueueMember], running: Sequence[float], *, slots: int, now: datetime) -> list[QueueEta]:
    """When each waiting render starts and ends. `running` are the remaining seconds of the renders under way. Without a
    slot nothing can be foretold: the list is empty."""
    if slots < 1:
        return []
    # where slots were taken away, the first of the running to end make no room
    ends = sorted(running)[max(0, len(running) - slots) :]
    free = ends + [0.0] * (slots - len(ends))
    heapq.heapify(free)
    return [_take(free, one, now) for one in waiting]


def judge_on_air(ends_at: datetime, needed_at: datetime, *, margin: float) -> OnAir:
    """Tight: in time if all goes as usual, and late if it takes as long as it may well take."""
    if ends_at > needed_at:
        return "missed"
    return "tight" if ends_at + timedelta(seconds=margin) > needed_at else "safe"


def _take(free: list[float], member: QueueMember, now: datetime) -> QueueEta:
    start = free[0]
    end = start + member.seconds
    heapq.heapreplace(free, end)
    return QueueEta(member.id, now + timedelta(seconds=start), now + timedelta(seconds=end))


def _deviation(values: Sequence[float]) -> float:
    middle = median(values)
    return _DEVIATION * median(abs(value - middle) for value in values)
