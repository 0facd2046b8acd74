"""What ad groups' own facts lead to: people are told of the events a setting names, and ad servers of what changed."""

from collections import defaultdict

from pabal.apps.adgroups.labels import EVENTS, STATES
from pabal.apps.adgroups.model.adgroups import ABOUT, Event, State
from pabal.apps.adgroups.serving import actions as serving
from pabal.apps.adgroups.serving import store as served
from pabal.apps.adgroups.settings import CHECK_EVERY, TOLD, read_events
from pabal.apps.adgroups.store import adgroups as store
from pabal.base.database import Tx
from pabal.engine.facts import Fact, Subscriber
from pabal.platform import notifications, settings
from pabal.platform.language.pairs import Pair
from pabal.platform.notifications import Level, Notice

# At midnight thousands start at once: more than this of one unit are told together.
EACH = 5
# what changes of a running one besides its state
EDITED = ("adgroups.rescheduled", "adgroups.edited")


async def tell(tx: Tx, facts: list[Fact]) -> None:
    told = set(read_events(await settings.value(tx, TOLD)))
    alike: dict[tuple[int | None, str], list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.data.get("event") in told:
            alike[fact.unit_id, fact.data["event"]].append(fact)
    for (unit_id, event), found in alike.items():
        if len(found) > EACH:
            await notifications.notify(tx, _many(Event(event), unit_id, len(found)))
        else:
            for fact in found:
                if notice := await _one(tx, Event(event), fact):
                    await notifications.notify(tx, notice)


async def _one(tx: Tx, event: Event, fact: Fact) -> Notice | None:
    """None: its row is gone, as after a demo or a migration that was taken back."""
    ad_group_id = _id_of(fact)
    groups = await store.load_ad_groups(tx, [ad_group_id])
    if not groups:
        return None
    state = STATES[State(fact.data["target"])]
    return Notice(
        name=f"adgroups.{event}",
        title=(f"{{name}}: {EVENTS[event][0]}", f"{{name}}: {EVENTS[event][1]}"),
        text=(f"It is {state[0]} now. {{reason}}", f"이제 {state[1]}입니다. {{reason}}"),
        values={"name": groups[0].name, "reason": fact.data.get("reason") or ""},
        level=Level.INFO,
        unit_id=fact.unit_id,
        about=fact.subject,
        link=f"/ads/groups/{ad_group_id}",
    )


def _many(event: Event, unit_id: int | None, count: int) -> Notice:
    title: Pair = (f"{{count}} ad groups: {EVENTS[event][0]}", f"광고그룹 {{count}}개: {EVENTS[event][1]}")
    return Notice(name=f"adgroups.{event}", title=title, values={"count": count}, unit_id=unit_id, link="/ads/groups")


async def collect(tx: Tx, facts: list[Fact]) -> None:
    if not await served.is_wanted(tx):
        return
    moved = [_id_of(fact) for fact in facts if State.RUNNING in (fact.data.get("source"), fact.data.get("target"))]
    edited = [_id_of(fact) for fact in facts if fact.name in EDITED]
    # one that ran when it was edited and does not any more left with a fact of its own
    running = await served.filter_running(tx, edited) if edited else set()
    ids = list(dict.fromkeys([*moved, *(each for each in edited if each in running)]))
    if ids:
        await serving.enqueue_refresh(tx, ids)


async def follow_settings(tx: Tx, changes: list[Fact]) -> None:
    if any(change.data["key"] == CHECK_EVERY.key for change in changes):
        await serving.follow(tx)


def _id_of(fact: Fact) -> int:
    return int(fact.subject.partition(":")[2])


TELLING = Subscriber("adgroups.tell", tuple(f"adgroup.{state}" for state in State), tell)
COLLECTING = Subscriber("adgroups.serving", (f"{ABOUT}.*", *EDITED), collect, batch=1000)
FOLLOWING_SETTINGS = Subscriber("adgroups.serving_settings", (settings.CHANGED,), follow_settings)
SUBSCRIBERS = (TELLING, COLLECTING, FOLLOWING_SETTINGS)
