"""Judges every rule by its samples: fires, resolves, tells. One server at a time; the loops every server runs."""

import logging
import socket
from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial
from typing import NamedTuple

from pabal.base.database import Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine.facts import NewFact, record_many
from pabal.engine.loop import Loop
from pabal.engine.transitions import begin, transition_many
from pabal.platform import settings
from pabal.platform.alerts import store
from pabal.platform.alerts.hysteresis import Judged, Judgement, judge
from pabal.platform.alerts.machine import ALERT, Event, load_alerts
from pabal.platform.alerts.model import (
    REMIND_AFTER,
    Alert,
    AlertRule,
    Announcement,
    Limit,
    Measure,
    News,
    Tell,
    check_rules,
    list_rule_settings,
)
from pabal.platform.alerts.sampling import prune_once, read_gap, sample_once
from pabal.platform.alerts.store import Look, NewAlert, Stretch

ACTOR = "engine"
# What nobody measured for so long, while sampling went on, is not there any more: a server that left, a rule removed.
UNSEEN = timedelta(hours=1)

declare("alerts.fired", "Alerts fired", labels=("rule",), level=logging.WARNING)
declare("alerts.resolved", "Alerts resolved", labels=("rule",))


class _Verdict(NamedTuple):
    rule: AlertRule
    limit: Limit
    stretch: Stretch
    judged: Judged
    alert: Alert | None


async def evaluate_once(database: Database, rules: Sequence[AlertRule], tell: Tell) -> int:
    """Answers how many alerts fired or resolved. `tell` gets each that fired, is still unheard of, or has ended."""
    async with database.transaction() as tx:
        if not await store.lock_evaluation(tx):
            return 0
        verdicts = await _judge(tx, rules)
        await store.note_looks(tx, [_look(verdict, verdict.alert) for verdict in verdicts if verdict.alert is not None])
        fired = await _fire(tx, verdicts)
        ended = await _resolve(tx, verdicts)
        await _tell(tx, {rule.name: rule for rule in rules}, ended, tell)
    for alert in fired:
        emit("alerts.fired", rule=alert.rule, about=alert.about, value=alert.value, threshold=alert.threshold)
    for alert in ended:
        emit("alerts.resolved", rule=alert.rule, about=alert.about, value=alert.value)
    return len(fired) + len(ended)


async def read_limits(tx: Tx, rules: Iterable[AlertRule]) -> dict[str, Limit]:
    """What each rule allows now, as operators set it."""
    rules = list(rules)
    values = await settings.values(tx, list_rule_settings(rules))
    return {
        rule.name: Limit(rule.beyond, values[rule.threshold_setting], values[rule.held_for_setting]) for rule in rules
    }


async def _judge(tx: Tx, rules: Sequence[AlertRule]) -> list[_Verdict]:
    limits, gap = await read_limits(tx, rules), await read_gap(tx)
    spans: dict[str, timedelta] = {}
    for rule in rules:
        spans[rule.measure.name] = max(spans.get(rule.measure.name, gap), limits[rule.name].held_for + gap)
    stretches = await store.list_stretches(tx, spans)
    known = {(alert.rule, alert.about): alert for alert in await store.load_open(tx)}
    return [
        _Verdict(
            rule,
            limit := limits[rule.name],
            stretch,
            judge(stretch.samples, limit, tx.now, gap=gap),
            known.get((rule.name, stretch.about)),
        )
        for rule in rules
        for stretch in stretches
        if stretch.measure == rule.measure.name
    ]


async def _fire(tx: Tx, verdicts: Sequence[_Verdict]) -> list[Alert]:
    new = [_new(one) for one in verdicts if one.judged.judgement is Judgement.HELD and one.alert is None]
    ids = await store.insert_alerts(tx, new) if new else []
    if not ids:
        return []
    await begin(tx, ALERT, ids, actor=ACTOR)
    fired = await load_alerts(tx, ids)
    await record_many(tx, [_fact("alerts.fired", alert) for alert in fired])
    await _keep_silent(tx, fired)
    return fired


