"""Kafka through FastStream: the same bridge by another address, with TLS and SASL where the address says so."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from aiokafka.errors import KafkaError  # type: ignore[import-untyped]  # it carries no types
from faststream import AckPolicy
from faststream.exceptions import FastStreamException
from faststream.kafka import KafkaBroker
from faststream.kafka.message import KafkaMessage
from faststream.security import BaseSecurity, SASLPlaintext, SASLScram256, SASLScram512

from pabal.base.clock import elapsed
from pabal.platform.broker.line import GROUP, Incoming, Outgoing, Wish, careful
from pabal.platform.broker.model import BadBrokerUrl, BrokerAway

ANSWER_SECONDS = 10.0
# shorter than the bridge may wait for a close; what does not end by then is cut off
CLOSE_SECONDS = 6.0
# a member of the group that is silent for so long is gone: the least a broker allows as it is shipped
SESSION_MS = 6000
# a client's own patience: joining a group may take as long as a silent member has
REQUEST_MS = 9000
# a broker that hangs has nothing to say, like one with no messages: while it is silent it is asked this often
PROBE_SECONDS = 5.0
_SASL = {"plain": SASLPlaintext, "scram-sha-256": SASLScram256, "scram-sha-512": SASLScram512}


@dataclass(frozen=True, slots=True)
class KafkaAddress:
    """kafka://[user:password@]host:port[,host:port…][?sasl=plain|scram-sha-256|scram-sha-512], or kafkas:// for TLS,
    with `ca=FILE` where the authorities of this machine do not know the broker's."""

    servers: tuple[str, ...]
    security: BaseSecurity | None = field(repr=False)

    @classmethod
    def read(cls, url: str) -> "KafkaAddress":
        """Raises BadBrokerUrl, which says nothing of who signs in."""
        parts = urlsplit(url)
        given, _, hosts = parts.netloc.rpartition("@")
        asked = dict(parse_qsl(parts.query))
        servers = tuple(host for host in hosts.split(",") if host)
        is_wrong = set(asked) - {"sasl", "ca"} or asked.get("sasl", "plain") not in _SASL or parts.path.strip("/")
        if not servers or is_wrong or bool(given) < ("sasl" in asked) or ("ca" in asked and parts.scheme != "kafkas"):
            raise BadBrokerUrl(f"{parts.scheme}://{hosts}"[:100])
        context = _tls(asked.get("ca")) if parts.scheme == "kafkas" else None
        return cls(servers, _secure(given, asked.get("sasl", "scram-sha-512"), context))


def _tls(authority: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=authority)
    except (OSError, ssl.SSLError) as error:
        raise BadBrokerUrl(f"ca={authority}: {type(error).__name__}") from error


def _secure(given: str, mechanism: str, context: ssl.SSLContext | None) -> BaseSecurity | None:
    if given:
        user, _, password = (unquote(word) for word in given.partition(":"))
        return _SASL[mechanism](user, password, ssl_context=context, use_ssl=context is not None)
    return None if context is None else BaseSecurity(ssl_context=context, use_ssl=True)


class KafkaLine:
    """A message's key is its subject, so a subject has one partition and keeps its order. Servers share the partitions:
    each is one member of the group, from the first look until its line closes."""

    def __init__(self, url: str) -> None:
        self._address = KafkaAddress.read(url)
        self._broker: KafkaBroker | None = None
        self._subscriber: Any = None
        self._wish: Wish | None = None
        self._probe_at = 0.0

    async def publish(self, stream: str, messages: Sequence[Outgoing], *, kept: int) -> None:
        async with self._speaking() as broker, asyncio.timeout(ANSWER_SECONDS):
            sent = [
                await broker.publish(message.body, topic=stream, key=message.key.encode(), no_confirm=True)
                for message in messages
            ]
            await asyncio.gather(*sent)

    async def take(self, wish: Wish, *, wait: float) -> Incoming | None:
        """One at a time: acknowledging commits everything fetched so far."""
        async with self._speaking() as broker, asyncio.timeout(ANSWER_SECONDS + wait):
            if self._wish != wish:
                await self._subscribe(broker, wish)
            found: KafkaMessage | None = await self._subscriber.get_one(timeout=wait)
            if found is not None:
                self._probe_at = elapsed() + PROBE_SECONDS
                return self._read(found)
            if elapsed() >= self._probe_at:
                await self._subscriber.consumer.topics()
                self._probe_at = elapsed() + PROBE_SECONDS
            return None

    async def count_pending(self, wish: Wish) -> int | None:
        return None

    async def close(self) -> None:
        """What was opened, each with its limit: the subscriber leaves its group, then the rest."""
        broker, subscriber = self._broker, self._subscriber
        self._broker = self._subscriber = self._wish = None
        if subscriber is not None:
            consumer = subscriber.consumer
            if not await _ends(subscriber.stop()) and consumer is not None:
                # It waits for a broker that does not answer, and stops only once: its parts are closed by hand, or its
                # tasks and its socket would live on, and with them the member of the group.
                for part in (consumer._fetcher, consumer._client):
                    await _ends(part.close())
        if broker is not None:
            await _ends(broker.stop())

    async def _subscribe(self, broker: KafkaBroker, wish: Wish) -> None:
        if self._subscriber is not None:
            await _ends(self._subscriber.stop())
        self._subscriber = broker.subscriber(
            wish.stream,
            group_id=GROUP,
            auto_offset_reset="earliest",
            ack_policy=AckPolicy.MANUAL,
            session_timeout_ms=SESSION_MS,
            heartbeat_interval_ms=SESSION_MS // 6,
            persistent=False,
        )
        await self._subscriber.start()
        self._wish = wish

    def _read(self, message: KafkaMessage) -> Incoming:
        record: Any = message.raw_message
        place = f"{record.topic}:{record.partition}:{record.offset}"
        return Incoming(
            place, record.value or b" ", careful(self._speaking, message.ack), careful(self._speaking, message.nack)
        )

    @asynccontextmanager
    async def _speaking(self) -> AsyncIterator[KafkaBroker]:
        try:
            if self._broker is None:
                self._broker = self._make_broker()
                async with asyncio.timeout(ANSWER_SECONDS):
                    await self._broker.start()
            yield self._broker
        except (KafkaError, OSError, TimeoutError, FastStreamException) as error:
            await self.close()
            raise BrokerAway(f"{type(error).__name__}: {error}"[:300]) from error

    def _make_broker(self) -> KafkaBroker:
        return KafkaBroker(
            list(self._address.servers),
            client_id=GROUP,
            enable_idempotence=True,
            request_timeout_ms=REQUEST_MS,
            security=self._address.security,
            logger=None,
        )


async def _ends(closing: Awaitable[Any]) -> bool:
    """Whether it came to its end in time; a failure is one, too."""
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await closing
    except TimeoutError:
        return False
    except (KafkaError, OSError, FastStreamException):
        return True
    return True
