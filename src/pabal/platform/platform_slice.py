"""The platform as a slice: what its rooms declare, gathered for main. It knows the apps only as a list of slices."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial

from pabal.base.database import Database, Tx
from pabal.base.migrations import Migration
from pabal.engine import kinds
from pabal.engine.kinds import Kinds
from pabal.engine.loop import Loop
from pabal.platform import alerts, auth, backup, broker, notifications, settings, storage
from pabal.platform.actor import Right
from pabal.platform.alerts import AlertRule, Measure
from pabal.platform.controls import KindControls
from pabal.platform.overview import NavItem
from pabal.platform.services import Services
from pabal.platform.settings import Setting
from pabal.platform.slice import Slice
from pabal.platform.tenants import Scope

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
    KindControls(notifications.KIND, notifications.AREA),
    KindControls(backup.TAKE, backup.AREA, Right.MANAGE),
    KindControls(backup.CHECK, backup.AREA, Right.MANAGE),
)
MEASURES = (*alerts.ENGINE_MEASURES, *broker.MEASURES)
RULES = (*alerts.ENGINE_RULES, *broker.ALERT_RULES)


def platform_slice(apps: Sequence[Slice], migrations: Sequence[Migration]) -> Slice:
    """`migrations` are all this server has: a restored backup is checked against them."""
    return Slice(
        name="platform",
        label=("System", "시스템"),
        icon="server-2",
        kinds=partial(_make_kinds, migrations=migrations),
        machines=(alerts.ALERT,),
        controls=(alerts.CONTROLS,),
        kind_controls=KIND_CONTROLS,
        subscribers=(backup.SUBSCRIBER,),
        on_start=backup.ensure_schedule,
        loops=partial(_make_loops, apps=apps),
        settings=(
            KEEP_NOTIFICATIONS,
            *backup.SETTINGS,
            *alerts.SETTINGS,
            *broker.SETTINGS,
            *alerts.list_rule_settings(RULES),
        ),
        gateways=partial(broker.open_bridges, apps=apps),
        measures=MEASURES,
        alert_rules=RULES,
        nav=NAV,
        status=broker.STATUS,
        link=_link,
    )


def _link(about: str) -> str | None:
    kind, _, name = about.partition(":")
    return f"/alerts/{name}" if kind == "alert" and name.isdigit() else None


async def _firing(tx: Tx, scope: Scope) -> int:
    return (await alerts.count_open(tx, scope)).firing


NAV = (
    NavItem("/health", ("Health", "상태·지표"), "servers", goto="h"),
    NavItem("/jobs", ("Jobs", "작업"), "jobs", goto="j"),
    NavItem("/schedules", ("Schedules", "스케줄"), "schedules", goto="s"),
    NavItem("/occurrences", ("Occurrences", "회차"), "schedules", goto="c"),
    NavItem("/machines", ("Machines", "상태 기계"), "machines", goto="k"),
    NavItem("/facts", ("Facts", "사실"), "facts", goto="f"),
    NavItem("/servers", ("Servers", "서버"), "servers", goto="v", is_of_house=True),
    NavItem("/broker", ("Broker", "브로커"), broker.AREA, goto="r", is_of_house=True),
    NavItem("/alerts", ("Alerts", "경보"), "alerts", need=_firing, goto="a"),
    NavItem("/notifications", ("Notifications", "알림"), "notifications", goto="n"),
    NavItem("/audit", ("Audit", "감사"), "audit", goto="u"),
    NavItem("/people", ("Organisation and people", "조직·사용자"), "people", goto="p"),
    NavItem("/settings", ("Settings", "설정"), "settings", goto="e"),
    NavItem("/backup", ("Backup", "백업"), "backup", goto="b", is_of_house=True),
)


def _make_kinds(services: Services, *, migrations: Sequence[Migration]) -> Kinds:
    config = services.settings
    return kinds.merge(
        [
            notifications.make_kinds(
                services.telegram, services.vault, services.files, console_url=config.public_url or None
            ),
            backup.make_kinds(services.database, config.data_dir / "backups", migrations),
        ]
    )


def _make_loops(services: Services, *, apps: Sequence[Slice]) -> list[Loop]:
    from pabal.platform.web import idempotency

    database = services.database
    measures, rules = list_measures(apps), list_rules(apps)
    return [
        *alerts.make_loops(database, measures, rules, alerts.tell_people),
        Loop("files", partial(storage.sweep_once, database, services.files), idle=TIDY),
        Loop("people", partial(auth.prune_once, database), idle=TIDY),
        Loop("notifications", partial(_forget_notifications, database), idle=TIDY),
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
