"""Which fault happens when to the two servers and their database. Pure: the seed decides."""

import random

from chaos.plan import Fault, What
from chaos.relay.plan import STOP_SECONDS, _spread

# One in so many seconds; a server needs a few of them to start, and kill points end them as well.
EVERY: dict[What, float] = {
    "kill": 8.0,
    "vanish": 23.0,
    "stop": 23.0,
    "retire": 11.0,
    "database": 15.0,
    "backends": 4.0,
}
# What the time to live alone mends does not fit into a short run.
SLOW: tuple[What, ...] = ("vanish", "stop")
# Of a minute, on two cores that have as much to do besides: a run that judged less proves too little.
JUDGED = {"events": 100, "decisions": 8, "presses": 15, "cards": 4, "webhooks": 8, "files": 10, "cuts": 8}
BEGINNING = 8.0
SECONDS_PER = {"kills": 15.0, "point": 25.0, "database": 30.0}


def make_plan(seed: int, seconds: float) -> list[Fault]:
    chance = random.Random(f"platform {seed}")
    kinds = {what: every for what, every in EVERY.items() if what not in SLOW or seconds > 2 * STOP_SECONDS}
    faults = [fault for what, every in kinds.items() for fault in _spread(chance, what, seconds, every)]
    return sorted(faults, key=lambda fault: fault.at)


def list_minimums(seconds: float) -> dict[str, int]:
    """They follow the time there is."""
    share = max(seconds - BEGINNING, 0.0) / (60.0 - BEGINNING)
    return {name: int(least * share) for name, least in JUDGED.items()}
