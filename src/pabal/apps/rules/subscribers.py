"""Moments at which nothing was running become runs that were missed: facts of the engine say which."""

from datetime import datetime

from pabal.apps.rules.actions import ending
from pabal.apps.rules.model.rules import RULE_ABOUT, RuleState
from pabal.apps.rules.store import rules as store
from pabal.base.database import Tx
from pabal.engine.facts import Fact, Subscriber


async def note_missed(tx: Tx, facts: list[Fact]) -> None:
    for fact in facts:
        about, _, number = fact.subject.partition(":")
        found = await store.load_rules(tx, [int(number)]) if about == RULE_ABOUT and number.isdigit() else []
        if found and found[0].state is not RuleState.DELETED:
            count = int(fact.data.get("count") or 1)
            at = datetime.fromisoformat(fact.data["fire_at"])
            await ending.note_missed(tx, found[0], at, count=count)


SUBSCRIBERS = (Subscriber("rules.missed", ("schedule.missed",), note_missed),)
