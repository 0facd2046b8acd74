"""What an app shows on the console's front page and in its search. Values only; the console draws them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pabal.base.database import Tx
from pabal.platform.language.pairs import Pair
from pabal.platform.tenants import Scope

Severity = Literal["attention", "failure", "down", "missing"]


@dataclass(frozen=True, slots=True)
class NavItem:
    """A page in the menu. `need` counts what waits for a person there; `goto` is its letter after g.

    `is_of_house`: only those who see the whole house have it.
    """

    href: str
    label: Pair
    area: str
    need: Callable[[Tx, Scope], Awaitable[int]] | None = None
    goto: str = ""
    is_of_house: bool = False


@dataclass(frozen=True, slots=True)
class Need:
    """Something that waits for a person: what, why, and where to do something about it.

    `state` is a code of the status family; `severity` moves the beacons: missing means promises are being broken now.
    """

    family: str
    state: str
    title: Pair
    reason: Pair
    href: str
    action: Pair
    at: datetime
    severity: Severity = "attention"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """One app's day so far: a number and its word, the last twenty endings as bars, trouble, what is next."""

    value: int
    word: Pair
    bars: str
    look: Literal["good", "attn", "fail"]
    trouble: Pair
    next_at: datetime | None
    href: str


@dataclass(frozen=True, slots=True)
class FirstStep:
    """Instead of a card where an app has nothing yet: what to do first, where, and a command to try it without."""

    text: Pair
    action: Pair
    href: str
    otherwise: Pair
    command: str


@dataclass(frozen=True, slots=True)
class Found:
    """One thing the search found."""

    family: Pair
    title: str
    note: str
    href: str


Needs = Callable[[Tx, Scope], Awaitable[list[Need]]]
# None: the app has nothing to show here
Cards = Callable[[Tx, Scope], Awaitable[Card | FirstStep | None]]
Finds = Callable[[Tx, Scope, str], Awaitable[list[Found]]]
