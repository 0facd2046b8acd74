"""Which fault happens when to the two servers and their database. Pure: the seed decides."""

import random

from chaos.plan import Fault, What

# One in so many seconds. A server needs a few of them to start, and there are only two.
EVERY: dict[What, float] = {"kill": 4.0, "retire": 11.0, "database": 17.0, "backends": 2.5}


def make_plan(seed: int, seconds: float) -> list[Fault]:
    chance = random.Random(f"servers {seed}")
    faults = [fault for what, every in EVERY.items() for fault in _spread(chance, what, seconds, every)]
    return sorted(faults, key=lambda fault: fault.at)


def _spread(chance: random.Random, what: What, seconds: float, every: float) -> list[Fault]:
    """One in each stretch, anywhere in it, at least one."""
    number = max(1, int(seconds / every))
    return [Fault((n + chance.random()) * seconds / number, what, chance.random()) for n in range(number)]
