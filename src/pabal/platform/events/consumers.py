"""Events(): a producer and consumer interface for code, in the manner of FastStream's brokers and routers.

events = Events()

@events.subscriber("orders.*", group="billing")
async def bill(tx: Tx, event: PublishedEvent) -> None: ...

SLICE = Slice(name="shop", consumers=events.consumers)
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from pabal.base.database import Tx
from pabal.platform.events.log import append
from pabal.platform.events.model import (
    SLOTS,
    BadConsumer,
    NewEvent,
    PublishedEvent,
    as_like,
    check_group,
    check_name,
    check_pattern,
    matches,
)

MAX_TRIES = 3
BATCH = 100
Handler = Callable[[Tx, PublishedEvent], Awaitable[Any]]
BatchHandler = Callable[[Tx, list[PublishedEvent]], Awaitable[Any]]


@dataclass(frozen=True)
class Consumer:
    """Takes events whose names match, under one name over all servers. `handle` writes rows only.

    `shares`: so many servers can work for it at once, each for its own keys. A new one begins with what is committed
    after its first sight, or with the oldest event there is (`from_start`). `tries` fails make a dead letter.
    """

    group: str
    patterns: tuple[str, ...]
    handle: BatchHandler
    batch: int = BATCH
    shares: int = 1
    tries: int = MAX_TRIES
    from_start: bool = False

    def __post_init__(self) -> None:
        check_group(self.group)
        for pattern in self.patterns:
            check_pattern(pattern)
        if not (self.patterns and 1 <= self.shares <= SLOTS and 1 <= self.batch <= 10_000 and 1 <= self.tries <= 100):
            raise BadConsumer(self.group)

    @property
    def likes(self) -> list[str]:
        return [as_like(pattern) for pattern in self.patterns]

    def takes(self, name: str) -> bool:
        return any(matches(pattern, name) for pattern in self.patterns)


@dataclass(frozen=True)
class Publisher:
    """Publishes events of one name; around a subscriber, what that returns, under an id that follows from the event's.

    Inside the caller's transaction: there is an event if, and only if, that commits.
    """

    name: str

    async def publish(
        self, tx: Tx, data: dict[str, Any], *, unit_id: int, key: str = "", id: str = "", source: str = "engine"
    ) -> None:  # long: what an event is
        await append(tx, [NewEvent(self.name, data, id, key, unit_id)], source=source)

    def __call__(self, handler: Handler) -> Handler:
        async def react(tx: Tx, event: PublishedEvent) -> Any:
            answered = await handler(tx, event)
            if answered is not None:
                made = str(uuid5(NAMESPACE_URL, f"{event.id} {self.name}"))
                await self.publish(tx, answered, unit_id=event.unit_id, key=event.key, id=made)
            return answered

        return react


class Events:
    """What a slice subscribes to and publishes, gathered where the functions stand."""

    def __init__(self) -> None:
        self._consumers: list[Consumer] = []

    @property
    def consumers(self) -> tuple[Consumer, ...]:
        return tuple(self._consumers)

    def subscriber(self, *names: str, group: str, **more: Any) -> Callable[[Handler], Handler]:
        """One event at a time. `more` as of Consumer: batch (how many share a commit), shares, tries, from_start."""

        def subscribe(handler: Handler) -> Handler:
            async def handle(tx: Tx, events: list[PublishedEvent]) -> None:
                for event in events:
                    await handler(tx, event)

            self._add(Consumer(group, names, handle, **more))
            return handler

        return subscribe

    def batch_subscriber(self, *names: str, group: str, **more: Any) -> Callable[[BatchHandler], BatchHandler]:
        """All that were read, in order."""

        def subscribe(handler: BatchHandler) -> BatchHandler:
            self._add(Consumer(group, names, handler, **more))
            return handler

        return subscribe

    def publisher(self, name: str) -> Publisher:
        check_name(name)
        return Publisher(name)

    def _add(self, consumer: Consumer) -> None:
        check_consumers([*self._consumers, consumer])
        self._consumers.append(consumer)


def check_consumers(consumers: Sequence[Consumer]) -> None:
    """A group is one consumer: a second one with the same place would take half of its events."""
    groups = [one.group for one in consumers]
    twice = {group for group in groups if groups.count(group) > 1}
    if twice:
        raise BadConsumer(", ".join(sorted(twice)))


def find_takers(consumers: Iterable[Consumer], name: str) -> list[str]:
    return [one.group for one in consumers if one.takes(name)]
