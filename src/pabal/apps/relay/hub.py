"""What this server has of the relay: its readers' seats, who waits on the line, and what must be withdrawn.

A topic per account. Whoever is woken is looked after by one set-wise statement, whatever woke it; every second one more
statement finds what no hint told of. Streams of the console are none of this: there are thousands of these.
"""

import asyncio
import secrets
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import mailboxes, receiving
from pabal.apps.relay.actions.mailboxes import Handed
from pabal.apps.relay.actions.pairing import PAIRED
from pabal.apps.relay.actions.receiving import ANSWERED, GONE, MAIL
from pabal.apps.relay.errors import TooManyReaders
from pabal.apps.relay.gateway import Addresses, KakaoClient
from pabal.apps.relay.startup import RelayStartup
from pabal.apps.relay.store import mailboxes as store
from pabal.base.clock import elapsed
from pabal.base.killpoints import kill_point
from pabal.base.settings import read_app_settings
from pabal.base.telemetry import gauge
from pabal.engine.loop import Loop
from pabal.platform import settings
from pabal.platform.services import Services
from pabal.platform.settings import Setting

NAME = "relay hub"
SWEEP_SECONDS = 1.0
CHECK_SECONDS = 5.0
READING_SECONDS = 15.0
# What one reader may have in hand that it has not been sent yet.
CAPACITY = 20
# How long a draining server takes to let its readers go.
DRAIN_SECONDS = 3.0
# Until then a message whose commit nobody could tell of may still turn up.
DOUBT_SECONDS = 65.0
_streams = gauge("relay_readers", "Readers of mailboxes connected to this server")


@dataclass(eq=False, slots=True)
class Seat:
    """One reader: what it has been handed and not been sent yet, and why it must go, once it must."""

    account_id: UUID
    token_hash: str
    name: str
    capacity: int
    letters: deque[Handed] = field(default_factory=deque)
    news: deque[tuple[str, dict[str, Any]]] = field(default_factory=deque)
    awake: asyncio.Event = field(default_factory=asyncio.Event)
    is_closed: bool = False

    @property
    def room(self) -> int:
        return 0 if self.is_closed else max(0, self.capacity - len(self.letters))

    def take(self, handed: Handed) -> None:
        self.letters.append(handed)
        self.awake.set()

    def tell(self, event: str, data: dict[str, Any]) -> None:
        self.news.append((event, data))
        self.awake.set()

    def close(self) -> None:
        self.is_closed = True
        self.awake.set()

    async def rest(self, seconds: float) -> None:
        """Until there is something, or so long."""
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                await self.awake.wait()
        except TimeoutError:
            return


