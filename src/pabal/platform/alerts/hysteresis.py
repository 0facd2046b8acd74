"""Decides from samples whether a condition held, or was gone, for all of a rule's duration. Pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from pabal.platform.alerts.model import Limit

# So many sampling intervals without a sample are a gap: what was before it proves nothing.
INTERVALS_IN_GAP = 4


class Sample(NamedTuple):
    at: datetime
    value: float


class Judgement(StrEnum):
    """HELD: beyond the threshold all the time. GONE: never beyond it. OPEN: neither, or not enough samples to say."""

    HELD = "held"
    GONE = "gone"
    OPEN = "open"


class Judged(NamedTuple):
    """`since`: from when on the newest samples agree without a gap; None when there is no fresh sample."""

    judgement: Judgement
    since: datetime | None


def judge(samples: Sequence[Sample], limit: Limit, now: datetime, *, gap: timedelta) -> Judged:
    """`samples` in order of time. A run of samples that agree must reach from `now` back over the whole duration.

    Missing samples are no breach and no proof of health: a server that was away fires nothing and resolves nothing.
    """
    if not samples or now - samples[-1].at > gap:
        return Judged(Judgement.OPEN, None)
    is_broken = limit.is_broken_by(samples[-1].value)
    since = samples[-1].at
    for sample in reversed(samples[:-1]):
        if since - sample.at > gap or limit.is_broken_by(sample.value) != is_broken:
            break
        since = sample.at
    if now - since < limit.held_for:
        return Judged(Judgement.OPEN, since)
    return Judged(Judgement.HELD if is_broken else Judgement.GONE, since)
