"""One content to many rooms: whom it is for, which bot speaks where and when, and what became of it all. Pure."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pabal.apps.messaging.model.deliveries import DeliveryState
from pabal.apps.messaging.model.rooms import RoomLimits
from pabal.platform.language.pairs import Pair

BULK = "messaging.bulk"
ABOUT = "bulk_send"
MOST_ROOMS = 2000
LONGEST_SPAN = 1440
_STEP = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Target:
    """A room by name: picked by hand, or a row of the CSV with the values of its columns."""

    room_id: int
    columns: Mapping[str, str] = field(default_factory=dict)
    is_picked: bool = True


@dataclass(frozen=True, slots=True)
class Audience:
    """Rooms picked, a group that is kept, a CSV as it was given, or several of them: each room once.

    `targets` are those picked and those of the CSV. What is due at one moment is spread over `spread_minutes`; what has
    not begun after `window_minutes` is missed (None: as late as any send may be).
    """

    targets: tuple[Target, ...] = ()
    group_id: int | None = None
    rooms_csv: str | None = None
    share_bots: bool = False
    spread_minutes: int = 0
    window_minutes: int | None = None

    @property
    def picked(self) -> tuple[int, ...]:
        return tuple(one.room_id for one in self.targets if one.is_picked)

    @property
    def spread(self) -> timedelta:
        return timedelta(minutes=self.spread_minutes)

    def closes_at(self, fire_at: datetime, *, late: timedelta) -> datetime:
        """While it is open, what waits only for its turn is not missed. `late`: how late any send may be."""
        window = late if self.window_minutes is None else timedelta(minutes=self.window_minutes)
        return fire_at + max(window, self.spread + late if self.spread else timedelta(0))


@dataclass(frozen=True, slots=True)
class Speaker:
    """A bot in a room. `turn`: its place in the room's order; None: it never takes over."""

    bot_id: int
    bot_name: str
    turn: int | None = None
    is_connected: bool = False
    is_excluded: bool = False


@dataclass(frozen=True, slots=True)
class BulkRoom:
    """A room of an audience, and who may speak there."""

    room_id: int
    name: str
    unit_id: int | None
    unit_name: str
    channel_id: str
    room_type: str
    columns: Mapping[str, str]
    speakers: tuple[Speaker, ...] = ()
    limits: RoomLimits = field(default_factory=RoomLimits)


def choose_bots(rooms: Sequence[BulkRoom], wanted: int, *, share: bool, takes_over: bool) -> list[int]:
    """Who speaks in each room. The wanted one where it is in the room, or the room's first; shared, whoever has least.

    One that is away is passed over if others may take over. Where no bot is, the wanted one: its delivery says so.
    """
    load: Counter[int] = Counter()
    chosen: list[int] = []
    for room in rooms:
        able = [one for one in room.speakers if not one.is_excluded] or list(room.speakers)
        here = [one for one in able if one.is_connected]
        ranked = sorted(here if share and here else able, key=lambda one: _rank(one, wanted))
        if share and ranked:
            ranked.sort(key=lambda one: load[one.bot_id])
        elif takes_over and ranked and not ranked[0].is_connected:
            ranked = [one for one in ranked if one.is_connected and one.turn is not None] or ranked
        bot_id = ranked[0].bot_id if ranked else wanted
        load[bot_id] += 1
        chosen.append(bot_id)
    return chosen


def _rank(one: Speaker, wanted: int) -> tuple[bool, bool, int, str]:
    return one.bot_id != wanted, one.turn is None, one.turn or 0, one.bot_name


def list_turns(fire_at: datetime, count: int, spread: timedelta, taken: Collection[datetime] = ()) -> list[datetime]:
    """A moment of its own for each room, in their order: a microsecond apart, or spread evenly. Never a taken one."""
    step = max(spread / count, _STEP) if count else _STEP
    turns: list[datetime] = []
    used = set(taken)
    for index in range(count):
        moment = fire_at + step * index
        while moment in used:
            moment += _STEP
        used.add(moment)
        turns.append(moment)
    return turns


@dataclass(frozen=True, slots=True)
class RoomText:
    """What one of many rooms reads: for the preview."""

    room_id: int
    room_name: str
    text: str | None


@dataclass(frozen=True, slots=True)
class BulkSend:
    """One occurrence to many rooms. `counts`: its deliveries by state."""

    id: int
    unit_id: int
    schedule_id: int
    schedule_title: str
    fire_at: datetime
    cause: str
    asked_by: str | None
    rooms: int
    until: datetime
    job_id: int | None
    created_at: datetime
    ended_at: datetime | None
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def about(self) -> str:
        return f"{ABOUT}:{self.id}"

    def count(self, *states: DeliveryState) -> int:
        return sum(self.counts.get(state, 0) for state in states)

    @property
    def sent(self) -> int:
        return self.count(DeliveryState.SENT)

    @property
    def is_open(self) -> bool:
        return self.ended_at is None

    @property
    def missing(self) -> int:
        """What one action sends: nothing of it went out, or not all."""
        return self.count(DeliveryState.MISSED, DeliveryState.FAILED, DeliveryState.PARTIAL)

    @property
    def summary(self) -> Pair:
        """142 of 150, 3 missed, 5 unknown."""
        more = [(self.count(state), *words) for state, words in _WORDS.items()]
        english = [f"{self.sent} of {self.rooms}", *(f"{n} {word}" for n, word, _ in more if n)]
        korean = [f"{self.rooms}곳 중 {self.sent}곳", *(f"{word} {n}" for n, _, word in more if n)]
        return ", ".join(english), ", ".join(korean)


_WORDS: dict[DeliveryState, Pair] = {
    DeliveryState.OPEN: ("under way", "진행 중"),
    DeliveryState.PARTIAL: ("in part", "일부"),
    DeliveryState.FAILED: ("failed", "실패"),
    DeliveryState.MISSED: ("missed", "놓침"),
    DeliveryState.UNKNOWN: ("unknown", "확인 필요"),
}


@dataclass(frozen=True, slots=True)
class NewGroup:
    """Which rooms: of a unit and those below it, of a kind, with a tag. `unit_id` None: of whoever saves it."""

    name: str
    unit_id: int | None = None
    within_id: int | None = None
    room_type: str | None = None
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class RoomGroup:
    """`rooms`: how many it holds now; `schedules`: how many that are not over send to it."""

    id: int
    unit_id: int
    name: str
    within_id: int | None
    room_type: str | None
    tag: str | None
    created_by: str
    created_at: datetime
    updated_at: datetime
    rooms: int = 0
    schedules: int = 0

    @property
    def about(self) -> str:
        return f"room_group:{self.id}"

    @property
    def root_id(self) -> int:
        """Whose rooms, with those below."""
        return self.within_id or self.unit_id