class Hub:
    def __init__(self, services: Services, startup: RelayStartup) -> None:
        self.services, self.startup = services, startup
        self.kakao = KakaoClient(
            Addresses(startup.callback_hosts), rest_key=startup.rest_key, event_url=startup.event_url
        )
        # the sentences of the last minute, for when the database is away
        self.texts: dict[str, str] = {one.key: one.default for both in own.TEXTS for one in both}
        # what somebody changed of our settings, as last seen: statements that go by it say so, and do nothing otherwise
        self.known: dict[str, str] | None = None
        self._seats: dict[UUID, set[Seat]] = defaultdict(set)
        self._woken: set[UUID] = set()
        self._paired: set[UUID] = set()
        self._suspects: set[UUID] = set()
        self._waiting: dict[UUID, set[asyncio.Event]] = defaultdict(set)
        self._doubtful: dict[UUID, float] = {}
        self._swept_at = self._checked_at = self._read_at = float("-inf")
        self._turn = asyncio.Lock()
        self._is_draining = False
        self._letting_go: asyncio.Task[None] | None = None
        self.wake: Callable[[], None] = lambda: None
        # webhooks that run, and how many may wait on the line
        self.webhooks = 0
        self.most_waiting = own.MOST_WAITING.default

    # readers

    @property
    def readers(self) -> int:
        return sum(map(len, self._seats.values()))

    def sit_down(self, account_id: UUID, token_hash: str, *, name: str | None, capacity: int = CAPACITY) -> Seat:
        """A reader that comes back under its name takes the place of its older self."""
        if self._is_draining:
            raise TooManyReaders
        seat = Seat(account_id, token_hash, name or secrets.token_hex(6), capacity)
        for older in [one for one in self._seats[account_id] if one.name == seat.name]:
            # what it was not sent is handed out again from where the new one goes on
            older.letters.clear()
            older.close()
        self._seats[account_id].add(seat)
        _streams.set(self.readers)
        return seat

    async def get_up(self, seat: Seat) -> None:
        """What it has not been sent goes to the next reader at once."""
        seat.close()
        self._seats[seat.account_id].discard(seat)
        if not self._seats[seat.account_id]:
            del self._seats[seat.account_id]
        _streams.set(self.readers)
        left = [one.letter.id for one in seat.letters]
        if left:
            async with self.services.changes.transaction() as tx:
                for account_id in await store.hand_back(tx, left):
                    tx.hint(f"{MAIL}{account_id}", tx.now)

    async def look(self, seat: Seat, *, after: int | None = None) -> datetime:
        """For one that just came: what it missed, what waits; and that somebody reads here. Answers the moment."""
        async with self._turn, store.opening(self.services.changes, {seat.account_id: seat.room}) as tx:
            await mailboxes.note_reading(tx, [seat.account_id])
            missed = []
            if after is not None:
                missed = await mailboxes.go_on(tx, seat.account_id, seat.name, after, room=seat.room)
            mine = {seat.account_id: [(seat.name, seat.room - len(missed))]}
            handed = await mailboxes.hand_out(tx, mine, again=True, behind=len(missed))
        self._deliver([*missed, *handed])
        return tx.now

    # hints

    def hear(self, topic: str) -> bool:
        """Whether there is something to do now."""
        if topic == "*":
            self._woken.update(self._seats)
            return True
        head, _, rest = topic.partition(":")
        if head == ANSWERED[:-1]:
            for event in self._waiting.get(UUID(rest), ()):
                event.set()
            return False
        kept = {MAIL[:-1]: self._woken, PAIRED[:-1]: self._paired, GONE[:-1]: self._suspects}.get(head)
        if kept is None or (account_id := UUID(rest)) not in self._seats:
            return False
        kept.add(account_id)
        return True

    # the loop's step

    async def run_once(self) -> int:
        async with self._turn:
            woken, is_swept = await self._sweep()
            await self._tell_paired()
            await self._check_tokens()
            return await self._hand_out(woken, again=is_swept)

    async def _sweep(self) -> tuple[set[UUID], bool]:
        woken, self._woken = self._woken, set()
        if not self._seats or elapsed() < self._swept_at + SWEEP_SECONDS:
            return woken, False
        self._swept_at = elapsed()
        await self._note_reading()
        return woken | await store.list_due_accounts(self.services.database), True

    async def _note_reading(self) -> None:
        if elapsed() < self._read_at + READING_SECONDS:
            return
        self._read_at = elapsed()
        async with self.services.database.transaction() as tx:
            await mailboxes.note_reading(tx, sorted(self._seats))

    async def _hand_out(self, accounts: Iterable[UUID], *, again: bool) -> int:
        readers = {
            account: those
            for account in accounts
            if (those := [(seat.name, seat.room) for seat in self._seats.get(account, ()) if seat.room])
        }
        handed = [] if again else await self._hand_out_at_once(readers)
        done = {one.letter.account_id for one in handed}
        left = {account: those for account, those in readers.items() if account not in done}
        if left:
            async with store.opening(self.services.database, mailboxes.count_rooms(left)) as tx:
                slowly = await mailboxes.hand_out(tx, left, again=again)
            self.known = store.settings_of(tx)
            self._deliver(slowly)
            handed += slowly
        return len(handed)

    async def _hand_out_at_once(self, readers: mailboxes.Readers) -> list[Handed]:
        """What is new, to accounts with one reader here: whoever gets nothing by it is looked after at length."""
        alone = {account: those[0] for account, those in readers.items() if len(those) == 1}
        if not alone or self.known is None:
            return []
        handed = await mailboxes.hand_out_at_once(self.services.database, alone, self.known)
        self._deliver(handed)
        return handed

    def _deliver(self, handed: Iterable[Handed]) -> None:
        """One that went meanwhile gives back what it has when it gets up; nobody is left out."""
        for one in handed:
            kill_point("relay.handed_out")
            seat = next((each for each in self._seats.get(one.letter.account_id, ()) if each.name == one.reader), None)
            if seat is not None:
                seat.take(one)

    async def _tell_paired(self) -> None:
        paired, self._paired = self._paired, set()
        if not paired:
            return
        rows = await store.list_paired(self.services.database, list(paired))
        for row in rows:
            for seat in self._seats.get(row["account_id"], ()):
                at = row["paired_at"].isoformat().replace("+00:00", "Z")
                told = {"kakaoUserId": row["plusfriend_user_key"], "pairedAt": at, "accountId": str(row["account_id"])}
                seat.tell("pairing_complete", told)

    async def _check_tokens(self) -> None:
        """Readers whose token is worth nothing any more must go: at once when somebody said so, soon in any case."""
        suspects, self._suspects = self._suspects, set()
        if elapsed() >= self._checked_at + CHECK_SECONDS:
            self._checked_at = elapsed()
            suspects = set(self._seats)
        seats = [seat for account in suspects for seat in self._seats.get(account, ())]
        if not seats:
            return
        gone = await store.list_gone(self.services.database, [(one.account_id, one.token_hash) for one in seats])
        for seat in seats:
            why = gone.get((seat.account_id, seat.token_hash))
            if why is not None:
                seat.tell(*why)
                seat.close()

    # letting go

    def drain(self, is_draining: bool = True) -> None:
        """One by one, so that the servers they go to are not run over."""
        self._is_draining = is_draining
        if is_draining and (self._letting_go is None or self._letting_go.done()):
            self._letting_go = asyncio.get_running_loop().create_task(self._let_go())

    async def _let_go(self) -> None:
        seats = [seat for those in self._seats.values() for seat in those]
        for seat in seats:
            if not self._is_draining:
                return
            seat.close()
            await asyncio.sleep(DRAIN_SECONDS / len(seats))

    # on the line

    @property
    def waiting(self) -> int:
        return sum(map(len, self._waiting.values()))

    @asynccontextmanager
    async def on_the_line(self, uid: UUID) -> AsyncIterator[asyncio.Event]:
        event = asyncio.Event()
        self._waiting[uid].add(event)
        try:
            yield event
        finally:
            self._waiting[uid].discard(event)
            if not self._waiting[uid]:
                del self._waiting[uid]

    # doubt

    def doubt(self, uid: UUID) -> None:
        """Whether its commit went through is unknown, and Kakao was told that it is not passed on."""
        self._doubtful[uid] = elapsed() + DOUBT_SECONDS
        self.wake()

    async def keep_true_once(self) -> int:
        """Withdraws what is doubtful, once the database is back, and reads the sentences anew."""
        async with self.services.database.transaction() as tx:
            values = await settings.values(tx, own.ALL)
            self.texts = {one.key: values[one] for both in own.TEXTS for one in both}
            self.most_waiting = values[own.MOST_WAITING]
            withdrawn = await receiving.withdraw(tx, list(self._doubtful)) if self._doubtful else 0
        self._doubtful = {uid: until for uid, until in self._doubtful.items() if until > elapsed()}
        return withdrawn

    def text(self, both: tuple[Setting[str], Setting[str]], lang: str) -> str:
        return self.texts[own.in_language(both, lang).key]


