"""Whatever ad servers should hear of becomes one job for all of a batch; nothing while nobody serves."""

from pabal.apps.adgroups.model.adgroups import ABOUT, State
from pabal.apps.adgroups.serving import plan, store
from pabal.apps.adgroups.settings.serving import CHECK_EVERY
from pabal.base.database import Tx
from pabal.engine.facts import Fact, Subscriber
from pabal.platform import settings

# what changes of a running one besides its state
EDITED = ("adgroups.rescheduled", "adgroups.edited")


async def collect(tx: Tx, facts: list[Fact]) -> None:
    if not await store.is_wanted(tx):
        return
    moved = [_id_of(fact) for fact in facts if State.RUNNING in (fact.data.get("source"), fact.data.get("target"))]
    edited = [_id_of(fact) for fact in facts if fact.name in EDITED]
    # one that ran when it was edited and does not any more left with a fact of its own
    running = await store.filter_running(tx, edited) if edited else set()
    ids = list(dict.fromkeys([*moved, *(each for each in edited if each in running)]))
    if ids:
        await plan.enqueue_refresh(tx, ids)


async def follow_settings(tx: Tx, changes: list[Fact]) -> None:
    if any(change.data["key"] == CHECK_EVERY.key for change in changes):
        await plan.follow(tx)


def _id_of(fact: Fact) -> int:
    return int(fact.subject.partition(":")[2])


COLLECTING = Subscriber("adgroups.serving", (f"{ABOUT}.*", *EDITED), collect, batch=1000)
FOLLOWING = Subscriber("adgroups.serving_settings", (settings.CHANGED,), follow_settings)
SUBSCRIBERS = (COLLECTING, FOLLOWING)
