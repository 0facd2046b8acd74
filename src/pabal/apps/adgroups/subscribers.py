"""What ad groups' own facts lead to: people are told of the events a setting names."""

from collections import defaultdict

from pabal.apps.adgroups.model.adgroups import Event, State
from pabal.apps.adgroups.settings import TOLD
from pabal.apps.adgroups.settings.life import read_events
from pabal.apps.adgroups.store import adgroups as store
from pabal.apps.adgroups.words import EVENTS, STATES
from pabal.base.database import Tx
from pabal.engine.facts import Fact, Subscriber
from pabal.platform import notifications, settings
from pabal.platform.language.pairs import Pair
from pabal.platform.notifications import Level, Notice

# At midnight thousands start at once: more than this of one unit are told together.
EACH = 5


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
    ad_group_id = int(fact.subject.partition(":")[2])
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


TELLING = Subscriber("adgroups.tell", tuple(f"adgroup.{state}" for state in State), tell)
SUBSCRIBERS = (TELLING,)
