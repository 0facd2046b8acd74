"""Why it ran, why not, and what happens next: a page of its own, or a drawer over the list one came from."""

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response
from markupsafe import Markup

from pabal.engine.why import Line, Story
from pabal.platform import operating
from pabal.platform.language.pairs import Pair
from pabal.platform.language.stories import tell
from pabal.platform.web.identify import Visitor
from pabal.platform.web.visit import Visit

router = APIRouter()

_BAD = (
    "failed",
    "quarantined",
    "missed",
    "expired",
    "lost",
    "broken",
    "no_server",
    "no_scheduler",
    "absent",
    "unknown",
)
_GOOD = ("_done",)
_WAITING = ("retry", "limited", "snoozed", "limit", "waits", "paused", "draining", "skipped", "partial", "silent")


@dataclass(frozen=True, slots=True)
class Advice:
    """What one may do now: a verb that posts, or a place to look."""

    label: Pair
    action: str = ""
    href: str = ""


@router.get("/why/{subject}")
async def why(visit: Visitor, subject: str) -> Response:
    async with visit.read() as tx:
        story = await operating.why(tx, visit.actor, visit.scope, subject, owners=visit.site.owners)
    return await visit.show(
        "why.html",
        story=story,
        family=_family(story.id),
        items=[show_line(visit, line) for line in story.lines],
        advice=[one for code in story.advice if (one := _advice(visit, story, code)) is not None],
        href=_href(story.id),
    )


def show_line(visit: Visit, line: Line) -> dict[str, Any]:
    """As the macro `why` draws it: what lies ahead is hollow, what holds now is marked."""
    is_ahead = line.at is not None and line.at > visit.now
    return {
        "at": Markup('<span class="dim">{}</span>').format(visit.say("now", "지금"))
        if line.at is None
        else visit.voice.when(line.at, "2", seconds=True),
        "text": tell(line, visit.lang, visit.voice.moment),
        "cls": _look(line.code),
        "now": line.at is None,
        "future": is_ahead,
    }


def _look(code: str) -> str:
    if any(word in code for word in _BAD):
        return "fail"
    if any(word in code for word in _WAITING):
        return "attn"
    return "good" if any(word in code for word in _GOOD) else ""


def _family(subject: str) -> str:
    return {"job": "job", "sch": "schedule", "occ": "occurrence"}[subject[:3]]


def _href(subject: str) -> str:
    if subject.startswith("occ_"):
        return f"/schedules/sch_{subject.removeprefix('occ_').partition('@')[0]}"
    return f"/{'jobs' if subject.startswith('job_') else 'schedules'}/{subject}"


def _advice(visit: Visit, story: Story, code: str) -> Advice | None:
    """The story names only verbs that its reader may use."""
    if code == "start_server" and not visit.may("read", "servers"):
        return None
    return {
        "retry_job": Advice(("Enqueue it again", "다시 하기"), action=f"/jobs/{story.id}/retry"),
        "cancel_job": Advice(("Cancel it", "취소하기"), action=f"/jobs/{story.id}/cancel"),
        "pause_schedule": Advice(("Pause it", "멈추기"), action=f"/schedules/{story.id}/pause"),
        "resume_schedule": Advice(("Resume it", "이어 하기"), action=f"/schedules/{story.id}/resume"),
        "look_at_schedule": Advice(("To the schedule", "스케줄 보기"), href=_href(story.id)),
        "start_server": Advice(("To the servers", "서버 보기"), href="/servers"),
    }.get(code)
