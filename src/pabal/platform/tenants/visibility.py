"""visible_to: the one door to what somebody may see. Every list and look-up a person can reach goes through it."""

from dataclasses import dataclass

from pabal.base.database import Tx
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import store
from pabal.platform.tenants.model import HeadOfficeOnly, UnitNotFound


@dataclass(frozen=True, slots=True)
class Scope:
    """Which units, as statements take it: `units` None is everything, what no unit owns included.

    `unit_id` is the top of it: what somebody makes here belongs to that unit unless they say otherwise.
    """

    units: tuple[int, ...] | None
    unit_id: int | None

    def holds(self, unit_id: int | None) -> bool:
        return self.units is None or unit_id in self.units

    @property
    def listed(self) -> list[int] | None:
        """As the database driver wants it."""
        return None if self.units is None else list(self.units)


async def visible_to(tx: Tx, actor: Actor, *, within: int | None = None) -> Scope:
    """The actor's subtree, or the part of it below `within`. The HQ's own people see what no unit owns too."""
    own = await _own(tx, actor)
    if within is None or within == own.unit_id:
        return own
    if not own.holds(within):
        raise UnitNotFound(str(within))
    below = await store.list_subtree(tx, within)
    if not below:
        raise UnitNotFound(str(within))
    return Scope(tuple(below), within)


async def may_see(tx: Tx, actor: Actor, unit_id: int | None) -> bool:
    return (await visible_to(tx, actor)).holds(unit_id)


async def require_house(tx: Tx, actor: Actor, right: Right, area: str) -> None:
    """For what belongs to no unit: the right alone is not enough, one must see the whole house."""
    actor.require(right, area)
    if (await _own(tx, actor)).units is not None:
        raise HeadOfficeOnly(area)


async def _own(tx: Tx, actor: Actor) -> Scope:
    hq = await tx.value(store.SQL.find_hq)
    if actor.unit_id is None or actor.unit_id == hq:
        return Scope(None, hq)
    return Scope(tuple(await store.list_subtree(tx, actor.unit_id)), actor.unit_id)
