"""What a render leaves behind: `render_queue_audit`, its attempts, the times of its stages, its log."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from pabal.apps.rendering.labels import REASONS, STAGES
from pabal.apps.rendering.model.renders import AREA, Attempt, LogLine, StageTime
from pabal.apps.rendering.resources.names import ROWS, STATUS_WORDS, WORKER_EXAMPLE
from pabal.platform.resources import ROW_ID, Filter, Noun, View, Viewer, ask, field

if TYPE_CHECKING:
    from pabal.engine.transitions import Transition

_WORKER = "worker:"
_REASON_WORDS = {str(reason): words for reason, words in REASONS.items()}


class RenderQueueAuditView(View):
    """One change of state of a render job. `changed_by` is worker, system, or whoever did it by hand."""

    id: str = field(("No.", "번호"), example="43.2")
    render_queue_id: int = field(("Job", "작업"), example=43)
    status_from: str | None = field(("Before", "이전"), status="render", example="pending")
    status_to: str = field(("After", "이후"), status="render", example="preparing")
    worker_id: str | None = field(("Worker ID", "워커 ID"), example=WORKER_EXAMPLE)
    changed_at: datetime = field(("At", "시각"))
    changed_by: str = field(("Who", "누가"), example="worker")
    reason: str | None = field(("Reason", "사유"), example=None)


class RenderAttemptView(View):
    """One time that it was rendered. `mapping_report` names fields and layers, never what stands in them."""

    number: int = field(("Attempt", "시도"), example=1)
    worker_id: str | None = field(("Worker ID", "워커 ID"), example=WORKER_EXAMPLE)
    worker_name: str | None = field(("Worker", "워커"), example="Worker#1")
    nexrender_job_id: str | None = field(("nexrender job", "nexrender 작업"), example="rq-43-a1")
    began_at: datetime = field(("Began", "시작한 때"))
    ended_at: datetime | None = field(("Ended", "끝난 때"))
    result: str | None = field(("Result", "결과"), example="completed")
    reason: str | None = field(("Reason", "사유"), words=_REASON_WORDS, example=None)
    detail: str | None = field(("Detail", "자세히"), example=None)
    mapping_report: dict[str, Any] | None = field(
        ("Mapping", "매핑"), example={"used": ["Slot 1 - name"], "unmapped": []}
    )


class RenderStageView(View):
    """How long a stage took, and how long it usually takes."""

    attempt: int = field(("Attempt", "시도"), example=1)
    stage: str = field(
        ("Stage", "단계"), words={str(stage): words for stage, words in STAGES.items()}, example="render"
    )
    began_at: datetime = field(("Began", "시작한 때"))
    ended_at: datetime | None = field(("Ended", "끝난 때"))
    seconds: float | None = field(("Took (s)", "걸린 시간(초)"), example=61.4)


class RenderLogView(View):
    """One line of its log. `text` is the whole line: `[time] LEVEL | Worker#n | Job#n | message`."""

    id: int = field(("No.", "번호"), example=118)
    at: datetime = field(("At", "시각"))
    level: str = field(("Level", "수준"), example="INFO")
    worker: str | None = field(("Worker", "워커"), example="Worker#1")
    message: str = field(("Message", "내용"), example="status: rendering → encoding (progress: 45%)")
    text: str = field(
        ("Line", "한 줄"),
        example="[2026-07-03 00:12:02.440] INFO | Worker#1 | Job#43 | status: rendering → encoding (progress: 45%)",
    )


def view_change(made: "Transition", viewer: Viewer) -> RenderQueueAuditView:
    by_worker = made.actor.startswith(_WORKER)
    return RenderQueueAuditView(
        id=f"{made.subject}.{made.version}",
        render_queue_id=made.subject,
        status_from=made.source,
        status_to=made.target,
        worker_id=made.actor.removeprefix(_WORKER) if by_worker else None,
        changed_at=made.at,
        changed_by="worker" if by_worker else "system" if made.actor == "engine" else made.actor,
        reason=made.reason,
    )


def view_attempt(attempt: Attempt) -> RenderAttemptView:
    worker = None if attempt.worker_id is None else str(attempt.worker_id)
    return RenderAttemptView.of(attempt, worker_id=worker)


def view_stage(stage: StageTime) -> RenderStageView:
    return RenderStageView.of(stage, stage=str(stage.stage))


def view_line(line: LogLine) -> RenderLogView:
    return RenderLogView.of(line)


class RenderAuditFilter(Filter):
    """From and to are of the change."""

    job: int | None = ask("Only of this job.", rules=ROW_ID, example=43, default=None)
    since: datetime | None = ask("From then on.", alias="from", default=None)
    until: datetime | None = ask("Before then.", alias="to", default=None)


AUDIT = Noun(
    "audit",
    "audit",
    AREA,
    RenderQueueAuditView,
    view=f"{__name__}:view_change",
    words=STATUS_WORDS,
    called="render_queue_audit",
)
AUDIT.lists(
    "list_render_queue_audit",
    "Lists every change of state of render jobs, the newest first: `render_queue_audit`.",
    f"{ROWS}:list_audit",
    columns=("render_queue_id", "status_from", "status_to", "changed_by", "worker_id", "changed_at", "reason"),
    empty=("No changes.", "변경 이력이 없습니다."),
    wanted=RenderAuditFilter,
    command="audit",
)
