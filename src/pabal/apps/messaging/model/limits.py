"""The limits on a room as the engine counts them: sends (a gap, so many a day) and the messages they are made of. Pure.

Apart from rooms because it needs the engine and the settings, which a command must not load to help.
"""

from datetime import timedelta

from pabal.apps.messaging import settings
from pabal.apps.messaging.model.rooms import RoomLimits
from pabal.engine.limits import Limit, Window
from pabal.platform.settings import Values

DAY = timedelta(days=1)
SETTINGS = (
    settings.MIN_GAP_SECONDS,
    settings.DISPATCHES_PER_DAY,
    settings.MESSAGES_PER_MINUTE,
    settings.MESSAGES_PER_HOUR,
    settings.MESSAGES_PER_DAY,
    settings.MAX_TEXT_LENGTH,
)


def resolve(own: RoomLimits, values: Values) -> RoomLimits:
    """Those in force: the room's own, or else the settings'. 0 is none."""
    given = (
        own.min_gap_seconds,
        own.dispatches_per_day,
        own.messages_per_minute,
        own.messages_per_hour,
        own.messages_per_day,
        own.max_text_length,
    )
    return RoomLimits(*(values[setting] if one is None else one for one, setting in zip(given, SETTINGS, strict=True)))


def to_engine(room_id: int, limits: RoomLimits, components: int, *, is_resumed: bool) -> list[Limit]:
    """What a start must fit into; what is resumed is no new send, but its messages count."""
    sends = [] if is_resumed else _send_windows(limits)
    messages = _message_windows(limits) if components else []
    made = [Limit(f"room:{room_id} dispatch", tuple(sends))] if sends else []
    return made + ([Limit(f"room:{room_id} message", tuple(messages), components)] if messages else [])


def _send_windows(limits: RoomLimits) -> list[Window]:
    windows = []
    if limits.min_gap_seconds:
        windows.append(Window("gap", 1, timedelta(seconds=limits.min_gap_seconds), counts_starts=True))
    if limits.dispatches_per_day:
        windows.append(Window("day", limits.dispatches_per_day, DAY, counts_starts=True))
    return windows


def _message_windows(limits: RoomLimits) -> list[Window]:
    given = (
        ("minute", limits.messages_per_minute, timedelta(minutes=1)),
        ("hour", limits.messages_per_hour, timedelta(hours=1)),
        ("day", limits.messages_per_day, DAY),
    )
    return [Window(name, most, span) for name, most, span in given if most]
