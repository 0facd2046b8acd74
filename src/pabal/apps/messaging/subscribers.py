"""What messaging does about facts of others: a moment that the tick passed over becomes a missed delivery."""

from datetime import datetime

from pabal.apps.messaging.actions import missing
from pabal.apps.messaging.model.schedules import ABOUT
from pabal.base.database import Tx
from pabal.engine.facts import Fact, Subscriber


async def take_missed(tx: Tx, facts: list[Fact]) -> None:
    for fact in facts:
        kind, _, schedule_id = fact.subject.partition(":")
        if kind == ABOUT:
            await _miss(tx, int(schedule_id), fact)


async def _miss(tx: Tx, schedule_id: int, fact: Fact) -> None:
    """One delivery for a run of moments, too. Said twice, the second finds the first one's row and leaves it."""
    fire_at = datetime.fromisoformat(fact.data["fire_at"])
    errand = await missing.open_delivery(tx, schedule_id, fire_at, job_id=None, must_be_active=False)
    if errand is not None:
        detail = {name: fact.data[name] for name in ("count", "through") if fact.data.get(name) is not None}
        await missing.miss(tx, errand, "misfired", {**detail, "decision": fact.data["reason"]})


MISSED = Subscriber("messaging.missed", ("schedule.missed",), take_missed)
SUBSCRIBERS = (MISSED,)
