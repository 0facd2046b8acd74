"""Events: what somebody tells the house under a name, for whoever subscribes. Values and errors of this room."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from pabal.base.errors import Conflict, Invalid, NotFound

AREA = "events"
# who waits for events is woken by this
TOPIC = "events"
SLOTS = 64
MOST_BYTES = 64 * 1024
MOST_AT_ONCE = 500
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")
_PATTERN = re.compile(r"\*|[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*(\.\*)?")
_GROUP = re.compile(r"[a-z][a-z0-9_.-]{0,99}")


class BadEventName(Invalid, code="bad_event_name"):
    """An event's name is up to 200 letters, digits, dashes and underscores in parts between dots: orders.paid."""


class BadEventId(Invalid, code="bad_event_id"):
    """An event's id and key are up to 200 visible characters. Leave the id out and one is made."""


class BadEventData(Invalid, code="bad_published_data"):
    """An event's data is a JSON object of at most 64 kB, without NUL characters. Put large things into a file and
    name it."""


class TooManyEvents(Invalid, code="too_many_events"):
    """At most 500 events are published at once. Send the rest in another request."""


class EventIdTaken(Conflict, code="event_id_taken"):
    """Another event was published under this id before. Publish a new event under a new id."""


class PublishedEventNotFound(NotFound, code="published_event_not_found"):
    """There is no such event, or it is past its retention, or it is not yours to see."""


class ConsumerNotFound(NotFound, code="consumer_not_found"):
    """There is no consumer of this name. Consumers are declared by apps and appear when a server with them starts."""


class ConsumerNotPaused(Conflict, code="consumer_not_paused"):
    """A consumer is forgotten after it was paused, so that nobody forgets one by mistake that still works."""


class BadConsumer(Invalid, code="bad_consumer"):
    """A consumer is declared wrongly: a group of small letters, names that may end in .*, 1 to 64 shares."""


class DeadLetterNotFound(NotFound, code="dead_letter_not_found"):
    """There is no such dead letter: it was taken or discarded since, or it is not yours to see."""


class NewEvent(NamedTuple):
    """An event about to be published. The same id again is the same event; left out, one is made.

    Events of one key reach a consumer in order. `unit_id` None: the unit of whoever publishes it.
    """

    name: str
    data: Mapping[str, Any] = MappingProxyType({})
    id: str = ""
    key: str = ""
    unit_id: int | None = None


@dataclass(frozen=True, slots=True)
class PublishedEvent:
    """`seq` is its place in the log. `id` is the sender's: the same id of a unit is the same event."""

    seq: int
    id: str
    name: str
    key: str
    unit_id: int
    source: str
    at: datetime
    data: dict[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class ConsumerSeen:
    """How a consumer stands. `backlog` is counted up to 10,001; `oldest_at` is of the first event it has not taken."""

    name: str
    patterns: list[str]
    shares: int
    is_paused: bool
    since: datetime
    backlog: int
    oldest_at: datetime | None
    retry_at: datetime | None
    dead: int
    now: datetime

    @property
    def id(self) -> str:
        """What it is known by is its name."""
        return self.name

    @property
    def lag_seconds(self) -> float:
        return 0.0 if self.oldest_at is None else max(0.0, (self.now - self.oldest_at).total_seconds())


@dataclass(frozen=True, slots=True)
class DeadLetter:
    id: int
    consumer: str
    event_seq: int
    event_id: str
    name: str
    key: str
    unit_id: int
    error: str
    tries: int
    at: datetime
    asked_at: datetime | None
    data: dict[str, Any] = field(hash=False)


def check_name(name: str) -> None:
    if len(name) > 200 or _NAME.fullmatch(name) is None:
        raise BadEventName(name[:200])


def check_word(word: str) -> None:
    if len(word) > 200 or not word.isprintable():
        raise BadEventId(repr(word[:200]))


def check_pattern(pattern: str) -> None:
    if len(pattern) > 200 or _PATTERN.fullmatch(pattern) is None:
        raise BadConsumer(pattern[:200])


def check_group(group: str) -> None:
    if _GROUP.fullmatch(group) is None:
        raise BadConsumer(group[:100])


def matches(pattern: str, name: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def as_like(pattern: str) -> str:
    """As SQL's LIKE wants it."""
    return re.sub(r"([\\%_])", r"\\\1", pattern).replace("*", "%")
