"""The app of a run: an event asks for something, people say yes or no, and two consumers count every event."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.machine import Machine, move
from pabal.engine.transitions import begin, transition
from pabal.platform import approvals
from pabal.platform.actor import Actor, Right
from pabal.platform.approvals import Approvable, Approval, Asked, Kind, Told
from pabal.platform.controls import MachineControls, NotByHand
from pabal.platform.events import Events, PublishedEvent
from pabal.platform.slice import Slice

SQL = load(__file__)
ASKED, COUNTED = "desk.asked", "desk.counted"
COUNTERS = ("desk-ledger", "desk-copies")
REQUEST = Kind("desk.request", machine="desk_request", approve="grant", reject="refuse")
events = Events()


class State(StrEnum):
    WAITING = "waiting"
    GRANTED = "granted"
    REFUSED = "refused"


class Event(StrEnum):
    GRANT = "grant"
    REFUSE = "refuse"


async def on_decided(tx: Tx, requests: Sequence[Any]) -> None:
    await approvals.settle(tx, REQUEST, [one.id for one in requests])


DESK = Machine(
    name="desk_request",
    table="desk.request",
    states=State,
    initial=State.WAITING,
    final=(State.GRANTED, State.REFUSED),
    moves=(move(Event.GRANT, State.WAITING, State.GRANTED), move(Event.REFUSE, State.WAITING, State.REFUSED)),
    effects={State.GRANTED: on_decided, State.REFUSED: on_decided},
)


@events.subscriber(ASKED, group="desk-door")
async def ask(tx: Tx, event: PublishedEvent) -> None:
    made: int = await tx.value(SQL.insert_request, unit_id=event.unit_id, name=event.id)
    await begin(tx, DESK, [made], actor="engine")
    await approvals.ask(tx, REQUEST, [Asked(made, event.unit_id, "engine")])


@events.subscriber("desk.*", group=COUNTERS[0], shares=2, batch=20)
async def note(tx: Tx, event: PublishedEvent) -> None:
    await tx.run(SQL.insert_effects, consumer=COUNTERS[0], events=[event.id])


@events.batch_subscriber("desk.*", group=COUNTERS[1], batch=50)
async def copy(tx: Tx, found: list[PublishedEvent]) -> None:
    await tx.run(SQL.insert_effects, consumer=COUNTERS[1], events=[event.id for event in found])


async def grant(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    await transition(tx, DESK, approval.subject, Event.GRANT, actor=actor.name, reason=reason)


async def refuse(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    await transition(tx, DESK, approval.subject, Event.REFUSE, actor=actor.name, reason=reason)


async def tell(tx: Tx, asked: Sequence[Approval]) -> dict[int, Told]:
    rows = await tx.rows(SQL.list_names, ids=[one.subject for one in asked])
    names = {row["id"]: row["name"] for row in rows}
    return {one.id: Told((names[one.subject], names[one.subject]), ()) for one in asked if one.subject in names}


SLICE = Slice(
    name="desk",
    machines=(DESK,),
    controls=(MachineControls(DESK, "approvals", {Event.GRANT: NotByHand(), Event.REFUSE: NotByHand()}),),
    approvals=(
        Approvable(
            REQUEST,
            DESK,
            "approvals",
            Right.WRITE,
            label=("Request", "요청"),
            icon="checkbox",
            tell=tell,
            approve=grant,
            reject=refuse,
        ),
    ),
    consumers=events.consumers,
    migrations=Path(__file__).parent / "migrations",
)
