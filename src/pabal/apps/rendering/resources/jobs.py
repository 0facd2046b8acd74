"""Render jobs: rows of `render_queue` under the requirements' names, asked for singly or by the hundred."""

from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from pabal.apps.rendering.labels import REASONS, STAGES
from pabal.apps.rendering.model.renders import AREA, RenderState, Stage
from pabal.apps.rendering.resources.names import (
    COMPOSITION_EXAMPLE,
    FIND_UNIT,
    FINDING,
    GFX_EXAMPLE,
    ON_AIR,
    PRIORITIES,
    READINGS,
    ROWS,
    STATUS_WORDS,
    VERBS,
    WORKER_EXAMPLE,
    PriorityWord,
    priority_word,
)
from pabal.platform.findings import FindingView, view_finding
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, Rules, View, Viewer, ask, field

if TYPE_CHECKING:
    from pabal.apps.rendering.resources.rows import JobRow
    from pabal.apps.rendering.resources.verbs import RequestedRow

_STAGE_WORDS = {str(stage): words for stage, words in STAGES.items()}
_REASON_WORDS = {str(reason): words for reason, words in REASONS.items()}
StageWord = Literal["prepare", "validate", "copy"]


class RenderJobView(View):
    """A row of `render_queue`. `status` is pending, preparing, rendering, encoding, uploading, completed, failed or
    cancelled. `eta` and `on_air` are foretold from earlier renders of the same composition."""

    id: int = field(("No.", "번호"), example=43)
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    composition_id: str = field(("Composition ID", "컴포지션 ID"), example=COMPOSITION_EXAMPLE)
    composition_name: str = field(("Composition", "컴포지션"), example="_MAIN Mini Chip Count")
    gfx_data: dict[str, Any] | None = field(
        ("Data", "데이터"),
        description="What it shows. Null: it cannot be read with this server's key.",
        is_told=True,
        example=GFX_EXAMPLE,
    )
    cue_item_id: str | None = field(("Cue item", "큐 항목"), example="3-12")
    broadcast_date: date = field(("Broadcast date", "방송일"), example="2026-07-03")
    status: str = field(("State", "상태"), status="render", example="rendering")
    progress: int = field(("Progress (%)", "진행률(%)"), is_told=True, example=45)
    stage: str = field(("Stage", "단계"), words=_STAGE_WORDS, is_told=True, example="render")
    worker_id: str | None = field(("Worker ID", "워커 ID"), is_told=True, example=WORKER_EXAMPLE)
    worker_name: str | None = field(("Worker", "워커"), is_told=True, example="Worker#1")
    lock_expires_at: datetime | None = field(("Lock until", "잠금 기한"), is_told=True, example=None)
    nexrender_job_id: str | None = field(("nexrender job", "nexrender 작업"), is_told=True, example="rq-43-a1")
    nexrender_state: str | None = field(
        ("nexrender state", "nexrender 상태"),
        description="As nexrender says it.",
        is_told=True,
        example="render:dorender",
    )
    attempt: int = field(("Attempt", "시도"), example=1)
    priority: str = field(("Priority", "우선순위"), words=PRIORITIES, example="normal")
    on_air_at: datetime | None = field(("On air", "방송 시각"))
    on_air: str | None = field(
        ("In time", "방송 여유"),
        words=ON_AIR,
        description="safe, tight or missed; null where it has ended, is needed at no moment, or nobody can tell.",
        is_told=True,
        example="safe",
    )
    eta: datetime | None = field(("Ready at", "완료 예정"), description="Null: nobody can tell.", is_told=True)
    started_at: datetime | None = field(("Started", "시작한 때"), is_told=True)
    completed_at: datetime | None = field(("Completed", "완료한 때"), example=None)
    created_at: datetime = field(("Made", "만든 때"))
    updated_at: datetime = field(("Changed", "바뀐 때"), is_told=True)
    output_file_path: str | None = field(("File", "결과 파일"), example=None)
    output_unc: str | None = field(
        ("File on the NAS", "NAS 경로"), description="The file as people open it.", is_told=True, example=None
    )
    output_size: int | None = field(("Size (bytes)", "크기(바이트)"), example=None)
    output_sha256: str | None = field(("SHA-256", "SHA-256"), example=None)
    duration_seconds: float | None = field(("Took (s)", "걸린 시간(초)"), example=None)
    recovery_count: int = field(("Recoveries", "복구 횟수"), is_told=True, example=0)
    fault: str | None = field(
        ("Waits because", "대기 사유"),
        words=_REASON_WORDS,
        description="What stands in its way now.",
        is_told=True,
        example=None,
    )
    fault_count: int = field(("Tries", "재시도 횟수"), is_told=True, example=0)
    next_try_at: datetime | None = field(("Next try", "다음 시도"), is_told=True, example=None)
    error_code: str | None = field(("Reason", "사유"), words=_REASON_WORDS, example=None)
    error_message: str | None = field(("Error", "오류"), example=None)
    is_winding_down: bool = field(
        ("Winding down", "마무리 중"),
        description="Cancelled, while After Effects still renders it: its worker is taken until then.",
        is_told=True,
        example=False,
    )
    requested_by: str = field(("Asked by", "요청자"), example="user:7")


