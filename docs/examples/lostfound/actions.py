"""The verbs. Each asks for the right, looks whether it is in sight, changes, records the fact and writes the audit."""

from lostfound.store import SQL, Item
from pabal.base.database import Tx
from pabal.base.errors import Conflict, Invalid, NotFound
from pabal.engine import facts
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import UnitNotFound, visible_to

AREA = "lostfound"


class ItemNotFound(NotFound):
    """There is no such item, or it is not yours to see."""


class ItemFetched(Conflict):
    """Somebody has fetched this item already."""


class BadItem(Invalid):
    """Say in 1 to 200 characters what was found."""


async def hand_in(tx: Tx, actor: Actor, unit_id: int | None, what: str) -> Item:
    actor.require(Right.WRITE, AREA)
    said = " ".join(what.split())
    if not 1 <= len(said) <= 200 or not said.isprintable():
        raise BadItem(said[:200])
    if unit_id is None or not (await visible_to(tx, actor)).holds(unit_id):
        raise UnitNotFound(str(unit_id))
    item = await tx.one(Item, SQL.insert_item, unit_id=unit_id, what=said, now=tx.now)
    await _tell(tx, actor, "handed_in", item)
    return item


async def fetch(tx: Tx, actor: Actor, item_id: int) -> Item:
    actor.require(Right.WRITE, AREA)
    item = await tx.one(Item, SQL.hold_item, id=item_id)
    if item is None or not (await visible_to(tx, actor)).holds(item.unit_id):
        raise ItemNotFound(str(item_id))
    if item.fetched_at is not None:
        raise ItemFetched(item.what)
    await tx.run(SQL.update_fetched, id=item.id, now=tx.now)
    await _tell(tx, actor, "fetched", item)
    return Item(item.id, item.unit_id, item.what, item.found_at, tx.now)


async def _tell(tx: Tx, actor: Actor, verb: str, item: Item) -> None:
    about = f"item:{item.id}"
    await facts.record(tx, f"lostfound.item_{verb}", about, {"what": item.what}, item.unit_id)
    await audit.record(tx, actor, f"lostfound.{verb}", about, unit_id=item.unit_id, after={"what": item.what})