async def _keep_silent(tx: Tx, fired: Sequence[Alert]) -> None:
    """What was silenced before it fired: planned work."""
    silences = await store.list_rule_silences(tx)
    for rule in silences.keys() & {alert.rule for alert in fired}:
        silence, silent = silences[rule], [alert.id for alert in fired if alert.rule == rule]
        await store.set_silence(tx, silent, silence.until)
        await transition_many(tx, ALERT, silent, Event.SILENCE, actor=silence.by_name, reason=silence.note)


async def _resolve(tx: Tx, verdicts: Sequence[_Verdict]) -> list[Alert]:
    gone = [one.alert.id for one in verdicts if one.judged.judgement is Judgement.GONE and one.alert is not None]
    unseen = await _list_unseen(tx)
    await _end(tx, gone, "the condition is gone")
    await _end(tx, unseen, "nobody measures it any more")
    ended = await load_alerts(tx, [*gone, *unseen])
    await record_many(tx, [_fact("alerts.resolved", alert) for alert in ended])
    return ended


async def _list_unseen(tx: Tx) -> list[int]:
    """After an outage nothing was seen, which says nothing: it counts from when sampling went on."""
    sampled_since = await store.sampled_since(tx)
    if sampled_since is None:
        return []
    return [alert.id for alert in await store.load_open(tx) if tx.now - max(alert.seen_at, sampled_since) > UNSEEN]


async def _end(tx: Tx, alert_ids: list[int], reason: str) -> None:
    if alert_ids:
        await store.note_resolved(tx, alert_ids)
        await transition_many(tx, ALERT, alert_ids, Event.RESOLVE, actor=ACTOR, reason=reason)


async def _tell(tx: Tx, rules: dict[str, AlertRule], ended: Sequence[Alert], tell: Tell) -> None:
    """Of an end hears who heard of the beginning."""
    for alert in ended:
        if alert.told_at is not None:
            await tell(tx, Announcement(News.RESOLVED, alert, rules.get(alert.rule)))
    untold = await store.list_untold(tx, told_before=tx.now - await settings.value(tx, REMIND_AFTER))
    for alert in untold:
        news = News.FIRED if alert.told_at is None else News.REMINDED
        await tell(tx, Announcement(news, alert, rules.get(alert.rule)))
    if untold:
        await store.note_told(tx, [alert.id for alert in untold])


def _new(verdict: _Verdict) -> NewAlert:
    newest = verdict.stretch.samples[-1]
    return NewAlert(
        rule=verdict.rule.name,
        about=verdict.stretch.about,
        unit_id=verdict.stretch.unit_id,
        level=verdict.rule.level,
        value=newest.value,
        threshold=verdict.limit.threshold,
        since=verdict.judged.since or newest.at,
        seen_at=newest.at,
    )


def _look(verdict: _Verdict, alert: Alert) -> Look:
    newest = verdict.stretch.samples[-1]
    return Look(alert.id, newest.value, verdict.limit.worse(alert.worst, newest.value), newest.at)


def _fact(name: str, alert: Alert) -> NewFact:
    data = {
        "rule": alert.rule,
        "about": alert.about,
        "level": alert.level,
        "value": alert.value,
        "worst": alert.worst,
        "threshold": alert.threshold,
        "fired_at": alert.fired_at,
    }
    return NewFact(name, f"{ALERT.name}:{alert.id}", data, alert.unit_id)


# They look more often than they act: whether it is time is in the database, and whichever server looks first acts.
LOOK = 5.0
PRUNE = 300.0


def make_loops(
    database: Database, measures: Sequence[Measure], rules: Sequence[AlertRule], tell: Tell, *, host: str | None = None
) -> list[Loop]:
    check_rules(measures, rules)
    here = host or socket.gethostname()
    house = [measure for measure in measures if not measure.is_per_host]
    own = [measure for measure in measures if measure.is_per_host]
    return [
        Loop("samples", partial(sample_once, database, house), idle=LOOK),
        Loop("samples of this host", partial(sample_once, database, own, host=here), idle=LOOK),
        Loop("alerts", partial(evaluate_once, database, rules, tell), idle=LOOK),
        Loop("old samples", partial(prune_once, database), idle=PRUNE),
    ]
