"""Shared lanes made wider or narrower. They belong to the house: only those who see everything see them."""

from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.engine import listing, widths
from pabal.engine.listing import LaneLine, Page
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import Scope, visible_to

AREA = "jobs"


class LaneNotFound(NotFound, code="lane_not_found"):
    """There is no such shared lane. Lanes of all other names run one at a time, in order."""


async def list_lanes(tx: Tx, scope: Scope, *, cursor: str | None = None, limit: int = 50) -> Page[LaneLine]:
    return await listing.list_lanes(tx, cursor=cursor, limit=limit) if scope.holds(None) else Page([], None)


async def get_lane(tx: Tx, scope: Scope, name: str) -> LaneLine:
    found = await listing.show_lanes(tx, [name]) if scope.holds(None) else []
    if not found:
        raise LaneNotFound(name)
    return found[0]


async def change_width(tx: Tx, actor: Actor, name: str, width: int | None) -> LaneLine:
    """None: as declared. Narrower: what runs goes on, and nobody more goes before there is room."""
    actor.require(Right.MANAGE, AREA)
    scope = await visible_to(tx, actor)
    before = await get_lane(tx, scope, name)
    await widths.choose(tx, name, width)
    after = await get_lane(tx, scope, name)
    if before.chosen != after.chosen:
        was, now = {"width": before.width}, {"width": after.width}
        await audit.record(tx, actor, "jobs.resize_lane", f"lane:{name}", before=was, after=now)
    return after
