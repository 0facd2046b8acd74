"""The verbs. Each asks for the right, looks whether it is in sight, changes, records the fact and writes the audit."""

from lostfound.model import AREA, Item
from lostfound.store import SQL, ItemNotFound, hold_item
from pabal.base.database import Tx
from pabal.base.errors import Conflict, Invalid
from pabal.engine import facts
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import UnitNotFound, visible_to


class ItemFetched(Conflict):
    """Somebody has fetched this item already."""


class BadItem(Invalid):
    """Say in 1 to 200 characters what was found."""


async def hand_in(tx: Tx, actor: Actor, *, what: str, unit_id: int | None = None) -> Item:
    """In the unit named, or the actor's own."""
    actor.require(Right.WRITE, AREA)
    said = " ".join(what.split())
    if not 1 <= len(said) <= 200 or not said.isprintable():
        raise BadItem(said[:200])
    scope = await visible_to(tx, actor)
    owner = unit_id or scope.unit_id
    if owner is None or not scope.holds(owner):
        raise UnitNotFound(str(owner))
    item = await tx.one(Item, SQL.insert_item, unit_id=owner, what=said, now=tx.now)
    await _tell(tx, actor, "handed_in", item)
    return item


async def fetch(tx: Tx, actor: Actor, item_id: int) -> Item:
    actor.require(Right.WRITE, AREA)
    item = await hold_item(tx, item_id)
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