class MailLoop(Loop):
    """Hints name accounts, so that the hub knows whom to look after."""

    def __init__(self, hub: Hub) -> None:
        super().__init__("relay.mail", hub.run_once, idle=SWEEP_SECONDS)
        self._hub = hub

    def hear(self, topic: str, at: datetime | None) -> None:
        if self._hub.hear(topic):
            self.wake()


def hub_of(services: Services) -> Hub:
    """This process's own, made when it is first asked for."""
    found = services.kept.get(NAME)
    if isinstance(found, Hub):
        return found
    made = services.kept[NAME] = Hub(services, read_app_settings(RelayStartup))
    return made


def make_loops(services: Services) -> list[Loop]:
    hub = hub_of(services)
    keeping = Loop("relay.texts", hub.keep_true_once, idle=5.0)
    hub.wake = keeping.wake
    return [MailLoop(hub), keeping]


def parse_cursor(text: str | None) -> tuple[str | None, int | None]:
    """The reader's name and the number of what it saw last; nothing where it cannot be one of ours."""
    name, _, number = (text or "").strip().rpartition("-")
    is_ours = len(name) == 12 and name.isalnum() and name.isascii() and number.isdigit() and len(number) < 19
    return (name, int(number)) if is_ours else (None, None)


def show_cursor(name: str, number: int) -> str:
    return f"{name}-{number}"
