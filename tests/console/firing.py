"""Alerts of the engine's own rules, fired by dials that a test turns."""

from dataclasses import replace
from datetime import timedelta

from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.platform import alerts
from pabal.platform.alerts import ENGINE_RULES, Alert, AlertRule, Measure, Reading
from pabal.platform.tenants import Scope, Unit

EVERY = timedelta(seconds=15)
EVERYTHING = Scope(None, None)
STUCK, SLOW = "engine.stuck_work", "engine.processing_time"


def find(name: str) -> AlertRule:
    return alerts.find_rule(ENGINE_RULES, name)


async def fire(db: Database, about: str, unit: Unit | None = None, *, rule: str = STUCK) -> Alert:
    """The rule's measure stays at 900 for a moment longer than the rule bears."""
    await _pass(db, rule, Reading(900.0, about, None if unit is None else unit.id))
    [fired] = [one for one in await list_open(db) if one.about == about and one.rule == rule]
    return fired


async def resolve(db: Database, alert: Alert) -> None:
    await _pass(db, alert.rule, Reading(1.0, alert.about, alert.unit_id), times=2)


async def list_open(db: Database) -> list[Alert]:
    async with db.transaction() as tx:
        return await alerts.list_open(tx, EVERYTHING)


async def get(db: Database, alert: Alert) -> Alert:
    async with db.transaction() as tx:
        return await alerts.get_alert(tx, EVERYTHING, alert.id)


async def _pass(db: Database, name: str, shows: Reading, *, times: int = 1) -> None:
    rule = find(name)

    async def read(tx: Tx) -> list[Reading]:
        return [shows]

    dial = replace(rule, measure=Measure(rule.measure.name, rule.measure.label, read, rule.measure.unit))
    for _ in range(times * (rule.held_for // EVERY) + 1):
        await clock.advance(db, EVERY)
        await alerts.sample_once(db, [dial.measure])
        await alerts.evaluate_once(db, [dial], alerts.tell_people)
