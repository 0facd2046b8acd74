"""The seam to a broker: what the bridge asks of it, and which address opens which. Nothing is imported before that."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol
from urllib.parse import urlsplit

from pabal.platform.broker.model import BadBrokerUrl, BrokerNotInstalled

GROUP = "pabal"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Messages with the same key stay in order."""

    key: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Incoming:
    """`place` is where it lies with the broker: the same place is the same message."""

    place: str
    body: bytes
    ack: Callable[[], Awaitable[None]]
    # it comes again: at once, or when nobody touched it for a while
    leave: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Wish:
    """Where events come in by, who takes them, and after what time those of a dead server are taken over."""

    stream: str
    consumer: str
    reclaim_after: timedelta


class Line(Protocol):
    """A connection that opens when it is first used and after every failure. Everything raises BrokerAway."""

    async def publish(self, stream: str, messages: Sequence[Outgoing], *, kept: int) -> None:
        """All of them, in order, or BrokerAway; then some may be out already."""

    async def take(self, wish: Wish, *, wait: float) -> Incoming | None:
        """The next message, or None after so many seconds."""

    async def count_pending(self, wish: Wish) -> int | None:
        """Messages taken and not acknowledged yet; None where the broker does not tell."""

    async def close(self) -> None: ...


def careful(
    speaking: Callable[[], AbstractAsyncContextManager[object]], act: Callable[[], Awaitable[None]]
) -> Callable[[], Awaitable[None]]:
    """The same, by a line that names its failures."""

    async def run() -> None:
        async with speaking():
            await act()

    return run


def open_line(url: str) -> Line:
    """Connects to nothing yet; raises when the address or the installation is wrong."""
    parts = urlsplit(url)
    if not parts.netloc:
        raise BadBrokerUrl(_without_password(url))
    try:
        match parts.scheme:
            case "redis" | "rediss":
                from pabal.platform.broker.redis_line import RedisLine  # noqa: PLC0415 -- needs the extra

                return RedisLine(url)
            case "kafka" | "kafkas":
                from pabal.platform.broker.kafka_line import KafkaLine  # noqa: PLC0415 -- needs the extra

                return KafkaLine(url)
    except ModuleNotFoundError as error:
        raise BrokerNotInstalled(str(error.name)) from error
    raise BadBrokerUrl(_without_password(url))


def _without_password(url: str) -> str:
    return url.rpartition("@")[2][:100]
