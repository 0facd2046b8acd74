"""What the engine should do with work, in a page of Python: the oracle of the random stories."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

HOLDS = "test.holding"
GRACE = timedelta(seconds=10)
End = tuple[int, str, bool]


@dataclass
class Item:
    """One job as the model sees it. `since` orders what is ready; it grows with every commit."""

    id: int
    kind: str
    lane: str | None
    key: str | None
    max_failures: int
    max_recoveries: int
    expires_at: datetime | None
    priority: int = 2
    place: str = "new"
    token: int = 0
    failures: int = 0
    recoveries: int = 0
    snoozes: int = 0
    since: int = 0
    worker: int | None = None
    due_at: datetime | None = None
    cancel_at: datetime | None = None
    ends: list[End] = field(default_factory=list)
    told: int = 0


class Model:
    def __init__(self) -> None:
        self.items: dict[int, Item] = {}
        self.holders: dict[str, list[int]] = {}
        # of shared lanes; all others are ordered
        self.widths: dict[str, int] = {}
        self.taken_away: set[tuple[int, int]] = set()
        self.stale = 0
        self._tick = 0

    def open_key(self, kind: str, key: str | None) -> Item | None:
        same = (item for item in self.items.values() if key is not None and (item.kind, item.key) == (kind, key))
        return next((item for item in same if item.place != "ended"), None)

    def add(self, item: Item, *, due_at: datetime | None, is_promoted: bool) -> None:
        self.items[item.id] = item
        if due_at is not None:
            item.place, item.due_at = "delayed", due_at
        else:
            self._join(item, is_promoted=is_promoted)

    def claim(self, worker: int, kinds: tuple[str, ...], total: int) -> list[int]:
        ready = [item for item in self.items.values() if item.place == "ready"]
        ready.sort(key=lambda item: (item.priority, kinds.index(item.kind), item.since, item.id))
        for item in ready[:total]:
            item.place, item.worker, item.token = "lease", worker, item.token + 1
        return [item.id for item in ready[:total]]

    def is_current(self, job_id: int, token: int) -> bool:
        item = self.items[job_id]
        return item.place == "lease" and item.token == token

    def settle(self, job_id: int, token: int, outcome: str, due_at: datetime | None) -> bool:
        """False when the attempt is no longer the job's."""
        item = self.items[job_id]
        if not self.is_current(job_id, token):
            self.stale += (job_id, token) in self.taken_away
            return False
        self._tick += 1
        if item.cancel_at is not None and outcome not in ("done", "partial"):
            self._end(item, "cancelled")
        elif outcome in ("done", "partial", "cancelled"):
            self._end(item, outcome)
        elif outcome == "retry" and item.failures + 1 >= item.max_failures:
            self._end(item, "failed")
        elif outcome == "returned":
            self._again(item, "returned")
        else:
            item.failures += outcome == "retry"
            item.snoozes += outcome == "snoozed"
            self._delay(item, outcome, due_at)
        return True

    def crash(self, worker: int) -> None:
        self._tick += 1
        for item in self._leased():
            if item.worker == worker:
                self.taken_away.add((item.id, item.token))
                if item.cancel_at is not None:
                    self._end(item, "cancelled")
                elif item.recoveries >= item.max_recoveries:
                    self._end(item, "quarantined")
                else:
                    item.recoveries += 1
                    self._again(item, "lost")

    def take_overdue(self, now: datetime) -> None:
        self._tick += 1
        for item in self._leased():
            if item.cancel_at is not None and item.cancel_at < now - GRACE:
                self.taken_away.add((item.id, item.token))
                self._end(item, "cancelled")

    def cancel(self, job_id: int, now: datetime) -> str:
        item = self.items[job_id]
        if item.place == "lease":
            item.cancel_at = item.cancel_at or now
            return "signalled"
        self._tick += 1
        return self._withdraw(item, "cancelled")

    def expire(self, now: datetime) -> None:
        self._tick += 1
        for item in list(self.items.values()):
            if item.expires_at is not None and item.expires_at <= now and item.place != "lease":
                self._withdraw(item, "expired")

    def promote(self, now: datetime) -> None:
        due = [item for item in self.items.values() if item.place == "delayed" and item.due_at and item.due_at <= now]
        self._tick += 1
        for item in due:
            item.due_at = None
            if item.lane is None or item.id in self.holders.get(item.lane, ()):
                item.place, item.since = "ready", self._tick
            else:
                item.place = "waiting"
        # in a commit of its own
        self._tick += 1
        self._advance(*{item.lane for item in due if item.place == "waiting" and item.lane})

    def sweep(self) -> None:
        self._tick += 1
        self._advance(*{item.lane for item in self.waiting() if item.lane})

    def choose(self, lane: str, width: int) -> None:
        """What runs goes on; what has not begun makes room, the last in line first."""
        self.widths[lane] = width
        holders = self.holders.get(lane, [])
        ready = [self.items[one] for one in holders if self.items[one].place == "ready"]
        ready.sort(key=lambda item: (item.priority, item.id), reverse=True)
        for item in ready[: max(len(holders) - width, 0)]:
            item.place = "waiting"
            self._let_go(item)
        self._tick += 1
        self._advance(lane)

    def move(self, job_id: int, priority: int) -> None:
        item = self.items[job_id]
        item.priority = priority
        if item.place == "waiting" and item.lane is not None:
            self._tick += 1
            self._advance(item.lane)

    def has_room(self, lane: str) -> bool:
        return len(self.holders.get(lane, ())) < self.widths.get(lane, 1)

    def waiting(self) -> list[Item]:
        return [item for item in self.items.values() if item.place == "waiting"]

    def _leased(self) -> list[Item]:
        return [item for item in self.items.values() if item.place == "lease"]

    def _join(self, item: Item, *, is_promoted: bool = True) -> None:
        self._tick += 1
        if item.lane is None:
            item.place, item.since = "ready", self._tick
            return
        item.place = "waiting"
        if is_promoted:
            self._tick += 1
            self._advance(item.lane)

    def _advance(self, *lanes: str) -> None:
        """What becomes ready in one commit has one moment, and then the smaller id is first, whatever its lane."""
        for lane in lanes:
            behind = [item for item in self.waiting() if item.lane == lane]
            behind.sort(key=lambda item: (item.priority if lane in self.widths else 0, item.id))
            for head in behind:
                if self.has_room(lane):
                    head.place, head.since = "ready", self._tick
                    self.holders.setdefault(lane, []).append(head.id)

    def _release(self, item: Item) -> None:
        if item.lane is not None and item.id in self.holders.get(item.lane, ()):
            self._let_go(item)
            self._advance(item.lane)

    def _let_go(self, item: Item) -> None:
        if item.lane is not None:
            self.holders[item.lane].remove(item.id)
            if not self.holders[item.lane]:
                del self.holders[item.lane]

    def _leave(self, item: Item) -> None:
        item.worker = item.cancel_at = item.due_at = None

    def _end(self, item: Item, result: str) -> None:
        item.ends.append((item.token, result, True))
        item.told += result not in ("done", "partial")
        item.place = "ended"
        self._leave(item)
        self._release(item)

    def _withdraw(self, item: Item, result: str) -> str:
        if item.place == "ended":
            return "nothing"
        item.token += 1
        self._end(item, result)
        return "ended"

    def _again(self, item: Item, result: str) -> None:
        item.ends.append((item.token, result, False))
        self._leave(item)
        item.place, item.since = "ready", self._tick

    def _delay(self, item: Item, result: str, due_at: datetime | None) -> None:
        item.ends.append((item.token, result, False))
        self._leave(item)
        item.place, item.due_at = "delayed", due_at
        if item.kind != HOLDS:
            self._release(item)
