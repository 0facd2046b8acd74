"""Views: a thing as every face shows it. A field has its label, its words and its example here and nowhere else."""

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import Enum
from typing import Any, ClassVar, Literal, TypeVar, dataclass_transform

from pabal.platform.actor import Actor
from pabal.platform.language.pairs import Lang, Pair

V = TypeVar("V", bound="View")
F = TypeVar("F", bound=Callable[..., Any])
_ABOUT = "about"
# most values are one of these, and a list has thousands
_ALREADY_PLAIN = frozenset({str, int, float, bool, type(None)})


@dataclass(frozen=True)
class Viewer:
    """Who looks, and how: what a view may depend on besides the thing itself."""

    actor: Actor
    lang: Lang
    now: datetime
    zone: tzinfo = UTC
    # what is loaded here, asked for by the few views that tell in an app's words
    apps: Callable[[], Sequence[Any]] = tuple


@dataclass(frozen=True)
class About:
    """What is known of a field besides its type.

    `words` are those of its values, by value. `status` names the table of status words its value is looked up in.
    `unit`: a unit's id; people are shown the unit's name in its place. `is_told`: a sentence that changes with its
    reader or the hour, so that it says nothing about the version one read. `alias` is its name in JSON and CSV where
    that is no name in Python (`from`).
    """

    label: Pair
    example: Any = ...
    description: str = ""
    words: Mapping[str, Pair] = dataclasses.field(default_factory=dict)
    status: str = ""
    kind: Literal["", "unit"] = ""
    is_told: bool = False
    alias: str = ""

    def word(self, value: Any) -> Pair | None:
        return self.words.get(str(value)) if self.words else None


def field(label: Pair, **about: Any) -> Any:
    """A field of a view: `name: str = field(("Name", "이름"), example="여름 행사")`. See About for the rest."""
    return dataclasses.field(metadata={_ABOUT: About(label, **about)})


def column(label: Pair, **about: Any) -> Callable[[F], F]:
    """For a method of a view: a cell that only people's tables have, made from the fields; it may take the language."""

    def mark(method: F) -> F:
        setattr(method, _ABOUT, About(label, **about))
        return method

    return mark


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class View:
    """Plain values in snake_case. A subclass is a frozen dataclass whose docstring is the schema's description."""

    # by name, in the order they are written: that is the order of columns in a CSV too
    fields: ClassVar[Mapping[str, About]]
    # each field's name in JSON and here
    json_names: ClassVar[Sequence[tuple[str, str]]]

    def __init_subclass__(cls) -> None:
        made: Any = dataclass(frozen=True, kw_only=True)(cls)
        cls.fields = {one.name: one.metadata[_ABOUT] for one in dataclasses.fields(made)}
        cls.json_names = tuple((one.alias or name, name) for name, one in cls.fields.items())

    @classmethod
    def of(cls: type[V], row: Any, **named: Any) -> V:
        """The fields that the row has under the same name, and those that are shown otherwise."""
        # all at once: a frozen dataclass would set them one by one, and lists have thousands
        made = object.__new__(cls)
        vars(made).update({name: getattr(row, name) for name in cls.fields if name not in named}, **named)
        return made

    @classmethod
    def names(cls) -> list[str]:
        """Of its fields, as JSON and CSV have them."""
        return [shown for shown, _ in cls.json_names]


def columns_of(view: type[View]) -> dict[str, About]:
    """The fields, the cells that only people see, and what is in a view it holds: `totals.sent`."""
    made = {name: getattr(view, name) for name in dir(view) if callable(getattr(view, name, None))}
    own = {name: getattr(one, _ABOUT) for name, one in made.items() if hasattr(one, _ABOUT)}
    held: Any = [one for one in dataclasses.fields(view) if _is_view(one.type)]  # type: ignore[arg-type]  # every subclass is a dataclass
    inner = {f"{one.name}.{name}": about for one in held for name, about in columns_of(one.type).items()}
    return {**view.fields, **own, **inner}


def _is_view(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, View)


def plain(value: Any) -> Any:
    """As JSON has it: every face writes a moment, an enum, a nested view in this one way."""
    kind = type(value)
    if kind in _ALREADY_PLAIN:
        return value
    if kind is datetime:
        return _write_moment(value)
    if isinstance(value, View):
        held = vars(value)
        return {shown: plain(held[name]) for shown, name in kind.json_names}
    return _plain_other(value)


def _write_moment(value: datetime) -> str:
    return (value if value.tzinfo is UTC else value.astimezone(UTC)).isoformat().replace("+00:00", "Z")


def _plain_other(value: Any) -> Any:
    match value:
        case Enum():
            return value.value
        case datetime():
            return _write_moment(value)
        case date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case dict() | Mapping():
            return {str(name): plain(one) for name, one in value.items()}
        case str():
            return value
        case list() | tuple() | Sequence() | frozenset() | set():
            return [plain(one) for one in value]
    return value


def plain_json(value: Any) -> str:
    return json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))
