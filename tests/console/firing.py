"""Alerts of the engine's own rules as evaluation leaves them: the server of these tests measures for itself."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from pabal.base.database import Database, Tx
from pabal.engine.transitions import begin, transition
from pabal.platform import alerts
from pabal.platform.alerts import ALERT, ENGINE_RULES, Alert, Event, sampling, store
from pabal.platform.alerts.store import NewAlert
from pabal.platform.tenants import Scope, Unit

EVERY = timedelta(seconds=15)
EVERYTHING = Scope(None, None)
STUCK, SLOW = "engine.stuck_work", "engine.processing_time"
VALUE = 900.0


async def fire(db: Database, about: str, unit: Unit | None = None) -> Alert:
    """A job waits for 900 seconds where 300 are borne, for three minutes now, and people were told."""
    rule = alerts.find_rule(ENGINE_RULES, STUCK)
    unit_id = None if unit is None else unit.id
    async with db.transaction() as tx:
        since = tx.now - timedelta(minutes=3)
        await measure(tx, about, unit_id, [since + number * EVERY for number in range(13)])
        new = NewAlert(STUCK, about, unit_id, rule.level.value, VALUE, rule.threshold, since, tx.now)
        [alert_id] = await store.insert_alerts(tx, [new])
        await begin(tx, ALERT, [alert_id], actor="engine")
        await store.note_told(tx, [alert_id])
        return await alerts.get_alert(tx, EVERYTHING, alert_id)


async def resolve(db: Database, alert: Alert) -> None:
    async with db.transaction() as tx:
        await measure(tx, alert.about, alert.unit_id, [tx.now], value=1.0)
        await transition(tx, ALERT, alert.id, Event.RESOLVE, actor="engine", reason="the condition is gone")
        await store.note_resolved(tx, [alert.id])


async def measure(
    tx: Tx, about: str, unit_id: int | None, moments: Sequence[datetime], *, value: float = VALUE
) -> None:
    given = {"measures": ["work.oldest_ready"], "abouts": [about], "units": [unit_id], "values": [value]}
    for at in moments:
        await tx.run(sampling.SQL.insert_samples, **given, at=at)


async def list_open(db: Database) -> list[Alert]:
    async with db.transaction() as tx:
        return await alerts.list_open(tx, EVERYTHING)


async def get(db: Database, alert: Alert) -> Alert:
    async with db.transaction() as tx:
        return await alerts.get_alert(tx, EVERYTHING, alert.id)
