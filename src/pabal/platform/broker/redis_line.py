"""Redis Streams through FastStream: one field holds the JSON, a consumer group shares the messages out."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from faststream import AckPolicy
from faststream.exceptions import FastStreamException
from faststream.redis import RedisBroker, StreamSub
from faststream.redis.message import RedisStreamMessage
from faststream.redis.parser import MessageFormat
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from pabal.base.clock import elapsed
from pabal.platform.broker.line import GROUP, Incoming, Outgoing, Wish, careful
from pabal.platform.broker.model import BrokerAway

FIELD = b"__data__"
ANSWER_SECONDS = 5.0
# how often messages that others left are looked for
LOOK = 1.0
# zero would wait for ever
AT_ONCE = 0.001


class Plain(MessageFormat):
    """The body as it is: others need no FastStream to read what we write, nor we to read them."""

    @classmethod
    async def encode(cls, *, message: Any, **_: Any) -> bytes:
        return bytes(message)

    @classmethod
    def parse(cls, data: bytes) -> tuple[bytes, dict[str, Any]]:
        return data, {}


@dataclass(slots=True)
class _Open:
    broker: RedisBroker
    client: Redis
    # by the wish they were made for: new messages, and those that somebody took and did not finish
    fresh: Any = None
    left: Any = None
    wish: Wish | None = None


class RedisLine:
    def __init__(self, url: str) -> None:
        self._url = url
        self._now: _Open | None = None
        self._look_at = 0.0

    async def publish(self, stream: str, messages: Sequence[Outgoing], *, kept: int) -> None:
        async with self._speaking() as now, asyncio.timeout(2 * ANSWER_SECONDS):
            pipeline = now.client.pipeline(transaction=True)
            for message in messages:
                await now.broker.publish(message.body, stream=stream, maxlen=kept, pipeline=pipeline)
            await pipeline.execute()

    async def take(self, wish: Wish, *, wait: float) -> Incoming | None:
        async with self._speaking() as now:
            if now.wish != wish:
                await _subscribe(now, wish)
            if elapsed() >= self._look_at:
                found = await now.left.get_one()
                if found is not None:
                    return self._read(found)
                self._look_at = elapsed() + min(LOOK, wish.reclaim_after.total_seconds())
            found = await now.fresh.get_one(timeout=max(wait, AT_ONCE))
            return None if found is None else self._read(found)

    async def count_pending(self, wish: Wish) -> int | None:
        async with self._speaking() as now:
            if now.wish != wish:
                await _subscribe(now, wish)
            return int((await now.client.xpending(wish.stream, GROUP))["pending"])

    async def close(self) -> None:
        now, self._now = self._now, None
        if now is not None:
            try:
                await now.broker.stop()
            except (RedisError, OSError, TimeoutError):
                return

    def _read(self, message: RedisStreamMessage) -> Incoming:
        [place] = message.raw_message["message_ids"]
        return Incoming(
            f"{message.raw_message['channel']}:{place.decode()}",
            message.raw_message["data"][FIELD],
            careful(self._speaking, message.ack),
            careful(self._speaking, message.nack),
        )

    @asynccontextmanager
    async def _speaking(self) -> AsyncIterator[_Open]:
        """After a failure of any kind everything is opened anew: a stream may be gone with its group."""
        try:
            if self._now is None:
                self._now = await _connect(self._url)
            yield self._now
        except (RedisError, OSError, TimeoutError, FastStreamException) as error:
            await self.close()
            raise BrokerAway(f"{type(error).__name__}: {error}"[:300]) from error


async def _connect(url: str) -> _Open:
    broker = RedisBroker(
        url,
        message_format=Plain,
        logger=None,  # type: ignore[arg-type]  # its way to say: be silent
        ack_policy=AckPolicy.MANUAL,
        parser=_parse,
        socket_timeout=ANSWER_SECONDS,
        socket_connect_timeout=ANSWER_SECONDS,
        # the loop is what tries again
        retry=Retry(NoBackoff(), 0),
    )
    return _Open(broker, await broker.connect())


async def _subscribe(now: _Open, wish: Wish) -> None:
    """FastStream would begin a group at the end of its stream, and what was said before the first start were lost."""
    try:
        await now.client.xgroup_create(wish.stream, GROUP, id="0", mkstream=True)
    except ResponseError as error:
        if "BUSYGROUP" not in str(error):
            raise
    idle = max(1, int(wish.reclaim_after.total_seconds() * 1000))
    fresh = StreamSub(wish.stream, group=GROUP, consumer=wish.consumer, last_id=">")
    left = StreamSub(wish.stream, group=GROUP, consumer=wish.consumer, last_id=">", min_idle_time=idle)
    now.fresh = now.broker.subscriber(stream=fresh, persistent=False)
    now.left = now.broker.subscriber(stream=left, persistent=False)
    await now.fresh.start()
    await now.left.start()
    now.wish = wish


async def _parse(message: Any, original: Callable[[Any], Awaitable[Any]]) -> Any:
    """Others may call the field something else; of several, the one called data counts. An empty body is no event."""
    fields: dict[bytes, bytes] = message["data"] or {}
    body = fields.get(FIELD) or fields.get(b"data") or next(iter(fields.values()), b"")
    return await original({**message, "data": {FIELD: body or b" "}})
