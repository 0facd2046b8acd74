"""Looking at a machine's subject and sending it an event, for machines of every app: the door asks what the app asks.

Where the app has an action for an event, sending it is that action: same right, same checks, same audit, same effects.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pabal.base.database import Tx
from pabal.engine import listing, transitions
from pabal.engine.listing.history import Wanted
from pabal.engine.machine import Explained, Machine, Refusal
from pabal.engine.subjects import SubjectNotFound, VersionChanged, load_subjects, lock_and_load
from pabal.engine.transitions import Transition, subject_name
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.controls import ByHand, EventAction, MachineControls, NotByHand
from pabal.platform.operating.model import EventNotByHand, EventNotFound, MachineNotFound, tried
from pabal.platform.tenants import Scope, visible_to

# of machines whose app has no area of its own
AREA = "machines"


@dataclass(frozen=True, slots=True)
class Sent:
    """What an event did, or in a dry run would do: `made` is None then, and where it leads is in `explained`."""

    explained: Explained
    made: Transition | None


def list_readable(actor: Actor, controls: Iterable[MachineControls]) -> list[MachineControls]:
    """The machines whose area the actor may read; raises NotAllowed where that is none."""
    readable = [one for one in controls if actor.may(one.sees, one.area)]
    if not readable:
        actor.require(Right.READ, AREA)
    return readable


def find_machine(actor: Actor, controls: Iterable[MachineControls], name: str) -> MachineControls:
    for one in controls:
        if one.machine.name == name:
            if actor.may(Right.READ, one.area) and not actor.may(one.sees, one.area):
                raise MachineNotFound(name)
            actor.require(one.sees, one.area)
            return one
    raise MachineNotFound(name)


async def get_subject(tx: Tx, scope: Scope, machine: Machine, subject_id: int) -> Any:
    """As the machine's own loader brings it: id, unit_id, state, version, and what its guards need."""
    found = await load_subjects(tx, machine, [subject_id])
    if not found or not scope.holds(found[0].unit_id):
        raise SubjectNotFound(subject_name(machine, subject_id))
    return found[0]


async def explain_subject(
    tx: Tx, actor: Actor, scope: Scope, controls: MachineControls, subject_id: int
) -> list[Explained]:
    """For every event: where it would lead now if this actor sent it, or why not, with the values compared."""
    subject = await get_subject(tx, scope, controls.machine, subject_id)
    return [_for_actor(actor, controls, one) for one in controls.machine.explain(subject, tx.now)]


async def send_event(  # long: the vocabulary of a transition
    tx: Tx,
    actor: Actor,
    controls: MachineControls,
    subject_id: int,
    event: str,
    *,
    reason: str | None = None,
    expect_version: int | None = None,
    dry_run: bool = False,
) -> Sent:
    """Raises MoveNotAllowed or GuardRefused when it does not lead anywhere; a dry run answers that instead. Whatever
    else refuses it, the app's own checks included, is raised by a dry run too."""
    control = controls.events.get(event)
    if control is None:
        raise EventNotFound(f"{controls.machine.name}: {event}; it knows {', '.join(controls.machine.events)}")
    actor.require(control.right if isinstance(control, ByHand) else Right.READ, controls.area)
    subject = await _hold(tx, await visible_to(tx, actor), controls.machine, subject_id, expect_version)
    if isinstance(control, NotByHand):
        raise EventNotByHand(f"{controls.machine.name} {event}" + (f": {control.instead}" if control.instead else ""))
    [explained] = [one for one in controls.machine.explain(subject, tx.now) if one.event == event]
    if explained.refusal is not None:
        if dry_run:
            return Sent(explained, None)
        raise transitions.refused(controls.machine, subject, event, explained.refusal)
    async with tried(tx, dry_run=dry_run):
        await (control.action or _plain(controls.machine))(tx, actor, subject_id, event, reason)
    return Sent(explained, None if dry_run else await _last(tx, controls.machine, subject_id))


async def _hold(tx: Tx, scope: Scope, machine: Machine, subject_id: int, expect_version: int | None) -> Any:
    """Locked from here on where the sender names a version, so that it is still the one when the action runs."""
    subject = await get_subject(tx, scope, machine, subject_id)
    if expect_version is None:
        return subject
    [held] = await lock_and_load(tx, machine, [subject_id]) or [subject]
    if held.version != expect_version:
        raise VersionChanged(f"{subject_name(machine, subject_id)} is at {held.version}, not {expect_version}")
    return held


def _plain(machine: Machine) -> EventAction:
    async def move(tx: Tx, actor: Actor, subject_id: int, event: str, reason: str | None) -> None:
        made = await transitions.transition(tx, machine, subject_id, event, actor=actor.name, reason=reason)
        before = {"state": made.source, "version": made.version - 1}
        after = {"state": made.target, "version": made.version, "event": event, "reason": reason}
        about = subject_name(machine, subject_id)
        await audit.record(tx, actor, "machines.send", about, unit_id=made.unit_id, before=before, after=after)

    return move


async def _last(tx: Tx, machine: Machine, subject_id: int) -> Transition:
    page = await listing.list_transitions(tx, Wanted(None, machine.name, subject=subject_id), limit=1)
    return page.items[0]


def _for_actor(actor: Actor, controls: MachineControls, one: Explained) -> Explained:
    control = controls.events[one.event]
    if isinstance(control, NotByHand):
        return Explained(one.event, None, Refusal("not_by_hand", {"instead": control.instead or None}))
    if not actor.may(control.right, controls.area):
        needed = f"{controls.area}:{control.right.name.lower()}"
        return Explained(one.event, None, Refusal("may_do_it", {"right": needed, "actor": actor.name}))
    return one