class RequestedRenderView(View):
    """`is_new` false: the same input was rendered before, and that render is answered. Ask `again` for another.
    `warnings` do not stop a render: fields without a layer, layers without a field."""

    id: int = field(("No.", "번호"), example=43)
    is_new: bool = field(("New", "새 작업"), example=True)
    warnings: list[FindingView] = field(("Warnings", "확인할 점"))
    job: RenderJobView = field(("Job", "작업"))


class RenderBatchView(View):
    """All of them are accepted, or none."""

    items: list[RequestedRenderView] = field(("Jobs", "작업"))


class RetriedRendersView(View):
    """Those that cannot begin at the stage asked for are left out."""

    retried: int = field(("Retried", "다시 시작"), example=2)
    ids: list[int] = field(("No.", "번호"), example=[41, 44])


def view_job(row: "JobRow", viewer: Viewer) -> RenderJobView:
    render, foretold = row.render, row.forecast
    return RenderJobView.of(
        render,
        gfx_data=row.gfx_data,
        status=str(render.state),
        stage=str(render.stage),
        worker_id=None if render.worker_id is None else str(render.worker_id),
        priority=priority_word(render.priority),
        on_air=None if foretold is None else foretold.on_air,
        eta=None if foretold is None or foretold.ends_at is None else foretold.ends_at.replace(microsecond=0),
        output_unc=row.unc,
    )


def view_requested(made: "RequestedRow", viewer: Viewer) -> RequestedRenderView:
    warnings = [view_finding(one, viewer.lang) for one in made.warnings]
    return RequestedRenderView(id=made.job.id, is_new=made.is_new, warnings=warnings, job=view_job(made.job, viewer))


def view_batch(made: "list[RequestedRow]", viewer: Viewer) -> RenderBatchView:
    return RenderBatchView(items=[view_requested(one, viewer) for one in made])


class RenderJobFilter(Filter):
    """From and to are of the moment it was asked for."""

    status: tuple[RenderState, ...] = ask("Any of these, separated by commas.", option="--state", default=())
    composition: str | None = ask("Only of this composition.", example=COMPOSITION_EXAMPLE, default=None)
    cue: str | None = ask("Only of this cue item.", example="3-12", default=None)
    worker: UUID | None = ask(
        "Only what this worker renders.", find=f"{FINDING}:find_worker_id", example=WORKER_EXAMPLE, default=None
    )
    since: datetime | None = ask("Asked for from then on: -2h, 어제 09:00, an ISO moment.", alias="from", default=None)
    until: datetime | None = ask("Asked for before then.", alias="to", default=None)
    q: str | None = ask("A part of the composition's name, a number or a cue item.", option="--find", default=None)


