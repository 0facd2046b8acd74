"""What comes next, with a reason beside everything that will not fire."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from typing import Literal

from pabal.engine.recurrence.forms import Cron, as_instant
from pabal.engine.recurrence.timing import TICK, Pass, Timing, passes

Exclusion = Literal["not_yet_valid", "no_longer_valid", "skipped", "paused", "dst_gap"]
Note = Literal["dst_shifted", "dst_first", "dst_second"]

_MOST_EXCLUDED = 50
# Enough to show that a validity begins or ends here; a minutely rule would fill pages with the rest.
_MOST_OUTSIDE = 5


@dataclass(frozen=True, slots=True)
class Upcoming:
    """`wall` is the time the recurrence names on the zone's clock; `moment` the instant it became.

    Where a gap swallowed it (`dst_gap`, `dst_shifted`), the moment is the end of the gap.
    """

    moment: datetime
    wall: datetime
    excluded: Exclusion | None = None
    note: Note | None = None


def preview(
    timing: Timing, after: datetime, count: int, *, skipped: Collection[datetime] = (), paused: bool = False
) -> list[Upcoming]:
    """The next `count` that will fire (or would, were it not paused), and between them at most 50 that will not."""
    skips = frozenset(as_instant(moment) for moment in skipped)
    rows: list[Upcoming] = []
    firing = excluded = outside = 0
    for found in _candidates(timing, as_instant(after)):
        if firing >= count or excluded >= _MOST_EXCLUDED or outside >= _MOST_OUTSIDE:
            break
        row = _row(timing, found, skips=skips, paused=paused)
        rows.append(row)
        firing += row.excluded in (None, "paused")
        excluded += row.excluded not in (None, "paused")
        outside += row.excluded == "no_longer_valid"
    return rows


def _candidates(timing: Timing, after: datetime) -> Iterator[Pass]:
    valid_from = timing.window.valid_from
    if valid_from is None or valid_from <= after:
        found = passes(timing, after)
    else:
        early = (each for each in islice(passes(timing, after), _MOST_OUTSIDE) if each.moment < valid_from)
        found = chain(early, passes(timing, valid_from - TICK))
    if isinstance(timing.recurrence, Cron) and timing.recurrence.fields[1] == "*":
        # What runs every hour loses nothing in a gap: the hour itself was not there.
        return (each for each in found if each.mark != "dst_gap")
    return found


def _row(timing: Timing, found: Pass, *, skips: frozenset[datetime], paused: bool) -> Upcoming:
    moment, wall, mark = found
    window = timing.window
    excluded: Exclusion | None = None
    if window.valid_from is not None and moment < window.valid_from:
        excluded = "not_yet_valid"
    elif window.valid_until is not None and moment >= window.valid_until:
        excluded = "no_longer_valid"
    elif mark == "dst_gap":
        excluded = "dst_gap"
    elif moment in skips:
        excluded = "skipped"
    elif paused:
        excluded = "paused"
    return Upcoming(moment, wall, excluded=excluded, note=None if mark == "dst_gap" else mark)
