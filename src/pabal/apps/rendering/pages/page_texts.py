"""What the pages of rendering share: addresses, durations in words, stage bars, whether a render is in time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import AfterValidator

from pabal.apps.rendering.forecasts import STATES, Forecast
from pabal.apps.rendering.labels import REASONS
from pabal.apps.rendering.model.estimates import STAGES, Estimate
from pabal.apps.rendering.model.estimates import Stage as PartOfWork
from pabal.apps.rendering.model.renders import WORKING, Reason, Render, RenderState, Stage, StageTime
from pabal.engine.recurrence import instant_of
from pabal.platform.language.pairs import Pair
from pabal.platform.web.filters import FIRST_YEAR, LAST_YEAR
from pabal.platform.web.lists import clean
from pabal.platform.web.visit import Visit

QUEUE = "/render"
WORKERS = "/render/workers"
TEMPLATES = "/render/templates"
TOPICS = "render.*,render_slot.*"
# progress is no fact of its own, so that what is under way looks again by itself
EVERY = 3
MOST_CHOICES = 200
_MINUTE = timedelta(minutes=1)
# no bar is too short to be seen
_LEAST_SHARE = 0.06

Typed = Annotated[str, AfterValidator(clean)]
SHORT_STAGES: dict[PartOfWork, Pair] = {
    "preparing": ("Prepare", "준비"),
    "rendering": ("Render", "렌더링"),
    "encoding": ("Encode", "인코딩"),
    "uploading": ("Upload", "업로드"),
}


@dataclass(frozen=True, slots=True)
class Segment:
    """One stage of the bar: `s` is done, now, fail or nothing, `f` its share of the width, `w` how far it is."""

    s: str
    f: float
    w: int
    name: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    segments: list[Segment]
    text: str
    end: str
    pct: int


@dataclass(frozen=True, slots=True)
class InTime:
    """`look` is good, attn or fail."""

    look: str
    text: str


def show_bar(visit: Visit, render: Render, estimate: Estimate, foretold: Forecast | None) -> Bar:
    at = _place(render)
    segments = [
        Segment(
            _look(render, place, at),
            _share(estimate, stage),
            _width(render, estimate, stage, visit.now),
            visit.say(*SHORT_STAGES[stage]),
        )
        for place, stage in enumerate(STAGES)
    ]
    end = "good" if render.state == RenderState.COMPLETED else ""
    return Bar(segments, describe(visit, render, foretold), end, _percent(render, segments, at))


def describe(visit: Visit, render: Render, foretold: Forecast | None) -> str:
    """Where it stands, in a line."""
    if render.state == RenderState.PENDING:
        return _describe_waiting(visit, render, foretold)
    if render.is_winding_down:
        return visit.say("After Effects still renders it", "After Effects에서 아직 렌더링 중")
    if render.state == RenderState.COMPLETED:
        took = show_seconds(visit, timedelta(seconds=render.duration_seconds or 0))
        return visit.say("took {took}", "{took} 걸림", took=took)
    if render.state in (RenderState.FAILED, RenderState.CANCELLED):
        return describe_end(visit, render)
    return _describe_working(visit, render, foretold)


def _describe_waiting(visit: Visit, render: Render, foretold: Forecast | None) -> str:
    if foretold is None or foretold.starts_at is None:
        return visit.say("no worker is open", "받을 수 있는 워커가 없음")
    shown = foretold.starts_at.astimezone(visit.zone)
    if foretold.starts_at <= visit.now + timedelta(seconds=2):
        return visit.say("starts now", "곧 시작")
    return visit.say("starts about {at}", "약 {at} 시작", at=f"{shown:%H:%M:%S} {shown.tzname()}")


def _describe_working(visit: Visit, render: Render, foretold: Forecast | None) -> str:
    word = visit.voice.status_word("render", render.state)
    if render.fault is not None:
        return f"{word} · {describe_fault(visit, render)}"
    said = f"{word} {render.progress}%" if render.state == RenderState.RENDERING and render.progress else word
    if render.stage == Stage.QUEUE:
        said = visit.say("waits in nexrender", "nexrender에서 대기 중")
    if foretold is None or foretold.ends_at is None:
        return said
    left = show_seconds(visit, max(foretold.ends_at - visit.now, timedelta(seconds=1)))
    return visit.say("{said} · about {left} left", "{said} · 약 {left} 남음", said=said, left=left)


def describe_fault(visit: Visit, render: Render) -> str:
    """What stands in its way, how often it was tried, and when it is tried again."""
    why = reason_of(visit, render.fault).rstrip(".")
    if render.next_try_at is None:
        return why
    at = render.next_try_at.astimezone(visit.zone)
    return visit.say(
        "{why} · try {n} at {at}",
        "{why} · {at} {n}번째 재시도",
        why=why,
        n=render.fault_count + 1,
        at=f"{at:%H:%M:%S} {at.tzname()}",
    )


def describe_end(visit: Visit, render: Render) -> str:
    if render.state == RenderState.CANCELLED:
        return visit.say("cancelled", "취소됨")
    return reason_of(visit, render.error_code).rstrip(".")


def reason_of(visit: Visit, code: str | None) -> str:
    known = REASONS[Reason(code)] if code in set(Reason) else REASONS[Reason.UNEXPECTED]
    return visit.say(*known)


def show_in_time(visit: Visit, foretold: Forecast | None) -> InTime | None:
    if foretold is None or foretold.on_air is None or foretold.spare is None:
        return None
    span = show_seconds(visit, abs(foretold.spare))
    if foretold.on_air == "missed":
        return InTime("fail", visit.say("about {span} late", "약 {span} 늦을 듯", span=span))
    look = "good" if foretold.on_air == "safe" else "attn"
    said = ("{span} to spare", "여유 {span}") if look == "good" else ("tight: {span} to spare", "빠듯함 · 여유 {span}")
    return InTime(look, visit.say(*said, span=span))


def show_seconds(visit: Visit, span: timedelta) -> str:
    """To the second, up to an hour: that is what crews compare."""
    seconds = max(0.0, span.total_seconds())
    if seconds < 10:
        return visit.say("{n:.1f} s", "{n:.1f}초", n=seconds)
    if span < _MINUTE:
        return visit.say("{n:.0f} s", "{n:.0f}초", n=seconds)
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        said = ("{m} min {s} s", "{m}분 {s}초") if rest else ("{m} min", "{m}분")
        return visit.say(*said, m=minutes, s=rest)
    hours, minutes = divmod(minutes, 60)
    said = ("{h} h {m} min", "{h}시간 {m}분") if minutes else ("{h} h", "{h}시간")
    return visit.say(*said, h=hours, m=minutes)


def show_size(count: int | None) -> str:
    if count is None:
        return "–"
    if count >= 1024**3:
        return f"{count / 1024**3:.1f} GB"
    return f"{count / 1024**2:.1f} MB" if count >= 1024**2 else f"{count // 1024} KB"


def seconds_by_stage(times: Sequence[StageTime], attempt: int, now: datetime) -> dict[PartOfWork, float]:
    """How long this attempt was in each of the four stages; of the one under way, until now."""
    found: dict[PartOfWork, float] = {}
    for one in times:
        state = STATES.get(one.stage)
        if one.attempt == attempt and state is not None:
            ended = one.ended_at or now
            found[state] = found.get(state, 0.0) + (ended - one.began_at).total_seconds()
    return found


def read_local(visit: Visit, typed: str) -> datetime | None:
    """A moment as a visitor types it, on the wall clock of their zone. None for what is no moment."""
    try:
        local = datetime.fromisoformat(typed.strip())
    except ValueError:
        return None
    if local.tzinfo is not None or not FIRST_YEAR <= local.year <= LAST_YEAR:
        return None
    return instant_of(local, visit.zone)


def show_local(visit: Visit, moment: datetime | None) -> str:
    """For a field of a form."""
    if moment is None:
        return ""
    return moment.astimezone(visit.zone).replace(tzinfo=None, microsecond=0).isoformat(timespec="minutes")


def _place(render: Render) -> int:
    """Which of the four stages it is in, or came to; 4: behind them all."""
    if render.state == RenderState.COMPLETED:
        return len(STAGES)
    if render.state == RenderState.PENDING:
        return -1
    if render.state in WORKING:
        return [str(stage) for stage in STAGES].index(str(render.state))
    return STAGES.index(STATES.get(render.stage, "rendering"))


def _look(render: Render, place: int, at: int) -> str:
    if place < at:
        return "done"
    if place > at:
        return ""
    if render.state == RenderState.FAILED:
        return "fail"
    return "" if render.state == RenderState.CANCELLED else "now"


def _share(estimate: Estimate, stage: PartOfWork) -> float:
    total = max(estimate.total, 0.001)
    return round(max(estimate.seconds[stage] / total, _LEAST_SHARE), 3)


def _width(render: Render, estimate: Estimate, stage: PartOfWork, now: datetime) -> int:
    """How far the stage under way is, in percent: by nexrender's progress, or by the time it usually takes."""
    if render.state != stage:
        return 0
    if stage == "rendering":
        return render.progress
    usual = max(estimate.seconds[stage], 0.001)
    spent = (now - (render.stage_began_at or now)).total_seconds()
    return int(min(95, max(5, 100 * spent / usual)))


def _percent(render: Render, segments: Sequence[Segment], at: int) -> int:
    if render.state == RenderState.COMPLETED:
        return 100
    total = sum(one.f for one in segments)
    done = sum(one.f for one in segments[: max(at, 0)])
    part = segments[at].f * segments[at].w / 100 if 0 <= at < len(segments) else 0
    return int(100 * (done + part) / total)