class RenderToMake(Ask):
    """A composition and what it shows. Without a broadcast date it is the day on air, or today in Seoul."""

    composition_id: str = ask(
        "Which composition.",
        argument=True,
        metavar="COMPOSITION",
        rules=Rules(min_length=1, max_length=100),
        example=COMPOSITION_EXAMPLE,
    )
    gfx_data: dict[str, Any] = ask(
        "What it shows: composition_name, slots, single_fields, flags.",
        read=f"{READINGS}:GfxData",
        find=f"{FINDING}:read_gfx",
        option="--data",
        metavar="FILE",
        example=GFX_EXAMPLE,
    )
    cue_item_id: str | None = ask(
        "The cue item it belongs to.", option="--cue", rules=Rules(max_length=200), example="3-12", default=None
    )
    broadcast_date: date | None = ask(
        "The day it is for; names its folder on the NAS.",
        option="--date",
        find=f"{FINDING}:read_date",
        example="2026-07-03",
        default=None,
    )
    priority: PriorityWord = ask("How urgent it is.", example="normal", default="normal")
    on_air_at: datetime | None = ask("When it is needed.", option="--on-air", default=None)
    again: bool = ask("Also where the same input was rendered already.", default=False)
    unit_id: int | None = ask(
        "Whose it is; your own if left out.",
        option="--org",
        metavar="UNIT",
        find=FIND_UNIT,
        rules=ROW_ID,
        example=3,
        default=None,
    )


class RenderOfMany(Ask):
    composition_id: str = ask(
        "Which composition.", rules=Rules(min_length=1, max_length=100), example=COMPOSITION_EXAMPLE
    )
    gfx_data: dict[str, Any] = ask("What it shows.", read=f"{READINGS}:GfxData", example=GFX_EXAMPLE)
    cue_item_id: str | None = ask(
        "The cue item it belongs to.", rules=Rules(max_length=200), example="3-12", default=None
    )
    broadcast_date: date | None = ask("The day it is for.", example="2026-07-03", default=None)
    priority: PriorityWord = ask("How urgent it is.", example="normal", default="normal")
    on_air_at: datetime | None = ask("When it is needed.", default=None)
    again: bool = ask("Also where the same input was rendered already.", default=False)


class RendersToMake(Ask):
    """At most 500. What is wrong with any is said at once, and none is taken."""

    # a command reads them from a file
    items: tuple[RenderOfMany, ...] = ask("The renders, in the order in which they are taken.", rest_only=True)
    unit_id: int | None = ask(
        "Whose they are; your own if left out.",
        option="--org",
        metavar="UNIT",
        find=FIND_UNIT,
        rules=ROW_ID,
        example=3,
        default=None,
    )


class RenderCancelling(Ask):
    reason: str | None = ask(
        "Why; kept in its history.", option="--message,-m", metavar="TEXT", example="다른 그래픽으로 교체", default=None
    )


class RenderRetrying(Ask):
    stage: StageWord = ask(
        "Where to begin: prepare renders again, validate checks the file again, copy only copies it to the NAS again.",
        example="copy",
        default="prepare",
    )

    def arguments(self) -> dict[str, Any]:
        return {"stage": Stage(self.stage)}


class FailedToRetry(Ask):
    """All failed ones that fit; without any of these, all failed ones."""

    composition: str | None = ask("Only of this composition.", example=COMPOSITION_EXAMPLE, default=None)
    error_code: str | None = ask(
        "Only those that failed for this reason.", option="--reason", example="nas_unavailable", default=None
    )
    since: datetime | None = ask("Asked for from then on.", alias="from", default=None)
    until: datetime | None = ask("Asked for before then.", alias="to", default=None)
    stage: StageWord = ask("Where to begin.", example="prepare", default="prepare")


class RenderPriority(Ask):
    priority: PriorityWord = ask("How urgent it is.", argument=True, metavar="PRIORITY", example="urgent")


class RenderOnAir(Ask):
    on_air_at: datetime | None = ask("When it is needed; null: at no certain moment.", option="--at", default=None)

    def arguments(self) -> dict[str, Any]:
        return {"on_air_at": self.on_air_at}


