"""Workers: slots that render one job at a time, each with a licence of After Effects. They are the house's."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from pabal.apps.rendering.model.renders import AREA
from pabal.apps.rendering.resources.names import (
    COMPOSITION_EXAMPLE,
    FINDING,
    READINGS,
    ROWS,
    STATUS_WORDS,
    VERBS,
    WORKER_EXAMPLE,
)
from pabal.platform.resources import Ask, Noun, Rules, View, Viewer, ask, field

if TYPE_CHECKING:
    from pabal.apps.rendering.resources.rows import SlotRow

HOURS_EXAMPLE = {"days": [1, 2, 3, 4, 5], "begins": "09:00", "ends": "23:00", "zone": "Asia/Seoul"}


class PausedTemplateView(View):
    """A composition that this worker failed at again and again, and does not get for now."""

    composition_id: str = field(("Composition ID", "컴포지션 ID"), example=COMPOSITION_EXAMPLE)
    failures: int = field(("Failures in a row", "연속 실패"), example=3)
    last_reason: str | None = field(("Reason", "사유"), example="nexrender_error")
    last_render_id: int | None = field(("Last job", "마지막 작업"), example=41)
    paused_at: datetime | None = field(("Since", "시작"))


class RenderWorkerView(View):
    """A slot. `state` is idle, busy, paused, draining, drained, off_hours or gone. The job of another unit and what the
    machine is called are not shown to whom they do not concern."""

    id: str = field(("ID", "ID"), example=WORKER_EXAMPLE)
    name: str = field(("Name", "이름"), example="Worker#1")
    number: int = field(("Slot", "슬롯"), example=1)
    host: str | None = field(("Machine", "서버"), example="render-1")
    state: str = field(("State", "상태"), status="render_slot", is_told=True, example="idle")
    current_job_id: int | None = field(("Job", "작업"), is_told=True, example=None)
    beat_at: datetime | None = field(("Last signal", "마지막 신호"), is_told=True)
    started_at: datetime | None = field(("Started", "시작한 때"), is_told=True)
    nexrender_ok: bool | None = field(("nexrender answers", "nexrender 응답 여부"), is_told=True, example=True)
    nexrender_latency_ms: float | None = field(("nexrender (ms)", "nexrender 응답(ms)"), is_told=True, example=12.5)
    last_poll_at: datetime | None = field(("Last look", "마지막 확인"), is_told=True)
    next_poll_at: datetime | None = field(("Next look", "다음 확인"), is_told=True)
    job_count_completed: int = field(("Completed", "완료 건수"), is_told=True, example=12)
    success_streak: int = field(("In a row", "연속 성공"), is_told=True, example=5)
    paused_at: datetime | None = field(("Paused", "일시정지한 때"), example=None)
    paused_reason: str | None = field(("Paused because", "일시정지 사유"), example=None)
    draining_at: datetime | None = field(("Draining since", "비우기 시작"), example=None)
    hours: dict[str, Any] | None = field(("Hours", "근무 시간"), description="Null: always.", example=HOURS_EXAMPLE)
    paused_templates: list[PausedTemplateView] = field(("Paused templates", "제외한 템플릿"), is_told=True)


def view_worker(row: "SlotRow", viewer: Viewer) -> RenderWorkerView:
    slot = row.slot
    return RenderWorkerView.of(
        slot,
        id=str(slot.id),
        host=slot.host if row.is_house else None,
        state=slot.state(viewer.now),
        current_job_id=row.render_id,
        paused_templates=[PausedTemplateView.of(one) for one in row.pauses],
    )


class WorkerPausing(Ask):
    reason: str | None = ask(
        "Why; shown beside it.", option="--message,-m", metavar="TEXT", example="AE 업데이트", default=None
    )


class WorkerHours(Ask):
    hours: dict[str, Any] | None = ask(
        "Days from 1 (Monday) to 7, two times and a zone: `1-5 09:00-18:00 Asia/Seoul`; null, or `always`: always.",
        read=f"{READINGS}:Hours",
        find=f"{FINDING}:read_hours",
        argument=True,
        metavar="HOURS",
        example=HOURS_EXAMPLE,
    )


class TemplateAllowing(Ask):
    composition_id: str = ask(
        "Which composition it gets again.",
        argument=True,
        metavar="COMPOSITION",
        rules=Rules(min_length=1, max_length=100),
        example=COMPOSITION_EXAMPLE,
    )


WORKER = Noun(
    "worker",
    "workers",
    AREA,
    RenderWorkerView,
    view=f"{__name__}:view_worker",
    find=f"{ROWS}:get_worker",
    hold="pabal.apps.rendering.store.slots:hold_slot",
    named=f"{FINDING}:find_worker",
    reads_key=f"{READINGS}:WorkerId",
    words=STATUS_WORDS,
    columns=(
        *("id", "name", "state", "current_job_id", "host", "beat_at", "nexrender_ok", "nexrender_latency_ms"),
        *("last_poll_at", "next_poll_at", "job_count_completed", "success_streak", "paused_at", "paused_reason"),
        *("draining_at", "hours", "started_at"),
    ),
    which="Its name, or its id.",
    called="render_worker",
    get_help="Shows one worker.",
    details={"paused_templates": ("composition_id", "failures", "last_reason", "last_render_id", "paused_at")},
)
WORKER.lists(
    "list_render_workers",
    "Lists render workers and what each is doing.",
    f"{ROWS}:list_workers",
    columns=("id", "name", "state", "current_job_id", "beat_at", "nexrender_ok", "next_poll_at", "job_count_completed"),
    empty=(
        "No render worker has ever started. Start a server with the role render and NEXRENDER_API_URL.",
        "시작한 렌더 워커가 없습니다. NEXRENDER_API_URL을 넣고 render 역할로 서버를 시작하세요.",
    ),
    is_short=True,
    of_house=True,
)
WORKER.verb(
    "pause", f"{VERBS}:pause_worker", "Pauses a worker: it takes nothing more, and finishes what it has.", WorkerPausing
)
WORKER.verb("resume", f"{VERBS}:resume_worker", "Lets a paused or drained worker take jobs again.")
WORKER.verb("drain", f"{VERBS}:drain_worker", "Lets a worker finish what it has, so that it can be switched off.")
WORKER.verb(
    "set_hours",
    f"{VERBS}:set_worker_hours",
    "Says when a worker takes jobs.",
    WorkerHours,
    path="/workers/{id}/hours",
    command="hours",
)
WORKER.verb("look", f"{VERBS}:look_now", "Lets a worker look into the queue at once.")
WORKER.verb(
    "allow",
    f"{VERBS}:allow_template",
    "Gives a worker a composition again that it failed at again and again.",
    TemplateAllowing,
)
WORKER.verb(
    "release",
    f"{VERBS}:release_worker",
    "Takes the job from a worker that does not go on. Another one goes on with it.",
)
