"""The keys ad servers read, and what is in them. Pure; docs/apps/adgroups-serving.md is its reference."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
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
