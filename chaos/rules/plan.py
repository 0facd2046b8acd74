"""Which fault happens when to the servers, their database and the scripts. Pure: the seed decides."""

import random

from chaos.plan import Fault, What

# The engine's own time to live is 10 s.
STOP_SECONDS = 11.5
# One in so many seconds; kill points end servers as well.
EVERY: dict[What, float] = {
    "kill": 7.0,
    "vanish": 23.0,
    "stop": 23.0,
    "retire": 13.0,
    "database": 15.0,
    "backends": 4.0,
    "script": 1.5,
}
# What the time to live alone puts right does not fit into a short run.
SLOW: tuple[What, ...] = ("vanish", "stop")
# Of a minute, on two cores that have as much to do besides: a run that judged less proves too little.
JUDGED = {"runs ended": 60, "succeeded": 30, "callbacks": 60, "files": 25, "processes": 60, "of a lost server": 3}
# Until servers have started nothing can be judged.
BEGINNING = 8.0
SECONDS_PER = {"kills": 15.0, "point": 25.0, "database": 30.0, "script": 6.0}


def make_plan(seed: int, seconds: float) -> list[Fault]:
    chance = random.Random(f"rules {seed}")
    kinds = {what: every for what, every in EVERY.items() if what not in SLOW or seconds > 2 * STOP_SECONDS}
    faults = [fault for what, every in kinds.items() for fault in _spread(chance, what, seconds, every)]
    return sorted(faults, key=lambda fault: fault.at)


def list_minimums(seconds: float) -> dict[str, int]:
    """They follow the time there is."""
    share = max(seconds - BEGINNING, 0.0) / (60.0 - BEGINNING)
    return {name: int(least * share) for name, least in JUDGED.items()}


def _spread(chance: random.Random, what: What, seconds: float, every: float) -> list[Fault]:
    """One in each stretch, anywhere in it, at least one."""
    number = max(1, int(seconds / every))
    return [Fault((n + chance.random()) * seconds / number, what, chance.random()) for n in range(number)]
