"""Setting: one thing an operator may change at run time. Typed by its default, checked when it is made."""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar, cast

from pabal.base.errors import Conflict, Invalid, NotFound
from pabal.base.settings import BadDuration, parse_duration, show_duration
from pabal.platform.language import Pair

Value = bool | int | float | str | timedelta
V = TypeVar("V", bound=Value)

_KEY = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")
_INT = re.compile(r"[+-]?[0-9]{1,18}")
_FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_BOOLS = {"true": True, "on": True, "yes": True, "1": True, "false": False, "off": False, "no": False, "0": False}
_MOST_TEXT = 2000
_FINEST = timedelta(milliseconds=1)


class BadSetting(Invalid, code="bad_setting"):
    """A setting is declared wrongly: its key reads area.name, its default lies within its own bounds and choices."""


class SettingNotFound(NotFound, code="setting_not_found"):
    """There is no setting with this key. The settings page lists them all."""


class SettingUnreadable(Invalid, code="setting_unreadable"):
    """This cannot be read as a value of this setting. Write numbers in digits, durations as 500ms, 20s, 5m, 24h or
    35d, switches as true or false."""


class SettingOutOfRange(Invalid, code="setting_out_of_range"):
    """This value is smaller or larger than the setting allows. Choose one within its bounds."""


class SettingNotAChoice(Invalid, code="setting_not_a_choice"):
    """This value is none of the setting's choices. Choose one of those listed."""


class SettingChanged(Conflict, code="setting_changed"):
    """Somebody else changed this setting since you looked. Look at its value now, then decide again."""


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    label: Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Generic[V]):
    """`seed` is what the seed said, in its words; `requirement` the number that asks for it. `unit` is the word behind
    the number. `check` refuses by raising Invalid what bounds cannot tell: a zone that does not exist."""

    key: str
    default: V
    label: Pair
    help: Pair
    group: Pair
    seed: str | None = None
    requirement: str | None = None
    least: V | None = None
    most: V | None = None
    choices: tuple[Choice, ...] = ()
    unit: Pair | None = None
    needs_restart: bool = False
    check: Callable[[V], object] | None = None

    def __post_init__(self) -> None:
        if _KEY.fullmatch(self.key) is None or type(self.default) not in _READERS:
            raise BadSetting(self.key)
        if self.choices and type(self.default) is not str:
            raise BadSetting(f"{self.key}: choices are words")
        try:
            self.checked(self.default)
        except Invalid as error:
            raise BadSetting(str(error)) from error

    @property
    def area(self) -> str:
        """The app or room it belongs to: the first word of its key."""
        return self.key.partition(".")[0]

    @property
    def kind(self) -> str:
        """bool, int, float, str, timedelta or choice: which control shows it."""
        return "choice" if self.choices else type(self.default).__name__

    def parse(self, text: str) -> V:
        """What `show` wrote, and what people write."""
        try:
            value = cast("V", _READERS[type(self.default)](text))
        except (ValueError, KeyError, OverflowError, BadDuration) as error:
            raise SettingUnreadable(f"{self.key}: {text[:100]!r}") from error
        return self.checked(value)

    def show(self, value: V) -> str:
        """As it is stored and written in forms; `parse` reads it."""
        match value:
            case bool():
                return "true" if value else "false"
            case timedelta():
                return show_duration(value)
            case float():
                return repr(value)
            case _:
                return str(value)

    def checked(self, value: V) -> V:
        if type(value) is not type(self.default) or not _is_storable(value):
            raise SettingUnreadable(f"{self.key}: {str(value)[:100]!r}")
        if self.choices and value not in [choice.value for choice in self.choices]:
            raise SettingNotAChoice(f"{self.key}: {value}")
        if not self._is_within(value):
            raise SettingOutOfRange(f"{self.key}: {self.show(value)}; {self.bounds}")
        if self.check is not None:
            self.check(value)
        return value

    @property
    def bounds(self) -> str:
        """Such as `1 … 365`; empty when there are none."""
        least, most = ("" if bound is None else self.show(bound) for bound in (self.least, self.most))
        return f"{least} … {most}".strip() if least or most else ""

    def _is_within(self, value: Any) -> bool:
        if self.least is not None and value < self.least:
            return False
        return self.most is None or bool(value <= self.most)


def _is_storable(value: Value) -> bool:
    """What comes back from the database exactly as it went in."""
    match value:
        case str():
            return len(value) <= _MOST_TEXT and "\0" not in value
        case timedelta():
            return value >= timedelta(0) and not value % _FINEST
        case float():
            return math.isfinite(value)
        case bool():
            return True
        case int():
            return abs(value) < 10**18
    return False


def _read_int(text: str) -> int:
    if _INT.fullmatch(text.strip()) is None:
        raise ValueError(text)
    return int(text)


def _read_float(text: str) -> float:
    if _FLOAT.fullmatch(text.strip()) is None:
        raise ValueError(text)
    return float(text)


def _read_bool(text: str) -> bool:
    return _BOOLS[text.strip().lower()]


_READERS: dict[type, Callable[[str], Value]] = {
    bool: _read_bool,
    int: _read_int,
    float: _read_float,
    str: str,
    timedelta: parse_duration,
}


class Catalogue:
    """In the order declared; each key once."""

    def __init__(self, settings: Iterable[Setting[Any]]) -> None:
        self._by_key: dict[str, Setting[Any]] = {}
        named: dict[str, Pair] = {}
        for setting in settings:
            name = name_group(setting.group)
            if not name or named.setdefault(name, setting.group) != setting.group:
                raise BadSetting(f"{setting.key}: its group needs a name of its own, other than {name!r}")
            if setting.key in self._by_key:
                raise BadSetting(f"{setting.key} is declared twice")
            self._by_key[setting.key] = setting

    def __getitem__(self, key: str) -> Setting[Any]:
        found = self._by_key.get(key)
        if found is None:
            raise SettingNotFound(key[:100])
        return found

    def __contains__(self, key: object) -> bool:
        return key in self._by_key

    def __iter__(self) -> Iterator[Setting[Any]]:
        return iter(self._by_key.values())

    def __len__(self) -> int:
        return len(self._by_key)

    def groups(self) -> dict[Pair, list[Setting[Any]]]:
        grouped: dict[Pair, list[Setting[Any]]] = {}
        for setting in self:
            grouped.setdefault(setting.group, []).append(setting)
        return grouped


def name_group(label: Pair) -> str:
    """For addresses: the same whatever else is loaded, and in either language."""
    return re.sub(r"\W+", "-", label[0].lower()).strip("-")
