"""One render: where it stands and why, how long each stage takes, what was sent, what came of it; its verbs."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Form
from fastapi.responses import PlainTextResponse, Response

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions import renders as actions
from pabal.apps.rendering.actions.requesting import read_priority
from pabal.apps.rendering.farm import farm_of
from pabal.apps.rendering.forecasts import Forecast, Outlook, foresee
from pabal.apps.rendering.labels import STAGES as STAGE_WORDS
from pabal.apps.rendering.machine import RENDER
from pabal.apps.rendering.model.estimates import STAGES, Estimate
from pabal.apps.rendering.model.renders import AREA, OPEN, Attempt, LogLine, Render, RenderState, Stage, StageTime
from pabal.apps.rendering.pages.page_texts import (
    EVERY,
    QUEUE,
    TOPICS,
    Bar,
    Segment,
    Typed,
    describe_end,
    describe_fault,
    read_local,
    reason_of,
    seconds_by_stage,
    show_bar,
    show_in_time,
    show_local,
    show_seconds,
    show_size,
)
from pabal.apps.rendering.resources.names import PRIORITIES, priority_word
from pabal.apps.rendering.resources.rows import open_gfx, show_unc
from pabal.apps.rendering.store import renders, showing, traces
from pabal.base.database import Tx
from pabal.engine.transitions import Transition, history
from pabal.platform import settings
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair
from pabal.platform.web.actors import name_actors
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import RowId, Word, back_to
from pabal.platform.web.visit import Visit

router = APIRouter(prefix=f"{QUEUE}/jobs", include_in_schema=False)
LAST_LINES, MOST_LINES = 200, 100_000
# wide enough for the words below it
LEAST_SHARE = 0.14
RESTARTS: dict[Stage, Pair] = {
    Stage.PREPARE: ("Render again", "처음부터 다시"),
    Stage.VALIDATE: ("Check the file again", "파일 확인부터 다시"),
    Stage.COPY: ("Copy to the NAS again", "NAS 복사만 다시"),
}
# what somebody can do about it
ADVICE: dict[str, Pair] = {
    "preflight_failed": (
        "Correct the data or the template and try again.",
        "데이터나 템플릿을 고친 뒤 다시 시도하세요.",
    ),
    "template_missing": (
        "Put the AEP file back where the worker looks for it, then try again. The path doctor shows where that is.",
        "AEP 파일을 워커가 찾는 위치에 두고 다시 시도하세요. 위치는 경로 점검에서 볼 수 있습니다.",
    ),
    "template_unusable": (
        "Save the AEP file again with this composition in it, or copy it to the worker again, then try again.",
        "AEP 파일에 이 컴포지션을 넣어 다시 저장하거나 워커에 다시 복사한 뒤 시도하세요.",
    ),
    "composition_missing": ("Import the composition again.", "컴포지션을 다시 가져오세요."),
    "nexrender_unreachable": (
        "Start nexrender on the worker. Jobs go on by themselves once it answers; this one must be tried again.",
        "워커에서 nexrender를 다시 켜세요. 다른 작업은 저절로 이어지고, 이 작업은 다시 시도하면 됩니다.",
    ),
    "nexrender_refused": (
        "nexrender does not take this job. Check its secret and its version.",
        "nexrender가 작업을 받지 않습니다. 비밀 키와 버전을 확인하세요.",
    ),
    "nexrender_error": (
        "Look at what After Effects said below: usually a layer, a font or a picture is missing in the template.",
        "아래 After Effects 오류를 확인하세요. 대개 템플릿에 레이어, 글꼴, 그림이 없을 때 생깁니다.",
    ),
    "render_timeout": (
        "After Effects took too long. Check the worker for a dialog that waits, then try again.",
        "After Effects가 너무 오래 걸렸습니다. 워커 화면에 대기 중인 창이 없는지 본 뒤 다시 시도하세요.",
    ),
    "stalled": (
        "After Effects stood still. Check the worker for a dialog that waits, then try again.",
        "After Effects가 멈췄습니다. 워커 화면에 대기 중인 창이 없는지 본 뒤 다시 시도하세요.",
    ),
    "output_missing": (
        "Check the output folder and its path on the worker, then try again.",
        "출력 폴더와 워커 쪽 경로를 확인한 뒤 다시 시도하세요.",
    ),
    "output_invalid": (
        "The film is not what the composition promises. Check its size, length and codec in the template.",
        "영상이 컴포지션 설정과 다릅니다. 템플릿의 해상도, 길이, 코덱을 확인하세요.",
    ),
    "nas_unavailable": (
        "Check that the NAS is mounted and has room. Then copy again: nothing is rendered again.",
        "NAS 연결과 남은 공간을 확인한 뒤 ‘NAS 복사만 다시’를 누르세요. 다시 렌더링하지 않습니다.",
    ),
    "copy_mismatch": (
        "The copy differed from the rendered file. Check the NAS and copy again.",
        "복사본이 원본과 달랐습니다. NAS를 확인하고 복사만 다시 하세요.",
    ),
    "poison_job": (
        "Its worker was lost more often than is allowed. Look at the worker first, then try again.",
        "작업 중 워커가 여러 번 사라졌습니다. 먼저 워커를 확인한 뒤 다시 시도하세요.",
    ),
}
DONE: dict[str, Pair] = {
    "cancel": ("Cancelled.", "취소했습니다."),
    "retry": ("It begins again.", "다시 시작했습니다."),
    "priority": ("Changed how urgent it is.", "우선순위를 바꿨습니다."),
    "on-air": ("Changed the on-air time.", "방송 시각을 바꿨습니다."),
    "release": ("Taken from its worker; another one goes on.", "워커에서 떼어 냈습니다. 다른 워커가 이어서 합니다."),
}


@dataclass(frozen=True, slots=True)
class SeenJob:
    """A render and all that is known about it. `sent` and `gfx` are sealed."""

    render: Render
    outlook: Outlook
    previous: Render | None
    made: list[Transition]
    names: dict[str, str]
    attempts: list[Attempt]
    times: list[StageTime]
    lines: list[LogLine]
    sent: str | None
    gfx: str
    stall: timedelta
    max_recoveries: int


@dataclass(frozen=True, slots=True)
class StageLine:
    """A stage of the last attempt, in all its detail."""

    name: str
    began_at: datetime
    took: str
    is_now: bool


@dataclass(frozen=True, slots=True)
class Step:
    at: datetime
    text: str
    look: str
    note: str
    is_future: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """The mapping of the last attempt that came so far."""

    used: int
    total: int
    unmapped: list[str]
    unused: list[str]
    empty: list[str]
    flags: int
    flags_missing: list[str]


@router.get("/{render_id}")
async def show(visit: Visitor, render_id: RowId) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        seen = await _load(tx, visit, render_id)
    render = seen.render
    return await visit.show(
        "rendering/job.html",
        **_describe(visit, seen),
        **_offer(visit, render),
        live_topics=TOPICS,
        every=EVERY if render.is_open or render.is_winding_down else 0,
    )


async def _load(tx: Tx, visit: Visit, render_id: int) -> SeenJob:
    render = await renders.get_render(tx, visit.scope, render_id)
    made = await history(tx, RENDER, render_id)
    return SeenJob(
        render=render,
        outlook=await foresee(tx, [render]),
        previous=await showing.find_previous(tx, visit.scope, render),
        made=made,
        names=await name_actors(tx, visit, [render.requested_by, *(one.actor for one in made)]),
        attempts=await traces.list_attempts(tx, render_id),
        times=await traces.list_stages(tx, render_id),
        lines=await showing.list_last_lines(tx, render_id, most=LAST_LINES),
        sent=await traces.read_sent(tx, render_id, render.attempt),
        gfx=await renders.read_gfx(tx, render_id),
        stall=await settings.value(tx, own.STALL_TIMEOUT),
        max_recoveries=await settings.value(tx, own.MAX_RECOVERIES),
    )


def _describe(visit: Visit, seen: SeenJob) -> dict[str, Any]:
    render = seen.render
    foretold, estimate = seen.outlook.renders.get(render.id), seen.outlook.estimates[render.composition_id]
    vault, farm = visit.services.vault, farm_of(visit.services)
    names = {**seen.names, **_name_workers(seen.attempts)}
    return {
        "render": render,
        "bar": big_bar(visit, render, estimate, foretold, seen.times),
        "in_time": show_in_time(visit, foretold),
        "foretold": foretold,
        "previous": seen.previous,
        "attempts": list(reversed(seen.attempts)),
        "stages": _list_stages(visit, render, seen.times),
        "steps": _list_steps(visit, render, seen.made, names, foretold),
        "report": _read_report(seen.attempts),
        "log": [_show_line(visit, one) for one in seen.lines],
        "sent": _show_json(open_gfx(vault, seen.sent)),
        "gfx": _show_json(open_gfx(vault, seen.gfx)),
        "unc": show_unc(farm.paths, render.output_file_path),
        "size": show_size(render.output_size),
        "asked_by": names[render.requested_by],
        "stall_at": _stall_at(render, seen.stall),
        "max_recoveries": seen.max_recoveries,
        "reason": reason_of(visit, render.error_code) if render.error_code else "",
        "advice": ADVICE.get(render.error_code or ""),
        "fault": describe_fault(visit, render) if render.fault and render.is_open else "",
    }


def _offer(visit: Visit, render: Render) -> dict[str, Any]:
    """What may be done with it."""
    is_over = render.state in (RenderState.FAILED, RenderState.CANCELLED)
    return {
        "restarts": RESTARTS,
        "priorities": PRIORITIES,
        "priority": priority_word(render.priority),
        "on_air": show_local(visit, render.on_air_at),
        "may_cancel": render.state in OPEN,
        "may_retry": is_over and not render.is_winding_down,
    }


@router.get("/{render_id}/log.txt")
async def download_log(visit: Visitor, render_id: RowId) -> Response:
    """All of it, in the form log files have."""
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        await renders.get_render(tx, visit.scope, render_id)
        lines = await traces.list_lines(tx, render_id, most=MOST_LINES)
    named = {"Content-Disposition": f'attachment; filename="render-{render_id}.log"'}
    return PlainTextResponse("".join(f"{one.text}\n" for one in lines), headers=named)


@router.post("/{render_id}/cancel")
async def cancel(
    visit: Visitor, render_id: RowId, reason: Annotated[Typed, Form()] = "", back: Annotated[Word, Form()] = ""
) -> Response:
    async with visit.change() as tx:
        await actions.cancel(tx, visit.actor, render_id, reason=reason or None)
    return _return(visit, render_id, "cancel", back)


@router.post("/{render_id}/retry")
async def retry(
    visit: Visitor,
    render_id: RowId,
    stage: Annotated[Stage, Form()] = Stage.PREPARE,
    back: Annotated[Word, Form()] = "",
) -> Response:
    async with visit.change() as tx:
        await actions.retry(tx, visit.actor, render_id, stage=stage)
    return _return(visit, render_id, "retry", back)


@router.post("/{render_id}/priority")
async def prioritize(
    visit: Visitor, render_id: RowId, priority: Annotated[Word, Form()], back: Annotated[Word, Form()] = ""
) -> Response:
    async with visit.change() as tx:
        await actions.set_priority(tx, visit.actor, render_id, read_priority(priority))
    return _return(visit, render_id, "priority", back)


@router.post("/{render_id}/on-air")
async def set_on_air(
    visit: Visitor, render_id: RowId, at: Annotated[Typed, Form()] = "", back: Annotated[Word, Form()] = ""
) -> Response:
    """An empty field: it is needed at no certain moment."""
    async with visit.change() as tx:
        await actions.set_on_air(tx, visit.actor, render_id, read_local(visit, at) if at else None)
    return _return(visit, render_id, "on-air", back)


@router.post("/{render_id}/release")
async def release(visit: Visitor, render_id: RowId, back: Annotated[Word, Form()] = "") -> Response:
    async with visit.change() as tx:
        await actions.release_stuck(tx, visit.actor, render_id)
    return _return(visit, render_id, "release", back)


def _return(visit: Visit, render_id: int, verb: str, back: str) -> Response:
    here = f"{QUEUE}/jobs/{render_id}"
    return visit.go(back_to(back or here, here), said=DONE[verb])


def big_bar(visit: Visit, render: Render, estimate: Estimate, foretold: Forecast | None, times: list[StageTime]) -> Bar:
    """With what each stage took, or usually takes."""
    bar = show_bar(visit, render, estimate, foretold)
    taken = seconds_by_stage(times, render.attempt, visit.now)
    named = [
        Segment(
            one.s,
            max(one.f, LEAST_SHARE),
            one.w,
            one.name,
            _note(visit, one.s, taken.get(stage), estimate.seconds[stage]),
        )
        for one, stage in zip(bar.segments, STAGES, strict=True)
    ]
    return Bar(named, _headline(visit, render, bar), bar.end, bar.pct)


def _headline(visit: Visit, render: Render, bar: Bar) -> str:
    """Why it failed stands above; here, how far it came."""
    if render.state != RenderState.FAILED:
        return bar.text
    stage = visit.say(*STAGE_WORDS[Stage(render.stage)])
    if render.rendered_path is not None:
        return visit.say(
            "stopped at: {stage} · the film is there", "{stage} 단계에서 멈춤 · 렌더링한 파일 있음", stage=stage
        )
    return visit.say("stopped at: {stage}", "{stage} 단계에서 멈춤", stage=stage)


def _note(visit: Visit, look: str, taken: float | None, usual: float) -> str:
    usually = show_seconds(visit, timedelta(seconds=usual))
    if taken is None:
        return "" if look in ("done", "fail") else visit.say("usually {usual}", "보통 {usual}", usual=usually)
    took = show_seconds(visit, timedelta(seconds=taken))
    if look == "now":
        return visit.say("{took} so far · usually {usual}", "{took}째 · 보통 {usual}", took=took, usual=usually)
    return visit.say("{took} · usually {usual}", "{took} · 보통 {usual}", took=took, usual=usually)


def _list_stages(visit: Visit, render: Render, times: list[StageTime]) -> list[StageLine]:
    found = []
    for one in times:
        if one.attempt == render.attempt:
            took = show_seconds(visit, (one.ended_at or visit.now) - one.began_at)
            is_now = one.ended_at is None and render.is_open
            found.append(StageLine(visit.say(*STAGE_WORDS[Stage(one.stage)]), one.began_at, took, is_now))
    return found


_MOVES: dict[str, Pair] = {
    "begin": ("Came into the queue", "대기열에 들어옴"),
    "claim": ("{who} took it", "{who} 배정"),
    "submit": ("nexrender has it", "nexrender에 전달"),
    "encode": ("Encoding", "인코딩 시작"),
    "upload": ("Rendered; being checked and copied", "렌더링 완료 · 확인 후 NAS로 복사"),
    "complete": ("Completed", "완료"),
    "fail": ("Failed", "실패"),
    "cancel": ("Cancelled by {who}", "{who} 님이 취소"),
    "retry": ("Tried again by {who}", "{who} 님이 다시 시도"),
    "requeue": ("Its time ran out: rendered again", "시간 초과로 다시 렌더링"),
    "release": ("Taken from its worker", "워커에서 떼어 냄"),
}
_LOOKS = {"completed": "good", "failed": "fail", "cancelled": "end", "pending": "wait"}


def _list_steps(
    visit: Visit, render: Render, made: list[Transition], names: dict[str, str], foretold: Forecast | None
) -> list[Step]:
    steps = []
    for one in made:
        who = names.get(one.actor, one.actor)
        text = visit.say(*_MOVES.get(one.event, (one.event, one.event)), who=who)
        note = describe_end(visit, render) if one.event == "fail" and one.version == render.version else ""
        steps.append(Step(one.at, text, _LOOKS.get(one.target, "work"), note))
    if foretold is not None and foretold.ends_at is not None:
        samples = foretold.estimate.samples
        note = (
            visit.say("from the last {n} of this composition", "이 컴포지션 최근 {n}번 기준", n=samples)
            if samples
            else visit.say("without a history yet", "아직 기록이 없어 평균값 기준")
        )
        steps.append(Step(foretold.ends_at, visit.say("Ready, probably", "완료 예상"), "", note, is_future=True))
    return steps


def _name_workers(attempts: list[Attempt]) -> dict[str, str]:
    return {f"worker:{one.worker_id}": one.worker_name for one in attempts if one.worker_id and one.worker_name}


def _read_report(attempts: list[Attempt]) -> Report | None:
    given: dict[str, Any] | None = next((one.mapping_report for one in reversed(attempts) if one.mapping_report), None)
    if given is None:
        return None
    flags = given.get("flags", [])
    shown = [one for one in flags if one["state"] in ("given", "derived")]
    missing = [one["layer"] for one in flags if one["state"] in ("missing", "unusable")]
    used, unmapped, empty = given.get("used", []), given.get("unmapped", []), given.get("empty", [])
    total = len(used) + len(unmapped) + len(empty)
    return Report(len(used), total, unmapped, given.get("unused", []), empty, len(shown), missing)


def _show_line(visit: Visit, one: LogLine) -> tuple[str, str, str]:
    at = one.at.astimezone(visit.zone)
    shown = f"{at:%H:%M:%S}.{at.microsecond // 1000:03d}"
    return shown, one.level, f"{one.worker or '-'} | Job#{one.render_id} | {one.message}"


def _stall_at(render: Render, stall: timedelta) -> datetime | None:
    """When it is given up without progress."""
    if render.state not in (RenderState.RENDERING, RenderState.ENCODING) or render.progress_at is None:
        return None
    return render.progress_at + stall


def _show_json(content: object) -> str:
    return "" if content is None else json.dumps(content, ensure_ascii=False, indent=2)
