"""Why it ran, why not, and what happens next: the story of a job, an occurrence or a schedule, in codes and values.

The edges put it into words.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.base.sql import load
from pabal.engine import ids, occurrences, queue, routes, schedules, workers
from pabal.engine.occurrences import Occurrence
from pabal.engine.queue import Attempt, Place
from pabal.engine.schedules import Schedule
from pabal.engine.workers import Worker

SQL = load(__file__)
# roles of servers that run work
WORKING = frozenset({"worker", "render"})
RECENT = 5
# of those that hold a lane
SHOWN = 5
SUCCESSES = ("done", "partial")
_OCCURRENCE = re.compile(r"occ_(\d+)@(.+)")
_SCHEDULE = re.compile(r"sch_(\d+)")


class BadSubject(Invalid, code="bad_subject"):
    """Nothing with a story has such an id. They look like job_01h2xcejqtf2n, sch_12 or occ_12@2026-07-03T00:00:00Z."""


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened or holds. `at` is None for what holds now without a moment of its own."""

    at: datetime | None
    code: str
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Story:
    """`advice` are codes of what one may do now."""

    id: str
    title: str
    state: str
    lines: list[Line]
    advice: list[str]


def show_schedule(schedule_id: int) -> str:
    return f"sch_{schedule_id}"


def show_occurrence(schedule_id: int, fire_at: datetime) -> str:
    return f"occ_{schedule_id}@{fire_at.astimezone(UTC).isoformat().replace('+00:00', 'Z')}"


def read_schedule(text: str) -> int:
    found = _SCHEDULE.fullmatch(text if text.startswith("sch_") else f"sch_{text}")
    if found is None:
        raise BadSubject(text)
    return int(found[1])


def read_occurrence(text: str) -> tuple[int, datetime]:
    found = _OCCURRENCE.fullmatch(text)
    if found is None:
        raise BadSubject(text)
    try:
        moment = datetime.fromisoformat(found[2])
    except ValueError as error:
        raise BadSubject(text) from error
    if moment.tzinfo is None:
        raise BadSubject(text)
    return int(found[1]), moment


async def tell_job(tx: Tx, job_id: int) -> Story:
    place = await queue.get_place(tx, job_id)
    attempts = await queue.list_attempts(tx, job_id)
    present, advice = await _present(tx, place)
    lines = [*_enqueued(place), *_attempted(attempts), *present]
    return Story(ids.show("job", job_id), place.kind, _state(place), lines, advice)


async def tell_schedule(tx: Tx, schedule_id: int) -> Story:
    schedule = await schedules.get(tx, schedule_id)
    recent = await occurrences.list_occurrences(tx, schedule_id, limit=RECENT)
    servers = [server for server in await workers.list_workers(tx) if server.is_alive]
    lines = [Line(schedule.created_at, "schedule_created", {"kind": schedule.kind})]
    lines += [line for occurrence in reversed(recent) for line in _decided(occurrence)]
    coming, advice = _coming(schedule, servers, tx.now)
    state = "paused" if schedule.is_paused else "active" if schedule.next_at else "over"
    return Story(show_schedule(schedule_id), schedule.name, state, [*lines, *coming], advice)


async def tell_occurrence(tx: Tx, schedule_id: int, fire_at: datetime) -> Story:
    found = await occurrences.get_occurrence(tx, schedule_id, fire_at)
    lines, advice = _decided(found), ["look_at_schedule"]
    place = None if found.work_id is None else await queue.find_place(tx, found.work_id)
    if place is not None:
        job = await tell_job(tx, place.id)
        lines, advice = [lines[0], *job.lines, *lines[1:]], job.advice
    state = found.end or found.decision
    return Story(show_occurrence(schedule_id, found.fire_at), show_schedule(schedule_id), state, lines, advice)


def _state(place: Place) -> str:
    return place.result or {"lease": "running"}.get(place.place, place.place)


def _enqueued(place: Place) -> list[Line]:
    values = {"kind": place.kind, "cause": place.cause, "about": place.about}
    lines = [Line(place.created_at, "enqueued_because" if place.cause else "enqueued", values)]
    if place.cause == f"schedule:{place.args.get('schedule_id')}":
        fire_at = datetime.fromisoformat(place.args["fire_at"])
        named = {"occurrence": show_occurrence(place.args["schedule_id"], fire_at), "fire_at": fire_at}
        lines.append(Line(fire_at, "for_occurrence", named))
    return lines


def _attempted(attempts: Sequence[Attempt]) -> list[Line]:
    return [
        Line(
            attempt.ended_at,
            f"attempt_{attempt.result}" if attempt.started_at else f"ended_{attempt.result}",
            {
                "started_at": attempt.started_at,
                "worker": _worker(attempt.worker),
                "reason": (attempt.error or {}).get("reason") or "–",
                "final": attempt.final,
            },
        )
        for attempt in attempts
    ]


async def _present(tx: Tx, place: Place) -> tuple[list[Line], list[str]]:
    """Where it is now and what it waits for."""
    servers = [server for server in await workers.list_workers(tx) if server.is_alive]
    match place.place:
        case "ended":
            return [], [] if place.result in SUCCESSES else ["retry_job"]
        case "lease":
            return _running(place, servers), ["wait"] if place.cancel_at else ["cancel_job"]
        case "delayed":
            values = {"reason": place.reason, "failures": place.failures, "max_failures": place.max_failures}
            lines = [Line(place.due_at, _delay_code(place.reason or ""), values)]
        case "waiting":
            lines = await _waiting(tx, place)
        case "ready":
            lines = await _ready(tx, place, servers)
        case _:
            return [Line(tx.now, "moving")], ["look_again"]
    if place.expires_at is not None:
        lines.append(Line(place.expires_at, "will_expire"))
    return _with_servers(lines, place.kind, servers, place.label)


