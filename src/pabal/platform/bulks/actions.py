"""One verb on many rows: looked at first, done row by row as the single verb does it, and taken back."""

from collections.abc import Mapping, Sequence

from pabal.base.database import Tx
from pabal.base.errors import Conflict, Forbidden, Invalid, NotFound
from pabal.engine import ids, queue
from pabal.engine.queue import NewJob
from pabal.platform.actor import Actor
from pabal.platform.bulks import store
from pabal.platform.bulks.choosing import make_order, read_key
from pabal.platform.bulks.model import (
    AT_ONCE,
    LOOKED_AT,
    AlreadySo,
    Bulk,
    BulkNotUndoable,
    BulkRunning,
    Ended,
    Hands,
    Order,
    Preview,
)
from pabal.platform.language.pairs import Lang
from pabal.platform.operating.model import tried
from pabal.platform.resources import Noun, View, Viewer, find_name
from pabal.platform.resources.bulks import PREFIX
from pabal.platform.tenants import Scope, visible_to

RUN = "bulks.run"
_REFUSALS = (NotFound, Conflict, Invalid, Forbidden)


async def preview(tx: Tx, actor: Actor, order: Order, keys: Sequence[str], *, lang: Lang, hands: Hands) -> Preview:
    """Does it to the first rows and takes it back: what is refused here is what the verb itself refuses."""
    actor.require(order.many.right, order.noun.area)
    scope = await visible_to(tx, actor)
    hand = Hand(tx, actor, scope, order, Viewer(actor, lang, tx.now), hands)
    return Preview(len(keys), [await hand.do(key, dry_run=True) for key in keys[:LOOKED_AT]])


async def start(
    tx: Tx,
    actor: Actor,
    order: Order,
    keys: Sequence[str],
    *,
    lang: Lang,
    hands: Hands,
    request: str | None = None,
    undoes: int | None = None,
) -> Bulk:  # long: whose it is, how it is told, and what makes it the only one
    """A few at once, in this transaction; many as durable work. The same request a second time is the same bulk."""
    actor.require(order.many.right, order.noun.area)
    made = await store.insert_bulk(
        tx, order, actor=actor.name, lang=lang, said=dict(order.said), keys=keys, request=request, undoes=undoes
    )
    if made is None:
        return await _find_first(tx, actor, request, undoes=undoes)
    if len(keys) <= AT_ONCE:
        await do_rows(tx, actor, order, await store.get_bulk(tx, actor.name, made), hands=hands)
    else:
        await queue.enqueue(tx, NewJob(RUN, {"bulk": made}, about=f"bulk:{made}"))
    return await store.get_bulk(tx, actor.name, made)


async def _find_first(tx: Tx, actor: Actor, request: str | None, *, undoes: int | None) -> Bulk:
    found = None if request is None else await store.find_request(tx, actor.name, request)
    if found is None:
        raise BulkNotUndoable("" if undoes is None else ids.show(PREFIX, undoes))
    return await store.get_bulk(tx, actor.name, found)


async def do_rows(tx: Tx, actor: Actor, order: Order, bulk: Bulk, *, hands: Hands) -> int:
    """The next rows that nobody else is at; what the verb refuses is taken back alone. How many they were."""
    rows = await store.take_rows(tx, bulk.id, AT_ONCE)
    scope = await visible_to(tx, actor)
    hand = Hand(tx, actor, scope, order, Viewer(actor, bulk.lang, tx.now), hands)
    ended = [await hand.do(row.key) for row in rows]
    if rows:
        await store.end_rows(tx, bulk, rows, ended)
    return len(rows)


async def undo(
    tx: Tx, actor: Actor, bulk_id: int, *, nouns: Mapping[str, Noun], lang: Lang, hands: Hands, sees_all: bool = False
) -> Bulk:  # long: whose it is, and what its rows are done with
    """Does the opposite to the rows it was done to: a bulk of its own, with its own results. The table allows one."""
    bulk = await store.get_bulk(tx, None if sees_all else actor.name, bulk_id)
    if bulk.ended_at is None:
        raise BulkRunning(bulk.shown_id)
    order = make_order(nouns, bulk.noun, bulk.verb, bulk.said)
    keys = await store.list_done(tx, bulk_id)
    if not order.many.undo or not keys:
        raise BulkNotUndoable(bulk.shown_id)
    back = make_order(nouns, bulk.noun, order.many.undo, {})
    return await start(tx, actor, back, keys, lang=lang, hands=hands, undoes=bulk_id)


class Hand:
    """Does one verb to one row after the other, each behind a savepoint of its own."""

    def __init__(self, tx: Tx, actor: Actor, scope: Scope, order: Order, viewer: Viewer, hands: Hands) -> None:
        self._tx, self._actor, self._scope, self._order, self._viewer = tx, actor, scope, order, viewer
        self._find, self._view, self._act = (
            find_name(order.noun.find),
            find_name(order.noun.view),
            find_name(order.many.action),
        )
        self._hands = hands

    async def do(self, key: str, *, dry_run: bool = False) -> Ended:
        title: str | None = None
        try:
            row_id = self._read(key)
            before = await self._show(row_id)
            title = str(getattr(before, self._order.noun.title)) if self._order.noun.title else None
            async with self._tx.savepoint(), tried(self._tx, dry_run=dry_run):
                await self._act(self._tx, self._actor, row_id, **self._order.arguments, **self._given(dry_run))
                await self._require_change(row_id, before)
        except _REFUSALS as error:
            return Ended(key, title, error)
        return Ended(key, title, None)

    def _read(self, key: str) -> object:
        try:
            return read_key(self._order.noun, key)
        except ValueError as error:
            raise NotFound(key[:100]) from error

    async def _show(self, row_id: object) -> View:
        """Raises where the actor does not see it."""
        row = await self._find(self._tx, self._scope, row_id, **self._hands(self._order.noun.needs))
        view: View = self._view(row, self._viewer)
        return view

    async def _require_change(self, row_id: object, before: View) -> None:
        """Of what can be taken back: a row that was so already was not done, or it would be undone with the others."""
        if self._order.many.undo and _lasting(await self._show(row_id)) == _lasting(before):
            raise AlreadySo(str(row_id))

    def _given(self, dry_run: bool) -> dict[str, object]:
        names = tuple(dict.fromkeys((*self._order.noun.needs, *self._order.many.needs)))
        given = dict(self._hands(tuple(name for name in names if name != "dry_run")))
        return {**given, "dry_run": dry_run} if "dry_run" in names else given


def _lasting(view: View) -> dict[str, object]:
    """Without sentences that change with the hour."""
    return {name: getattr(view, name) for name, about in view.fields.items() if not about.is_told}
