"""Kafka through FastStream: the same bridge by another address. Untried: no Kafka was at hand when this was written."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from aiokafka.errors import KafkaError  # type: ignore[import-untyped]  # it carries no types
from faststream import AckPolicy
from faststream.exceptions import FastStreamException
from faststream.kafka import KafkaBroker
from faststream.kafka.message import KafkaMessage

from pabal.platform.broker.line import GROUP, Incoming, Outgoing, Wish, careful
from pabal.platform.broker.model import BrokerAway

ANSWER_SECONDS = 10.0


class KafkaLine:
    """`servers` is host:port, several separated by commas. A message's key is its subject, so a subject has one
    partition and keeps its order."""

    def __init__(self, servers: str) -> None:
        self._servers = servers.split(",")
        self._broker: KafkaBroker | None = None
        self._subscriber: Any = None
        self._wish: Wish | None = None

    async def publish(self, stream: str, messages: Sequence[Outgoing], *, kept: int) -> None:
        async with self._speaking() as broker, asyncio.timeout(ANSWER_SECONDS):
            sent = [
                await broker.publish(message.body, topic=stream, key=message.key.encode(), no_confirm=True)
                for message in messages
            ]
            await asyncio.gather(*sent)

    async def take(self, wish: Wish, *, wait: float) -> Incoming | None:
        """One at a time: acknowledging commits everything fetched so far."""
        async with self._speaking() as broker:
            if self._wish != wish:
                await self._subscribe(broker, wish)
            found: KafkaMessage | None = await self._subscriber.get_one(timeout=wait)
            return None if found is None else self._read(found)

    async def count_pending(self, wish: Wish) -> int | None:
        return None

    async def close(self) -> None:
        broker, self._broker, self._subscriber, self._wish = self._broker, None, None, None
        if broker is not None:
            try:
                await broker.stop()
            except (KafkaError, OSError, TimeoutError):
                return

    async def _subscribe(self, broker: KafkaBroker, wish: Wish) -> None:
        self._subscriber = broker.subscriber(
            wish.stream,
            group_id=GROUP,
            auto_offset_reset="earliest",
            ack_policy=AckPolicy.MANUAL,
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
                self._broker = KafkaBroker(self._servers, client_id=GROUP, enable_idempotence=True, logger=None)
                await self._broker.start()
            yield self._broker
        except (KafkaError, OSError, TimeoutError, FastStreamException) as error:
            await self.close()
            raise BrokerAway(f"{type(error).__name__}: {error}"[:300]) from error
