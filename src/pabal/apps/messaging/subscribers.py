"""What messaging does about facts of others: missed moments become deliveries, schedules follow the settings."""

from datetime import datetime

from pabal.apps.messaging.actions import opening
from pabal.apps.messaging.actions.timetables import SETTINGS, relane
from pabal.apps.messaging.model.schedules import ABOUT
from pabal.apps.messaging.store.sending import Occurrence
from pabal.base.database import Tx
from pabal.engine.facts import Fact, Subscriber
from pabal.platform import settings

FOLLOWED = {setting.key for setting in SETTINGS}


async def take_missed(tx: Tx, facts: list[Fact]) -> None:
    for fact in facts:
        kind, _, schedule_id = fact.subject.partition(":")
        if kind == ABOUT:
            await _miss(tx, int(schedule_id), fact)


async def _miss(tx: Tx, schedule_id: int, fact: Fact) -> None:
    """One delivery for a run of moments, too. Said twice, the second finds the first one's row and leaves it."""
    fire_at = datetime.fromisoformat(fact.data["fire_at"])
    delivery = await opening.open_delivery(tx, Occurrence(schedule_id, fire_at), job_id=None)
    if delivery is not None:
        detail = {name: fact.data[name] for name in ("count", "through") if fact.data.get(name) is not None}
        await opening.miss(tx, delivery, "misfired", {**detail, "decision": fact.data["reason"]})


async def follow_settings(tx: Tx, facts: list[Fact]) -> None:
    """Late windows and lanes stand in the engine's schedules: a change must reach those saved before it."""
    if any(fact.subject.removeprefix("setting:") in FOLLOWED for fact in facts):
        await relane(tx)


# from the start: what was missed before this app first looked is told too
MISSED = Subscriber("messaging.missed", ("schedule.missed",), take_missed, from_start=True)
FOLLOWING = Subscriber("messaging.settings", (settings.CHANGED,), follow_settings)
SUBSCRIBERS = (MISSED, FOLLOWING)
