"""Why it ran, why not and what happens next, for somebody who may see it; and what is coming in their scope."""

from dataclasses import dataclass, replace
from datetime import datetime

from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.engine import forecasts, ids, listing
from pabal.engine import why as stories
from pabal.engine.why import BadSubject, Line, Story
from pabal.platform.operating.jobs import get_job
from pabal.platform.operating.schedules import get_occurrence, get_schedule
from pabal.platform.tenants import Scope


@dataclass(frozen=True, slots=True)
class Coming:
    """One thing that will happen. `what` is schedule, job or timer; `id` is what to look it up by.

    `note` is the schedule's name, why the job is delayed, or nothing; `is_skipped`: somebody asked to skip it.
    """

    at: datetime
    what: str
    id: str
    kind: str
    about: str | None
    unit_id: int | None
    note: str | None
    is_skipped: bool = False


async def why(tx: Tx, scope: Scope, text: str) -> Story:
    """The story of job_…, sch_… or occ_…@…."""
    if text.startswith("sch_"):
        schedule = await get_schedule(tx, scope, stories.read_schedule(text))
        return await stories.tell_schedule(tx, schedule.id)
    if text.startswith("occ_"):
        occurrence = await get_occurrence(tx, scope, *stories.read_occurrence(text))
        story = await stories.tell_occurrence(tx, occurrence.schedule_id, occurrence.fire_at)
    elif text.startswith("job_"):
        story = await stories.tell_job(tx, (await get_job(tx, scope, text)).id)
    else:
        raise BadSubject(text)
    return replace(story, lines=[await _within(tx, scope, line) for line in story.lines])


async def list_upcoming(tx: Tx, scope: Scope, until: datetime, *, limit: int = 100) -> list[Coming]:
    """Soonest first: moments of schedules, delayed jobs and timers."""
    units = scope.listed
    moments = await forecasts.list_upcoming(tx, until=until, units=units, limit=limit)
    jobs = await listing.list_delayed(tx, until, most=limit, units=units)
    timers = await listing.list_timers(tx, until, most=limit, units=units)
    coming = [
        *(_of_schedule(one) for one in moments),
        *(Coming(job.at, "job", ids.show("job", job.id), job.kind, job.about, job.unit_id, job.reason) for job in jobs),
        *(_of_timer(timer) for timer in timers),
    ]
    return sorted(coming, key=lambda one: (one.at, one.what, one.id))[:limit]


async def _within(tx: Tx, scope: Scope, line: Line) -> Line:
    """A lane may be shared with others; whose turn it is, is then nobody's one may know."""
    holder = line.values.get("holder")
    if holder is None:
        return line
    try:
        await get_job(tx, scope, holder)
    except NotFound:
        return replace(line, values={**line.values, "holder": "–"})
    return line


def _of_schedule(one: forecasts.Forecast) -> Coming:
    schedule = one.schedule
    shown = stories.show_schedule(schedule.id)
    return Coming(
        one.moment, "schedule", shown, schedule.kind, schedule.about, schedule.unit_id, schedule.name, one.is_skipped
    )


def _of_timer(timer: listing.DueTimer) -> Coming:
    name = f"{timer.machine}:{timer.subject}"
    return Coming(timer.at, "timer", name, timer.event, name, timer.unit_id, None)
