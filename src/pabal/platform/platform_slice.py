"""The platform as a slice: what its rooms declare, gathered for main. It knows the apps only as a list of slices."""

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from pabal.base.database import Database, Tx
from pabal.base.migrations import Migration
from pabal.engine import kinds
from pabal.engine.facts import Subscriber
from pabal.engine.kinds import Kinds
from pabal.engine.life import Life
from pabal.engine.loop import Loop
from pabal.engine.workflows import definitions
from pabal.engine.workflows.machine import WORKFLOW_RUN
from pabal.engine.workflows.step_kinds import StepKinds
from pabal.engine.workflows.stopping import STRAND
from pabal.engine.workflows.strands import Strands
from pabal.platform import (
    alerts,
    approvals,
    auth,
    backup,
    broker,
    bulks,
    events,
    notifications,
    settings,
    storage,
    workflows,
)
from pabal.platform.actor import Actor, Right
from pabal.platform.alerts import AlertRule, Measure
from pabal.platform.approvals import cards
from pabal.platform.controls import KindControls
from pabal.platform.notifications import demo as telegram_demo
from pabal.platform.notifications import hearing
from pabal.platform.notifications.polling import Poller
from pabal.platform.overview import NavItem
from pabal.platform.services import Services
from pabal.platform.settings import Setting
from pabal.platform.slice import Demo, Gateway, Slice, list_approvables, list_nouns, list_owners, list_steps
from pabal.platform.tenants import Scope
from pabal.platform.workflows import demo as workflows_demo

KEEP_NOTIFICATIONS = Setting(
    key="notifications.keep",
    default=timedelta(days=90),
    label=("Keep notifications", "알림 보관"),
    help=("How long notifications stay in the list.", "알림 목록에 남겨 두는 기간입니다."),
    group=("Notifications", "알림"),
    least=timedelta(days=1),
    most=timedelta(days=3650),
)
TIDY = 600.0
KIND_CONTROLS = (
    *(KindControls(way.kind, notifications.AREA) for way in notifications.WAYS.values()),
    KindControls(cards.EDIT, notifications.AREA),
    # only for administrators: a job that is cancelled leaves its bulk without an end
    KindControls(bulks.RUN, "jobs", Right.MANAGE),
    KindControls(backup.TAKE, backup.AREA, Right.MANAGE),
    KindControls(backup.CHECK, backup.AREA, Right.MANAGE),
    KindControls(STRAND, workflows.AREA),
)
MEASURES = (*alerts.ENGINE_MEASURES, *broker.MEASURES, *events.MEASURES)
RULES = (*alerts.ENGINE_RULES, *broker.ALERT_RULES, *events.ALERT_RULES)


def platform_slice(apps: Sequence[Slice], migrations: Sequence[Migration]) -> Slice:
    """`migrations` are all this server has: a restored backup is checked against them."""
    return Slice(
        name="platform",
        label=("System", "시스템"),
        icon="server-2",
        nouns="pabal.resources:NOUNS",
        kinds=partial(_make_kinds, apps=apps, migrations=migrations),
        machines=(alerts.ALERT, approvals.APPROVAL, WORKFLOW_RUN, workflows.WORKFLOW_QUESTION),
        controls=(alerts.CONTROLS, approvals.CONTROLS, workflows.RUN_CONTROLS, workflows.QUESTION_CONTROLS),
        approvals=workflows.QUESTIONS,
        steps=workflows.OWN_STEPS,
        consumers=(workflows.CONSUMER, workflows.STARTER),
        kind_controls=KIND_CONTROLS,
        subscribers=(backup.SUBSCRIBER, _follow_deadlines(apps), cards.make_subscriber(_approvables(apps))),
        on_start=partial(_on_start, apps=apps),
        loops=partial(_make_loops, apps=apps),
        settings=(
            KEEP_NOTIFICATIONS,
            workflows.KEEP_RUNS,
            *backup.SETTINGS,
            *alerts.SETTINGS,
            *broker.SETTINGS,
            *events.SETTINGS,
            *alerts.list_rule_settings(RULES),
        ),
        gateways=partial(_open_gateways, apps=apps),
        measures=MEASURES,
        alert_rules=RULES,
        nav=NAV,
        status=broker.STATUS,
        link=_link,
        demo=Demo(partial(_load_demo, apps=apps), _clear_demo, telegram_demo.after),
    )


def _approvables(apps: Sequence[Slice]) -> approvals.Approvables:
    return {**list_approvables(apps), **{one.kind.name: one for one in workflows.QUESTIONS}}


async def _on_start(tx: Tx, *, apps: Sequence[Slice]) -> None:
    """A server whose steps do not fit the runs there are does not start."""
    await backup.ensure_schedule(tx)
    await definitions.check_kinds(tx, make_step_kinds(apps))


def make_step_kinds(apps: Sequence[Slice], services: Services | None = None) -> StepKinds:
    """Of all apps and of the platform."""
    steps = [*workflows.OWN_STEPS, *(step for one in apps for step in one.steps)]
    return workflows.make_step_kinds(steps, services)


async def _load_demo(tx: Tx, *, apps: Sequence[Slice]) -> None:
    await telegram_demo.load(tx)
    await workflows_demo.load(tx, make_step_kinds(apps))


async def _clear_demo(tx: Tx) -> None:
    await workflows_demo.clear(tx)
    await telegram_demo.clear(tx)


def _link(about: str) -> str | None:
    kind, _, name = about.partition(":")
    there = {
        "alert": "/alerts/{}",
        "approval": "/approvals/{}",
        "event": "/events/{}",
        "workflow_run": "/workflows/runs/{}",
    }.get(kind)
    return there.format(name) if there is not None and name.isdigit() else None


