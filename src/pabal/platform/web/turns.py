"""How often one person, token or address may ask, and how much may run at once, so that nobody starves the others.

Counted in memory, each server for itself. A request begins as its address's; once somebody is known it is theirs.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field

from starlette.requests import HTTPConnection

from pabal.base.addresses import group_address
from pabal.base.database import PoolBusy
from pabal.platform.web.problems import TooManyRequests

MOST_PRINCIPALS = 10_000


@dataclass
class Bucket:
    tokens: float
    at: float


@dataclass(frozen=True)
class Rate:
    """A bucket of `limit` requests for each principal, filled again over `seconds`."""

    limit: int = 1200
    seconds: int = 60
    _buckets: "OrderedDict[str, Bucket]" = field(default_factory=OrderedDict, repr=False)

    @property
    def policy(self) -> str:
        return f'"api";q={self.limit};w={self.seconds}'

    def take(self, principal: str, now: float, weight: float = 1.0) -> str:
        """What the RateLimit header says after this request; raises when there is nothing left."""
        bucket = self._buckets.pop(principal, None) or Bucket(self.limit, now)
        filled = min(float(self.limit), bucket.tokens + (now - bucket.at) * self.limit / self.seconds)
        self._buckets[principal] = Bucket(filled if filled < weight else filled - weight, now)
        while len(self._buckets) > MOST_PRINCIPALS:
            self._buckets.popitem(last=False)
        if filled < weight:
            raise SlowDown(retry_after=max(1, round((weight - filled) * self.seconds / self.limit)))
        left = filled - weight
        return f'"api";r={int(left)};t={round((self.limit - left) * self.seconds / self.limit)}'

    def give_back(self, principal: str, weight: float = 1.0) -> None:
        bucket = self._buckets.get(principal)
        if bucket is not None:
            bucket.tokens = min(float(self.limit), bucket.tokens + weight)


class SlowDown(TooManyRequests, code="slow_down"):
    """Too many requests in a short time. Wait as long as Retry-After says; nobody else is affected."""

    status = 429

    def __init__(self, *, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__()


class TooManyAtOnce(TooManyRequests, code="too_many_at_once"):
    """You already have as many requests running as one may have at once. Wait for some of them, then try again."""

    retry_after = 1


class TooManyOwnStreams(TooManyRequests, code="too_many_own_streams"):
    """You already follow the facts as often as one may at once. Close a stream, or use one for several topics."""

    retry_after = 5


@dataclass(frozen=True, slots=True)
class Shares:
    """What one may have at once: `requests`, `streams` and database `connections` of a person or token, and the
    requests of all `guests` at one address. `wait` is how many seconds a request waits for a connection of its share.
    Guests of one address may ask `guest_burst` times at once, and as often again over `guest_seconds`; one that asks
    too often hears so after `refusal_wait` seconds.
    """

    requests: int = 32
    guests: int = 48
    streams: int = 20
    connections: int = 4
    wait: float = 5
    guest_burst: int = 300
    guest_seconds: int = 12
    refusal_wait: float = 1


class Turns:
    """All requests that run on this server, by who sent them."""

    def __init__(self, shares: Shares | None = None) -> None:
        self.shares = shares or Shares()
        # by address, of requests of nobody known
        self.guests = Rate(self.shares.guest_burst, self.shares.guest_seconds)
        self._running: Counter[str] = Counter()
        self._gates: dict[str, _Gate] = {}

    def begin(self, address: str) -> "Turn":
        turn = Turn(self, f"address {group_address(address)}")
        self.add(turn.counted_as, self.shares.guests, TooManyAtOnce)
        return turn

    def knock(self, address: str) -> "Turn":
        """For whoever shows a key where strangers keep the address busy: counted apart until it is found out whose."""
        turn = Turn(self, f"address {group_address(address)}")
        turn.counted_as, turn.is_knocking = f"knock {turn.owner}", True
        self.add(turn.counted_as, self.shares.guests, TooManyAtOnce)
        return turn

    def running(self, counted_as: str) -> int:
        return self._running[counted_as]

    def add(self, counted_as: str, most: int, refusal: type[TooManyRequests]) -> None:
        if self._running[counted_as] >= most:
            raise refusal(f"at most {most}")
        self._running[counted_as] += 1

    def remove(self, counted_as: str) -> None:
        self._running[counted_as] -= 1
        if not self._running[counted_as]:
            del self._running[counted_as]

    @asynccontextmanager
    async def connection(self, owner: str) -> AsyncIterator[None]:
        gate = self._gates.setdefault(owner, _Gate(asyncio.Semaphore(self.shares.connections)))
        gate.users += 1
        try:
            async with gate.passed(self.shares.wait):
                yield
        finally:
            gate.users -= 1
            if not gate.users:
                del self._gates[owner]


class Turn:
    """One request that runs. It ends with the request, whatever it was counted as by then."""

    def __init__(self, turns: Turns, owner: str) -> None:
        self._turns = turns
        self.owner = self.counted_as = owner
        self.is_knocking = False
        self._address, self._taken = owner, 0.0
        self._open = 0

    def take_guest(self, now: float, weight: float) -> None:
        """Counts against its address until somebody is known; raises SlowDown when those asked too often."""
        self._turns.guests.take(self._address, now, weight)
        self._taken = weight

    def belong_to(self, owner: str) -> None:
        """Somebody is known; streams ask again and again."""
        if owner != self.owner:
            self._count_as(owner, self._turns.shares.requests, TooManyAtOnce)
            self.owner, self.is_knocking = owner, False
            self._turns.guests.give_back(self._address, self._taken)
            self._taken = 0.0

    def become_stream(self) -> None:
        self._count_as(f"stream {self.owner}", self._turns.shares.streams, TooManyOwnStreams)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[None]:
        """Around the use of a database connection: nobody holds more than their share of a pool. A request that has one
        gets a second without waiting: requests that each wait for the others' second would wait for ever."""
        async with self._turns.connection(self.owner) if not self._open else nullcontext():
            self._open += 1
            try:
                yield
            finally:
                self._open -= 1

    def end(self) -> None:
        self._turns.remove(self.counted_as)

    def _count_as(self, name: str, most: int, refusal: type[TooManyRequests]) -> None:
        self._turns.add(name, most, refusal)
        self._turns.remove(self.counted_as)
        self.counted_as = name


@dataclass
class _Gate:
    free: asyncio.Semaphore
    users: int = 0

    @asynccontextmanager
    async def passed(self, wait: float) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(wait):
                await self.free.acquire()
        except TimeoutError as error:
            raise PoolBusy("your own requests hold them") from error
        try:
            yield
        finally:
            self.free.release()


def turn_of(request: HTTPConnection) -> Turn:
    found: Turn = request.scope["state"]["turn"]
    return found


def take_turn(request: HTTPConnection, owner: str) -> None:
    """From here on the request is this person's or token's, and its connection no stranger's."""
    turn_of(request).belong_to(owner)
    sender = request.scope["state"].get("sender")
    if sender is not None:
        sender.note_known()
