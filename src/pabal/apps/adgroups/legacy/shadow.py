"""Shadow mode: open ad groups compared by calculator and machine again and again; mismatches, and whom to believe."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from pabal.apps.adgroups.errors import MismatchNotFound
from pabal.apps.adgroups.legacy import flags
from pabal.apps.adgroups.legacy.model import Cause, FlagKind
from pabal.apps.adgroups.model.adgroups import AREA, AdGroup, Source, State
from pabal.apps.adgroups.model.calculator import calculated_of
from pabal.apps.adgroups.resources.migration import MismatchFilter
from pabal.apps.adgroups.settings import COMPARE, COMPARE_EVERY, LATE_AFTER
from pabal.apps.adgroups.store import adgroups as store
from pabal.base.database import Database, Row, Tx
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine.listing.paging import LAST, Page, cut, one_more, read_cursor, show_cursor
from pabal.platform import settings
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import Scope, visible_to

SQL = load(__file__)
SLICE = 1000
# What is over for longer tells nobody anything.
KEPT = timedelta(days=90)
_SETTING_UP = (State.DRAFT, State.READY)
_STARTED = (State.RUNNING, State.PENDING)

declare("shadow.compared", "Ad groups compared by both ways", amount="count", level=logging.DEBUG)
declare("shadow.mismatched", "Ad groups both ways see differently, each pass", labels=("cause",), amount="count")


# The calculator cannot know of these: they are as they should be.
EXPECTED = (Cause.PAUSED_BY_HAND, Cause.DATE_PASSED)


class Differing(NamedTuple):
    group: AdGroup
    calculated: State
    cause: Cause


@dataclass(frozen=True, slots=True)
class Pass:
    """One walk over all open ad groups."""

    after_id: int
    compared: int
    began_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Mismatch:
    """`source` is whose state is shown now; `decision` whom somebody told us to believe."""

    id: int
    unit_id: int
    ad_group_id: int
    name: str
    calculated: State
    stored: State
    source: Source
    cause: Cause
    since: datetime
    seen_at: datetime
    resolved_at: datetime | None
    decision: Source | None
    decided_by: str | None
    decided_at: datetime | None


async def compare_once(database: Database) -> int:
    """The next slice; answers how many were compared. Nothing while the last pass is young, or when switched off."""
    async with database.transaction() as tx:
        if not await settings.value(tx, COMPARE):
            return 0
        at = await _hold_pass(tx)
        if at.finished_at is not None:
            if tx.now < at.finished_at + await settings.value(tx, COMPARE_EVERY):
                return 0
            at = await _begin_pass(tx)
        return await _compare_slice(tx, at)


async def compare_all(database: Database) -> int:
    """A whole pass at once, for who asks; answers how many were compared."""
    async with database.transaction() as tx:
        await _hold_pass(tx)
        at: Pass | None = await _begin_pass(tx)
    while at is not None and at.finished_at is None:
        async with database.transaction() as tx:
            held = await _hold_pass(tx)
            if held.finished_at is None:
                await _compare_slice(tx, held)
            at = await last_pass(tx)
    return 0 if at is None else at.compared


async def last_pass(tx: Tx) -> Pass | None:
    return await tx.one(Pass, SQL.find_pass)


def compare(groups: Sequence[AdGroup], now: datetime, grace: timedelta) -> list[Differing]:
    """Those both ways see differently, also a little earlier or later: a timer may be a moment behind. Pure."""
    differing = []
    for group in groups:
        calculated = calculated_of(group, now)
        if calculated is group.state or group.state in (
            calculated_of(group, now - grace),
            calculated_of(group, now + grace),
        ):
            continue
        differing.append(Differing(group, calculated, find_cause(group, calculated, now)))
    return differing


def find_cause(group: AdGroup, calculated: State, now: datetime) -> Cause:
    """Of an open ad group."""
    stored = group.state
    if calculated is State.DELETED:
        return Cause.DELETED_THERE
    if stored in _SETTING_UP:
        return _cause_before_approval(group, calculated)
    if calculated is State.EXPIRED:
        return Cause.END_MOMENT
    if stored is State.PAUSED:
        return Cause.PAUSED_BY_HAND
    if calculated in _STARTED and stored in _STARTED:
        return Cause.DAILY_HOURS
    if stored in _STARTED and group.schedule.start_at > now:
        return Cause.DATES_CHANGED
    if stored is State.APPROVED and calculated in _STARTED:
        return _cause_of_no_start(group)
    return Cause.UNKNOWN


def _cause_before_approval(group: AdGroup, calculated: State) -> Cause:
    if calculated is State.EXPIRED:
        return Cause.DATE_PASSED
    return Cause.NEVER_APPROVED if calculated in _STARTED and group.ready_confirmed_at is None else Cause.UNKNOWN


def _cause_of_no_start(group: AdGroup) -> Cause:
    if group.schedule.is_held:
        return Cause.START_HELD
    return Cause.DATES_CHANGED if group.schedule_version > 1 else Cause.START_MOMENT


async def _hold_pass(tx: Tx) -> Pass:
    await tx.run(SQL.ensure_pass, now=tx.now)
    [row] = await tx.rows(SQL.hold_pass)
    return Pass(**row)


async def _begin_pass(tx: Tx) -> Pass:
    await tx.run(SQL.begin_pass, now=tx.now)
    return Pass(0, 0, tx.now, None)


async def _compare_slice(tx: Tx, at: Pass) -> int:
    ids = [row["id"] for row in await tx.rows(SQL.list_open, after_id=at.after_id, most=SLICE)]
    groups = await store.load_ad_groups(tx, ids)
    differing = compare(groups, tx.now, await settings.value(tx, LATE_AFTER))
    is_last = len(ids) < SLICE
    last = LAST if is_last else ids[-1]
    await _keep(tx, differing)
    mine = [one.group.id for one in differing]
    await tx.run(SQL.resolve, after_id=at.after_id, last_id=last, differing=mine, now=tx.now)
    await tx.run(SQL.move_pass, after_id=last, compared=len(ids), finished_at=tx.now if is_last else None)
    if is_last:
        await tx.run(SQL.forget_resolved, before=tx.now - KEPT)
    emit("shadow.compared", count=len(ids))
    for cause, count in Counter(one.cause for one in differing).items():
        emit("shadow.mismatched", cause=cause, count=count)
    return len(ids)


async def _keep(tx: Tx, differing: Sequence[Differing]) -> None:
    if not differing:
        return
    await tx.run(
        SQL.put_mismatches,
        ids=[one.group.id for one in differing],
        unit_ids=[one.group.unit_id for one in differing],
        calculated=[one.calculated for one in differing],
        stored=[one.group.state for one in differing],
        causes=[one.cause for one in differing],
        now=tx.now,
    )


async def list_mismatches(
    tx: Tx, scope: Scope, wanted: MismatchFilter, cursor: str | None = None, limit: int = 50
) -> Page[Mismatch]:
    """The newest first."""
    rows = await tx.rows(
        SQL.list_mismatches,
        units=scope.listed,
        cause=wanted.cause,
        is_open=wanted.is_open,
        is_decided=wanted.decided,
        before_id=LAST if cursor is None else read_cursor(cursor, int)[0],
        most=one_more(limit),
    )
    return cut([_read(row) for row in rows], limit, lambda one: show_cursor(one.id))


async def lock_mismatch(tx: Tx, mismatch_id: int) -> None:
    """Until the commit: for who decides about it."""
    await tx.value(SQL.lock_mismatch, id=mismatch_id)


async def get_mismatch(tx: Tx, scope: Scope, mismatch_id: int) -> Mismatch:
    rows = await tx.rows(SQL.find_mismatch, id=mismatch_id)
    if not rows or not scope.holds(rows[0]["unit_id"]):
        raise MismatchNotFound(str(mismatch_id))
    return _read(rows[0])


async def count_open(tx: Tx, scope: Scope) -> Mapping[Cause, int]:
    return {Cause(row["cause"]): row["count"] for row in await tx.rows(SQL.count_open, units=scope.listed)}


async def count_unsettled(tx: Tx) -> dict[int, int]:
    """By unit those nobody decided about, and which the calculator should have seen as the machine does."""
    rows = await tx.rows(SQL.count_unsettled, expected=list(EXPECTED))
    return {row["unit_id"]: row["count"] for row in rows}


async def decide(tx: Tx, actor: Actor, mismatch_id: int, believe: Source) -> Mismatch:
    """Trust the machine, or keep the calculator: that ad group's own flag says so from here on."""
    actor.require(Right.MANAGE, AREA)
    scope = await visible_to(tx, actor)
    await lock_mismatch(tx, mismatch_id)
    found = await get_mismatch(tx, scope, mismatch_id)
    await flags.set_flag(tx, actor, FlagKind.ID, found.ad_group_id, is_on=believe is Source.MACHINE)
    await tx.run(SQL.decide, id=mismatch_id, decision=believe, decided_by=actor.name, now=tx.now)
    return await get_mismatch(tx, scope, mismatch_id)


def _read(row: Row) -> Mismatch:
    values = dict(row)
    values["calculated"], values["stored"] = State(values["calculated"]), State(values["stored"])
    values["source"], values["cause"] = Source(values["source"]), Cause(values["cause"])
    values["decision"] = values["decision"] and Source(values["decision"])
    return Mismatch(**values)
