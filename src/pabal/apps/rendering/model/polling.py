"""When a slot looks for work by itself: 10 s at first, 5 s while there is some, 30 s after ten looks in vain."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Intervals:
    default: timedelta = timedelta(seconds=10)
    busy: timedelta = timedelta(seconds=5)
    idle: timedelta = timedelta(seconds=30)
    empties: int = 10


@dataclass(frozen=True, slots=True)
class Polling:
    """`empties` looks in a row found nothing; `found` whether the last one did."""

    empties: int = 0
    found: bool = False

    def after(self, *, found: bool) -> "Polling":
        return Polling(0, True) if found else Polling(self.empties + 1, False)

    def wait(self, intervals: Intervals) -> timedelta:
        if self.found:
            return intervals.busy
        return intervals.idle if self.empties >= intervals.empties else intervals.default
