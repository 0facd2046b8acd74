"""Why it ran, why it did not, and what comes next."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import Path, Query
from fastapi.responses import Response
from pydantic import BeforeValidator, Field, TypeAdapter, WithJsonSchema

from pabal.api.parts import JobId, OccurrenceId, ScheduleId, Shown, UnitId, answer, may_read, noun
from pabal.engine.why import Line
from pabal.platform import operating
from pabal.platform.language.stories import tell
from pabal.platform.resources import BadParameter
from pabal.platform.web.etags import answer_one
from pabal.platform.web.filters import Moment, Word
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.identify import Visitor
from pabal.platform.web.visit import Visit

router = noun("why")
LONGEST = timedelta(days=366)
_IDS: dict[str, TypeAdapter[Any]] = {
    "job": TypeAdapter(JobId),
    "sch": TypeAdapter(ScheduleId),
    "occ": TypeAdapter(OccurrenceId),
}


def _with_story(given: Any) -> str:
    text = str(given)
    if text[:3] not in _IDS:
        raise ValueError("it looks like job_01h2xcejqtf2n, sch_12 or occ_12@2026-07-03T00:00:00Z")
    _IDS[text[:3]].validate_python(text)
    return text


StoryId = Annotated[
    str,
    BeforeValidator(_with_story),
    WithJsonSchema({"type": "string", "pattern": "^(job|sch|occ)_.+$", "examples": ["job_01h2xcejqtf2n"]}),
    Path(description="A job's, a schedule's or an occurrence's id."),
]


class StoryLine(Shown):
    """`at` is null for what holds now."""

    at: datetime | None
    code: str = Field(examples=["delayed_retry"])
    text: str = Field(examples=["Tries again then (failed 1 of 5 times)."])


class StoryShown(Shown):
    """`advice` are codes of what one may do now."""

    id: str = Field(examples=["job_01h2xcejqtf2n"])
    title: str = Field(examples=["messaging.send"])
    state: str = Field(examples=["delayed"])
    lines: list[StoryLine]
    advice: list[str] = Field(examples=[["cancel_job"]])


class ComingFilter(Plain):
    since: Annotated[Moment | None, Field(alias="from", description="Not before this moment; now unless said.")] = None
    until: Annotated[Moment | None, Field(alias="to", description="Up to this moment; a day unless said.")] = None
    app: Annotated[Word | None, Field(description="Only of this app.", examples=["messaging"])] = None
    limit: Annotated[int, Field(ge=1, le=200)] = 100


class ComingShown(Shown):
    """`what` is schedule, job or timer."""

    at: datetime
    what: str = Field(examples=["schedule"])
    id: str = Field(examples=["sch_12"])
    kind: str = Field(examples=["messaging.send"])
    about: str | None = Field(examples=["message:7"])
    unit_id: UnitId
    note: str | None = Field(examples=["아침 공지"])
    is_skipped: bool = Field(examples=[False])


class Coming(Shown):
    """`has_more`: there is more up to `until` than was asked for."""

    items: list[ComingShown]
    until: datetime
    has_more: bool = Field(examples=[False])


@router.get("/why/{id}", response_model=StoryShown)
async def explain(visit: Visitor, id: StoryId) -> Response:
    """Tells why it ran, why it did not, and what happens next, in the language asked for."""
    async with visit.read() as tx:
        story = await operating.why(tx, visit.actor, visit.scope, id, owners=visit.site.owners)
    lines = [_line(visit, line) for line in story.lines]
    shown = StoryShown(id=story.id, title=story.title, state=story.state, lines=lines, advice=story.advice)
    return answer_one(visit, shown)


@router.get("/upcoming", response_model=Coming)
async def list_upcoming(visit: Visitor, wanted: Annotated[ComingFilter, Query()]) -> Response:
    """Lists what will happen: moments of schedules, delayed jobs and timers, the soonest first."""
    may_read(visit, "schedules")
    until = wanted.until or (wanted.since or visit.now) + timedelta(days=1)
    if until > visit.now + LONGEST:
        raise BadParameter("to: a year ahead at most")
    async with visit.read() as tx:
        controls = visit.site.controls
        found = await operating.list_upcoming(tx, visit.actor, visit.scope, until, controls=controls, limit=2000)
    named = [one for one in found if _is_wanted(one, wanted)]
    items = [ComingShown.model_validate(one) for one in named[: wanted.limit]]
    return answer(Coming(items=items, until=until, has_more=len(named) > wanted.limit))


def _is_wanted(one: operating.Coming, wanted: ComingFilter) -> bool:
    is_late = wanted.since is None or one.at >= wanted.since
    name = one.about if one.what == "timer" else one.kind
    return is_late and (wanted.app is None or str(name).split(".")[0].split(":")[0] == wanted.app)


def _line(visit: Visit, line: Line) -> StoryLine:
    def when(moment: datetime) -> str:
        return visit.voice.moment(moment, seconds=True)

    return StoryLine(at=line.at, code=line.code, text=tell(line, visit.lang, when))
