"""Rows of the engine and the platform as their descriptions ask for them: listed in pages, found, and locked."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from pabal.base.database import Tx
from pabal.engine import ids, listing, subjects, workers
from pabal.engine.listing import (
    JobLine,
    LaneLine,
    OccurrenceLine,
    Page,
    ScheduleLine,
    ServerSeen,
    facts,
    jobs,
    occurrences,
)
from pabal.engine.listing import schedules as timetables
from pabal.engine.queue import Priority
from pabal.engine.reading import Fact
from pabal.platform import alerts, approvals, audit, auth, backup, broker, notifications, operating, settings, tenants
from pabal.platform.actor import Actor
from pabal.platform.alerts import Alert, AlertRule, RuleSeen
from pabal.platform.approvals import Approvables, Seen
from pabal.platform.audit import Entry
from pabal.platform.auth import Token, User
from pabal.platform.backup import Backup
from pabal.platform.backup import store as backups
from pabal.platform.broker import Kept
from pabal.platform.broker import store as events
from pabal.platform.controls import Owners
from pabal.platform.notifications import Channel, Notification
from pabal.platform.notifications import store as notices
from pabal.platform.resources import Filter
from pabal.platform.settings import Catalogue, Listed
from pabal.platform.tenants import HeadOfficeOnly, Scope, Unit, UnitNotFound
from pabal.resources.alerts import AlertFilter
from pabal.resources.approvals import ApprovalFilter
from pabal.resources.audit import AuditFilter
from pabal.resources.broker import BrokerEventFilter
from pabal.resources.notifications import NotificationFilter
from pabal.resources.people import UserFilter
from pabal.resources.schedules import OccurrenceFilter, ScheduleFilter
from pabal.resources.settings import SettingFilter
from pabal.resources.work import FactFilter, JobFilter

T = TypeVar("T")


def _cut(found: Sequence[T], limit: int, cursor_of: Callable[[T], str]) -> Page[T]:
    """Of one more than was asked for."""
    items = list(found[:limit])
    return Page(items, cursor_of(items[-1]) if len(found) > limit else None)


def _before(prefix: str, cursor: str | None) -> int:
    return ids.LAST if cursor is None else min(ids.read(prefix, cursor), ids.LAST)


def _number(cursor: str | None) -> int:
    return ids.LAST if cursor is None else int(listing.paging.read_cursor(cursor, int)[0])


def _of_house(scope: Scope, area: str) -> None:
    if not scope.holds(None):
        raise HeadOfficeOnly(area)


async def list_entries(
    tx: Tx, scope: Scope, wanted: AuditFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[Entry]:
    asked = audit.Wanted(
        scope.listed,
        wanted.actor,
        wanted.action,
        wanted.about,
        wanted.since,
        wanted.until,
        _before("aud", cursor),
        scope.veiled,
    )
    found = await audit.list_entries(tx, asked, limit=limit + 1)
    return _cut(found, limit, lambda one: ids.show("aud", one.id))


async def list_alerts(
    tx: Tx, scope: Scope, wanted: AlertFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[Alert]:
    asked = alerts.Wanted(wanted.open, wanted.state, wanted.rule, _before("alr", cursor))
    found = await alerts.list_alerts(tx, scope, asked, limit=limit + 1)
    return _cut(found, limit, lambda one: ids.show("alr", one.id))


async def hold_alert(tx: Tx, alert_id: int) -> None:
    await subjects.lock_and_load(tx, alerts.ALERT, [alert_id])


async def list_approvals(  # long: who looks decides what is told
    tx: Tx,
    scope: Scope,
    wanted: ApprovalFilter,
    *,
    approvables: Approvables,
    reader: Actor,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Seen]:
    readable = approvals.list_readable(reader, approvables)
    kinds = readable if wanted.kind is None else tuple(kind for kind in readable if kind == wanted.kind)
    asked = approvals.Wanted(kinds, (wanted.state,), _before("apr", cursor))
    found = await approvals.list_seen(tx, reader, scope, approvables, asked, limit=limit + 1)
    return _cut(found, limit, lambda one: ids.show("apr", one.id))


async def get_approval(tx: Tx, scope: Scope, approval_id: int, *, approvables: Approvables, reader: Actor) -> Seen:
    return await approvals.get_seen(tx, reader, scope, approvables, approval_id)


async def hold_approval(_tx: Tx, _approval_id: int) -> None:
    """Its version changes only when it ends, and deciding looks at that behind the lock of its subject: locked here,
    before its subject, it would stand in the way of the app's own door."""


