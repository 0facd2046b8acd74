"""What is said about something that was operated on, and why it was refused."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from pabal.base.database import Tx
from pabal.base.errors import Conflict, Invalid, NotFound, PabalError


class NotRetryable(Conflict, code="not_retryable"):
    """Only a job that failed, was cancelled, expired or was quarantined can be enqueued again."""


class EndedBefore(Conflict, code="ended_before"):
    """It had ended before; there was nothing left to cancel."""


class HandlerNotHere(Conflict, code="handler_not_here"):
    """The code for this kind of job is not loaded here, so that its give_up would not be called. Do it where its app
    is loaded."""


class MachineNotFound(NotFound, code="machine_not_found"):
    """No app that is loaded here has a machine of this name."""


class EventNotFound(Invalid, code="event_not_found"):
    """The machine knows no such event."""


class EventNotByHand(Conflict, code="event_not_by_hand"):
    """Nobody sends this event by hand: a timer or a handler does, or another verb that takes more than an event's name.
    If there is such a verb, it is named in parentheses."""


class SubscriberNotFound(NotFound, code="subscriber_not_found"):
    """No app that is loaded here has a subscriber of this name."""


class TooMany(Invalid, code="too_many"):
    """At most 200 at once. Choose fewer, or do it in parts."""


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one of several. `result` is a word; `error` is set when nothing was done.

    `made` is the id of what it led to: the new job of a retry.
    """

    id: str
    result: str
    error: PabalError | None = None
    made: str | None = None


class _TakenBack(Exception):
    """Ends a savepoint that was only tried."""


@asynccontextmanager
async def tried(tx: Tx, *, dry_run: bool) -> AsyncIterator[None]:
    """What the verb refuses is raised either way."""
    if not dry_run:
        yield
        return
    try:
        async with tx.savepoint():
            yield
            raise _TakenBack
    except _TakenBack:
        return
