from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pabal.apps.rules.errors import BadCallback
from pabal.apps.rules.model.callbacks import Callback, CallbackType, Memory, TellWhen, is_due, read_all, show

NOW = datetime(2026, 3, 3, 10, tzinfo=UTC)
NEVER = Memory(None, None, timedelta(0))


@pytest.mark.req("D-67", "D-68")
def test_one_object_alone_and_a_list_are_read_alike():
    one = {"type": "telegram", "config": {"chat_id": "1", "template": "{message}"}}

    assert read_all(one) == read_all([one])
    assert show(read_all(one)) == [one]
    assert read_all(None) == ()


@pytest.mark.parametrize(
    "bad",
    [
        "telegram",
        {"type": "shout"},
        {"type": "log", "when": "sometimes"},
        {"type": "log", "config": "x"},
        {"type": "log", "config": {"command": "rm"}},
        {"type": "log", "config": {"template": 3}},
        {"type": "event", "config": {}},
        {"type": "approval", "config": {"then": "x"}},
        {"type": "log", "url": "x"},
        [{"type": "log"}] * 21,
    ],
)
def test_what_is_no_callback_is_refused(bad: Any):
    with pytest.raises(BadCallback):
        read_all(bad)


@pytest.mark.parametrize(
    ("when", "last", "met", "due"),
    [
        (TellWhen.ALWAYS, True, False, True),
        (TellWhen.CONDITION, True, True, True),
        (TellWhen.CONDITION, False, False, False),
        (TellWhen.CHANGED, None, True, True),
        (TellWhen.CHANGED, None, False, False),
        (TellWhen.CHANGED, True, True, False),
        (TellWhen.CHANGED, True, False, True),
        # left unsaid: a condition tells when it changes, a rule without one each time
        (None, True, True, False),
        (None, False, True, True),
        (None, None, None, True),
        (TellWhen.CHANGED, None, None, True),
    ],
)
def test_when_somebody_is_told(when: TellWhen | None, last: bool | None, met: bool | None, due: bool):
    callback = Callback(CallbackType.LOG, {}, when)

    assert is_due(callback, met, Memory(last, None, timedelta(0)), NOW) is due


def test_within_the_cool_down_nobody_is_told_again_that_it_is_met():
    memory = Memory(False, NOW - timedelta(minutes=59), timedelta(hours=1))
    changed = Callback(CallbackType.LOG, {}, TellWhen.CHANGED)

    assert not is_due(changed, True, memory, NOW)
    assert is_due(changed, True, memory, NOW + timedelta(minutes=1))
    assert not is_due(Callback(CallbackType.LOG, {}, TellWhen.CONDITION), True, memory, NOW)