_COLUMNS = (
    "id",
    "status",
    "progress",
    "composition_name",
    "stage",
    "worker_name",
    "attempt",
    "on_air_at",
    "on_air",
    "eta",
)
JOB = Noun(
    "job",
    "jobs",
    AREA,
    RenderJobView,
    view=f"{__name__}:view_job",
    find=f"{ROWS}:get_job",
    hold="pabal.apps.rendering.store.renders:hold_render",
    named=f"{ROWS}:name_job",
    words=STATUS_WORDS,
    columns=(
        *_COLUMNS,
        *("priority", "unit_id", "composition_id", "cue_item_id", "broadcast_date", "nexrender_job_id"),
        *("nexrender_state", "lock_expires_at", "fault", "fault_count", "next_try_at", "error_code", "error_message"),
        *("output_unc", "output_size", "duration_seconds", "recovery_count", "created_at", "started_at"),
        *("completed_at", "requested_by"),
    ),
    which="Its number.",
    called="render_job",
    get_help="Shows one render job.",
    is_versioned=True,
    needs=("vault",),
    title="composition_name",
    page="/render/jobs/{id}",
)
JOB.lists(
    "list_render_jobs",
    "Lists render jobs, the newest first.",
    f"{ROWS}:list_jobs",
    columns=_COLUMNS,
    empty=(
        "No render jobs. Example: pabal render job new COMPOSITION --data FILE",
        "렌더 작업이 없습니다. 예: pabal render job new 컴포지션 --data 파일",
    ),
    wanted=RenderJobFilter,
)
JOB.lists(
    "list_stuck_render_jobs",
    "Lists render jobs that wait for somebody: no progress, a lost worker, or a fault in their way.",
    f"{ROWS}:list_stuck",
    columns=("id", "status", "composition_name", "stage", "worker_name", "lock_expires_at", "fault", "next_try_at"),
    empty=("Nothing is stuck.", "멈춘 작업이 없습니다."),
    path="/jobs/stuck",
    command="",
    is_short=True,
)
JOB.verb(
    "create",
    f"{VERBS}:request",
    "Asks for a render. Data that cannot succeed is refused at once with everything that is wrong. `dry_run` makes "
    "none and looks at everything a worker looks at before it renders: data, mapping, template, pictures, disk, NAS.",
    RenderToMake,
    makes=True,
    looks=f"{VERBS}:look_at_render",
    shows=RequestedRenderView,
    view=f"{__name__}:view_requested",
    location="/jobs/{id}",
    in_commands=False,
)
JOB.verb(
    "create_many",
    f"{VERBS}:request_many",
    "Asks for up to 500 renders: all of them, or none with everything that is wrong.",
    RendersToMake,
    makes=True,
    looks=f"{VERBS}:look_at_renders",
    operation="create_render_jobs",
    path="/jobs/bulk",
    shows=RenderBatchView,
    view=f"{__name__}:view_batch",
    in_commands=False,
)
JOB.verb(
    "cancel",
    f"{VERBS}:cancel",
    "Cancels a render job. What After Effects renders already goes on there until it ends, and keeps its worker.",
    RenderCancelling,
)
JOB.verb(
    "retry",
    f"{VERBS}:retry",
    "Tries a failed or cancelled job again: all of it, or from the check or the copy of the file that was rendered.",
    RenderRetrying,
)
JOB.verb("prioritize", f"{VERBS}:prioritize", "Says how urgent it is.", RenderPriority, path="/jobs/{id}/priority")
JOB.verb(
    "set_on_air",
    f"{VERBS}:set_on_air",
    "Says when it is needed, so that people are warned when it will be late.",
    RenderOnAir,
    path="/jobs/{id}/on-air",
    command="on-air",
)
JOB.verb(
    "release",
    f"{VERBS}:release",
    "Takes a stuck job from its worker. Another one goes on where it stood; it counts as a recovery.",
    RenderCancelling,
)
JOB.on_many("retry", ("Retry", "다시 시도"))
JOB.on_many("cancel", ("Cancel", "취소"), labels={"reason": ("Reason", "사유")}, is_grave=True)