async def list_notifications(
    tx: Tx, scope: Scope, wanted: NotificationFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[Notification]:
    levels: list[str] | None = [*wanted.level] or None
    before = _before("ntf", cursor)
    found = await notices.list_notifications(tx, scope.listed, levels=levels, before=before, limit=limit + 1)
    return _cut(found, limit, lambda one: ids.show("ntf", one.id))


async def list_channels(tx: Tx, scope: Scope, _wanted: Filter) -> list[Channel]:
    return await notices.list_channels(tx, scope.listed)


async def get_channel(tx: Tx, scope: Scope, channel_id: int) -> Channel:
    found = await notices.get_channel(tx, channel_id)
    if not scope.holds(found.unit_id):
        raise notifications.ChannelNotFound(str(channel_id))
    return found


async def list_backups(
    tx: Tx, scope: Scope, _wanted: Filter, *, cursor: str | None = None, limit: int = 50
) -> Page[Backup]:
    _of_house(scope, backup.AREA)
    found = await backups.list_page(tx, before=_number(cursor), limit=limit + 1)
    return _cut(found, limit, lambda one: listing.paging.show_cursor(one.id))


async def list_broker_events(
    tx: Tx, scope: Scope, wanted: BrokerEventFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[Kept]:
    _of_house(scope, broker.AREA)
    return await events.list_kept(tx, result=wanted.result, subject=wanted.subject, cursor=cursor, limit=limit)


async def list_units(tx: Tx, scope: Scope, _wanted: Filter) -> list[Unit]:
    return await tenants.list_units(tx, scope.listed)


async def get_unit(tx: Tx, scope: Scope, unit_id: int) -> Unit:
    if not scope.holds(unit_id):
        raise UnitNotFound(str(unit_id))
    return await tenants.get_unit(tx, unit_id)


async def list_users(
    tx: Tx, scope: Scope, wanted: UserFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[User]:
    found = await auth.list_users(
        tx,
        scope,
        after=cursor or "",
        words=wanted.q,
        role=wanted.role,
        is_active=wanted.active,
        limit=limit + 1,
    )
    return _cut(found, limit, lambda one: one.login)


async def list_tokens(
    tx: Tx, scope: Scope, _wanted: Filter, *, cursor: str | None = None, limit: int = 50
) -> Page[Token]:
    found = await auth.list_tokens(tx, scope, before=_number(cursor), limit=limit + 1)
    return _cut(found, limit, lambda one: listing.paging.show_cursor(one.id))


def _jobs(scope: Scope, wanted: JobFilter) -> jobs.Wanted:
    return jobs.Wanted(
        scope.listed,
        wanted.state,
        wanted.kind,
        wanted.queue,
        wanted.lane,
        wanted.about,
        since=wanted.since,
        until=wanted.until,
        veiled=scope.veiled,
    )


async def list_jobs(
    tx: Tx, scope: Scope, wanted: JobFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[JobLine]:
    return await listing.list_jobs(tx, _jobs(scope, wanted), limit=limit, cursor=cursor)


async def count_jobs(tx: Tx, scope: Scope, wanted: JobFilter) -> int:
    return await listing.count_jobs(tx, _jobs(scope, wanted))


async def list_schedules(
    tx: Tx, scope: Scope, wanted: ScheduleFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[ScheduleLine]:
    asked = timetables.Wanted(scope.listed, wanted.kind, wanted.about, wanted.state, wanted.q, sort=wanted.sort)
    return await listing.list_schedules(tx, asked, limit=limit, cursor=cursor)


async def get_schedule(tx: Tx, scope: Scope, schedule_id: int) -> ScheduleLine:
    await operating.get_schedule(tx, scope, schedule_id)
    [line] = await listing.show_schedules(tx, [schedule_id])
    return line


async def find_occurrence(tx: Tx, scope: Scope, schedule_id: int, fire_at: datetime) -> OccurrenceLine:
    """One that is known to be there."""
    until = fire_at + timedelta(microseconds=1)
    wanted = occurrences.Wanted(scope.listed, schedule_id, since=fire_at, until=until)
    return (await listing.list_occurrences(tx, wanted, limit=1)).items[0]


async def list_rules(tx: Tx, scope: Scope, _wanted: Filter, *, rules: Sequence[AlertRule]) -> list[RuleSeen]:
    return await alerts.list_rules(tx, scope, rules)


async def list_settings(tx: Tx, scope: Scope, wanted: SettingFilter, *, catalogue: Catalogue) -> list[Listed]:
    found = await settings.list_settings(tx, catalogue)
    return [one for one in found if wanted.area in (None, one.setting.area)]


async def get_setting(tx: Tx, scope: Scope, key: str, *, catalogue: Catalogue) -> Listed:
    return await settings.get_setting(tx, catalogue[key])


def _occurrences(scope: Scope, wanted: OccurrenceFilter) -> occurrences.Wanted:
    return occurrences.Wanted(scope.listed, wanted.schedule, wanted.kind, wanted.state, wanted.since, wanted.until)


async def list_occurrences(
    tx: Tx, scope: Scope, wanted: OccurrenceFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[OccurrenceLine]:
    return await listing.list_occurrences(tx, _occurrences(scope, wanted), limit=limit, cursor=cursor)


async def count_occurrences(tx: Tx, scope: Scope, wanted: OccurrenceFilter) -> int:
    return await listing.count_occurrences(tx, _occurrences(scope, wanted))


def _facts(scope: Scope, wanted: FactFilter) -> facts.Wanted:
    return facts.Wanted(scope.listed, wanted.name, wanted.subject, wanted.since, wanted.until, veiled=scope.veiled)


async def list_facts(
    tx: Tx, scope: Scope, wanted: FactFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[Fact]:
    return await listing.list_facts(tx, _facts(scope, wanted), limit=limit, cursor=cursor)


async def count_facts(tx: Tx, scope: Scope, wanted: FactFilter) -> int:
    return await facts.count_facts(tx, _facts(scope, wanted))


async def list_servers(tx: Tx, scope: Scope, _wanted: Filter) -> Sequence[ServerSeen]:
    return await operating.list_servers(tx, scope)


async def get_server(tx: Tx, scope: Scope, server_id: int) -> ServerSeen:
    return await operating.get_server(tx, scope, ids.show("wrk", server_id))


async def hold_server(tx: Tx, server_id: int) -> None:
    await workers.hold_life(tx, server_id)


async def drain_server(tx: Tx, actor: Actor, server_id: int) -> ServerSeen:
    return await operating.drain_server(tx, actor, ids.show("wrk", server_id))


async def undrain_server(tx: Tx, actor: Actor, server_id: int) -> ServerSeen:
    return await operating.undrain_server(tx, actor, ids.show("wrk", server_id))


async def prioritise_job(tx: Tx, actor: Actor, job_id: int, *, priority: str, owners: Owners) -> JobLine:
    text = ids.show("job", job_id)
    await operating.prioritise_job(tx, actor, text, Priority[priority.upper()], owners=owners)
    [line] = await listing.show_jobs(tx, [job_id])
    return line


async def list_lanes(
    tx: Tx, scope: Scope, _wanted: Filter, *, cursor: str | None = None, limit: int = 50
) -> Page[LaneLine]:
    return await operating.list_lanes(tx, scope, cursor=cursor, limit=limit)


async def get_lane(tx: Tx, scope: Scope, name: str) -> LaneLine:
    return await operating.get_lane(tx, scope, name)


async def resize_lane(tx: Tx, actor: Actor, name: str, *, width: int) -> LaneLine:
    return await operating.change_width(tx, actor, name, width)


async def reset_lane(tx: Tx, actor: Actor, name: str) -> LaneLine:
    return await operating.change_width(tx, actor, name, None)
