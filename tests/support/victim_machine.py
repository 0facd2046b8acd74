"""A machine whose only timer is due at once."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.machine import Machine, arms, move

SQL = load(__file__)


class State(StrEnum):
    ARMED = "armed"
    FIRED = "fired"


@dataclass(frozen=True)
class Subject:
    id: int
    unit_id: int | None
    state: str
    version: int


@arms("fire")
def at_once(subject: Subject, now: datetime) -> dict[str, datetime]:
    return {"fire": now}


async def load_subjects(tx: Tx, ids: list[int]) -> list[Subject]:
    return await tx.all(Subject, SQL.load_subjects, ids=ids)


MACHINE = Machine(
    name="victim_subject",
    table="victim.subject",
    states=State,
    initial=State.ARMED,
    final=(State.FIRED,),
    moves=(move("fire", State.ARMED, State.FIRED),),
    timers={State.ARMED: at_once},
    loader=load_subjects,
)
