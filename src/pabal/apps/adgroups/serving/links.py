"""The way to the ad servers' Redis. The only module here that knows redis-py, so it is imported when it is needed."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, WatchError

from pabal.apps.adgroups.errors import ServingAway, ServingOvertaken
from pabal.apps.adgroups.serving.layout import (
    ABOUT,
    PREFIX,
    RUNNING,
    Change,
    Seen,
    Served,
    key_of,
    key_of_inventory,
    read_codes,
    show_moment,
)

# at once, in one MULTI
BATCH = 500
SLICE = 1000
SECONDS = 5.0
WATCHES = 20
COUNT = "return redis.call('HSET', KEYS[1], 'count', redis.call('SCARD', KEYS[2]))"


class Link:
    def __init__(self, redis: "Redis") -> None:
        self._redis = redis

    async def write(self, change: Change) -> None:
        """All or nothing of each batch, never over what was read later: then it raises ServingOvertaken."""
        ids = list(change.wanted)
        with _Named():
            for start in range(0, len(ids), BATCH):
                await self._write(change, ids[start : start + BATCH])

    async def look(self, served: Sequence[Served]) -> dict[int, Seen]:
        """What is there of each that should be."""
        holders: dict[str, list[int]] = defaultdict(list)
        for one in served:
            for code in one.codes:
                holders[code].append(one.id)
        ids = [one.id for one in served]
        with _Named():
            async with self._redis.pipeline(transaction=False) as pipe:
                pipe.mget([key_of(each) for each in ids])
                pipe.smismember(RUNNING, [str(each) for each in ids])
                for code, members in holders.items():
                    pipe.smismember(key_of_inventory(code), [str(each) for each in members])
                values, listed, *held = await pipe.execute()
        codes: dict[int, set[str]] = defaultdict(set)
        for (code, members), answers in zip(holders.items(), held, strict=True):
            for each, is_there in zip(members, answers, strict=True):
                if is_there:
                    codes[each].add(code)
        return {
            each: Seen(value, bool(is_listed), frozenset(codes[each]))
            for each, value, is_listed in zip(ids, values, listed, strict=True)
        }

    async def scan_keys(self) -> AsyncIterator[list[str]]:
        """All keys of the layout, and what else begins as they do, without their beginning."""
        with _Named():
            async for found in _slices(self._redis.scan_iter(match=f"{PREFIX}*", count=SLICE)):
                yield [key.removeprefix(PREFIX) for key in found]

    async def scan_members(self, key: str) -> AsyncIterator[list[str]]:
        with _Named():
            async for found in _slices(self._redis.sscan_iter(key, count=SLICE)):
                yield found

    async def drop_keys(self, keys: Iterable[str]) -> None:
        """Given without their beginning."""
        with _Named():
            await self._redis.unlink(*(f"{PREFIX}{key}" for key in keys))

    async def drop_members(self, key: str, members: Sequence[str]) -> None:
        """What is of no ad group; `count` counts it no more."""
        with _Named():
            async with self._redis.pipeline(transaction=True) as pipe:
                pipe.srem(key, *members)
                pipe.eval(COUNT, 2, ABOUT, RUNNING)
                await pipe.execute()

    async def is_written(self) -> bool:
        """Whether anybody ever wrote here."""
        with _Named():
            return bool(await _wait(self._redis.exists(ABOUT)))

    async def note_rebuilt(self, at: datetime) -> None:
        with _Named():
            await _wait(self._redis.hset(ABOUT, "rebuilt_at", show_moment(at)))

    async def _write(self, change: Change, ids: list[int]) -> None:
        """Every writer touches ABOUT, so watching it is watching all."""
        keys = [key_of(each) for each in ids]
        async with self._redis.pipeline(transaction=True) as pipe:
            for _ in range(WATCHES):
                await pipe.watch(ABOUT)
                later = int(await _wait(pipe.hget(ABOUT, "fence")) or 0)
                if later > change.fence:
                    raise ServingOvertaken(later, change.fence)
                # most that start were not there: one number instead of five hundred answers
                is_any = await _wait(pipe.exists(*keys))
                before = dict(zip(ids, await _wait(pipe.mget(keys)), strict=True)) if is_any else {}
                pipe.multi()  # type: ignore[no-untyped-call]  # redis-py left it so
                _queue(pipe, change, ids, before)
                pipe.hset(ABOUT, items=["fence", change.fence, "refreshed_at", show_moment(change.at)])
                pipe.eval(COUNT, 2, ABOUT, RUNNING)
                if await _is_done(pipe):
                    return
            raise ServingOvertaken(change.fence, change.fence)


@asynccontextmanager
async def open_redis(url: str) -> AsyncIterator[Link]:
    """No tries of its own: whoever waits for Redis waits as jobs do, and a late write would be overtaken anyway."""
    redis = Redis.from_url(
        url,
        decode_responses=True,
        encoding_errors="replace",
        socket_timeout=SECONDS,
        socket_connect_timeout=SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    try:
        yield Link(redis)
    finally:
        await redis.aclose()


def _queue(pipe: "Pipeline", change: Change, ids: Sequence[int], before: Mapping[int, str | None]) -> None:
    joins: dict[str, list[int]] = defaultdict(list)
    leaves: dict[str, list[int]] = defaultdict(list)
    values: dict[str, str] = {}
    there, gone = [], []
    for each in ids:
        served, value = change.wanted[each], before.get(each)
        codes: Sequence[str] = () if served is None else served.codes
        if served is None:
            gone.append(each)
        else:
            there.append(each)
            values[key_of(each)] = served.text
        for code in codes:
            joins[code].append(each)
        old = () if served is not None and value == served.text else read_codes(value)
        for code in {*old, *change.also.get(each, ())}.difference(codes):
            leaves[code].append(each)
    if values:
        pipe.mset(values)
        pipe.sadd(RUNNING, *there)
    if gone:
        pipe.unlink(*(key_of(each) for each in gone))
        pipe.srem(RUNNING, *gone)
    for code, members in joins.items():
        pipe.sadd(key_of_inventory(code), *members)
    for code, members in leaves.items():
        pipe.srem(key_of_inventory(code), *members)


async def _is_done(pipe: "Pipeline") -> bool:
    """False: somebody wrote since it was watched."""
    try:
        await pipe.execute()
    except WatchError:
        return False
    return True


async def _slices(found: AsyncIterator[Any]) -> AsyncIterator[list[str]]:
    slice_: list[str] = []
    async for one in found:
        slice_.append(one)
        if len(slice_) == SLICE:
            yield slice_
            slice_ = []
    if slice_:
        yield slice_


async def _wait(answer: Any) -> Any:
    """redis-py types its asynchronous commands as if they might have answered already."""
    return await answer


class _Named:
    """Names every failure of Redis and of the way to it; everything else passes through."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (RedisError, OSError, TimeoutError)):
            raise ServingAway(f"{type(error).__name__}: {error}") from error
