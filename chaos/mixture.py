"""Which jobs a run is made of: one kind for each promise, mixed by chance."""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from chaos.kinds import WIDE_LANES
from chaos.worker import PAIR, ROUTES
from pabal.base.database import Tx
from pabal.engine.queue import NewJob, Priority

# Innocent jobs share the fate of their worker again and again; only the poison may be quarantined.
OFTEN = 10_000
# Longer than any signal may take: one that was told nothing is seen.
ENDLESS = 14.0
# Longer than the checker's slack: two at once of a key or a lane are seen in any case.
SEEN = 0.15
DEADLINE = timedelta(seconds=1)
Make = Callable[[int, random.Random, Tx], NewJob]


def make(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    return chance.choices(list(MIXTURE), list(MIXTURE.values()))[0](mark, chance, tx)


def new_job(kind: str, args: dict[str, Any], **more: Any) -> NewJob:
    return NewJob(f"chaos.{kind}", args, **{"max_recoveries": OFTEN, **more})


def keyed(mark: int, key: str) -> NewJob:
    return new_job("keyed", {"mark": mark, "takes": SEEN, "key": key}, key=key)


def in_lane(mark: int, lane: str) -> NewJob:
    return new_job("lane", {"mark": mark, "takes": SEEN}, lane=lane)


def sudden(mark: int, takes: float) -> NewJob:
    return new_job("sudden", {"mark": mark, "takes": takes})


def on_pair(mark: int, chance: random.Random, priority: Priority) -> NewJob:
    return new_job("routed", {"mark": mark, "takes": 0.3}, route=chance.choice(PAIR), priority=priority)


def _plain(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    gives = chance.random() < 0.2
    args = {"mark": mark, "takes": chance.choice([0, 0, 0.01, 0.2]), "gives": gives}
    return new_job("plain", args, records_end=gives)


def _steps(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    # The longest outlive a stop past the TTL or a restart of the database.
    takes = chance.choices([0.005, 0.05, 1.0, 4.0], [60, 30, 8, 2])[0]
    return new_job("steps", {"mark": mark, "takes": takes}, records_end=chance.random() < 0.1)


def _inside(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    bad = chance.random() < 0.01
    return new_job("inside", {"mark": mark, "bad": bad}, max_failures=2 if bad else 5)


def _lane(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    return in_lane(mark, f"lane:{chance.randrange(12)}")


def _wide(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    """In crowds, so that the lane is full."""
    return new_job("wide", {"mark": mark, "takes": SEEN}, lane=chance.choice(WIDE_LANES))


def _labelled(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    return new_job("labelled", {"mark": mark, "takes": 0.01})


def _routed(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    priority = Priority.URGENT if chance.random() < 0.2 else Priority.NORMAL
    # The longest are often still running when their route moves.
    args = {"mark": mark, "takes": chance.choice([0.005, 0.05, 0.3, 2.0])}
    return new_job("routed", args, route=chance.choice(ROUTES), priority=priority)


def _failing(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    return new_job("failing", {"mark": mark, "fails": chance.randint(1, 4)}, max_failures=3, records_end=True)


def _keyed(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    return keyed(mark, f"key:{chance.randrange(40)}")


def _later(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    delay = chance.uniform(0.2, 5.0)
    return new_job("later", {"mark": mark, "delay": delay}, delay=timedelta(seconds=delay))


def _snoozing(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    return new_job("snoozing", {"mark": mark, "snoozes": chance.randint(1, 3)})


def _sudden(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    """Of a kind that is quick, as far as a server can tell: so it is fetched ahead."""
    return sudden(mark, 0.0)


def _cancelled(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    """Most of them in the loop; threads and children are told in other ways."""
    kind = chance.choices(["cancelled", "thread", "child"], [12, 3, 1])[0]
    return new_job(kind, {"mark": mark, "takes": chance.choice([0.01, ENDLESS, ENDLESS]), "cancel": True})


def _reporting(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    steps = chance.randint(3, 8)
    stalls_at = chance.choice([0, steps - 1])
    args = {"mark": mark, "steps": steps, "stalls_at": stalls_at, "takes": ENDLESS}
    return new_job("reporting", args, max_failures=OFTEN)


def _thread(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    return new_job("thread", {"mark": mark, "takes": 0.2})


def _child(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    return new_job("child", {"mark": mark, "takes": 2.0})


def _timed(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    """Some keep within their deadline, however long they waited for a slot; the others never do."""
    takes = chance.choice([0.1, 0.1, ENDLESS])
    return new_job("timed", {"mark": mark, "takes": takes}, deadline=DEADLINE, max_failures=2)


def _expiring(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    expires_at = tx.now + timedelta(seconds=chance.uniform(0.5, 4.0))
    return new_job("expiring", {"mark": mark}, route="bot:nobody", expires_at=expires_at, records_end=True)


MIXTURE: dict[Make, float] = {
    _plain: 280,
    _steps: 120,
    _inside: 200,
    _lane: 30,
    _wide: 50,
    _labelled: 10,
    _routed: 70,
    _failing: 30,
    _keyed: 30,
    _later: 40,
    _snoozing: 15,
    _sudden: 30,
    _cancelled: 20,
    _reporting: 14,
    _thread: 6,
    _child: 2,
    _timed: 8,
    _expiring: 5,
}
