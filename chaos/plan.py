"""Which fault happens when. Pure: the seed decides."""

import random
from dataclasses import dataclass
from typing import Literal

What = Literal["kill", "vanish", "stop", "freeze", "retire", "database", "backends"]

FREEZE_SECONDS = 22.0


@dataclass(frozen=True, slots=True)
class Fault:
    """`choice` picks the victim among those there are at that moment."""

    at: float
    what: What
    choice: float


@dataclass(frozen=True, slots=True)
class Minimums:
    """A run with less than this proves too little to count."""

    jobs: int = 5000
    kills: int = 20
    stops: int = 5
    database: int = 2


def make_plan(seed: int, seconds: float, *, stop_seconds: float) -> list[Fault]:
    chance = random.Random(seed)
    has_freeze = seconds > 2 * FREEZE_SECONDS
    # The freeze comes last, when the database stays up: its jobs must be rescued while it still sleeps.
    calm = FREEZE_SECONDS + 2 if has_freeze else 2
    faults = [
        *([Fault(seconds - FREEZE_SECONDS, "freeze", chance.random())] if has_freeze else []),
        *_spread(chance, "database", seconds - calm, every=(seconds - calm) / max(1, round(seconds / 20))),
        *_spread(chance, "kill", seconds, every=4.0),
        # As "kill", but its lock file goes too, as if another host had died: only the heartbeat tells.
        *_spread(chance, "vanish", seconds, every=4.0),
        *_spread(chance, "stop", seconds - stop_seconds, every=(seconds - stop_seconds) / max(1, int(seconds / 8.5))),
        *_spread(chance, "retire", seconds, every=6.0),
        *_spread(chance, "backends", seconds, every=0.7),
    ]
    return sorted(faults, key=lambda fault: fault.at)


def _spread(chance: random.Random, what: What, seconds: float, *, every: float) -> list[Fault]:
    """One in each stretch of `every` seconds, somewhere in the middle of it."""
    every = min(every, seconds)
    number = max(1, int(seconds / every + 0.01))
    return [Fault((n + chance.uniform(0.2, 0.8)) * every, what, chance.random()) for n in range(number)]
