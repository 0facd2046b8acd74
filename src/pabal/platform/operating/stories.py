"""Why it ran, why not and what happens next, for somebody who may see it; and what is coming in their scope."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.engine import forecasts, ids, listing
from pabal.engine import why as stories
from pabal.engine.why import BadSubject, Line, Story
from pabal.platform.actor import Actor, Right
from pabal.platform.controls import MachineControls, Owners, may_operate
from pabal.platform.operating.jobs import AREA as JOBS
from pabal.platform.operating.jobs import get_job
from pabal.platform.operating.schedules import AREA as SCHEDULES
from pabal.platform.operating.schedules import get_occurrence, get_schedule
from pabal.platform.tenants import Scope

# The engine's area of each verb; what no verb does, anybody may be told.
_TAKES = {"retry_job": JOBS, "cancel_job": JOBS, "pause_schedule": SCHEDULES, "resume_schedule": SCHEDULES}
_AREAS = {"job_": JOBS, "sch_": SCHEDULES, "occ_": SCHEDULES}


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


async def why(tx: Tx, actor: Actor, scope: Scope, text: str, *, owners: Owners) -> Story:
    """The story of job_…, sch_… or occ_…@…, for somebody who may read what it is about, with what they may do."""
    area = _AREAS.get(text[:4])
    if area is None:
        raise BadSubject(text)
    actor.require(Right.READ, area)
    if text.startswith("sch_"):
        schedule = await get_schedule(tx, scope, stories.read_schedule(text))
        story = await stories.tell_schedule(tx, schedule.id)
    elif text.startswith("occ_"):
        story = await _tell_occurrence(tx, actor, scope, text)
    else:
        story = await stories.tell_job(tx, (await get_job(tx, scope, text)).id)
    told = [*story.lines, *await _why_absent(tx, owners, story)]
    lines = [await _within(tx, scope, line) for line in told]
    return replace(story, lines=lines, advice=_advise(actor, owners, story))


async def list_upcoming(  # long: whose, of which machines, how far and how many
    tx: Tx,
    actor: Actor,
    scope: Scope,
    until: datetime,
    *,
    controls: Iterable[MachineControls],
    limit: int = 100,
) -> list[Coming]:
    """Soonest first: moments of schedules, delayed jobs and timers, each kind for those who may read it."""
    units, coming = scope.listed, list[Coming]()
    if actor.may(Right.READ, SCHEDULES):
        moments = await forecasts.list_upcoming(tx, until=until, units=units, limit=limit)
        coming += [_of_schedule(one) for one in moments]
    if actor.may(Right.READ, JOBS):
        delayed = await listing.list_delayed(tx, until, most=limit, units=units, veiled=scope.veiled)
        coming += [_of_job(job) for job in delayed]
    readable = {one.machine.name for one in controls if actor.may(one.sees, one.area)}
    if readable:
        timers = await listing.list_timers(tx, until, most=limit, units=units)
        coming += [_of_timer(timer) for timer in timers if timer.machine in readable]
    return sorted(coming, key=lambda one: (one.at, one.what, one.id))[:limit]


async def _tell_occurrence(tx: Tx, actor: Actor, scope: Scope, text: str) -> Story:
    """What became of its job is told to those who may read jobs."""
    occurrence = await get_occurrence(tx, scope, *stories.read_occurrence(text))
    story = await stories.tell_occurrence(tx, occurrence.schedule_id, occurrence.fire_at)
    if actor.may(Right.READ, JOBS):
        return story
    own = [line for line in story.lines if line.code.startswith("occurrence_")]
    return replace(story, lines=own, advice=["look_at_schedule"])


def _advise(actor: Actor, owners: Owners, story: Story) -> list[str]:
    kind = _kind(story)
    return [one for one in story.advice if one not in _TAKES or may_operate(actor, owners, kind, _TAKES[one])]


def _kind(story: Story) -> str:
    return next((str(line.values["kind"]) for line in story.lines if "kind" in line.values), "")


async def _why_absent(tx: Tx, owners: Owners, story: Story) -> list[Line]:
    """The engine knows that nobody holds a connection; why, perhaps the app does."""
    route = next((line.values["route"] for line in story.lines if line.code == "route_absent"), None)
    owner = owners.get(_kind(story))
    if route is None or owner is None or owner.absences is None:
        return []
    said = (await owner.absences(tx)).get(route)
    return [] if said is None else [Line(None, "route_because", {"said": said})]


async def _within(tx: Tx, scope: Scope, line: Line) -> Line:
    """A lane may be shared with others; whose turn it is, is then nobody's one may know."""
    values = line.values
    if "holder" in values:
        return replace(line, values={**values, "holder": await _name_holder(tx, scope, values["holder"])})
    if "holders" in values:
        shown = [await _name_holder(tx, scope, holder) for holder in values["holders"]]
        return replace(line, values={**values, "holders": list(dict.fromkeys(shown))})
    return line


async def _name_holder(tx: Tx, scope: Scope, holder: str) -> str:
    try:
        await get_job(tx, scope, holder)
    except NotFound:
        return "–"
    return holder


def _of_schedule(one: forecasts.Forecast) -> Coming:
    schedule = one.schedule
    shown = stories.show_schedule(schedule.id)
    return Coming(
        one.moment, "schedule", shown, schedule.kind, schedule.about, schedule.unit_id, schedule.name, one.is_skipped
    )


def _of_job(job: listing.DelayedJob) -> Coming:
    return Coming(job.at, "job", ids.show("job", job.id), job.kind, job.about, job.unit_id, job.reason)


def _of_timer(timer: listing.DueTimer) -> Coming:
    name = f"{timer.machine}:{timer.subject}"
    return Coming(timer.at, "timer", name, timer.event, name, timer.unit_id, None)
