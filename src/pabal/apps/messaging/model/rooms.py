"""Rooms, and what may be sent there. Pure, and light: commands read it to help."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

# how the engine calls each window, behind the room's key
NAMES = {
    "dispatch gap": "min_gap_seconds",
    "dispatch day": "dispatches_per_day",
    "message minute": "messages_per_minute",
    "message hour": "messages_per_hour",
    "message day": "messages_per_day",
}
# no number: a send waits as for a limit while its bot has the room's name for another unit's room too
SHARED_NAME = "room_name_shared"
_SHARED = "name"
WINDOWS = {**NAMES, _SHARED: SHARED_NAME}


LONGEST_TAG = 30
MOST_TAGS = 20


class RoomType(StrEnum):
    PRODUCTION = "production"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class RoomLimits:
    """Six numbers: a room's own (None: the setting's) or, once resolved, those in force. 0 means none."""

    min_gap_seconds: int | None = None
    dispatches_per_day: int | None = None
    messages_per_minute: int | None = None
    messages_per_hour: int | None = None
    messages_per_day: int | None = None
    max_text_length: int | None = None


@dataclass(frozen=True, slots=True)
class RoomBot:
    """A bot in a room, and the name a text is addressed by. `is_held`: it has that name for another unit's room too."""

    bot_id: int
    bot_name: str
    room_name: str
    last_seen_at: datetime
    is_held: bool = False
    # its place in the room's order of bots; None: it never takes over
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Dependant:
    """A schedule that could not send any more. `title` None: it is out of sight."""

    id: int
    unit_id: int
    title: str | None


@dataclass(frozen=True, slots=True)
class Namesake:
    """A room that a bot calls by the same name as another: to the bot the two are one."""

    room_id: int
    unit_id: int | None
    name: str
    bot_id: int
    bot_name: str


@dataclass(frozen=True, slots=True)
class Room:
    """`unit_id` is None until somebody claims it: discovered in a bot's messages, and nobody's yet."""

    id: int
    unit_id: int | None
    channel_id: str
    name: str
    room_type: RoomType
    note: str
    limits: RoomLimits
    last_message_at: datetime | None
    claimed_by: str | None
    created_at: datetime
    updated_at: datetime
    tags: tuple[str, ...] = ()
    bots: tuple[RoomBot, ...] = ()


@dataclass(frozen=True, slots=True)
class RoomChange:
    """What is to be different; what is left out stays. In `limits`, None is the setting's.

    `bot_order` is which bot speaks first, by their ids. `confirm`: that a bot calls another room in sight by the same
    name, or that schedules depend on it, is known, and meant.
    """

    unit_id: int | None = None
    name: str | None = None
    room_type: RoomType | None = None
    note: str | None = None
    limits: Mapping[str, int | None] = field(default_factory=dict)
    confirm: bool = False
    tags: tuple[str, ...] | None = None
    bot_order: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class NewRoom:
    """One that no bot has heard anything in yet. `name` is also what the bot calls it: a text is addressed by that."""

    channel_id: str
    name: str
    bot_id: int
    unit_id: int | None = None
    room_type: RoomType = RoomType.PRODUCTION
    confirm: bool = False


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """`name` is the limit's, as RoomLimits has it. `next_allowed_at` None: it has room now."""

    name: str
    used: int
    most: int
    span: timedelta
    next_allowed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Budget:
    """`binds` is the limit that lets go last; None: a send may begin now."""

    rows: tuple[BudgetRow, ...]
    binds: str | None
    next_allowed_at: datetime | None


def find_too_small(limits: RoomLimits, components: int) -> str | None:
    """The limit into which so many messages never fit at once."""
    for name in ("messages_per_minute", "messages_per_hour", "messages_per_day"):
        most = getattr(limits, name)
        if most and most < components:
            return name
    return None


def limit_name(engine_name: str) -> str:
    """`room:7 message minute` is messages_per_minute."""
    return WINDOWS[engine_name.partition(" ")[2]]


def shared_name(room_id: int) -> str:
    """As the engine calls it."""
    return f"room:{room_id} {_SHARED}"
