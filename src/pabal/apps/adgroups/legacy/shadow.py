"""Shadow mode: all open ad groups, again and again, by calculator and by machine; where they differ, and why."""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from pabal.apps.adgroups.legacy.model import Cause
from pabal.apps.adgroups.legacy.resolver import calculated_of
from pabal.apps.adgroups.model.adgroups import AdGroup, State
from pabal.apps.adgroups.settings import COMPARE, COMPARE_EVERY, LATE_AFTER
from pabal.apps.adgroups.store import adgroups as store
from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.platform import settings

SQL = load(__file__)
SLICE = 1000
LAST = 2**63 - 1
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
