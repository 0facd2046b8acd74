"""What the console shows of notifications: the list of one's scope, how many are unread, and reading them."""

from datetime import timedelta

from pabal.base.database import Database, Tx
from pabal.platform.actor import Actor, Right
from pabal.platform.notifications import store
from pabal.platform.notifications.model import Level, Notification
from pabal.platform.tenants import visible_to

AREA = "notifications"
# More than that is shown as 99+.
MOST_UNREAD = 100


async def list_notifications(
    tx: Tx,
    actor: Actor,
    *,
    within: int | None = None,
    levels: list[Level] | None = None,
    before: int = store.NEWEST,
    limit: int = 50,
) -> list[Notification]:
    """Newest first; `before` is the last id of the page before."""
    actor.require(Right.READ, AREA)
    scope = await visible_to(tx, actor, within=within)
    wanted = None if levels is None else [level.value for level in levels]
    return await store.list_notifications(tx, scope.listed, levels=wanted, before=before, limit=limit)


async def count_unread(tx: Tx, actor: Actor, *, within: int | None = None) -> int:
    """Up to 100."""
    actor.require(Right.READ, AREA)
    scope = await visible_to(tx, actor, within=within)
    count: int = await tx.value(store.SQL.count_unread, units=scope.listed, reader=actor.name, most=MOST_UNREAD)
    return count


async def find_read_upto(tx: Tx, actor: Actor) -> int:
    """What has a greater id is new to this actor."""
    return await tx.value(store.SQL.find_read_upto, reader=actor.name) or 0


async def mark_read(tx: Tx, actor: Actor, *, upto: int) -> None:
    """All up to this id, which is the newest one the actor was shown: what came since stays unread."""
    actor.require(Right.READ, AREA)
    await tx.run(store.SQL.mark_read, reader=actor.name, upto=upto)


async def forget_once(database: Database, *, keep: timedelta) -> int:
    """A step for housekeeping: drops notifications and ended deliveries older than that."""
    async with database.transaction() as tx:
        return await store.forget(tx, tx.now - keep)
