"""The demo's machine: kettles that are switched on by a job and go off by their timers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.machine import Machine, arms, move
from pabal.engine.transitions import begin, transition_many
from pabal.platform.controls import ByHand, MachineControls, NotByHand

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
    unit_id: int
    state: str
    version: int


async def make_kettles(tx: Tx) -> list[Kettle]:
    """One in each branch of the demo."""
    made = [row["id"] for row in await tx.rows(SQL.insert_kettles)]
    await begin(tx, KETTLE, made, actor="demo")
    return await list_kettles(tx)


async def scrap_kettles(tx: Tx) -> None:
    """Their histories stay, as every history does."""
    open_ones = [kettle.id for kettle in await list_kettles(tx) if kettle.state != State.SCRAPPED]
    await transition_many(tx, KETTLE, open_ones, Event.SCRAP, actor="demo")
    await tx.run(SQL.delete_kettles)


async def switch_on(tx: Tx, kettles: list[int], *, cause: str) -> None:
    """One that boils already is left alone."""
    await transition_many(tx, KETTLE, kettles, Event.SWITCH_ON, actor="demo", cause=cause)


async def list_kettles(tx: Tx) -> list[Kettle]:
    return await tx.all(Kettle, SQL.list_kettles)


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
# The demo has no area of its own.
CONTROLS = MachineControls(
    KETTLE,
    "machines",
    {Event.SWITCH_ON: ByHand(), Event.CLICK_OFF: NotByHand(), Event.SCRAP: NotByHand("pabal demo clear")},
)
