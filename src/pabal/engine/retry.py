"""How long to wait before the next attempt. Pure: chance is an argument."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Backoff:
    """`first`, then each time `factor` as long, never longer than `most`, moved by up to `jitter` of itself."""

    first: timedelta = timedelta(seconds=5)
    factor: float = 2.0
    most: timedelta = timedelta(hours=1)
    jitter: float = 0.1

    def wait(self, failures: int, chance: float) -> timedelta:
        """`failures` counts the one that just happened; `chance` is between 0 and 1."""
        # In seconds: a timedelta overflows where a float only grows.
        grown = self.first.total_seconds() * min(self.factor, 1e5) ** min(failures - 1, 60)
        return timedelta(seconds=min(grown, self.most.total_seconds()) * (1 + self.jitter * (2 * chance - 1)))


def fixed(wait: timedelta) -> Backoff:
    return Backoff(first=wait, factor=1.0, most=wait, jitter=0.0)
