"""What comes in and goes out by the broker: events, what became of each, and the errors of this room. No network."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from pabal.base.database import Tx
from pabal.base.errors import Conflict, Invalid, Unavailable
from pabal.platform.actor import Actor, Role

AREA = "broker"
# what outside systems do, they do for the head office
BROKER = Actor("broker", None, Role.ADMIN, label="broker")
MOST_BYTES = 64 * 1024
MAX_TRIES = 3


class BrokerNotInstalled(Unavailable, code="broker_not_installed"):
    """PABAL_BROKER_URL is set, but what speaks to a broker is not installed. Install pabal[broker], or leave the
    address empty."""


class BadBrokerUrl(Invalid, code="bad_broker_url"):
    """This is no address of a broker. Write PABAL_BROKER_URL as redis://host:port, rediss://host:port,
    kafka://host:port or kafkas://user:password@host:port?sasl=scram-sha-512."""


class BrokerAway(Unavailable, code="broker_away"):
    """The broker does not answer. Facts wait and nothing is lost; Pabal goes on when it is back."""


class BadPatterns(Invalid, code="bad_patterns"):
    """Name the facts that go out, separated by commas; a name may end in a star: adgroup.*, adgroups.rescheduled."""


class BadStream(Invalid, code="bad_stream"):
    """A stream or topic is named with up to 200 letters, digits, dots, dashes and underscores."""


class BadResult(Invalid, code="bad_result"):
    """What became of an event is one of applied, refused, failed, retrying, or duplicate for those that came twice."""


class EventUnreadable(Invalid, code="event_unreadable"):
    """An event is a JSON object of at most 64 kB with an id, a name, and perhaps a subject and data. Send it again
    under a new id."""


class EventUnknown(Invalid, code="event_unknown"):
    """No app here takes in an event of this name. Check how it is spelt and which apps are loaded."""


class EventNotApplied(Conflict, code="event_not_applied"):
    """The event was not applied. Its code says why, its report what was compared."""

    def __init__(self, detail: str, *, why: str, report: Mapping[str, Any]) -> None:
        """`why` is the code that is kept."""
        super().__init__(detail)
        self.why = why
        self.report = report


class Result(StrEnum):
    """A retrying one is not done yet: it comes again. Those that came twice are counted beside what became of them."""

    APPLIED = "applied"
    REFUSED = "refused"
    FAILED = "failed"
    RETRYING = "retrying"


DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class Event:
    """What another system says. `id` is the sender's: the same id is the same event, however often it comes."""

    id: str
    name: str
    subject: str
    data: dict[str, Any]


EventHandler = Callable[[Tx, Actor, Event], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Kept:
    """An event as it is kept. `seq` is the order they came in; `raw` is the beginning of what could not be read."""

    seq: int
    id: str
    name: str
    subject: str
    data: dict[str, Any] | None
    raw: str | None
    result: str
    code: str | None
    reason: str | None
    report: dict[str, Any] | None
    tries: int
    duplicates: int
    at: datetime
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class Seen:
    """One server's line to the broker as it was last heard of."""

    server: str
    side: str
    seen_at: datetime
    failed_since: datetime | None
    error: str | None
    pending: int | None


@dataclass(frozen=True, slots=True)
class Described:
    """`is_connected` None: no server with a broker was heard of. `lag` is the age of the oldest fact not yet out."""

    is_connected: bool | None
    lag: float | None
    pending: int | None
    lines: list[Seen]
