"""Rooms and the limits on what is sent there. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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
    bots: tuple[RoomBot, ...] = ()
