from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.base.errors import Invalid
from pabal.platform.settings import (
    BadSetting,
    Choice,
    Setting,
    SettingNotAChoice,
    SettingOutOfRange,
    SettingUnreadable,
)

WORDS = {"label": ("Name", "이름"), "help": ("What it is.", "무엇인지."), "group": ("Test", "시험")}


def setting(default: Any, **more: Any) -> Setting[Any]:
    return Setting(key="test.it", default=default, **WORDS, **more)


MILLISECONDS = st.integers(0, 10**12).map(lambda count: timedelta(milliseconds=count))
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=2000)


@given(
    st.one_of(
        st.booleans(),
        st.integers(-(10**17), 10**17),
        st.floats(allow_nan=False, allow_infinity=False),
        TEXT,
        MILLISECONDS,
    )
)
def test_any_value_printed_and_parsed_again_is_the_same(value: Any) -> None:
    one = setting(value)

    assert one.parse(one.show(value)) == value


@given(st.integers(-100, 100), st.integers(-100, 100), st.integers(-200, 200))
def test_what_is_taken_lies_within_the_bounds(one: int, other: int, value: int) -> None:
    least, most = min(one, other), max(one, other)
    bounded = setting(least, least=least, most=most)

    try:
        taken = bounded.parse(str(value))
    except SettingOutOfRange:
        assert not least <= value <= most
    else:
        assert least <= taken <= most
        assert taken == value


@pytest.mark.parametrize(
    ("default", "text"),
    [
        (True, "perhaps"),
        (1, "1.5"),
        (1, "١"),
        (1, "1_000"),
        (1, ""),
        (1, "9" * 19),
        (1.0, "nan"),
        (1.0, "inf"),
        (1.0, "1e999"),
        (1.0, "0x10"),
        ("a", "a\0b"),
        ("a", "a" * 2001),
        (timedelta(seconds=1), "5"),
        (timedelta(seconds=1), "-5s"),
        (timedelta(seconds=1), "0.1ms"),
        (timedelta(seconds=1), "99999999999w"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(default: Any, text: str) -> None:
    with pytest.raises(SettingUnreadable, match=r"test\.it"):
        setting(default).parse(text)


@pytest.mark.parametrize(
    ("default", "text", "value"),
    [
        (False, " ON ", True),
        (True, "no", False),
        (1, " +7 ", 7),
        (1.0, ".5", 0.5),
        (timedelta(0), "5m", timedelta(minutes=5)),
        (timedelta(0), "1.5h", timedelta(minutes=90)),
    ],
)
def test_people_write_values_in_their_own_ways(default: Any, text: str, value: Any) -> None:
    assert setting(default).parse(text) == value


def test_a_value_of_another_type_is_refused() -> None:
    with pytest.raises(SettingUnreadable):
        setting(1).checked(True)


def test_a_choice_is_one_of_those_listed() -> None:
    colour = setting("red", choices=(Choice("red", ("Red", "빨강")), Choice("blue", ("Blue", "파랑"))))

    assert colour.kind == "choice"
    assert colour.parse("blue") == "blue"
    with pytest.raises(SettingNotAChoice):
        colour.parse("green")


def test_a_check_of_its_own_refuses_in_its_own_words() -> None:
    class Odd(Invalid, code="odd"):
        """Only even numbers."""

    def is_even(number: int) -> None:
        if number % 2:
            raise Odd(str(number))

    with pytest.raises(Odd):
        setting(2, check=is_even).parse("3")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Setting(key="nodot", default=1, **WORDS),  # type: ignore[arg-type]
        lambda: Setting(key="Test.It", default=1, **WORDS),  # type: ignore[arg-type]
        lambda: setting(None),
        lambda: setting([1]),
        lambda: setting(5, most=4),
        lambda: setting("green", choices=(Choice("red", ("Red", "빨강")),)),
        lambda: setting(1, choices=(Choice("1", ("One", "하나")),)),
        lambda: setting(timedelta(microseconds=1)),
    ],
)
def test_a_setting_declared_wrongly_is_not_made(wrong: Callable[[], object]) -> None:
    with pytest.raises(BadSetting):
        wrong()


def test_an_error_says_which_bounds_there_are() -> None:
    wait = setting(timedelta(minutes=5), least=timedelta(seconds=1), most=timedelta(hours=1))

    with pytest.raises(SettingOutOfRange, match=r"test\.it: 2h; 1s … 1h"):
        wait.parse("2h")
