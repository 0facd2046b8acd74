"""The keys ad servers read, what is in them, how that may differ. Pure; reference: docs/apps/adgroups-serving.md."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple

PREFIX = "adgroup:serving:"
RUNNING = f"{PREFIX}running"
ABOUT = f"{PREFIX}about"
INVENTORY = f"{PREFIX}inventory:"


class Served(NamedTuple):
    """A running ad group as ad servers see it: `text` is its key's value, `codes` the inventory it is listed in."""

    id: int
    text: str
    codes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be there of each: as it runs, or nothing. `fence` orders the readings that changes are made of.

    `also`: inventory some are listed in although their own value does not say so.
    """

    fence: int
    at: datetime
    wanted: Mapping[int, Served | None]
    also: Mapping[int, frozenset[str]]


def key_of(ad_group_id: int) -> str:
    return f"{PREFIX}{ad_group_id}"


def key_of_inventory(code: str) -> str:
    return f"{INVENTORY}{code}"


def read_id(text: str) -> int | None:
    """None for what no ad group has: nobody but us should write here, but somebody may."""
    is_number = text.isascii() and text.isdigit() and len(text) <= 18 and (text == "0" or text[0] != "0")
    return int(text) if is_number else None


def read_codes(value: str | None) -> tuple[str, ...]:
    """The inventory that a value says it is listed in; none for what we did not write."""
    try:
        found = json.loads(value or "null")
    except ValueError:
        return ()
    codes = found.get("inventory") if isinstance(found, dict) else None
    return tuple(code for code in codes if isinstance(code, str)) if isinstance(codes, list) else ()


def show_moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Difference(StrEnum):
    """Runs and is not there; is there as it was; does not run any more; never existed; in the wrong inventory."""

    MISSING = "missing"
    STALE = "stale"
    NOT_RUNNING = "not_running"
    UNKNOWN = "unknown"
    WRONG_INVENTORY = "wrong_inventory"


@dataclass(frozen=True, slots=True)
class Seen:
    """`codes`: in which of the inventory it belongs to it is listed."""

    value: str | None
    is_listed: bool
    codes: frozenset[str]


def compare(served: Served, seen: Seen) -> Difference | None:
    """Of one that runs. That it is listed where it should not be is found from the lists' side."""
    if seen.value is None or not seen.is_listed:
        return Difference.MISSING
    if seen.value != served.text:
        return Difference.STALE
    return None if seen.codes >= set(served.codes) else Difference.WRONG_INVENTORY
