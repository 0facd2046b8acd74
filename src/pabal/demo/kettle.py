"""The demo's machine: a kettle that is switched on by a job and goes off by its timer."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.machine import Machine, arms, move
from pabal.engine.transitions import begin, transition_many

SQL = load(__file__)
BOILS_FOR = timedelta(seconds=4)


class State(StrEnum):
    COLD = "cold"
    BOILING = "boiling"
    SCRAPPED = "scrapped"


class Event(StrEnum):
    SWITCH_ON = "switch_on"
    CLICK_OFF = "click_off"
    SCRAP = "scrap"


@dataclass(frozen=True)
class Kettle:
    id: int
    unit_id: int | None
    state: str
    version: int


async def fill_kettle(tx: Tx) -> None:
    """Makes the one kettle there is, unless it is there."""
    made = await tx.value(SQL.insert_kettle)
    if made is not None:
        await begin(tx, KETTLE, [made], actor="demo")


async def switch_on(tx: Tx, *, cause: str) -> None:
    """One that boils already is left alone."""
    await transition_many(tx, KETTLE, [1], Event.SWITCH_ON, actor="demo", cause=cause)


async def load_kettles(tx: Tx, ids: list[int]) -> list[Kettle]:
    return await tx.all(Kettle, SQL.load_kettles, ids=ids)


@arms(Event.CLICK_OFF)
def clicks_off(_kettle: Kettle, now: datetime) -> Mapping[str, datetime | None]:
    return {Event.CLICK_OFF: now + BOILS_FOR}


KETTLE = Machine(
    name="kettle",
    table="pabal.demo_kettle",
    states=State,
    initial=State.COLD,
    final=(State.SCRAPPED,),
    moves=(
        move(Event.SWITCH_ON, State.COLD, State.BOILING),
        move(Event.CLICK_OFF, State.BOILING, State.COLD),
        move(Event.SCRAP, (State.COLD, State.BOILING), State.SCRAPPED),
    ),
    loader=load_kettles,
    timers={State.BOILING: clicks_off},
)
