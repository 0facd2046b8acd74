"""The tables of alerts and of silences over rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.platform.alerts.hysteresis import Sample
from pabal.platform.alerts.machine import load_alerts
from pabal.platform.alerts.model import Alert, AlertNotFound
from pabal.platform.tenants import Scope

SQL = load(__file__)
LAST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which alerts, newest first; `before` is the last id of the page before. `is_open` False: the history."""

    is_open: bool | None = None
    state: str | None = None
    rule: str | None = None
    before: int = LAST


@dataclass(frozen=True, slots=True)
class Counts:
    firing: int
    acknowledged: int
    silenced: int


@dataclass(frozen=True, slots=True)
class RuleSilence:
    rule: str
    until: datetime
    note: str
    by_name: str
    by_label: str
    at: datetime


@dataclass(frozen=True, slots=True)
class LastOf:
    """The last alert of a rule in a scope, and how many are open."""

    rule: str
    fired_at: datetime
    firing: int
    acknowledged: int
    silenced: int


class Stretch(NamedTuple):
    """The newest samples of one series, in order of time."""

    measure: str
    about: str
    unit_id: int | None
    samples: list[Sample]


class NewAlert(NamedTuple):
    rule: str
    about: str
    unit_id: int | None
    level: str
    value: float
    threshold: float
    since: datetime
    seen_at: datetime


class Look(NamedTuple):
    """What the newest sample said of an open alert."""

    id: int
    value: float
    worst: float
    seen_at: datetime


async def list_open(tx: Tx, scope: Scope, *, limit: int = 200) -> list[Alert]:
    """Firing before acknowledged before silenced, failures first, then the newest."""
    ids = [row["id"] for row in await tx.rows(SQL.find_open, units=scope.listed, most=limit)]
    found = {alert.id: alert for alert in await load_alerts(tx, ids)}
    return [found[alert_id] for alert_id in ids]


async def list_alerts(tx: Tx, scope: Scope, wanted: Wanted, *, limit: int = 50) -> list[Alert]:
    rows = await tx.rows(
        SQL.find_alerts,
        units=scope.listed,
        is_open=wanted.is_open,
        state=wanted.state,
        rule=wanted.rule,
        before=wanted.before,
        most=limit,
    )
    return (await load_alerts(tx, [row["id"] for row in rows]))[::-1]


async def get_alert(tx: Tx, scope: Scope, alert_id: int) -> Alert:
    for alert in await load_alerts(tx, [alert_id]):
        if scope.holds(alert.unit_id):
            return alert
    raise AlertNotFound(str(alert_id))


async def count_open(tx: Tx, scope: Scope) -> Counts:
    [row] = await tx.rows(SQL.count_open, units=scope.listed)
    return Counts(**row)


async def list_last(tx: Tx, scope: Scope, rules: Sequence[str]) -> dict[str, LastOf]:
    found = await tx.all(LastOf, SQL.list_last, rules=list(rules), units=scope.listed)
    return {last.rule: last for last in found}


async def list_rule_silences(tx: Tx) -> dict[str, RuleSilence]:
    """Those that have not ended."""
    return {silence.rule: silence for silence in await tx.all(RuleSilence, SQL.list_rule_silences, now=tx.now)}


async def put_rule_silence(tx: Tx, silence: RuleSilence) -> None:
    await tx.run(
        SQL.put_rule_silence,
        rule=silence.rule,
        until=silence.until,
        note=silence.note,
        by_name=silence.by_name,
        by_label=silence.by_label,
        at=silence.at,
    )


async def delete_rule_silence(tx: Tx, rule: str) -> bool:
    return await tx.run(SQL.delete_rule_silence, rule=rule) > 0


async def lock_evaluation(tx: Tx) -> bool:
    is_ours: bool = await tx.value(SQL.lock_evaluation)
    return is_ours


async def list_stretches(tx: Tx, spans: dict[str, timedelta]) -> list[Stretch]:
    """The samples of these measures, each as far back as asked."""
    rows = await tx.rows(SQL.list_stretches, measures=list(spans), spans=list(spans.values()), now=tx.now)
    return [
        Stretch(measure, about, unit_id, [Sample(at, value) for at, value in zip(ats, values, strict=True)])
        for measure, about, unit_id, ats, values in rows
    ]


async def load_open(tx: Tx) -> list[Alert]:
    """All of them, of every unit: for the engine's own step, not for people."""
    return await load_alerts(tx, [row["id"] for row in await tx.rows(SQL.find_open, units=None, most=None)])


async def insert_alerts(tx: Tx, new: Sequence[NewAlert]) -> list[int]:
    """Those without an open one already; not those whose unit is gone."""
    rules, abouts, units, levels, values, thresholds, sinces, seen_ats = (list(each) for each in zip(*new, strict=True))
    rows = await tx.rows(
        SQL.insert_alerts,
        rules=rules,
        abouts=abouts,
        units=units,
        levels=levels,
        values=values,
        thresholds=thresholds,
        sinces=sinces,
        seen_ats=seen_ats,
        now=tx.now,
    )
    return [row["id"] for row in rows]


async def note_looks(tx: Tx, looks: Sequence[Look]) -> None:
    if looks:
        ids, values, worsts, seen_ats = (list(column) for column in zip(*looks, strict=True))
        await tx.run(SQL.note_looks, ids=ids, values=values, worsts=worsts, seen_ats=seen_ats)


async def note_told(tx: Tx, alert_ids: Sequence[int]) -> None:
    await tx.run(SQL.note_told, ids=list(alert_ids), now=tx.now)


async def note_resolved(tx: Tx, alert_ids: Sequence[int]) -> None:
    await tx.run(SQL.note_resolved, ids=list(alert_ids), now=tx.now)


async def set_silence(tx: Tx, alert_ids: Sequence[int], until: datetime) -> None:
    """Before the transition, whose timer depends on it. Who is told of it when it ends, is told as of a new one."""
    await tx.run(SQL.set_silence, ids=list(alert_ids), until=until)


async def list_untold(tx: Tx, *, told_before: datetime) -> list[Alert]:
    """Firing, and nobody was told yet or not since that moment."""
    return await load_alerts(tx, [row["id"] for row in await tx.rows(SQL.find_untold, told_before=told_before)])


async def list_open_of(tx: Tx, rule: str) -> list[int]:
    return [row["id"] for row in await tx.rows(SQL.find_open_of, rule=rule)]


async def sampled_since(tx: Tx) -> datetime | None:
    """From when on no round of the house was left out; None before the first."""
    since: datetime | None = await tx.value(SQL.find_sampled_since)
    return since
