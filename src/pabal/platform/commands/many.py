"""One verb on many rows from the command line: looked at first, confirmed, done here, and shown row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pabal.base.database import Database, Tx
from pabal.platform import bulks
from pabal.platform.actor import Actor
from pabal.platform.bulks import Bulk, Hands, Order
from pabal.platform.commands.options import see
from pabal.platform.commands.resources import needed, read_options, show_views
from pabal.platform.commands.shell import Shell
from pabal.platform.language.pairs import Pair, put
from pabal.platform.resources import Many, Noun, find_name, plain
from pabal.platform.resources.bulks import BulkRowView, BulkView, view_bulk, view_preview
from pabal.platform.slice import list_nouns

_ASK: Pair = (
    "{verb}: {total} rows, of which {refused} cannot. Do it?",
    "{verb}: {total}건, 그 가운데 {refused}건은 할 수 없습니다. 할까요?",
)
_ON_ITS_WAY: Pair = ("{ended} of {total}", "{total}건 가운데 {ended}건")
_COLUMNS = ("id", "state", "noun", "verb", "total", "done", "refused")
_OF_ROW = ("id", "title", "result", "detail")


@dataclass(frozen=True)
class Chosen:
    """What a command was told: rows by name, or all that its filters hold."""

    noun: Noun
    many: Many
    which: Sequence[str]
    is_all: bool
    given: Mapping[str, Any]


async def do_many(shell: Shell, chosen: Chosen, *, yes: bool, dry_run: bool) -> None:
    hands = hands_of(shell, shell.actor)
    async with shell.database() as database:
        async with database.transaction() as tx:
            order, keys = await _choose(tx, shell, chosen)
            looked = await bulks.preview(tx, shell.actor, order, keys, lang=shell.lang, hands=hands)
            view = view_preview(order.name, order.many.name, shell.actor.name, tx.now, looked, shell.lang)
        if not dry_run:
            label = put(shell.lang, chosen.many.label)
            shell.confirm(_ASK, yes=yes, verb=label, total=looked.total, refused=len(looked.refused))
            view = await _do(shell, database, order, keys, hands)
    show_bulk(shell, view)


async def _choose(tx: Tx, shell: Shell, chosen: Chosen) -> tuple[Order, list[str]]:
    noun, many, given = chosen.noun, chosen.many, chosen.given
    scope = await see(tx, shell, None if "org" in _asked(many) else given.get("org"))
    said = {} if many.asks is None else plain(await read_options(tx, scope, many.asks, given))
    nouns = list_nouns(shell.house)
    order = Order(next(name for name, one in nouns.items() if one is noun), noun, many, said)
    if chosen.is_all:
        wanted: Any = noun.listings[0].wanted.make(await read_options(tx, scope, noun.listings[0].wanted, given))
        return order, await bulks.list_keys(tx, scope, noun, wanted, hands_of(shell, shell.actor))
    named = find_name(noun.named)
    rows = [await named(tx, scope, text, **hands_of(shell, shell.actor)(noun.needs)) for text in chosen.which]
    return order, bulks.check_keys([bulks.show_key(noun, row.id) for row in rows])


def _asked(many: Many) -> set[str]:
    return set() if many.asks is None else set(many.asks.__dataclass_fields__)  # type: ignore[attr-defined]  # every subclass is a dataclass


async def _do(shell: Shell, database: Database, order: Order, keys: Sequence[str], hands: Hands) -> BulkView:
    async with database.transaction() as tx:
        made = await bulks.start(tx, shell.actor, order, keys, lang=shell.lang, hands=hands)
    return await finish(shell, database, made)


async def finish(shell: Shell, database: Database, made: Bulk) -> BulkView:
    """Does here what is left of it, whether or not there is a server that could."""
    if made.ended_at is None:
        made = await bulks.finish(
            database,
            made.id,
            nouns=list_nouns(shell.house),
            hands=partial(hands_of, shell),
            tell=lambda bulk: shell.tell(_ON_ITS_WAY, ended=bulk.total - bulk.waiting, total=bulk.total),
        )
    async with database.transaction() as tx:
        return view_bulk(made, await bulks.list_rows(tx, made.id))


def hands_of(shell: Shell, _actor: Actor) -> Hands:
    """Whoever sits here, also for what is left of a bulk."""
    return lambda names: needed(shell, names)


def show_bulk(shell: Shell, view: BulkView) -> None:
    """People see what became of each row, then of all."""
    if shell.output == "table":
        shell.show(show_views(shell, BulkRowView, view.results, _OF_ROW))
    shell.show(show_views(shell, BulkView, [view], _COLUMNS, single=True))
