"""A bot's line that writes down what it is given, and a desk: one server that holds its bot and sends step by step."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from pabal.apps.messaging.errors import BotGone
from pabal.apps.messaging.jobs.sending import Send
from pabal.apps.messaging.model.bots import route_of
from pabal.apps.messaging.model.deliveries import SEND, Delivery
from pabal.apps.messaging.resources.deliveries import MessageDeliveryFilter
from pabal.apps.messaging.store.deliveries import list_deliveries
from pabal.base import clock
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.engine import claims, delays, routes, schedules, steps, ticks, withdrawals, workers
from pabal.engine.kinds import Job, Kinds
from pabal.engine.routes import Route
from pabal.platform import settings
from pabal.platform.actor import ENGINE
from pabal.platform.notifications import Telegram
from pabal.platform.secrets import Vault
from pabal.platform.services import Services
from pabal.platform.storage import Files
from pabal.platform.tenants import Scope
from tests.support import work
from tests.support.messaging import SQL, World


@dataclass(frozen=True)
class Sent:
    """`what` is the text, or the pictures' bytes."""

    room: str
    what: str | tuple[bytes, ...]
    extension: str = ""
    media_wait: int = 0
    at: float = 0.0


@dataclass
class FakeLine:
    """`before` is asked before each packet is taken, `after` once it is, `handles` when its receipt is waited for: they
    may raise, wait, or look on."""

    sent: list[Sent] = field(default_factory=list)
    epoch: int | None = None
    before: Callable[[int], Any] = lambda _number: None
    after: Callable[[int], Any] = lambda _number: None
    handles: Callable[[int], Any] = lambda _number: None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        async with self.lock:
            yield

    async def send_text(self, room_name: str, channel_id: str, text: str) -> "FakeReceipt":
        return await self._take(Sent(f"{channel_id} {room_name}", text))

    async def send_images(
        self, channel_id: str, room_name: str, pictures: Sequence[bytes], extension: str, media_wait: int
    ) -> "FakeReceipt":
        return await self._take(Sent(f"{channel_id} {room_name}", tuple(pictures), extension, media_wait))

    async def _take(self, sent: Sent) -> "FakeReceipt":
        number = len(self.sent)
        await _call(self.before, number)
        at = asyncio.get_running_loop().time()
        self.sent.append(Sent(sent.room, sent.what, sent.extension, sent.media_wait, at))
        await _call(self.after, number)
        return FakeReceipt(self, number)

    def go(self, at: int, *, began: bool) -> None:
        """The bot goes away at this packet; `began`: it has it, but nobody knows."""

        def leave(number: int) -> None:
            if number == at:
                self.before = self.after = lambda _number: None
                raise BotGone("went away", began=began)

        if began:
            self.after = leave
        else:
            self.before = leave


@dataclass
class FakeReceipt:
    line: FakeLine
    number: int

    async def wait(self, seconds: float | None) -> bool:
        """What is waited for in `handles` outlasts any first look."""
        answer = self.line.handles(self.number)
        if asyncio.iscoroutine(answer):
            if seconds is not None:
                answer.close()
                return False
            await answer
        return True


@dataclass
class Desk:
    """One server: a life, the bot's route, and the handler of sends. Each `run` is one job from claim to settled."""

    db: Database
    services: Services
    kinds: Kinds
    worker: int
    line: FakeLine
    route: Route

    @classmethod
    async def open(
        cls,
        world: World,
        *,
        bot: str | None = None,
        running: timedelta = timedelta(hours=1),
        settings: Settings | None = None,
    ) -> "Desk":
        """`running`: how long ago it started."""
        route = route_of(bot or world.bot_name)
        return await cls.begin(world.db, world.files, route, running=running, given=settings)

    @classmethod
    async def begin(
        cls,
        db: Database,
        files: Files,
        route: str,
        *,
        running: timedelta = timedelta(hours=1),
        given: Settings | None = None,
    ) -> "Desk":
        services = make_services(db, files, given)
        kinds = Kinds()
        kinds.shared_steps(SEND, Send(services, began=clock.elapsed() - running.total_seconds()))
        async with db.transaction() as tx:
            worker = await workers.insert_worker(tx, host="here", meta={})
        desk = cls(db, services, kinds, worker, FakeLine(), Route(route, worker, 0))
        await desk.connect()
        return desk

    async def connect(self) -> None:
        self.services.connections.put(self.route.route, self.line)
        async with self.db.transaction() as tx:
            self.route = await routes.hold_route(tx, self.route.route, worker=self.worker)
        self.line.epoch = self.route.epoch

    async def disconnect(self) -> None:
        self.services.connections.drop(self.route.route, self.line)
        async with self.db.transaction() as tx:
            await routes.release_route(tx, self.route)

    async def claim(self) -> Job | None:
        async with self.db.transaction() as tx:
            await workers.hold_life(tx, self.worker)
            jobs = await claims.claim_routed(tx, self.worker, [self.route.route], kinds=[SEND], total=1)
        return jobs[0] if jobs else None

    async def run(self) -> bool:
        """False: there was nothing to take."""
        await delays.promote_once(self.db)
        job = await self.claim()
        if job is not None:
            await self.perform(job)
        return job is not None

    async def perform(self, job: Job) -> None:
        ending = await steps.Attempts(self.db, self.kinds).perform(self.worker, job)
        if ending is not None:
            async with self.db.transaction() as tx:
                await claims.settle(tx, self.worker, [(job, ending)], self.kinds)

    async def expire(self) -> int:
        return await withdrawals.expire_once(self.db, self.kinds)

    async def die(self) -> None:
        """As a power cut: its leases are handed back by whoever finds it dead."""
        await bury(self.db, self.kinds, self.worker)


async def bury(db: Database, kinds: Kinds, worker: int) -> None:
    async with db.transaction() as tx:
        await tx.run(work.SQL.lapse, worker=worker, connections="of another process")
    await workers.rescue_once(db, kinds, ttl=timedelta(0))


def make_services(db: Database, files: Files, given: Settings | None = None) -> Services:
    telegram = Telegram("http://127.0.0.1:9")
    return Services(
        given or Settings(), db, db, Vault("a key for tests only"), files, telegram, changes=db, identity=db
    )


async def fall_due(db: Database, by: timedelta = timedelta(minutes=1)) -> None:
    """Moves the clock and lets the tick decide."""
    await clock.advance(db, by)
    await ticks.tick_once(db)


async def send_now(db: Database, schedule_id: int) -> None:
    """As a person's word: one more occurrence, now."""
    async with db.transaction() as tx:
        timetable_id = await tx.value(SQL.find_timetable, id=schedule_id)
        await schedules.trigger_now(tx, timetable_id, actor="user:1")


async def set_value(db: Database, setting: Any, to: Any) -> None:
    async with db.transaction() as tx:
        await settings.change(tx, ENGINE, setting, to)


async def find_deliveries(db: Database, **wanted: Any) -> list[Delivery]:
    """Newest first."""
    async with db.transaction() as tx:
        return (await list_deliveries(tx, Scope(None, None), MessageDeliveryFilter.make(wanted))).items


async def find_delivery(db: Database, **wanted: Any) -> Delivery:
    [found] = await find_deliveries(db, **wanted)
    return found


async def _call(hook: Callable[[int], Any], number: int) -> None:
    answer = hook(number)
    if asyncio.iscoroutine(answer):
        await answer
