"""The occurrence ledger: one decision for each moment of a schedule, written with its job in one commit."""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine import misfires, withdrawals
from pabal.engine.facts import NewFact, record_many
from pabal.engine.misfires import Decision, Overlap
from pabal.engine.queue import enqueue_many
from pabal.engine.recurrence import Timing
from pabal.engine.recurrence.timing import passes

if TYPE_CHECKING:
    from pabal.engine.schedules import Schedule

SQL = load(__file__)
LOOK = 10_000
LOOK_TOGETHER = 50_000
BREATHE_AFTER = 2_000
# Reasons for which nobody ran a moment although nobody said that it should not run.
MISSED = ("misfire_window", "expired", "misfire_max", "late")

declare("occurrences.enqueued", "Occurrences enqueued", amount="count", level=logging.DEBUG)
declare("occurrences.skipped", "Moments that were skipped or coalesced", labels=("reason",), amount="count")


class OccurrenceNotFound(NotFound, code="occurrence_not_found"):
    """The schedule has no decision for this moment, or it is kept within a run of many."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """What was decided about a moment and how its job ended. `reason` is the decision's until an end brings its own.

    With `through`, it stands for `count` moments up to that one. `into_at` is the moment that runs in its place.
    """

    schedule_id: int
    fire_at: datetime
    decision: str
    work_id: int | None
    end: str | None
    reason: str
    decided_at: datetime
    ended_at: datetime | None
    into_at: datetime | None
    through: datetime | None
    count: int
    actor: str | None
    unit_id: int | None


@dataclass(frozen=True, slots=True)
class Overlapped:
    """Moments that were skipped together because an earlier one still ran; `fire_at` is the first."""

    schedule_id: int
    fire_at: datetime
    count: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be decided about a schedule's moments, how many were looked at, and the first one left."""

    schedule: "Schedule"
    decisions: list[Decision]
    looked: int
    next_at: datetime | None


async def decide_due(tx: Tx, schedules: Sequence["Schedule"], *, withheld: str | None = None) -> list[Plan]:
    """Decides what is due of these locked schedules: at most 10,000 moments each, 50,000 of all; others stay due.

    `withheld` is a reason to enqueue nothing.
    """
    settled = await _list_settled(tx, schedules)
    busy = await _list_busy(tx, schedules)
    plans: list[Plan] = []
    looked = breath = 0
    for schedule in schedules:
        apart = settled.get(schedule.id, [])
        one = plan(schedule, tx.now, apart=apart, has_open=schedule.id in busy, withheld=withheld)
        plans.append(one)
        looked += one.looked
        if looked >= LOOK_TOGETHER:
            break
        if looked - breath >= BREATHE_AFTER:
            # After an outage there is much to count; handlers and the heartbeat share this thread.
            await asyncio.sleep(0)
            breath = looked
    await _write(tx, plans, settled)
    return plans


async def catch_up(tx: Tx, schedule: "Schedule", *, withheld: str | None = None) -> None:
    """Decides everything due of one locked schedule, under the rule it has now."""
    while schedule.next_at is not None and schedule.next_at <= tx.now:
        [done] = await decide_due(tx, [schedule], withheld=withheld)
        schedule = replace(schedule, next_at=done.next_at)


async def add_triggered(tx: Tx, schedule: "Schedule", *, actor: str) -> Occurrence:
    """At this moment, or the first free microsecond after it."""
    fire_at = tx.now
    while fire_at == schedule.next_at or await find_occurrence(tx, schedule.id, fire_at) is not None:
        fire_at += datetime.resolution
    await _insert(tx, [(schedule, Decision(fire_at, "enqueued", "triggered"))], actor=actor)
    return await get_occurrence(tx, schedule.id, fire_at)


async def find_occurrence(tx: Tx, schedule_id: int, fire_at: datetime) -> Occurrence | None:
    return await tx.one(Occurrence, SQL.find_occurrence, schedule_id=schedule_id, fire_at=fire_at)


