"""What people may ask about serving: how it stands, to compare it now, to write it anew. It is of the whole house."""

from dataclasses import dataclass

from pabal.apps.adgroups.errors import ServingOff
from pabal.apps.adgroups.serving import plan, store
from pabal.apps.adgroups.serving.store import Check, Standing
from pabal.base.database import Tx
from pabal.engine.queue import Enqueued
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import require_house

AREA = "adgroups"


@dataclass(frozen=True, slots=True)
class Described:
    """`checks` newest first. Not wanted: no server has PABAL_SERVING_URL, and nothing is written."""

    standing: Standing
    checks: list[Check]

    @property
    def running(self) -> int:
        """How many ad servers should see."""
        return self.standing.running

    @property
    def last(self) -> Check | None:
        return self.checks[0] if self.checks else None


async def describe(tx: Tx, actor: Actor, *, checks: int = 20) -> Described:
    await require_house(tx, actor, Right.READ, AREA)
    return Described(await store.get_standing(tx), await store.list_checks(tx, checks))


async def check_now(tx: Tx, actor: Actor) -> Enqueued:
    """Compares and mends; the job reports how far it is. The one that was asked for already if it has not ended."""
    await require_house(tx, actor, Right.MANAGE, AREA)
    await _require_wanted(tx)
    asked = await plan.enqueue_check(tx, by=actor.name)
    if asked.is_new:
        await audit.record(tx, actor, "adgroups.check_serving", str(asked))
    return asked


async def rebuild_now(tx: Tx, actor: Actor) -> Enqueued:
    """Writes everything anew; nothing that runs is missing meanwhile."""
    await require_house(tx, actor, Right.MANAGE, AREA)
    await _require_wanted(tx)
    asked = await plan.enqueue_rebuild(tx, by=actor.name)
    if asked.is_new:
        await audit.record(tx, actor, "adgroups.rebuild_serving", str(asked))
    return asked


async def _require_wanted(tx: Tx) -> None:
    if not await store.is_wanted(tx):
        raise ServingOff
