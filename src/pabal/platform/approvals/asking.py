"""Requests follow what they are about: apps ask when something begins to wait, and settle when it moves, in one commit.

Called by effects of an app's machine and by its actions, so that it does not matter through which door it moved.
"""

from collections.abc import Iterable, Sequence

from pabal.base.database import Tx
from pabal.engine.transitions import begin, transition_many
from pabal.platform.actor import ENGINE, Actor
from pabal.platform.approvals import store
from pabal.platform.approvals.machine import APPROVAL, Event
from pabal.platform.approvals.model import AnotherPerson, Asked, Kind, PeopleOnly, Verdict
from pabal.platform.approvals.store import Short

ASKED_ANEW = "asked anew"


async def ask(tx: Tx, kind: Kind, asked: Sequence[Asked]) -> None:
    """Each subject has one open request of the kind afterwards, about what is shown now."""
    if not asked:
        return
    otherwise = await store.list_asked_otherwise(tx, kind, asked)
    if otherwise:
        await transition_many(tx, APPROVAL, otherwise, Event.WITHDRAW, actor=ENGINE.name, reason=ASKED_ANEW)
    made = await store.insert_approvals(tx, kind, asked)
    if made:
        await begin(tx, APPROVAL, made, actor=ENGINE.name)


async def settle(tx: Tx, kind: Kind, subjects: Iterable[int]) -> None:
    """After a move of theirs, in its commit: the move's own event, actor and reason are the answer."""
    answers: dict[tuple[Event, str, str | None], list[int]] = {}
    events = {kind.approve: Event.APPROVE, kind.reject: Event.REJECT}
    for one in await store.list_settled(tx, kind, subjects):
        event = events.get(one.event, Event.WITHDRAW)
        answers.setdefault((event, one.actor, one.reason), []).append(one.id)
    for (event, actor, reason), approvals in answers.items():
        await transition_many(tx, APPROVAL, approvals, event, actor=actor, reason=reason)


async def close(
    tx: Tx, kind: Kind, subjects: Iterable[int], verdict: Verdict | None, *, actor: str, reason: str | None = None
) -> None:
    """For what is decided without a move of the subject's machine. None: it is not asked any more."""
    event = Event.WITHDRAW if verdict is None else Event(verdict.value)
    waiting = await store.list_open_of(tx, kind, subjects)
    if waiting:
        await transition_many(tx, APPROVAL, waiting, event, actor=actor, reason=reason)


async def require_voices(tx: Tx, actor: Actor, kind: Kind, subject: int) -> None:
    """Where it takes two, the app's own door asks too: raises unless this actor is the last one needed."""
    for one in await store.list_short(tx, kind, [subject]):
        check_voice(actor, one.requested_by, one.needed)
        if not _is_enough(actor, one):
            raise AnotherPerson(kind.name)


async def list_short(tx: Tx, actor: Actor, kind: Kind, subjects: Iterable[int]) -> set[int]:
    """Of many: those for which this actor's yes would not be enough."""
    found = await store.list_short(tx, kind, subjects)
    return {one.subject for one in found if not is_person(actor) or not _is_enough(actor, one)}


def check_voice(actor: Actor, requested_by: str, needed: int) -> None:
    if needed > 1 and not is_person(actor):
        raise PeopleOnly(actor.name)
    if needed > 1 and actor.name == requested_by:
        raise AnotherPerson(actor.name)


def is_person(actor: Actor) -> bool:
    """A token's owner could otherwise say yes twice."""
    return actor.name.startswith("user:")


def _is_enough(actor: Actor, one: Short) -> bool:
    return actor.name != one.requested_by and len({*one.voices, actor.name}) >= one.needed
