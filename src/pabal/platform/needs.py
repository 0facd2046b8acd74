"""What waits for a person in the engine and the platform: alerts, failed work, missed moments, broken schedules."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from pabal.base.database import Tx
from pabal.engine import ids, listing, why
from pabal.engine.listing import JobLine, jobs, occurrences, schedules
from pabal.platform import alerts
from pabal.platform.actor import Actor, Right
from pabal.platform.alerts import Alert, AlertRule
from pabal.platform.language.pairs import Pair
from pabal.platform.language.stories import explain_reason
from pabal.platform.language.values import show_value
from pabal.platform.overview import Need
from pabal.platform.slice import Slice
from pabal.platform.tenants import Scope

SINCE = timedelta(hours=24)
NOW = timedelta(minutes=15)
EACH = 5
LOOK = 50


async def list_needs(tx: Tx, actor: Actor, scope: Scope, slices: Sequence[Slice]) -> list[Need]:
    """The platform's, and those of each app, as far as the actor may read them. What an app says of its own work in
    its own words is not said twice."""
    found: list[Need] = []
    if actor.may(Right.READ, alerts.AREA):
        rules = tuple(rule for one in slices for rule in one.alert_rules)
        found += [_of_alert(alert, rules) for alert in await alerts.list_open(tx, scope) if alert.state == "firing"]
    spoken = tuple(f"{one.name}." for one in slices if one.needs is not None)
    if actor.may(Right.READ, "schedules"):
        found += [*await _missed(tx, scope, spoken), *await _broken(tx, scope)]
    if actor.may(Right.READ, "jobs"):
        found += await _failed(tx, scope, spoken)
    for one in slices:
        if one.needs is not None and actor.may(Right.READ, one.name):
            found += await one.needs(tx, scope)
    return found


def _of_alert(alert: Alert, rules: tuple[AlertRule, ...]) -> Need:
    rule = next((rule for rule in rules if rule.name == alert.rule), None)
    label = (alert.rule, alert.rule) if rule is None else rule.label
    unit = "" if rule is None else rule.measure.unit
    value, limit = _both(alert.value, unit), _both(alert.threshold, unit)
    return Need(
        family="alert",
        state=alert.state,
        title=label,
        note=alert.about,
        reason=(f"Now {value[0]}, the limit is {limit[0]}.", f"지금 {value[1]}, 기준 {limit[1]}."),
        href=f"/alerts/{alert.id}",
        action=("Look", "보기"),
        at=alert.fired_at,
        severity="failure" if alert.level == "failure" else "attention",
    )


async def _missed(tx: Tx, scope: Scope, spoken: tuple[str, ...]) -> list[Need]:
    wanted = occurrences.Wanted(units=scope.listed, states=("missed",), since=tx.now - SINCE, until=tx.now)
    page = await listing.list_occurrences(tx, wanted, limit=LOOK)
    ours = [one for one in page.items if not (one.kind or "").startswith(spoken)]
    return [
        Need(
            family="occurrence",
            state="missed",
            title=(one.name or one.kind or "", one.name or one.kind or ""),
            reason=(explain_reason(one.reason, "en", "missed", ""), explain_reason(one.reason, "ko", "missed", "")),
            href=f"/why/{why.show_occurrence(one.schedule_id, one.fire_at)}",
            action=("Why?", "왜?"),
            at=one.fire_at,
            severity="missing" if tx.now - one.fire_at < NOW else "attention",
        )
        for one in ours[:EACH]
    ]


async def _failed(tx: Tx, scope: Scope, spoken: tuple[str, ...]) -> list[Need]:
    """What failed in the same way is one line: a schedule that keeps failing must not hide others."""
    wanted = jobs.Wanted(
        units=scope.listed, states=("failed", "quarantined"), since=tx.now - SINCE, veiled=scope.veiled
    )
    page = await listing.list_jobs(tx, wanted, limit=LOOK)
    ours = [one for one in page.items if not one.kind.startswith(spoken)]
    alike = Counter((one.kind, one.about, one.error) for one in ours)
    newest = {(one.kind, one.about, one.error): one for one in reversed(ours)}
    shown = sorted(newest.values(), key=lambda one: one.id, reverse=True)[:EACH]
    return [_of_job(one, alike[one.kind, one.about, one.error]) for one in shown]


def _of_job(one: JobLine, times: int) -> Need:
    return Need(
        family="job",
        state=one.state,
        title=(one.kind, one.kind),
        note=f"{one.about or ''}{f' ×{times}' if times > 1 else ''}".strip(),
        reason=(one.error or "", one.error or ""),
        href=f"/jobs/{ids.show('job', one.id)}",
        action=("Look", "보기"),
        at=one.ended_at or one.created_at,
        severity="failure",
    )


async def _broken(tx: Tx, scope: Scope) -> list[Need]:
    wanted = schedules.Wanted(units=scope.listed, states=("broken",))
    page = await listing.list_schedules(tx, wanted, limit=EACH)
    return [
        Need(
            family="schedule",
            state="broken",
            title=(one.name, one.name),
            reason=(one.problem or "", one.problem or ""),
            href=f"/schedules/{why.show_schedule(one.id)}",
            action=("Look", "보기"),
            at=one.paused_at or tx.now,
            severity="failure",
        )
        for one in page.items
    ]


def _both(value: float, unit: str) -> Pair:
    return show_value(value, unit, "en"), show_value(value, unit, "ko")
