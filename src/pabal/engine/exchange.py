"""One commit settles the last batch and claims the next. Keeps, per queue, where the next claim starts to look."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.base.clock import elapsed
from pabal.base.database import Database, Tx
from pabal.base.killpoints import kill_point
from pabal.engine import claims, routes, workers
from pabal.engine.claims import BEGINNING, END, Attempted, Settled, Wanted
from pabal.engine.kinds import Job, Kinds, Shape

PRIORITIES = (0, 1, 2, 3)
# Rows become visible later than the moment they carry: by less than this, or a wake-up or the sweep finds them.
MARGIN = timedelta(seconds=2)
SWEEP_SOON, SWEEP_LATE = 1.0, 5.0
MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Capacity:
    """How much a server can take: of quick kinds ahead of its slots, of slow ones only what runs at once.

    Routed work has room of its own: no other server could take it, and it mostly waits for its connection.
    """

    quick: int
    slow: int
    is_quick: Callable[[str], bool]
    routed: int = 0

    @property
    def is_full(self) -> bool:
        return self.quick <= 0 and self.slow <= 0 and self.routed <= 0


class Exchange:
    def __init__(self, database: Database, kinds: Kinds) -> None:
        self._database = database
        self._kinds = kinds
        self._queues = frozenset(kinds.names(Shape.PLAIN, Shape.STEPS))
        self._floors: dict[tuple[str, int], datetime] = {}
        # Kept apart from the floors: a claim under way must not raise again what a hint meanwhile lowered.
        self._hinted: dict[str, datetime] = {}
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
        if name in self._queues:
            self._dirty.add(name)
            self._hinted[name] = min(self._hinted.get(name, at), at) if at is not None else BEGINNING
        elif self._kinds.find(name) is None:
            self._dirty_routes.add(name)
        return True

    @property
    def has_hints(self) -> bool:
        return bool(self._dirty or self._dirty_routes) or elapsed() >= self._sweep_at

    async def run(self, worker: int, attempts: Sequence[Attempted], room: Capacity) -> tuple[Settled, list[Job]]:
        """Settles `attempts` and claims what there is room for, in one commit."""
        # Taken before the claim, never after: what is announced meanwhile must be looked at again.
        dirty, self._dirty = self._dirty, set()
        dirty_routes, self._dirty_routes = self._dirty_routes, set()
        jobs: list[Job] = []
        is_claiming = False
        if not attempts and self._is_simple(dirty, dirty_routes, room):
            return Settled(), await self._claim_alone(worker, dirty, room)
        try:
            # The life first of all locks: locking leases first deadlocks with rescue.
            async with self._database.transaction(workers.SQL.open_alive, worker=worker) as tx:
                is_alive = tx.opened["id"] is not None
                settled = await claims.settle(tx, worker, attempts, self._kinds)
                kill_point("exchange.settled")
                is_claiming = is_alive and not room.is_full
                if is_claiming:
                    jobs = await self._claim_all(tx, worker, dirty, dirty_routes, room)
                kill_point("exchange.claimed")
            kill_point("exchange.committed")
        except BaseException:
            is_claiming = False
            self._sweep_at = elapsed()
            raise
        finally:
            if not is_claiming:
                self._dirty |= dirty
                self._dirty_routes |= dirty_routes
        return settled, jobs

    def _is_simple(self, dirty: set[str], dirty_routes: set[str], room: Capacity) -> bool:
        """What an idle server does when work arrives: nothing to settle, nothing to sweep, one group of queues."""
        if not dirty or dirty_routes or elapsed() >= self._sweep_at:
            return False
        groups = {room.is_quick(queue) for queue in dirty}
        return len(groups) == 1 and (room.quick if True in groups else room.slow) > 0

    async def _claim_alone(self, worker: int, dirty: set[str], room: Capacity) -> list[Job]:
        """Without a transaction around it: the wait of a job that meets an idle server is mostly round trips."""
        total = room.quick if room.is_quick(next(iter(dirty))) else room.slow
        wanted = self._wanted(dirty)
        try:
            claimed = await claims.claim(self._database, worker, wanted, total=total)
        except BaseException:
            self._dirty |= dirty
            self._sweep_at = elapsed()
            raise
        kill_point("exchange.committed")
        self._remember(None, wanted, claimed, was_cut=len(claimed) >= total)
        return [job for job, _, _ in claimed]

    async def _claim_all(
        self, tx: Tx, worker: int, dirty: set[str], dirty_routes: set[str], room: Capacity
    ) -> list[Job]:
        is_sweeping = elapsed() >= self._sweep_at
        held = await routes.list_routes(tx, worker=worker) if is_sweeping else dirty_routes
        routed = await self._claim_routed(tx, worker, {*held, *dirty_routes}, room.routed)
        quick = {queue for queue in dirty if room.is_quick(queue)}
        slow_room = room.slow
        jobs: list[Job] = []
        if is_sweeping:
            all_quick = {queue for queue in self._queues if room.is_quick(queue)}
            slow = await self._sweep(tx, worker, self._queues - all_quick, slow_room)
            slow_room -= len(slow)
            behind = slow + await self._sweep(tx, worker, all_quick, room.quick)
            self._plan_sweep(found=bool(behind))
            jobs += behind
        jobs += await self._claim(tx, worker, dirty - quick, slow_room)
        jobs += await self._claim(tx, worker, quick, room.quick - len(jobs))
        return routed + jobs

    async def _claim(self, tx: Tx, worker: int, queues: set[str], total: int) -> list[Job]:
        if not queues:
            return []
        if total <= 0:
            self._dirty |= queues
            return []
        wanted = self._wanted(queues)
        claimed = await claims.claim(tx, worker, wanted, total=total)
        self._remember(tx.now, wanted, claimed, was_cut=len(claimed) >= total)
        return [job for job, _, _ in claimed]

    def _wanted(self, queues: set[str]) -> list[Wanted]:
        hinted = {queue: self._hinted.pop(queue) for queue in queues if queue in self._hinted}
        return [
            Wanted(queue, priority, min(self._floors.get((queue, priority), BEGINNING), hinted.get(queue, END)))
            for priority in PRIORITIES
            for queue in self._in_turn(queues)
        ]

    def _remember(
        self,
        now: datetime | None,
        wanted: Sequence[Wanted],
        claimed: Sequence[tuple[Job, datetime, int]],
        *,
        was_cut: bool,
    ) -> None:
        """A claim that came back short has seen everything up to now; one that was cut, up to what it took."""
        newest: dict[tuple[str, int], datetime] = {}
        for job, ready_at, priority in claimed:
            place = (job.queue, priority)
            newest[place] = max(newest.get(place, ready_at), ready_at)
        for want in wanted:
            place = (want.queue, want.priority)
            looked_until = newest.get(place) if was_cut or now is None else now
            if looked_until is not None:
                self._floors[place] = max(self._floors.get(place, BEGINNING), looked_until - MARGIN)
        if was_cut:
            self._dirty.update(want.queue for want in wanted)

    async def _sweep(self, tx: Tx, worker: int, queues: Iterable[str], total: int) -> list[Job]:
        """Looks behind the floors, for what committed later than the margin and whose wake-up was lost."""
        wanted = [
            Wanted(queue, priority, BEGINNING, self._floors[queue, priority])
            for priority in PRIORITIES
            for queue in queues
            if (queue, priority) in self._floors
        ]
        if not wanted or total <= 0:
            return []
        return [job for job, _, _ in await claims.claim(tx, worker, wanted, total=total)]

    def _plan_sweep(self, *, found: bool) -> None:
        """Never because a claim came back short: that is what idle looks like, and behind an old snapshot it costs."""
        self._dirty.update(self._queues)
        self._sweep_wait = SWEEP_SOON if found else min(self._sweep_wait * 2, SWEEP_LATE)
        self._sweep_at = elapsed() + (0.0 if found else self._sweep_wait)

    async def _claim_routed(self, tx: Tx, worker: int, names: set[str], total: int) -> list[Job]:
        jobs: list[Job] = []
        for kinds, most in self._routed_kinds() if names else ():
            room = min(total - len(jobs), most)
            found = await claims.claim_routed(tx, worker, sorted(names), kinds=kinds, total=room) if room > 0 else []
            jobs += found
            if len(found) >= room:
                self._dirty_routes |= names
        return jobs

    def _routed_kinds(self) -> list[tuple[list[str], int]]:
        """Kinds that limit a claim are claimed apart; all others together."""
        apart = [name for name in self._queues if self._kinds[name].claim_most is not None]
        together = sorted(self._queues.difference(apart))
        groups = [(together, MOST)] if together else []
        return groups + [([name], self._kinds[name].most_per_claim) for name in sorted(apart)]

    def _in_turn(self, queues: set[str]) -> list[str]:
        """Another queue goes first each time, so that a long one does not starve the rest."""
        self._turn += 1
        names = sorted(queues)
        cut = self._turn % len(names)
        return names[cut:] + names[:cut]
