"""One commit settles the last batch and claims the next. Keeps, per queue, where the next claim starts to look."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from pabal.base.clock import elapsed
from pabal.base.database import Database, Tx
from pabal.engine import claims, routes, workers
from pabal.engine.claims import BEGINNING, Attempted, Settled, Wanted
from pabal.engine.kinds import Job, Kinds, Shape

PRIORITIES = (0, 1, 2, 3)
# Rows become visible later than the moment they carry: by less than this, or a wake-up or the sweep finds them.
MARGIN = timedelta(seconds=2)
SWEEP_SOON, SWEEP_LATE = 1.0, 5.0

Limit = Callable[[str], int]


class Exchange:
    def __init__(self, database: Database, kinds: Kinds) -> None:
        self._database = database
        self._kinds = kinds
        self._queues = kinds.names(Shape.PLAIN, Shape.STEPS)
        self._floors: dict[tuple[str, int], datetime] = {}
        self._dirty: set[str] = set(self._queues)
        self._dirty_routes: set[str] = set()
        self._turn = 0
        self._sweep_wait = SWEEP_SOON
        self._sweep_at = elapsed()

    def hear(self, topic: str, at: datetime | None) -> bool:
        """A hint names a queue and the earliest moment it stands for; answers whether it concerns us."""
        if topic == "*":
            self._dirty.update(self._queues)
            self._sweep_at = elapsed()
            return True
        name = topic.removeprefix("queue:")
        if name == topic:
            return False
        if self._kinds.find(name) is None:
            self._dirty_routes.add(name)
            return True
        self._dirty.add(name)
        self._lower(name, at)
        return True

    @property
    def has_hints(self) -> bool:
        return bool(self._dirty or self._dirty_routes) or elapsed() >= self._sweep_at

    async def run(
        self, worker: int, attempts: Sequence[Attempted], *, limit: Limit, total: int
    ) -> tuple[Settled, list[Job]]:
        """Settles `attempts` and claims up to `total`, of each kind up to its limit, in one commit."""
        # Taken before the claim, never after: what is announced meanwhile must be looked at again.
        dirty, self._dirty = self._dirty, set()
        dirty_routes, self._dirty_routes = self._dirty_routes, set()
        try:
            async with self._database.transaction() as tx:
                is_alive = await workers.hold_life(tx, worker)
                settled = await claims.settle(tx, worker, attempts, self._kinds)
                jobs: list[Job] = []
                if is_alive and total > 0:
                    jobs += await self._claim_routed(tx, worker, dirty_routes, total)
                    jobs += await self._claim(tx, worker, dirty, limit, total - len(jobs))
        except BaseException:
            self._dirty |= dirty
            self._dirty_routes |= dirty_routes
            raise
        if not is_alive or total <= 0:
            self._dirty |= dirty
            self._dirty_routes |= dirty_routes
        return settled, jobs

    async def _claim(self, tx: Tx, worker: int, dirty: set[str], limit: Limit, total: int) -> list[Job]:
        jobs: list[Job] = []
        if elapsed() >= self._sweep_at:
            jobs += await self._sweep(tx, worker, limit, total)
        wanted = [
            Wanted(queue, priority, limit(queue), self._floors.get((queue, priority), BEGINNING))
            for priority in PRIORITIES
            for queue in self._in_turn(dirty)
        ]
        if not wanted or total <= len(jobs):
            self._dirty |= dirty
            return jobs
        claimed = await claims.claim(tx, worker, wanted, total=total - len(jobs))
        self._remember(tx, wanted, claimed, was_cut=len(claimed) >= total - len(jobs))
        return jobs + [job for job, _, _ in claimed]

    def _remember(
        self, tx: Tx, wanted: Sequence[Wanted], claimed: Sequence[tuple[Job, datetime, int]], *, was_cut: bool
    ) -> None:
        newest: dict[tuple[str, int], datetime] = {}
        counts: dict[tuple[str, int], int] = {}
        for job, ready_at, priority in claimed:
            place = (job.queue, priority)
            newest[place] = max(newest.get(place, ready_at), ready_at)
            counts[place] = counts.get(place, 0) + 1
        for want in wanted:
            place = (want.queue, want.priority)
            if counts.get(place, 0) >= want.limit or was_cut:
                self._dirty.add(want.queue)
                looked_until = newest.get(place)
            else:
                looked_until = tx.now
            if looked_until is not None:
                self._floors[place] = max(self._floors.get(place, BEGINNING), looked_until - MARGIN)

    async def _sweep(self, tx: Tx, worker: int, limit: Limit, total: int) -> list[Job]:
        """Looks behind the floors, for what committed later than the margin and whose wake-up was lost."""
        wanted = [
            Wanted(queue, priority, limit(queue), BEGINNING, floor)
            for (queue, priority), floor in sorted(self._floors.items(), key=lambda item: item[0][1])
        ]
        held = await routes.list_routes(tx, worker=worker)
        found = [job for job, _, _ in await claims.claim(tx, worker, wanted, total=total)] if wanted else []
        found += await self._claim_routed(tx, worker, set(held), total - len(found)) if total > len(found) else []
        self._dirty.update(self._queues)
        self._sweep_wait = SWEEP_SOON if found else min(self._sweep_wait * 2, SWEEP_LATE)
        self._sweep_at = elapsed() + (0.0 if len(found) >= total else self._sweep_wait)
        return found

    async def _claim_routed(self, tx: Tx, worker: int, names: set[str], total: int) -> list[Job]:
        if not names:
            return []
        jobs = await claims.claim_routed(tx, worker, sorted(names), kinds=self._queues, total=total)
        if len(jobs) >= total:
            self._dirty_routes |= names
        return jobs

    def _in_turn(self, dirty: set[str]) -> list[str]:
        """Another queue goes first each time, so that a long one does not starve the rest."""
        self._turn += 1
        names = sorted(dirty)
        cut = self._turn % len(names) if names else 0
        return names[cut:] + names[:cut]

    def _lower(self, queue: str, at: datetime | None) -> None:
        if at is None:
            return
        for priority in PRIORITIES:
            floor = self._floors.get((queue, priority))
            if floor is not None and at < floor:
                self._floors[queue, priority] = at
