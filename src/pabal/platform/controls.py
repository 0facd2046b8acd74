"""What people may do to an app's things through the doors all apps share: whose right is asked, and which action runs.

Written by each slice, one small table per machine and per kind of work, and checked when the slices are put together.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.engine.machine import Machine
from pabal.engine.occurrences import Occurrence
from pabal.engine.schedules import Schedule
from pabal.platform.actor import Actor, NotAllowed, Right
from pabal.platform.language.pairs import Pair

# (tx, actor, subject's id, event, reason): the app's own verb, which asks for the right and writes the audit itself
EventAction = Callable[[Tx, Actor, int, str, str | None], Awaitable[Any]]


class ControlsIncomplete(Invalid, code="controls_incomplete"):
    """A slice must say of every event of its machines who may send it by hand, once, and of no other event."""


@dataclass(frozen=True, slots=True)
class ByHand:
    """Whoever has this right in the machine's area may send the event. Without an action it is the plain transition."""

    right: Right = Right.WRITE
    action: EventAction | None = None


@dataclass(frozen=True, slots=True)
class NotByHand:
    """Only a timer or a handler sends it; or, with `instead`, it takes more than an event's name, and this does it."""

    instead: str = ""


@dataclass(frozen=True, slots=True)
class MachineControls:
    """Reading the machine's subjects takes `sees` in its area. More than `read`: it has doors of its own that look
    closer, and this one is not there for who may not see everything."""

    machine: Machine
    area: str
    events: Mapping[str, ByHand | NotByHand]
    sees: Right = Right.READ

    def __post_init__(self) -> None:
        odd = {str(event) for event in self.events} ^ set(self.machine.events)
        if odd:
            raise ControlsIncomplete(f"{self.machine.name}: {', '.join(sorted(odd))}")


@dataclass(frozen=True, slots=True)
class ScheduleVerbs:
    """An app's own verbs for the engine's schedules it keeps. Each asks for the right and writes the audit itself."""

    pause: Callable[[Tx, Actor, Schedule], Awaitable[Any]]
    resume: Callable[[Tx, Actor, Schedule], Awaitable[Any]]
    trigger: Callable[[Tx, Actor, Schedule], Awaitable[Occurrence]]
    skip: Callable[[Tx, Actor, Schedule, datetime | None], Awaitable[datetime]]
    keep: Callable[[Tx, Actor, Schedule, datetime], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class KindControls:
    """Cancelling and retrying jobs of this kind takes `right` in `area`, and so does operating schedules that enqueue
    it; with `verbs`, operating such a schedule is the app's own verb. `absences`: of routes its jobs may wait for, and
    that nobody holds, what the app knows about why."""

    kind: str
    area: str
    right: Right = Right.WRITE
    verbs: ScheduleVerbs | None = None
    absences: Callable[[Tx], Awaitable[Mapping[str, Pair]]] | None = None


# By kind. A kind that no slice names takes `write` in the engine's own area.
Owners = Mapping[str, KindControls]


def check_complete(machines: Iterable[Machine], controls: Iterable[MachineControls]) -> None:
    """Each machine of a slice has its table, once, and no other has."""
    wanted = sorted(machine.name for machine in machines)
    declared = sorted(one.machine.name for one in controls)
    if wanted != declared:
        raise ControlsIncomplete(f"machines {', '.join(wanted)}; tables for {', '.join(declared) or 'none'}")


def may_operate(actor: Actor, owners: Owners, kind: str, area: str) -> bool:
    """`area` is the engine's, for work that no app claims."""
    return actor.may(*_find_right(owners, kind, area))


def require_owner(actor: Actor, owners: Owners, kind: str, area: str) -> None:
    actor.require(*_find_right(owners, kind, area))


def require_any_owner(actor: Actor, owners: Owners, area: str) -> None:
    """Whoever may operate nothing at all is told so before anything is looked up."""
    if not any(actor.may(Right.WRITE, one) for one in {area, *(owner.area for owner in owners.values())}):
        raise NotAllowed(f"{area}:write")


def _find_right(owners: Owners, kind: str, area: str) -> tuple[Right, str]:
    owner = owners.get(kind)
    return (Right.WRITE, area) if owner is None else (owner.right, owner.area)
