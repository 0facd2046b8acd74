"""Facts that a subscriber could not take: seeing them, and handing them over once more."""

from collections.abc import Iterable

from pabal.base.database import Tx
from pabal.engine import facts
from pabal.engine.facts import AsideNotFound, Fact, Subscriber
from pabal.engine.listing import AsideLine, Page
from pabal.engine.listing.facts import list_aside as list_engine_aside
from pabal.engine.listing.facts import show_facts
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.operating.model import SubscriberNotFound
from pabal.platform.tenants import Scope, visible_to

AREA = "facts"


class FactNotFound(AsideNotFound, code="fact_not_found"):
    """There is no such fact, or it is past its retention."""


def find_subscriber(subscribers: Iterable[Subscriber], name: str) -> Subscriber:
    for subscriber in subscribers:
        if subscriber.name == name:
            return subscriber
    raise SubscriberNotFound(name)


async def get_fact(tx: Tx, scope: Scope, seq: int) -> Fact:
    found = await show_facts(tx, [seq])
    if not found or not scope.holds(found[0].unit_id) or not scope.shows(found[0].name):
        raise FactNotFound(str(seq))
    return found[0]


async def list_aside(
    tx: Tx, scope: Scope, *, subscription: str | None = None, limit: int = 50, cursor: str | None = None
) -> Page[AsideLine]:
    given = {"subscription": subscription, "cursor": cursor}
    return await list_engine_aside(tx, scope.listed, veiled=scope.veiled, limit=limit, **given)


async def retry_aside(tx: Tx, actor: Actor, subscriber: Subscriber, seq: int) -> None:
    """In this transaction: what the subscriber raises again, the caller gets, and the fact stays aside."""
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    found = await show_facts(tx, [seq])
    if not found or not scope.holds(found[0].unit_id) or not scope.shows(found[0].name):
        raise AsideNotFound(f"{subscriber.name} {seq}")
    await facts.retry_aside(tx, subscriber, seq)
    after = {"subscriber": subscriber.name, "name": found[0].name, "subject": found[0].subject}
    await audit.record(tx, actor, "facts.retry", f"fact:{seq}", unit_id=found[0].unit_id, after=after)
