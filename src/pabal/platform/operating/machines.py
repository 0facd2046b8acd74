"""Looking at a machine's subject and sending it an event: right, visibility, change and audit in one commit."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pabal.base.database import Tx
from pabal.engine import transitions
from pabal.engine.machine import Explained, Machine
from pabal.engine.subjects import SubjectNotFound, load_subjects
from pabal.engine.transitions import Transition, subject_name
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.operating.model import EventNotFound, MachineNotFound
from pabal.platform.tenants import Scope, visible_to

AREA = "machines"


@dataclass(frozen=True, slots=True)
class Sent:
    """What an event did, or in a dry run would do: `made` is None then, and where it leads is in `explained`."""

    explained: Explained
    made: Transition | None


def find_machine(machines: Iterable[Machine], name: str) -> Machine:
    for machine in machines:
        if machine.name == name:
            return machine
    raise MachineNotFound(name)


async def get_subject(tx: Tx, scope: Scope, machine: Machine, subject_id: int) -> Any:
    """As the machine's own loader brings it: id, unit_id, state, version, and what its guards need."""
    found = await load_subjects(tx, machine, [subject_id])
    if not found or not scope.holds(found[0].unit_id):
        raise SubjectNotFound(subject_name(machine, subject_id))
    return found[0]


async def explain_subject(tx: Tx, scope: Scope, machine: Machine, subject_id: int) -> list[Explained]:
    """For every event: where it would lead now, or why not, with the values its guard compared."""
    return machine.explain(await get_subject(tx, scope, machine, subject_id), tx.now)


async def send_event(  # long: the vocabulary of a transition
    tx: Tx,
    actor: Actor,
    machine: Machine,
    subject_id: int,
    event: str,
    *,
    reason: str | None = None,
    expect_version: int | None = None,
    dry_run: bool = False,
) -> Sent:
    """Raises MoveNotAllowed or GuardRefused when it does not lead anywhere; a dry run answers that instead."""
    actor.require(Right.WRITE, AREA)
    subject = await get_subject(tx, await visible_to(tx, actor), machine, subject_id)
    if event not in machine.events:
        raise EventNotFound(f"{machine.name}: {event}; it knows {', '.join(machine.events)}")
    [explained] = [one for one in machine.explain(subject, tx.now) if one.event == event]
    if dry_run:
        return Sent(explained, None)
    made = await transitions.transition(
        tx, machine, subject_id, event, actor=actor.name, reason=reason, expect_version=expect_version
    )
    before = {"state": made.source, "version": made.version - 1}
    after = {"state": made.target, "version": made.version, "event": event, "reason": reason}
    about = subject_name(machine, subject_id)
    await audit.record(tx, actor, "machines.send", about, unit_id=made.unit_id, before=before, after=after)
    return Sent(explained, made)