def _follow_deadlines(apps: Sequence[Slice]) -> Subscriber:
    follow = partial(approvals.follow_deadlines, approvables=_approvables(apps))
    return Subscriber("approvals.deadlines", ("approval.expired",), follow)


async def _firing(tx: Tx, scope: Scope) -> int:
    return (await alerts.count_open(tx, scope)).firing


async def _dead(tx: Tx, scope: Scope) -> int:
    return await events.count_dead_in(tx, scope)


NAV = (
    NavItem("/health", ("Health", "상태·지표"), "servers", goto="h"),
    NavItem("/jobs", ("Jobs", "작업"), "jobs", goto="j"),
    NavItem("/schedules", ("Schedules", "스케줄"), "schedules", goto="s"),
    NavItem("/occurrences", ("Occurrences", "회차"), "schedules", goto="c"),
    NavItem("/machines", ("Machines", "상태 기계"), "machines", goto="k"),
    NavItem("/facts", ("Facts", "사실"), "facts", goto="f"),
    NavItem("/events", ("Events", "이벤트"), events.AREA, need=_dead, goto="t"),
    NavItem("/workflows", ("Workflows", "워크플로우"), workflows.AREA, goto="w"),
    NavItem("/servers", ("Servers", "서버"), "servers", goto="v", is_of_house=True),
    NavItem("/broker", ("Broker", "브로커"), broker.AREA, goto="r", is_of_house=True),
    NavItem("/alerts", ("Alerts", "경보"), "alerts", need=_firing, goto="a"),
    NavItem("/notifications", ("Notifications", "알림"), "notifications", goto="n"),
    NavItem("/audit", ("Audit", "감사"), "audit", goto="u"),
    NavItem("/people", ("Organisation and people", "조직·사용자"), "people", goto="p"),
    NavItem("/settings", ("Settings", "설정"), "settings", goto="e"),
    NavItem("/backup", ("Backup", "백업"), "backup", goto="b", is_of_house=True),
)


def _make_kinds(services: Services, *, apps: Sequence[Slice], migrations: Sequence[Migration]) -> Kinds:
    config = services.settings
    whole = (*apps, platform_slice(apps, migrations))
    return kinds.merge(
        [
            notifications.make_kinds(
                services.telegram, services.vault, services.files, console_url=config.public_url or None
            ),
            notifications.make_out_kinds(
                services.webhooks,
                services.mailer,
                services.vault,
                services.files,
                console_url=config.public_url or None,
            ),
            cards.add_kinds(Kinds(), services.telegram, services.vault, _approvables(apps)),
            bulks.make_kinds(partial(list_nouns, whole), partial(_hand_over, services, whole)),
            backup.make_kinds(services.database, config.data_dir / "backups", migrations),
            Strands(services.database, make_step_kinds(apps, services)).add_to(Kinds()),
        ]
    )


def _hand_over(services: Services, whole: Sequence[Slice], actor: Actor) -> bulks.Hands:
    """What descriptions are handed by name, in work as on every other face."""
    found: dict[str, Callable[[], Any]] = {
        "vault": lambda: services.vault,
        "services": lambda: services,
        "reader": lambda: actor,
        "owners": lambda: list_owners(whole),
        "approvables": lambda: list_approvables(whole),
        "workflows": lambda: workflows.Workflows(workflows.make_step_kinds(list_steps(whole), services)),
        "rules": lambda: tuple(rule for one in whole for rule in one.alert_rules),
        "catalogue": lambda: settings.Catalogue(setting for one in whole for setting in one.settings),
    }
    return lambda names: {name: found[name]() for name in names}


def _open_gateways(services: Services, life: Life, *, apps: Sequence[Slice]) -> list[Gateway]:
    press = partial(cards.press, approvables=_approvables(apps))
    hear = partial(hearing.hear, listeners=[one.hears for one in apps if one.hears is not None])
    poller = Poller(services.database, services.telegram, services.vault, life, press=press, hear=hear)
    return [*broker.open_bridges(services, life, apps=apps), poller]


def _make_loops(services: Services, *, apps: Sequence[Slice]) -> list[Loop]:
    from pabal.platform.web import idempotency

    database = services.database
    measures, rules = list_measures(apps), list_rules(apps)
    return [
        *alerts.make_loops(database, measures, rules, alerts.tell_people),
        Loop("files", partial(storage.sweep_once, database, services.files), idle=TIDY),
        Loop("people", partial(auth.prune_once, database), idle=TIDY),
        Loop("notifications", partial(_forget_notifications, database), idle=TIDY),
        Loop("events", partial(events.forget_once, database), idle=TIDY),
        Loop("workflows.clean_up", workflows.RunCleaning(database).run_once, idle=TIDY),
        Loop("bulks", partial(bulks.forget_once, database), idle=TIDY),
        Loop("answers", partial(idempotency.forget_once, database), idle=TIDY),
    ]


def list_measures(apps: Iterable[Slice]) -> tuple[Measure, ...]:
    return (*MEASURES, *(measure for one in apps for measure in one.measures))


def list_rules(apps: Iterable[Slice]) -> tuple[AlertRule, ...]:
    return (*RULES, *(rule for one in apps for rule in one.alert_rules))


async def _forget_notifications(database: Database) -> int:
    async with database.transaction() as tx:
        keep = await settings.value(tx, KEEP_NOTIFICATIONS)
    return await notifications.forget_once(database, keep=keep)