async def get_occurrence(tx: Tx, schedule_id: int, fire_at: datetime) -> Occurrence:
    found = await find_occurrence(tx, schedule_id, fire_at)
    if found is None:
        raise OccurrenceNotFound(f"schedule {schedule_id} at {fire_at.isoformat()}")
    return found


async def list_occurrences(
    tx: Tx, schedule_id: int, *, before: datetime | None = None, limit: int = 100
) -> list[Occurrence]:
    """Newest first; the next page is before the last one's moment. A deleted schedule's ledger can still be read."""
    return await tx.all(Occurrence, SQL.list_occurrences, schedule_id=schedule_id, before=before, limit_rows=limit)


async def list_overlapped(tx: Tx, after: Mapping[int, datetime], *, most: int) -> list[Overlapped]:
    """By schedule, the newest moments after the given one that were skipped because an earlier one still ran."""
    ids, moments = list(after), list(after.values())
    return await tx.all(Overlapped, SQL.list_overlapped, schedule_ids=ids, after=moments, most=most)


async def list_asked(tx: Tx, schedule_ids: Sequence[int], *, after: datetime) -> dict[int, list[datetime]]:
    """The moments somebody asked to skip, by schedule."""
    found: dict[int, list[datetime]] = {}
    for row in await tx.rows(SQL.list_asked, schedule_ids=list(schedule_ids), after=after):
        found.setdefault(row["schedule_id"], []).append(row["fire_at"])
    return found


async def add_asked(tx: Tx, schedule_id: int, fire_at: datetime, *, actor: str, unit_id: int | None) -> None:
    await tx.run(SQL.insert_asked, schedule_id=schedule_id, fire_at=fire_at, actor=actor, unit_id=unit_id)


async def drop_asked(tx: Tx, schedule_id: int, fire_ats: Sequence[datetime]) -> int:
    """Only those still ahead: what is past stays in the ledger."""
    return await tx.run(SQL.delete_asked, schedule_id=schedule_id, fire_ats=list(fire_ats))


def plan(
    schedule: "Schedule", now: datetime, *, apart: Sequence[datetime], has_open: bool, withheld: str | None = None
) -> Plan:
    """Pure. `apart` are moments that have their decision already."""
    looked_at, ahead = _look(schedule, now)
    due = [moment for moment in looked_at if moment not in apart] if apart else looked_at
    if withheld is None:
        has_more = ahead is not None and ahead <= now
        decisions = misfires.decide(due, now, schedule.policy, has_open=has_open, has_more=has_more)
    else:
        decisions = misfires.withhold(due, withheld)
    left = due[len(decisions) :]
    return Plan(schedule, decisions, len(looked_at), left[0] if left else ahead)


def _look(schedule: "Schedule", now: datetime) -> tuple[list[datetime], datetime | None]:
    """The moments that are due, and the first one after them: not yet due, or too many for one time."""
    first, timing = schedule.next_at, schedule.timing
    if first is None or first > now:
        return [], first
    following = _first_after(timing, first)
    if following is None or following > now:
        return [first], following
    due = [first]
    for moment in moments_after(timing, first):
        if moment > now or len(due) == LOOK:
            return due, moment
        due.append(moment)
    return due, None


# Cached because schedules that are due together share a few timings, and mostly one moment.
@lru_cache(maxsize=8192)
def _first_after(timing: Timing, moment: datetime) -> datetime | None:
    return next(moments_after(timing, moment), None)


def moments_after(timing: Timing, moment: datetime) -> Iterator[datetime]:
    """As `moments_between`, in one search: a cron is parsed once instead of for each moment."""
    until = timing.window.valid_until
    for found in passes(timing, moment):
        if until is not None and found.moment >= until:
            return
        if found.mark != "dst_gap":
            yield found.moment


async def _list_settled(tx: Tx, schedules: Sequence["Schedule"]) -> dict[int, list[datetime]]:
    ids = [schedule.id for schedule in schedules]
    found: dict[int, list[datetime]] = {}
    for row in await tx.rows(SQL.list_settled, ids=ids, next_ats=[schedule.next_at for schedule in schedules]):
        found.setdefault(row["schedule_id"], []).append(row["fire_at"])
    return found


