"""Which fault happens when. Pure: the seed decides."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

What = Literal[
    "kill",
    "vanish",
    "stop",
    "freeze",
    "retire",
    "database",
    "backends",
    "nexrender",
    "hang",
    "nas",
    "lose",
    "misbehave",
    "script",
]

FREEZE_SECONDS = 22.0
# At the end work goes on without faults: what is heard and begun there is judged on any machine.
CALM_SECONDS = 5.0
CALM_SHARE = 1 / 6


@dataclass(frozen=True, slots=True)
class Fault:
    """`choice` picks the victim among those there are at that moment."""

    at: float
    what: What
    choice: float


# Of a minute: what two cores do that have as much to do besides. With nothing else to do it is three times as much.
JUDGED = {
    "attempts of killed servers": 20,
    "run again after a rescue": 10,
    "starts in lanes": 60,
    "starts in shared lanes": 40,
    "jobs with a key": 60,
    "starts under a limit": 20,
    "signals": 4,
    "routed attempts": 40,
    "urgent ones before another route's": 4,
    "changes of width": 5,
    "where a label is needed": 8,
    "scheduled where a label is": 4,
    "priorities moved": 10,
    "stops told": 1,
    "losses told": 4,
    "begun after their claim": 200,
    "deadlines told": 2,
    "stalls told": 1,
    "turns kept": 4,
    "checkpoints handed on": 8,
    "children": 2,
    "poisons": 2,
    "facts": 100,
    "ends told": 40,
    "moments decided": 20,
    "replaced runs": 2,
}
# Of these a quarter of a minute may have none: they are few, and what hurts their servers leaves none to judge.
SELDOM = {
    "signals",
    "urgent ones before another route's",
    "scheduled where a label is",
    "stops told",
    "deadlines told",
    "stalls told",
    "turns kept",
    "children",
    "replaced runs",
    "run again after a rescue",
}
# Until servers and PostgreSQL have started, and the first dead server's life has lapsed, nothing can be judged.
BEGINNING = 14.0
# The same of an app's servers, which are two.
APP_BEGINNING = 8.0
# How long an app's server sleeps: the engine's own time to live is 10 s.
STOP_SECONDS = 11.5
# What the time to live alone puts right does not fit into a short run.
SLOW: tuple[What, ...] = ("vanish", "stop")


@dataclass(frozen=True, slots=True)
class Minimums:
    """A run with less than this proves too little to count."""

    jobs: int = 0
    kills: int = 0
    stops: int = 0
    database: int = 0
    judged: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, seconds: float) -> "Minimums":
        """They follow the time there is; a short run is held to one of each, where it can be."""
        share = max(seconds - BEGINNING, 0.0) / (60.0 - BEGINNING)
        faults = {"kills": int(20 * share), "stops": int(5 * share), "database": int(2 * share)}
        judged = {name: max(int(least * share), int(name not in SELDOM)) for name, least in JUDGED.items()}
        return cls(int(2000 * share), **faults, judged=judged)


def make_plan(seed: int, seconds: float, *, stop_seconds: float) -> list[Fault]:
    chance = random.Random(seed)
    has_freeze = seconds > 2 * FREEZE_SECONDS
    # The freeze comes last, when the database stays up: its jobs must be rescued while it still sleeps.
    calm = min(CALM_SECONDS, seconds * CALM_SHARE)
    up = FREEZE_SECONDS + 2 if has_freeze else calm
    hurt = seconds - calm
    asleep = max(seconds - stop_seconds, hurt / 2)
    faults = [
        *([Fault(seconds - FREEZE_SECONDS, "freeze", chance.random())] if has_freeze else []),
        *_spread(chance, "database", seconds - up, every=(seconds - up) / max(1, round(seconds / 20))),
        *_spread(chance, "kill", hurt, every=4.0),
        # As "kill", but its lock file goes too, as if another host had died: only the heartbeat tells.
        *_spread(chance, "vanish", hurt, every=4.0),
        *_spread(chance, "stop", asleep, every=asleep / max(1, int(seconds / 8.5))),
        *_spread(chance, "retire", hurt, every=6.0),
        *_spread(chance, "backends", hurt, every=0.7),
    ]
    return sorted(faults, key=lambda fault: fault.at)


def plan_for_app(word: str, every: Mapping[What, float], seconds: float) -> list[Fault]:
    """For the servers of an app: of each kind one in so many seconds. `word` names the run and its seed."""
    chance = random.Random(word)
    kinds = {what: each for what, each in every.items() if what not in SLOW or seconds > 2 * STOP_SECONDS}
    faults = [fault for what, each in kinds.items() for fault in _spread_anywhere(chance, what, seconds, each)]
    return sorted(faults, key=lambda fault: fault.at)


def least_of_app(judged: Mapping[str, int], seconds: float) -> dict[str, int]:
    """What must be judged of a minute, for the time there is."""
    share = max(seconds - APP_BEGINNING, 0.0) / (60.0 - APP_BEGINNING)
    return {name: int(least * share) for name, least in judged.items()}


def _spread_anywhere(chance: random.Random, what: What, seconds: float, every: float) -> list[Fault]:
    """One in each stretch, anywhere in it, at least one."""
    number = max(1, int(seconds / every))
    return [Fault((n + chance.random()) * seconds / number, what, chance.random()) for n in range(number)]


def _spread(chance: random.Random, what: What, seconds: float, *, every: float) -> list[Fault]:
    """One in each stretch of `every` seconds, somewhere in the middle of it."""
    every = min(every, seconds)
    number = max(1, int(seconds / every + 0.01))
    return [Fault((n + chance.uniform(0.2, 0.8)) * every, what, chance.random()) for n in range(number)]
