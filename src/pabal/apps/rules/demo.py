"""The demo's rules: a price that is watched, a summary each morning, one that is paused, one that asks before another
goes on; and how they went so far. Beside them the heartbeat of a backup elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from pabal.apps.rules import artifacts
from pabal.apps.rules.actions import ending, rules
from pabal.apps.rules.heartbeats import actions as heartbeats
from pabal.apps.rules.heartbeats.model import Report, ReportKind
from pabal.apps.rules.model.rules import Rule, RunReason, Trigger
from pabal.apps.rules.plans import actions as plans
from pabal.apps.rules.plans.machine import PLAN
from pabal.apps.rules.plans.offline import plan_offline
from pabal.apps.rules.recall import store as cases
from pabal.apps.rules.recall.actions import teach_case
from pabal.apps.rules.recall.model import CaseKind
from pabal.apps.rules.sources.errors import BadSourceParams
from pabal.apps.rules.store import rules as store
from pabal.apps.rules.store.runs import RunEnd
from pabal.base.database import Tx
from pabal.base.sql import load as load_sql
from pabal.engine import schedules, subjects
from pabal.engine.workflows import yaml_form
from pabal.platform import auth
from pabal.platform.actor import ENGINE
from pabal.platform.slice import Demo
from pabal.platform.tenants import Scope

SQL = load_sql(__file__)
UNIT = "해운대점"
LOGIN = "demo-haeundae"
REQUEST = "지난주 AI 뉴스 요약해서 보고서 만들어줘"
REMEMBERED = "어제 반도체 뉴스 요약해서 보고서 만들어줘"
_LOG = [{"type": "log", "config": {"template": "{rule_name}: {message}"}}]
RULES: tuple[dict[str, Any], ...] = (
    {
        "name": "미국 주가 감시 · NVDA",
        "schedule": "*/5 23,0-5 * * 1-5",
        "source": "offline_quote",
        "payload": {"ticker": "NVDA", "price": 487.2, "target": 500},
        "condition": {"path": "price", "op": ">=", "value_from": "target"},
        "on_success": [{"type": "telegram", "config": {"template": "{ticker} {price}"}, "when": "changed"}],
        "on_failure": _LOG,
        "cooldown_seconds": 3600,
    },
    {
        "name": "아침 기사 요약",
        "schedule": "0 7 * * 1-5",
        "source": "offline_news",
        "payload": {"topic": "AI"},
        "on_success": _LOG,
    },
    {"name": "환율 점검", "schedule": "*/30 * * * *", "source": "offline_quote", "payload": {}, "is_active": False},
)
ORDER: dict[str, Any] = {
    "name": "원두 발주",
    "schedule": "0 0 1 1 *",
    "source": "offline_quote",
    "payload": {"ticker": "KC=F", "price": 3.12},
    "on_success": [{"type": "telegram", "config": {"template": "원두를 발주했습니다: {price} USD"}}],
}
ASK: dict[str, Any] = {
    "name": "원두 시세 확인",
    "schedule": "0 9 * * 1",
    "source": "offline_quote",
    "payload": {"ticker": "KC=F", "price": 3.12, "most": 3.5},
    "condition": {"path": "price", "op": "<=", "value_from": "most"},
}


async def load(tx: Tx) -> None:
    unit_id: int = await tx.value(SQL.find_unit, name=UNIT)
    price, news, rates = [await rules.create_rule(tx, ENGINE, unit_id=unit_id, **one) for one in RULES]
    asking = await _make_asking(tx, unit_id)
    for at in _list_past(tx, price)[-12:]:
        await _run(tx, price, at, RunEnd(summary="NVDA 487.2 USD", data={"ticker": "NVDA", "price": 487.2}))
    *_, before, last = _list_past(tx, news)
    await ending.note_missed(tx, news, before, count=1)
    await _run(tx, news, last, RunEnd(summary="AI: 4", data={"count": 4}))
    said = str(BadSourceParams("ticker"))
    await _run(tx, rates, _list_past(tx, rates)[-6], RunEnd(reason=RunReason.SOURCE_FAILED, summary=said), ok=False)
    found = {"ticker": "KC=F", "price": 3.12, "currency": "USD"}
    await _run(tx, asking, tx.now - timedelta(hours=2), RunEnd(summary="KC=F 3.12 USD", data=found))
    await _beat(tx, unit_id)
    await _plan(tx, unit_id)


async def clear(tx: Tx) -> None:
    """Rows and all: a demo leaves nothing behind, files of runs that a visitor began among it."""
    await artifacts.release(tx, [row["id"] for row in await tx.rows(SQL.list_demo_runs)])
    for row in await tx.rows(SQL.list_demo_rules):
        [rule] = await store.load_rules(tx, [row["id"]])
        if rule.timetable_id is not None:
            await store.set_timetable(tx, rule.number, None)
            await schedules.delete(tx, rule.timetable_id)
    await tx.run(SQL.delete_demo_rules)
    await heartbeats.remove(tx, [row["id"] for row in await tx.rows(SQL.list_demo_heartbeats)])
    await subjects.forget(tx, PLAN, [row["id"] for row in await tx.rows(SQL.delete_demo_plans)])
    for row in await tx.rows(SQL.list_demo_cases):
        await cases.delete_case(tx, row["id"])


async def _plan(tx: Tx, unit_id: int) -> None:
    """A request that the server's planner takes up, and a case it has for an example. Its card comes to Telegram."""
    answer = plan_offline(REMEMBERED)
    await teach_case(
        tx, ENGINE, request=REMEMBERED, answer=yaml_form.show_data(answer), kind=CaseKind.PLAN, unit_id=unit_id
    )
    [person] = await auth.list_users(tx, Scope(None, None), words=LOGIN)
    await plans.request_in_words(tx, person.actor(), REQUEST)


async def _make_asking(tx: Tx, unit_id: int) -> Rule:
    """Its question waits in the inbox and in Telegram: a yes runs the other rule."""
    order = await rules.create_rule(tx, ENGINE, unit_id=unit_id, **ORDER)
    asks = {"template": "원두가 {price} USD입니다. 발주할까요?", "then": str(order.id)}
    told = [{"type": "approval", "config": asks, "when": "condition"}]
    return await rules.create_rule(tx, ENGINE, unit_id=unit_id, on_success=told, **ASK)


def _list_past(tx: Tx, rule: Rule) -> list[datetime]:
    """Moments of its schedule; enough of them even on a Monday morning."""
    return list(rule.timing.moments_between(tx.now - timedelta(days=8), tx.now))


async def _run(tx: Tx, rule: Rule, at: datetime, ended: RunEnd, *, ok: bool = True) -> None:
    with _at(tx, at):
        run = await ending.begin_run(tx, rule, tx.now, Trigger.SCHEDULE, attempt=1, work_id=0)
        if run is not None:
            await ending.end_run(tx, rule, run, ended, ok=ok)


async def _beat(tx: Tx, unit_id: int) -> None:
    """It reported this hour, so that it is well for as long as most people look at a demo."""
    made = await heartbeats.create_heartbeat(
        tx, ENGINE, name="매장 PC 백업", every=timedelta(days=1), grace=timedelta(hours=1), unit_id=unit_id
    )
    with _at(tx, tx.now - timedelta(minutes=40)):
        await heartbeats.report(tx, made.key, Report(ReportKind.SUCCESS, "203.0.113.7", body="3 files copied"))


@contextmanager
def _at(tx: Tx, at: datetime) -> Iterator[None]:
    now = tx.now
    tx.now = at
    try:
        yield
    finally:
        tx.now = now


DEMO = Demo(load=load, clear=clear)
