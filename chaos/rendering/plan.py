"""Which fault happens when to the servers, their database, nexrender and the NAS. Pure: the seed decides."""

import random

from chaos.plan import Fault, What

# The engine's own time to live is 10 s.
STOP_SECONDS = 11.5
# One in so many seconds. A server needs a few of them to start, there are only two, and kill points end them as well.
EVERY: dict[What, float] = {
    "kill": 8.0,
    "vanish": 23.0,
    "stop": 23.0,
    "retire": 12.0,
    "database": 15.0,
    "backends": 4.0,
    "nexrender": 11.0,
    "restart": 11.0,
    "hang": 13.0,
    "nas": 6.0,
    "lose": 9.0,
    "misbehave": 1.2,
}
# What the time to live alone puts right does not fit into a short run.
SLOW: tuple[What, ...] = ("vanish", "stop")
# For how long nexrender and the NAS are away.
AWAY = (0.5, 3.0)
# Of a minute, on two cores that have as much to do besides: a run that judged less proves too little.
JUDGED = {"renders ended": 45, "completed": 25, "rendered": 35, "cancelled": 3, "seen on the NAS": 25, "again": 2}
# Until servers have started nothing can be judged.
BEGINNING = 8.0
SECONDS_PER = {"kills": 15.0, "point": 20.0, "database": 30.0, "nexrender": 20.0, "nas": 12.0}


def make_plan(seed: int, seconds: float) -> list[Fault]:
    chance = random.Random(f"servers {seed}")
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
