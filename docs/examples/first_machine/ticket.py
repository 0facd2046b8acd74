from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.machine import Machine, Refusal, arms, move
from pabal.engine.transitions import begin
from pabal.platform.actor import Right
from pabal.platform.controls import ByHand, MachineControls, NotByHand
from pabal.platform.slice import Slice

SQL = load(__file__)


class State(StrEnum):
    OPEN = "open"
    ANSWERED = "answered"
    LAPSED = "lapsed"


@dataclass(frozen=True)
class Ticket:
    id: int
    unit_id: int | None
    state: str
    version: int
    answer: str | None
    opened_at: datetime


def has_answer(ticket: Ticket, now: datetime) -> Refusal | None:
    return None if ticket.answer else Refusal("no_answer", {"answer": ticket.answer})


@arms("lapse")
def a_day_later(ticket: Ticket, now: datetime) -> dict[str, datetime]:
    return {"lapse": ticket.opened_at + timedelta(days=1)}


async def load_tickets(tx: Tx, ids: list[int]) -> list[Ticket]:
    return await tx.all(Ticket, SQL.load_tickets, ids=ids)


TICKET = Machine(
    name="ticket",
    table="desk.ticket",
    states=State,
    initial=State.OPEN,
    final=(State.ANSWERED, State.LAPSED),
    moves=(
        move("answer", State.OPEN, State.ANSWERED, guard=has_answer),
        move("lapse", State.OPEN, State.LAPSED),
    ),
    timers={State.OPEN: a_day_later},
    loader=load_tickets,
)


async def open_ticket(tx: Tx, *, actor: str) -> int:
    ticket_id: int = await tx.value(SQL.insert_ticket)
    await begin(tx, TICKET, [ticket_id], actor=actor)
    return ticket_id


# Who may send which event by hand, through the pages, endpoints and commands that all machines share.
CONTROLS = MachineControls(TICKET, "desk", {"answer": ByHand(Right.WRITE), "lapse": NotByHand()})
SLICE = Slice("desk", machines=(TICKET,), controls=(CONTROLS,), migrations=Path(__file__).parent / "migrations")
