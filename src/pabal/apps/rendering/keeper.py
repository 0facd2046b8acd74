"""Keeps this server's slots: opens them, beats and polls for them, and says for how many renders there is room."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.farm import Farm, farm_of
from pabal.apps.rendering.gateway import NexrenderAway, NexrenderRefused, NotLocal
from pabal.apps.rendering.model.polling import Intervals, Polling
from pabal.apps.rendering.model.renders import LANE, QUEUED, RENDER, SLOTS, TEMPLATES
from pabal.apps.rendering.store import renders, slots
from pabal.base.clock import elapsed
from pabal.base.database import Database
from pabal.base.telemetry import declare, emit
from pabal.engine import widths
from pabal.engine.life import Life
from pabal.engine.loop import Loop
from pabal.platform import settings
from pabal.platform.services import Services

BEAT_SECONDS = 5.0
HEALTH_SECONDS = 30.0

declare("rendering.polled", "Polls of slots for work", labels=("found",), level=10)
declare("rendering.nexrender_away", "Looks at nexrender that got no answer", level=30)


class SlotKeeper:
    """A server that has no nexrender has no slots, and all this does nothing."""

    def __init__(self, database: Database, farm: Farm, life: Life) -> None:
        self._database, self._farm, self._life = database, farm, life
        self._opened_for = 0
        self._looked_at = -HEALTH_SECONDS
        self._polling = Polling()
        self._wait = timedelta(seconds=10)

    @property
    def ids(self) -> list[object]:
        return list(self._farm.slots)

    # heartbeat

    async def beat_once(self) -> int:
        """Under the life this process has now: one that lapsed takes its slots along."""
        server = self._life.worker
        if not self._farm.slots or server == 0 or self._life.is_draining:
            self._farm.room = 0
            return 0
        if server != self._opened_for:
            await self._open(server)
        async with self._database.transaction() as tx:
            await slots.beat(tx, list(self._farm.slots), server)
            found = await slots.list_slots(tx, list(self._farm.slots))
            self._farm.room = sum(one.is_open(tx.now) or one.render_id is not None for one in found)
        await self._look_at_nexrender()
        return 0

    async def _open(self, server: int) -> None:
        farm = self._farm
        async with self._database.transaction() as tx:
            for worker in farm.workers:
                await slots.close_others(tx, str(worker.id), list(worker.slots))
                for slot_id, number in worker.slots.items():
                    await slots.open_slot(
                        tx,
                        slot_id,
                        worker_id=str(worker.id),
                        number=number,
                        name=farm.slot_name(slot_id),
                        host=self._life.host,
                        server=server,
                        nexrender_url=farm.startup.nexrender_url,
                    )
        self._opened_for = server

    async def _look_at_nexrender(self) -> None:
        if elapsed() - self._looked_at < HEALTH_SECONDS:
            return
        self._looked_at = elapsed()
        latency: float | None = None
        try:
            latency = await self._farm.client.health()
        except (NexrenderAway, NexrenderRefused, NotLocal) as error:
            emit("rendering.nexrender_away", error=str(error))
        async with self._database.transaction() as tx:
            await slots.note_nexrender(tx, list(self._farm.slots), is_there=latency is not None, latency_ms=latency)

    # polling

    async def poll_once(self) -> int:
        """Is there something to take? Whoever claims is woken by the insert already; this is for what was missed."""
        if not self._farm.slots or self._farm.room == 0:
            return 0
        async with self._database.transaction() as tx:
            values = await settings.values(tx, [own.POLL_DEFAULT, own.POLL_BUSY, own.POLL_IDLE, own.POLL_EMPTIES])
            if await slots.take_poll(tx, list(self._farm.slots)):
                self._polling = Polling()
            oldest = await renders.find_oldest(tx)
            self._polling = self._polling.after(found=oldest is not None)
            self._wait = self._polling.wait(_intervals(values))
            next_at, empties = tx.now + self._wait, self._polling.empties
            await slots.note_poll(tx, list(self._farm.slots), next_at=next_at, empties=empties)
            if oldest is not None:
                tx.hint(f"queue:{RENDER}", tx.now)
        emit("rendering.polled", found=str(oldest is not None).lower(), next_poll=str(next_at), empties=empties)
        return 0

    def poll_seconds(self) -> float:
        return self._wait.total_seconds()

    async def leave(self) -> None:
        self._farm.room = 0
        if self._opened_for:
            async with self._database.transaction() as tx:
                await slots.leave(tx, list(self._farm.slots))

    def clear_templates(self) -> None:
        self._farm.templates.clear()


def _intervals(values: settings.Values) -> Intervals:
    return Intervals(values[own.POLL_DEFAULT], values[own.POLL_BUSY], values[own.POLL_IDLE], values[own.POLL_EMPTIES])


class RenderWorker:
    """A server's edge to nexrender: its slots while it runs, and the client when it stops."""

    def __init__(self, services: Services, life: Life) -> None:
        self._farm = farm_of(services)
        self._keeper = keeper = SlotKeeper(services.database, self._farm, life)
        self.loops = [
            Loop("rendering.slots", keeper.beat_once, idle=BEAT_SECONDS, wake_on=[SLOTS]),
            Loop("rendering.poll", keeper.poll_once, idle=keeper.poll_seconds, wake_on=[QUEUED, SLOTS], least=0.1),
            Loop("rendering.templates", partial(_clear, keeper.clear_templates), idle=3600.0, wake_on=[TEMPLATES]),
            Loop("rendering.licences", partial(match_licences, services.database), idle=10.0),
        ]

    async def start(self) -> None:
        await self._keeper.beat_once()

    def refuse_new(self) -> None:
        self._farm.room = 0

    async def close(self) -> None:
        try:
            await self._keeper.leave()
        finally:
            await self._farm.client.close()


async def _clear(clear: Callable[[], None]) -> int:
    clear()
    return 0


async def match_licences(database: Database) -> int:
    """As many at once over all servers as the setting says; 0 leaves it to the slots."""
    async with database.transaction() as tx:
        wanted = await settings.value(tx, own.LICENCES) or None
        found = await widths.find(tx, LANE)
        if (None if found is None else found.chosen) != wanted:
            await widths.choose(tx, LANE, wanted)
    return 0


def make_workers(services: Services, life: Life) -> list[RenderWorker]:
    return [RenderWorker(services, life)]
