"""One commit settles the last batch and claims the next. Keeps, per queue, where the next claim starts to look."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from pabal.base.clock import elapsed
from pabal.base.database import Database, Tx
from pabal.base.killpoints import kill_point
from pabal.engine import claims, routes, workers
from pabal.engine.claims import BEGINNING, END, PRIORITIES, Settled, Wanted
from pabal.engine.endings import Attempted, Returned
from pabal.engine.kinds import Job, Kinds, Shape, kind_of

# Rows become visible later than the moment they carry: by less than this, or a wake-up or the sweep finds them.
MARGIN = timedelta(seconds=2)
SWEEP_SOON, SWEEP_LATE = 1.0, 5.0
MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Capacity:
    """How much a server can take: of quick kinds what its slots can begin soon, of slow ones what runs at once.

    Of a kind in `limits`, which names it by all its names, no more than that. Routed work has room of its own: no other
    server could take it, and it mostly waits for its connection.
    """

    quick: int
    slow: int
    is_quick: Callable[[str], bool]
    routed: int = 0
    limits: Mapping[frozenset[str], int] = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        return self.quick <= 0 and self.slow <= 0 and self.routed <= 0

    def of(self, queue: str) -> int:
        kind = kind_of(queue)
        room = self.quick if self.is_quick(kind) else self.slow
        return min([room, *(most for names, most in self.limits.items() if kind in names)])

    def of_all(self, queues: Set[str]) -> int:
        return min(map(self.of, queues), default=0)

    def less(self, queues: Set[str], count: int) -> "Capacity":
        """What is left when so many of one group were taken."""
        kinds = set(map(kind_of, queues))
        slow = self.slow - (0 if any(map(self.is_quick, kinds)) else count)
        limits = {names: most - (count if names & kinds else 0) for names, most in self.limits.items()}
        return replace(self, quick=self.quick - count, slow=slow, limits=limits)

    def groups(self, queues: Set[str]) -> Iterator[set[str]]:
        """Those that share their room: a kind with a limit is claimed apart, slow ones before quick ones."""
        limited = [{queue for queue in queues if kind_of(queue) in names} for names in self.limits]
        shared = set(queues).difference(*limited)
        quick = {queue for queue in shared if self.is_quick(kind_of(queue))}
        yield from (group for group in (*limited, shared - quick, quick) if group)


class Exchange:
    def __init__(self, database: Database, kinds: Kinds, labels: Set[str] = frozenset()) -> None:
        self._database = database
        self._kinds = kinds
        self._able = kinds.able(labels, Shape.PLAIN, Shape.STEPS)
        self._queues = frozenset(kinds.queues(labels, Shape.PLAIN, Shape.STEPS))
        self._floors: dict[tuple[str, int], datetime] = {}
        # Kept apart from the floors: a claim under way must not raise again what a hint meanwhile lowered.
        self._hinted: dict[str, datetime] = {}
        self._dirty: set[str] = set(self._queues)
        self._deep: set[str] = set()
        self._dirty_routes: set[str] = set()
        # at which routes the exchanges under way look
        self._looking: list[set[str]] = []
        self._turn = 0
        # in which turn each queue, and each route, was last served
        self._served: dict[str, int] = {}
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
        elif self._is_route(name):
            self._dirty_routes.add(name)
        return True

    def _is_route(self, name: str) -> bool:
        return self._kinds.find(kind_of(name)) is None

    @property
    def dirty(self) -> frozenset[str]:
        """Queues in which there may be something."""
        return frozenset(self._dirty)

    @property
    def dirty_kinds(self) -> set[str]:
        return set(map(kind_of, self._dirty))

    @property
    def has_hints(self) -> bool:
        return bool(self._dirty or self._dirty_routes) or elapsed() >= self._sweep_at

    def wants(self, room: Capacity) -> bool:
        """Whether there may be something that there is room for."""
        if room.is_full or not self.has_hints:
            return False
        has_room = any(room.of(queue) > 0 for queue in self._dirty) or bool(self._dirty_routes and room.routed > 0)
        return has_room or elapsed() >= self._sweep_at

    async def run(self, worker: int, attempts: Sequence[Attempted], room: Capacity) -> tuple[Settled, list[Job]]:
        """Settles `attempts` and claims what there is room for, in one commit; nothing of what it hands back."""
        returned = [job for job, outcome in attempts if isinstance(outcome, Returned)]
        back = {job.queue for job in returned}
        # What goes back to a route may be more urgent than what the others have: all wait for the next commit.
        if any(job.route_epoch is not None for job in returned):
            room = replace(room, routed=0)
        # Taken before the claim, never after: what is announced meanwhile must be looked at again.
        # Where the last claim was cut there is more: another exchange need not wait for the end of this one.
        dirty, self._dirty = self._dirty - back, self._dirty & (back | self._deep)
        dirty_routes, self._dirty_routes = self._beside(self._dirty_routes) - back, self._dirty_routes & back
        jobs: list[Job] = []
        is_claiming = False
        if not attempts and self._is_simple(dirty, dirty_routes, room):
            return Settled(), await self._claim_alone(worker, dirty, room)
        self._looking.append(dirty_routes)
        try:
            # The life first of all locks: locking leases first deadlocks with rescue.
            async with self._database.transaction(workers.SQL.open_alive, worker=worker) as tx:
                is_alive = tx.opened["id"] is not None
                settled = await claims.settle(tx, worker, attempts, self._kinds)
                # Whom the lanes let go is claimed in the commit that made it ready, not in the next one.
                dirty |= {topic.removeprefix("queue:") for topic in tx.hints} & self._queues - back
                kill_point("exchange.settled")
                is_claiming = is_alive and not room.is_full
                if is_claiming:
                    jobs = await self._claim_all(tx, worker, dirty, dirty_routes, room, back=back)
                kill_point("exchange.claimed")
            kill_point("exchange.committed")
        except BaseException:
            is_claiming = False
            self._sweep_at = elapsed()
            raise
        finally:
            self._looking.remove(dirty_routes)
            if not is_claiming:
                self._dirty |= dirty
                self._dirty_routes |= dirty_routes
        return settled, jobs

    @asynccontextmanager
    async def follow(self, worker: int, most: int, noted: set[tuple[int, int]]) -> AsyncIterator["Following"]:
        """Around a commit of attempts that end: what their lanes let go is claimed in it, if it waits for a route.

        Before the commit it is among the `noted`.
        """
        following = Following(self, worker, most, noted)
        try:
            yield following
        except BaseException:
            self._dirty_routes |= following.routes
            raise
        finally:
            if following.routes:
                self._looking.remove(following.routes)

    async def claim_let_go(self, tx: Tx, following: "Following", let_go: Sequence[str]) -> list[Job]:
        """In turn with all other routes that may have something: nothing more urgent is passed over."""
        names = [name for name in let_go if self._is_route(name)]
        if not names or not await tx.rows(workers.SQL.hold_life_beside, worker=following.worker):
            return []
        routes, self._dirty_routes = self._beside(self._dirty_routes.union(names)), set()
        following.routes = routes
        self._looking.append(routes)
        jobs, is_cut = await self._claim_from_routes(tx, following.worker, routes, following.most)
        if is_cut and (routes != set(names) or Counter(job.queue for job in jobs) != Counter(names)):
            self._dirty_routes |= routes
        else:
            # All that was let go is here, and nothing else was known of: another look would find nothing.
            for job in jobs:
                tx.hints.pop(f"queue:{job.queue}", None)
        return jobs

    def _beside(self, routes: set[str]) -> set[str]:
        """Whoever looks at routes also looks at those of an exchange under way: it may leave more urgent ones there."""
        return routes.union(*self._looking) if routes else set()

    def _is_simple(self, dirty: set[str], dirty_routes: set[str], room: Capacity) -> bool:
        """What an idle server does when work arrives: nothing to settle, nothing to sweep, one group of queues."""
        if not dirty or dirty_routes or elapsed() >= self._sweep_at:
            return False
        return room.of_all(dirty) > 0 and len(list(room.groups(dirty))) == 1

    async def _claim_alone(self, worker: int, dirty: set[str], room: Capacity) -> list[Job]:
        """Without a transaction around it: the wait of a job that meets an idle server is mostly round trips."""
        total = room.of_all(dirty)
        # No transaction, no moment; but what a hint stands for is not later than the claim that follows it.
        until = {queue: self._hinted[queue] for queue in dirty & self._hinted.keys()}
        wanted = self._wanted(dirty)
        try:
            claimed = await claims.claim(self._database, worker, wanted, total=total)
        except BaseException:
            self._dirty |= dirty
            self._sweep_at = elapsed()
            raise
        kill_point("exchange.committed")
        self._remember(until, wanted, claimed, was_cut=len(claimed) >= total)
        return [job for job, _, _ in claimed]

    async def _claim_all(
        self, tx: Tx, worker: int, dirty: set[str], dirty_routes: set[str], room: Capacity, *, back: set[str]
    ) -> list[Job]:
        is_sweeping = elapsed() >= self._sweep_at
        # One sweep at a time; if this one fails, the next is due at once.
        self._sweep_at += SWEEP_LATE if is_sweeping else 0.0
        held = await routes.list_routes(tx, worker=worker) if is_sweeping else dirty_routes
        routed = await self._claim_routed(tx, worker, {*held, *dirty_routes} - back, room.routed)
        jobs: list[Job] = []
        if is_sweeping:
            known = self._queues.union(held)
            self._served = {name: turn for name, turn in self._served.items() if name in known}
            for group in room.groups(self._queues - back):
                behind = await self._sweep(tx, worker, group, room.of_all(group))
                room = room.less(group, len(behind))
                jobs += behind
            self._plan_sweep(found=bool(jobs))
        for group in room.groups(dirty):
            found = await self._claim(tx, worker, group, room.of_all(group))
            room = room.less(group, len(found))
            jobs += found
        return routed + jobs

    async def _claim(self, tx: Tx, worker: int, queues: set[str], total: int) -> list[Job]:
        if not queues:
            return []
        if total <= 0:
            self._dirty |= queues
            return []
        wanted = self._wanted(queues)
        claimed = await claims.claim(tx, worker, wanted, total=total)
        if 0 < len(claimed) < total:
            # Whom the lanes let go in this commit is here: another look, by us or by others, would find nothing.
            # None at all may mean that this server drains and gets nothing.
            for queue in queues:
                tx.hints.pop(f"queue:{queue}", None)
        self._remember(dict.fromkeys(queues, tx.now), wanted, claimed, was_cut=len(claimed) >= total)
        return [job for job, _, _ in claimed]

    def _wanted(self, queues: set[str]) -> list[Wanted]:
        hinted = {queue: self._hinted.pop(queue) for queue in queues if queue in self._hinted}
        names = self._in_turn(queues)
        return [
            Wanted(queue, priority, min(self._floors.get((queue, priority), BEGINNING), hinted.get(queue, END)))
            for priority in PRIORITIES
            for queue in names
        ]

    def _remember(
        self,
        until: Mapping[str, datetime],
        wanted: Sequence[Wanted],
        claimed: Sequence[tuple[Job, datetime, int]],
        *,
        was_cut: bool,
    ) -> None:
        """A claim that came back short has seen everything until its moment; one that was cut, up to what it took."""
        newest: dict[tuple[str, int], datetime] = {}
        for job, ready_at, priority in claimed:
            place = (job.queue, priority)
            newest[place] = max(newest.get(place, ready_at), ready_at)
        self._serve({queue for queue, _ in newest})
        for want in wanted:
            place = (want.queue, want.priority)
            seen = [newest.get(place), None if was_cut else until.get(want.queue)]
            looked_until = max((moment for moment in seen if moment is not None), default=BEGINNING)
            if looked_until > BEGINNING:
                self._floors[place] = max(self._floors.get(place, BEGINNING), looked_until - MARGIN)
            # Cut where it looked further back than the floor: the rest of what a hint stood for is still there.
            again = newest.get(place, want.floor)
            if was_cut and again < self._floors.get(place, BEGINNING):
                self._hinted[want.queue] = min(self._hinted.get(want.queue, again), again)
        queues = {want.queue for want in wanted}
        if was_cut:
            self._dirty |= queues
            self._deep |= queues
        else:
            self._deep -= queues

    async def _sweep(self, tx: Tx, worker: int, queues: set[str], total: int) -> list[Job]:
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
        if not names:
            return []
        jobs, is_cut = await self._claim_from_routes(tx, worker, names, total)
        if is_cut:
            self._dirty_routes |= names
        return jobs

    async def _claim_from_routes(self, tx: Tx, worker: int, names: set[str], total: int) -> tuple[list[Job], bool]:
        """Priority first, over all routes and kinds; then each route its share, the one served longest ago first.

        True: there may be more.
        """
        groups = [_Routed(tx, worker, kinds, most) for kinds, most in self._routed_kinds()]
        in_turn = self._in_turn(names)
        # One group looks at all priorities in one statement; several must take turns at each.
        each = [PRIORITIES] if len(groups) == 1 else [(p,) for p in await routes.list_priorities(tx, in_turn)]
        jobs: list[Job] = []
        for priorities in each if total > 0 else ():
            for group in groups:
                jobs += await group.claim(in_turn, total - len(jobs), priorities)
        self._serve({job.queue for job in jobs})
        return jobs, len(jobs) >= total or any(group.left <= 0 for group in groups)

    def _routed_kinds(self) -> list[tuple[list[str], int]]:
        """Kinds that limit a claim are claimed apart; all others together."""
        apart = [name for name in self._able if self._kinds[name].claim_most is not None]
        together = sorted(set(self._able).difference(apart))
        groups = [(together, MOST)] if together else []
        return groups + [([name], self._kinds[name].most_per_claim) for name in sorted(apart)]

    def _in_turn(self, names: Set[str]) -> list[str]:
        """Who was served longest ago goes first, so that a long queue does not starve the rest."""
        return sorted(names, key=lambda name: (self._served.get(name, 0), name))

    def _serve(self, names: Set[str]) -> None:
        self._turn += 1
        self._served |= dict.fromkeys(names, self._turn)


class Following:
    """One commit that ends attempts, and claims at most as many as it ends."""

    def __init__(self, exchange: Exchange, worker: int, most: int, noted: set[tuple[int, int]]) -> None:
        self._exchange = exchange
        self._noted = noted
        self.worker, self.most = worker, most
        self.routes: set[str] = set()
        self.jobs: list[Job] = []

    async def claim(self, tx: Tx, let_go: Sequence[str]) -> None:
        self.jobs = await self._exchange.claim_let_go(tx, self, let_go)
        # from here on their leases may be committed, whether or not we hear so
        self._noted.update(job.key for job in self.jobs)


class _Routed:
    """Claims of some kinds from routes, at most `left` of them."""

    def __init__(self, tx: Tx, worker: int, kinds: Sequence[str], left: int) -> None:
        self._tx = tx
        self._worker = worker
        self._kinds = kinds
        self.left = left

    async def claim(self, names: Sequence[str], total: int, priorities: Sequence[int]) -> list[Job]:
        """Goes on where a route has more than its share: first with those routes, then with lower priorities."""
        jobs: list[Job] = []
        while names and priorities and (room := min(total - len(jobs), self.left)) > 0:
            share = -(-room // len(names))
            claimed = await claims.claim_routed(
                self._tx, self._worker, names, kinds=self._kinds, total=room, share=share, priorities=priorities
            )
            jobs += claimed
            self.left -= len(claimed)
            counts = Counter((job.priority, job.queue) for job in claimed)
            cut = [place for place, count in counts.items() if count == share]
            deep = max((priority for priority, _ in cut), default=max(priorities))
            more = [name for name in names if (deep, name) in cut]
            if len(priorities) == 1:
                names = more
                continue
            jobs += await self.claim(more, total - len(jobs), [deep])
            priorities = [priority for priority in priorities if priority > deep]
        return jobs
