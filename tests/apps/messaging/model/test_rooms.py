"""The six numbers of a room at two layers: its own, or else the settings'."""

from pabal.apps.messaging.model.limits import to_engine
from pabal.apps.messaging.model.rooms import RoomLimits, find_too_small, limit_name

ALL = RoomLimits(30, 50, 5, 50, 200, 1000)


def test_a_send_counts_at_both_layers_and_what_is_resumed_only_as_messages():
    sends, messages = to_engine(7, ALL, 3, is_resumed=False)
    [resumed] = to_engine(7, ALL, 2, is_resumed=True)

    assert [window.name for window in sends.windows] == ["gap", "day"]
    assert [(window.name, window.most) for window in messages.windows] == [("minute", 5), ("hour", 50), ("day", 200)]
    assert (messages.weight, resumed.weight, resumed.key) == (3, 2, messages.key)
    assert to_engine(7, ALL, 0, is_resumed=True) == [], "what has all begun takes nothing more"
    assert to_engine(7, RoomLimits(0, 0, 0, 0, 0, 0), 3, is_resumed=False) == [], "0 is none"


def test_what_never_fits_is_found_before_it_waits_for_ever():
    assert find_too_small(ALL, 3) is None
    assert find_too_small(RoomLimits(0, 0, 2, 0, 0, 0), 3) == "messages_per_minute"
    assert find_too_small(RoomLimits(0, 0, 0, 0, 1, 0), 2) == "messages_per_day"


def test_every_window_has_the_name_people_know():
    made = to_engine(7, ALL, 1, is_resumed=False)

    assert [limit_name(f"{limit.key} {window.name}") for limit in made for window in limit.windows] == [
        "min_gap_seconds",
        "dispatches_per_day",
        "messages_per_minute",
        "messages_per_hour",
        "messages_per_day",
    ]