def _delay_code(reason: str) -> str:
    if reason.startswith("limit:"):
        return "delayed_limit"
    return {"asked": "delayed_asked", "retry": "delayed_retry", "snooze": "delayed_snooze"}.get(reason, "delayed_other")


def _running(place: Place, servers: Sequence[Worker]) -> list[Line]:
    holder = next((server for server in servers if server.id == place.worker), None)
    values = {"worker": _worker(place.worker), "host": holder.host if holder else None, "progress": place.progress}
    lines = [Line(place.started_at, "running" if holder else "running_silent", values)]
    if place.cancel_at is not None:
        lines.append(Line(place.cancel_at, "cancel_asked"))
    elif place.stop is not None:
        lines.append(Line(None, f"stopping_{place.stop}"))
    return lines


async def _waiting(tx: Tx, place: Place) -> list[Line]:
    [(holders, width)] = await tx.rows(SQL.find_lane, lane=place.lane)
    ahead = await tx.value(SQL.count_before_in_lane, lane=place.lane, id=place.id)
    if width == 0:
        return [Line(None, "lane_shut", {"lane": place.lane}), Line(None, "ahead_in_lane", {"ahead": ahead})]
    if not holders:
        return [Line(None, "lane_moving", {"lane": place.lane, "ahead": ahead})]
    held = await queue.find_place(tx, holders[0])
    shown = [ids.show("job", holder) for holder in holders[:SHOWN]]
    alone = {"lane": place.lane, "holder": shown[0], "holder_state": _state(held) if held else "unknown"}
    shared = {"lane": place.lane, "width": width, "held": len(holders), "holders": shown}
    line = Line(None, "waits_for_lane", alone) if width is None else Line(None, "waits_for_shared_lane", shared)
    return [line, Line(None, "ahead_in_lane", {"ahead": ahead})]


async def _ready(tx: Tx, place: Place, servers: Sequence[Worker]) -> list[Line]:
    if place.route is not None:
        route = await routes.find_route(tx, place.route)
        if route is None or route.worker not in {server.id for server in servers}:
            return [Line(None, "route_absent", {"route": place.queue})]
    ahead = await tx.value(SQL.count_before_in_queue, queue=place.queue, id=place.id)
    return [Line(None, "waits_for_slot", {"queue": place.queue, "ahead": ahead})]


def _with_servers(
    lines: list[Line], kind: str, servers: Sequence[Worker], label: str | None = None
) -> tuple[list[Line], list[str]]:
    """No story may end in "it is ready" while nobody is there to take it."""
    able = [server for server in servers if WORKING & set(server.meta.get("roles", WORKING))]
    if not able:
        return [*lines, Line(None, "no_server")], ["start_server", "cancel_job"]
    working = [server for server in able if not server.is_draining]
    if not working:
        return [*lines, Line(None, "all_draining", {"servers": len(able)})], ["start_server", "cancel_job"]
    # A server that does not say what it knows, such as one of another version, is given the benefit of the doubt.
    if all(kind not in server.meta.get("kinds", [kind]) for server in working):
        return [*lines, Line(None, "kind_unknown", {"kind": kind, "servers": len(working)})], ["load_app", "cancel_job"]
    if not any(_lacks(server, kind, label) == [] for server in working):
        lacking = min((_lacks(server, kind, label) for server in working), key=len)
        return [*lines, Line(None, "label_missing", {"labels": lacking})], ["start_server", "cancel_job"]
    return lines, ["cancel_job"]


def _lacks(server: Worker, kind: str, label: str | None) -> list[str]:
    """Labels that a server would have to have."""
    needed = {*server.meta.get("needs", {}).get(kind, []), *([] if label is None else [label])}
    return sorted(needed.difference(server.meta.get("labels", [])))


def _worker(worker: int | None) -> str | None:
    return None if worker is None else ids.show("wrk", worker)


def _decided(found: Occurrence) -> list[Line]:
    values = {
        "occurrence": show_occurrence(found.schedule_id, found.fire_at),
        "fire_at": found.fire_at,
        "job": None if found.work_id is None else ids.show("job", found.work_id),
        "reason": found.reason,
        "actor": found.actor,
        "into_at": found.into_at,
        "through": found.through,
        "count": found.count,
    }
    lines = [Line(found.decided_at, f"occurrence_{found.decision}{'_run' if found.through else ''}", values)]
    if found.end is not None:
        lines.append(Line(found.ended_at, f"occurrence_ended_{found.end}", values))
    return lines


def _coming(schedule: Schedule, servers: Sequence[Worker], now: datetime) -> tuple[list[Line], list[str]]:
    if schedule.problem is not None:
        return [Line(schedule.paused_at, "schedule_broken", {"problem": schedule.problem})], []
    if schedule.paused_at is not None:
        return [Line(schedule.paused_at, "schedule_paused", {"actor": schedule.paused_by})], ["resume_schedule"]
    if schedule.next_at is None:
        return [Line(schedule.valid_until, "schedule_over")], []
    lines = [Line(schedule.next_at, "schedule_next" if schedule.next_at > now else "schedule_due")]
    if not any("scheduler" in server.meta.get("roles", ["scheduler"]) for server in servers):
        return [*lines, Line(None, "no_scheduler")], ["start_server"]
    answer, _ = _with_servers(lines, schedule.kind, servers, schedule.label)
    return answer, ["pause_schedule"]
