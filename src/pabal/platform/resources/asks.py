"""Asks: what one may say when a thing is made, changed or looked for. A REST body and a command's options are this."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, ClassVar, TypeVar, cast, dataclass_transform, get_args, get_type_hints

from pabal.base.errors import Invalid

_ABOUT = "about"
A = TypeVar("A", bound="Ask")
T = TypeVar("T")


class BadParameter(Invalid, code="bad_parameter"):
    """A parameter's value cannot be used. Write it as the description says."""


class Kept(Enum):
    """Stands for what an edit leaves as it is, where None is a value of its own."""

    KEPT = "kept"


KEPT = Kept.KEPT


def chosen(said: T | Kept, otherwise: T) -> T:
    return otherwise if isinstance(said, Kept) else said


@dataclass(frozen=True)
class Rules:
    """What a value must be, as a schema says it."""

    ge: float | None = None
    le: float | None = None
    min_length: int | None = None
    max_length: int | None = None


# of a row's number, as a body or a filter names it
ROW_ID = Rules(ge=1, le=2**63 - 1)


@dataclass(frozen=True)
class Asked:
    """What is known of something one may say, besides its type and its default.

    `option` is how the command line calls it (`--kind`), when it is not the field's name; `argument`: it is said
    without one. `find` names what turns the text of a command into the value: `(tx, scope, text) -> value`. `alias` is
    what REST calls it. `read` names a pydantic annotation for REST where the type does not say how it is written.
    `secret` is the prompt for what is never typed into a command's line.
    `rest_only` and `command_only` fields are offered on one face: that must be rare, and has its reason beside it.
    """

    help: str
    example: Any = ...
    rules: Rules | None = None
    option: str = ""
    argument: bool = False
    metavar: str = ""
    find: str = ""
    alias: str = ""
    read: str = ""
    secret: Any = None
    rest_only: bool = False
    command_only: bool = False


def ask(
    help: str, *, default: Any = dataclasses.MISSING, default_factory: Any = dataclasses.MISSING, **about: Any
) -> Any:
    """A thing one may say: `note: str = ask("For whoever looks later.", default="")`. See Asked for the rest."""
    given = {"default": default, "default_factory": default_factory}
    return dataclasses.field(metadata={_ABOUT: Asked(help, **about)}, **given)


def case(*required: str, **fields: dict[str, Any]) -> dict[str, Any]:
    """One branch of what must hold between fields: which must be there, and what holds of them."""
    return {"required": list(required), "properties": fields}


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(ask,))
class Ask:
    """A subclass is a frozen dataclass. What was left out is not in `given`: an edit changes only what is there."""

    # one of these holds of its fields, as a schema says it; `fits` is what refuses the others
    cases: ClassVar[Sequence[Mapping[str, Any]]] = ()

    def __init_subclass__(cls) -> None:
        told = cls.__dict__.get("__doc__")
        dataclass(frozen=True, kw_only=True)(cls)
        # not the signature that dataclass puts where nothing is said: it would be a schema's description
        cls.__doc__ = told

    @classmethod
    def make(cls: type[A], given: Mapping[str, Any]) -> A:
        made = cls(**given)
        object.__setattr__(made, "given", dict(given))
        return made

    def fits(self) -> None:
        """Raises ValueError where what is said does not go together."""

    def arguments(self) -> dict[str, Any]:
        """What the action is called with, by name: what was said, as it was said. A subclass may say it otherwise."""
        found: dict[str, Any] | None = getattr(self, "given", None)
        return {name: getattr(self, name) for name in asked_of(type(self))} if found is None else found


class Filter(Ask):
    """What a list may be asked for. Everything in it has a default: without any, the whole list."""


def edit_of(asks: type[A], name: str, doc: str) -> type[A]:
    """The same with nothing needed: what an edit may say of what a new thing is asked for."""
    hints = get_type_hints(asks, include_extras=True)
    fields = {one: dataclasses.field(default=None, metadata={_ABOUT: about}) for one, about in asked_of(asks).items()}
    types = {one: hints[one] | None for one in fields}
    made = type(name, (Ask,), {"__module__": asks.__module__, "__doc__": doc, "__annotations__": types, **fields})
    return cast(type[A], made)


def read_plain(asks: type[A] | None, said: Mapping[str, Any]) -> A | None:
    """What was written as JSON, as it was said: for an ask that is kept until its work is done."""
    if asks is None:
        return None
    hints = get_type_hints(asks)
    return asks.make({name: _read_plain(hints[name], value) for name, value in said.items()})


def _read_plain(hint: Any, value: Any) -> Any:
    kinds = [one for one in (hint, *get_args(hint)) if isinstance(one, type)]
    for kind in kinds:
        if value is not None and issubclass(kind, Enum):
            return kind(value)
        if value is not None and kind is datetime:
            return datetime.fromisoformat(value)
    return tuple(value) if isinstance(value, list) else value


def asked_of(kind: type[Ask]) -> dict[str, Asked]:
    return {one.name: one.metadata[_ABOUT] for one in dataclasses.fields(kind)}  # type: ignore[arg-type]  # every subclass is a dataclass
