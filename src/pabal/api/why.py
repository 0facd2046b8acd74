"""Why it ran, why it did not, and what comes next."""

from typing import Annotated, Any

from fastapi import Path
from fastapi.responses import Response
from pydantic import BeforeValidator, TypeAdapter, WithJsonSchema

from pabal.api.parts import JobId, OccurrenceId, ScheduleId, noun
from pabal.platform import operating
from pabal.platform.web.etags import answer_one
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.rest import rest_report
from pabal.resources.insight import UPCOMING, StoryView, view_story

router = noun("why")
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


rest_report(router, UPCOMING)


@router.get("/why/{id}", response_model=model_of(StoryView))
async def explain(visit: Visitor, id: StoryId) -> Response:
    """Tells why it ran, why it did not, and what happens next, in the language asked for."""
    async with visit.read() as tx:
        story = await operating.why(tx, visit.actor, visit.scope, id, owners=visit.site.owners)
    shown = view_story(story, visit.lang, lambda moment: visit.voice.moment(moment, seconds=True))
    return answer_one(visit, shown)
