"""Which rows: those that are named, or all that a filter of the noun's list holds. What is out of sight is left out."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from pabal.base.database import Tx
from pabal.base.errors import PabalError
from pabal.engine import ids
from pabal.platform.bulks.model import MOST, BulkTooLarge, Hands, NothingChosen, Order, VerbNotForMany
from pabal.platform.resources import Filter, Noun, find_name
from pabal.platform.tenants import Scope

PAGE = 1000


def make_order(nouns: Mapping[str, Noun], name: str, verb: str, said: Mapping[str, Any]) -> Order:
    noun = nouns.get(name)
    many = None if noun is None else noun.for_many.get(verb)
    if noun is None or many is None:
        raise VerbNotForMany(f"{verb[:50]} of {name[:100]}")
    return Order(name, noun, many, said)


async def list_keys(tx: Tx, scope: Scope, noun: Noun, wanted: Filter, hands: Hands) -> list[str]:
    """All rows that the filter holds, in the order of the list."""
    listing, given = noun.listings[0], hands(noun.needs)
    load = find_name(listing.load)
    if listing.is_short:
        return check_keys([show_key(noun, row.id) for row in await load(tx, scope, wanted, **given)])
    keys: list[str] = []
    cursor: str | None = None
    while True:
        page = await load(tx, scope, wanted, cursor=cursor, limit=PAGE, **given)
        keys += [show_key(noun, row.id) for row in page.items]
        cursor = page.cursor
        if cursor is None or len(keys) > MOST:
            return check_keys(keys)


def check_keys(keys: Sequence[str]) -> list[str]:
    """Each once."""
    once = list(dict.fromkeys(keys))
    if not once:
        raise NothingChosen
    if len(once) > MOST:
        raise BulkTooLarge(f"more than {MOST}")
    return once


def show_key(noun: Noun, row_id: Any) -> str:
    """As REST names it."""
    return ids.show(noun.prefix, row_id) if noun.prefix else str(row_id)


def read_key(noun: Noun, text: str) -> Any:
    """What is no id of this noun raises ValueError, or what ids say."""
    if noun.prefix:
        return ids.read(noun.prefix, text)
    kind = get_args(find_name(noun.reads_key))[0] if noun.reads_key else int
    made = kind(text)
    if kind is int and not 0 < made <= ids.LAST:
        raise ValueError(text)
    return made


def clean_key(noun: Noun, text: str) -> str | None:
    """As it is kept; None for what cannot be a row's."""
    try:
        return show_key(noun, read_key(noun, text.strip()))
    except (ValueError, PabalError):
        return None