async def _list_busy(tx: Tx, schedules: Sequence["Schedule"]) -> set[int]:
    skipping = [schedule.id for schedule in schedules if schedule.overlap is Overlap.SKIP]
    return {row["schedule_id"] for row in await tx.rows(SQL.list_open, ids=skipping)} if skipping else set()


async def _write(tx: Tx, plans: Sequence[Plan], settled: dict[int, list[datetime]]) -> None:
    entries = [
        (one.schedule, decision)
        for one in plans
        for decision in misfires.shorten(one.decisions, settled.get(one.schedule.id, []))
    ]
    # Single entries first: a run may only be joined to the one directly before it.
    await _insert(tx, [entry for entry in entries if entry[1].through is None])
    for schedule, run in entries:
        if run.through is not None:
            await _insert_run(tx, schedule, run)
    await record_many(tx, [_missed(*entry) for entry in entries if _is_missed(entry[1])])
    await tx.run(SQL.move_on, ids=[one.schedule.id for one in plans], next_ats=[one.next_at for one in plans])
    _report([decision for _, decision in entries])


async def _insert(tx: Tx, entries: Sequence[tuple["Schedule", Decision]], *, actor: str | None = None) -> None:
    wanted = [entry for entry in entries if entry[1].verdict == "enqueued"]
    await _replace_previous(tx, [schedule for schedule, _ in wanted])
    jobs = await enqueue_many(tx, [schedule.job_for(decision.fire_at) for schedule, decision in wanted])
    ids = iter(jobs)
    await tx.run(
        SQL.insert_occurrences,
        schedule_ids=[schedule.id for schedule, _ in entries],
        units=[schedule.unit_id for schedule, _ in entries],
        fire_ats=[decision.fire_at for _, decision in entries],
        decisions=[decision.verdict for _, decision in entries],
        work_ids=[next(ids).id if decision.verdict == "enqueued" else None for _, decision in entries],
        reasons=[decision.reason for _, decision in entries],
        intos=[decision.into_at for _, decision in entries],
        actor=actor,
    )


async def _replace_previous(tx: Tx, schedules: Sequence["Schedule"]) -> None:
    """Asked for in this commit and done right after it: the tick must not wait for whoever holds what runs."""
    replacing = [schedule.id for schedule in schedules if schedule.overlap is Overlap.CANCEL_PREVIOUS]
    if replacing:
        previous = [row["id"] for row in await tx.rows(SQL.list_open_jobs, ids=replacing)]
        await withdrawals.ask(tx, previous, reason="replaced")


async def _insert_run(tx: Tx, schedule: "Schedule", run: Decision) -> None:
    await tx.run(
        SQL.insert_run,
        schedule_id=schedule.id,
        unit_id=schedule.unit_id,
        fire_at=run.fire_at,
        decision=run.verdict,
        reason=run.reason,
        into_at=run.into_at,
        through=run.through,
        count=run.number,
    )


def _is_missed(decision: Decision) -> bool:
    return decision.verdict != "enqueued" and decision.reason in MISSED


def _missed(schedule: "Schedule", decision: Decision) -> NewFact:
    """Nobody was there in time: whoever owns the schedule can say so, and offer to make up for it."""
    data = {
        "schedule_id": schedule.id,
        "fire_at": decision.fire_at,
        "reason": decision.reason,
        "through": decision.through,
        "count": decision.number,
    }
    return NewFact("schedule.missed", schedule.about or f"schedule:{schedule.id}", data, schedule.unit_id)


def _report(decisions: Sequence[Decision]) -> None:
    enqueued = sum(decision.verdict == "enqueued" for decision in decisions)
    if enqueued:
        emit("occurrences.enqueued", count=enqueued)
    skipped: Counter[str] = Counter()
    for decision in decisions:
        if decision.verdict != "enqueued":
            skipped[decision.reason] += decision.number
    for reason, count in skipped.items():
        emit("occurrences.skipped", reason=reason, count=count)
