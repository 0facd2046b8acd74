"""Workflows and their runs: how one is shown, listed, saved, started, and what one does with a run."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from pabal.platform.language.pairs import Lang, Pair, put
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, Rules, View, Viewer, ask, column, field

if TYPE_CHECKING:
    from pabal.resources.workflow_rows import RunSeen, StepSeen, WorkflowSeen

_ROWS = "pabal.resources.workflow_rows"
AREA = "workflows"
ROLES: dict[str, Pair] = {
    "viewer": ("Viewers and above", "조회자 이상"),
    "operator": ("Operators and above", "운영자 이상"),
    "admin": ("Administrators", "관리자"),
}
# why a step is not over
WAITS: dict[str, Pair] = {
    "needs": ("Waits for other steps", "다른 단계를 기다림"),
    "paused": ("The run is paused", "실행이 일시정지됨"),
    "slot": ("A server takes it next", "서버 배정 대기"),
    "running": ("Runs now", "실행 중"),
    "moment": ("Waits for a moment", "시각을 기다림"),
    "retry": ("Tried again soon", "다시 시도 예정"),
    "event": ("Waits for an event", "이벤트를 기다림"),
    "workflow": ("Waits for another workflow", "다른 워크플로우를 기다림"),
    "signal": ("Waits for an answer", "응답을 기다림"),
    "items": ("Items are open", "남은 항목이 있음"),
}
_STEP = Rules(min_length=1, max_length=60)
_REASON = Rules(max_length=500)
RunState = Literal["running", "paused", "stopping", "compensating", "done", "failed", "cancelled"]


class WorkflowView(View):
    """A workflow: steps, declared as data. `version` is its newest; runs keep the one they began with."""

    id: int = field(("No.", "번호"), example=3)
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    name: str = field(("Name", "이름"), example="price_watch")
    title: str = field(("Title", "제목"), example="가격 알림")
    version: int = field(("Version", "버전"), example=2)
    seen_by: str = field(("Seen by", "볼 수 있는 사람"), words=ROLES, example="viewer")
    open_runs: int = field(("Open runs", "진행 중"), example=1)
    failed_runs: int = field(("Failed runs", "실패"), example=0)
    made_by: str = field(("Saved by", "저장한 사람"), example="user:3")
    made_at: datetime = field(("Saved", "저장한 때"))
    archived_at: datetime | None = field(("Put away", "보관한 때"))
    yaml: str = field(("YAML", "YAML"), description="What it declares.", example="name: price_watch\nsteps: …\n")


class WorkflowStepView(View):
    """A step of a run as it is now. `why`: of one that is not over, what it waits for."""

    name: str = field(("Step", "단계"), example="read")
    kind: str = field(("Kind", "종류"), example="platform.notify@1")
    state: str = field(("State", "상태"), status="workflow_step", example="done")
    why: str | None = field(("Waiting", "대기 사유"), words=WAITS, example=None)
    waits_for: str = field(("Waits for", "기다리는 것"), example="")
    due_at: datetime | None = field(("Due", "예정"))
    attempt: int = field(("Attempt", "시도"), example=1)
    open_items: int | None = field(("Open items", "남은 항목"), example=None)
    input: Any = field(("Input", "입력"), description="Secrets are hidden.", example={"title": "완료"})
    output: Any = field(("Output", "결과"), description="Secrets are hidden.", example={"notification": 7})
    error: str | None = field(("Error", "오류"), is_told=True, example=None)
    error_code: str | None = field(("Code", "코드"), example=None)
    opened_at: datetime | None = field(("Opened", "열린 때"))
    started_at: datetime | None = field(("Started", "시작"))
    ended_at: datetime | None = field(("Ended", "끝"))


class WorkflowRunView(View):
    """A run of a workflow, with its steps. `next` begins as soon as one of the open steps is over."""

    id: int = field(("No.", "번호"), example=11)
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    workflow_id: int = field(("Workflow No.", "워크플로우 번호"), example=3)
    workflow: str = field(("Workflow", "워크플로우"), example="price_watch")
    version: int = field(("Version", "버전"), description="Of the workflow, when it began.", example=2)
    state: str = field(("State", "상태"), status="workflow_run", example="running")
    reason: str | None = field(("Reason", "사유"), is_told=True, example=None)
    reason_code: str | None = field(("Code", "코드"), description="Of the step that failed.", example=None)
    owner: str = field(("Owner", "소유자"), description="In whose name its steps run.", example="user:3")
    owner_name: str = field(("Owner", "소유자"), is_told=True, example="김하늘")
    started_by: str | None = field(("Cause", "계기"), example="rule:5")
    again_of: int | None = field(("Again of", "다시 실행한 것"), example=None)
    input: dict[str, Any] = field(("Input", "입력"), description="Secrets are hidden.", example={"limit": 500})
    output: Any = field(("Output", "결과"), example={"price": 512})
    next: list[str] = field(("Next", "다음 단계"), example=["tell"])
    started_at: datetime = field(("Started", "시작"))
    ends_by: datetime = field(("Ends by", "끝나야 하는 때"))
    ended_at: datetime | None = field(("Ended", "끝"))
    steps: list[WorkflowStepView] = field(("Steps", "단계"))

    @column(("Progress", "진행"))
    def progress(self, _lang: Lang) -> str:
        over = sum(step.ended_at is not None for step in self.steps)
        return f"{over}/{len(self.steps)}"


class StepKindView(View):
    """What a step of a workflow may do here."""

    name: str = field(("Kind", "종류"), example="platform.notify@1")
    title: str = field(("What it does", "하는 일"), is_told=True, example="알림 보내기")
    effects: list[str] = field(("Effects", "영향"), example=["messages"])
    input: dict[str, Any] = field(("Input", "입력"), description="JSON schema.", example={"type": "object"})
    output: dict[str, Any] = field(("Output", "결과"), description="JSON schema.", example={"type": "object"})


class WorkflowFilter(Filter):
    archived: bool = ask("Also those that were put away.", option="--archived", default=False)


class RunFilter(Filter):
    workflow_id: int | None = ask(
        "Only of this workflow.",
        option="--workflow",
        find=f"{_ROWS}:find_workflow_id",
        rules=ROW_ID,
        example=3,
        default=None,
    )
    state: RunState | None = ask("Only in this state.", example="failed", default=None)


class WorkflowToSave(Ask):
    """The same name in the same unit is a new version."""

    yaml: str = ask("What it declares.", rules=Rules(min_length=1, max_length=200_000), example="name: hello\nsteps: …")
    unit_id: int | None = ask("Whose it is.", rules=ROW_ID, example=3, default=None)


class RunToStart(Ask):
    input: dict[str, Any] | None = ask("What the workflow is given.", example={"limit": 500}, default=None)


class RunReason(Ask):
    reason: str | None = ask(
        "Why; kept in the history.", option="--message,-m", metavar="TEXT", rules=_REASON, default=None
    )


class RunToCancel(Ask):
    reason: str = ask("Why; kept in the history.", option="--message,-m", metavar="TEXT", rules=_REASON)
    compensates: bool = ask(
        "Whether what was done is taken back.", option="--compensate/--leave", example=True, default=True
    )


class StepToRetry(Ask):
    step: str = ask("From which step.", option="--from", metavar="STEP", rules=_STEP, example="read")


class StepToSkip(Ask):
    step: str = ask("Which step.", argument=True, metavar="STEP", rules=_STEP, example="read")
    reason: str = ask("Why; kept in the history.", option="--message,-m", metavar="TEXT", rules=_REASON)


class SignalToSend(Ask):
    event: str = ask("The event it waits for.", rules=Rules(min_length=1, max_length=200), example="orders.paid")
    data: dict[str, Any] | None = ask("What it says.", example={"order": 7}, default=None)


def view_workflow(seen: "WorkflowSeen", viewer: Viewer) -> WorkflowView:
    return WorkflowView.of(seen.row, version=seen.row.newest, yaml=seen.yaml)


def view_run(seen: "RunSeen", viewer: Viewer) -> WorkflowRunView:
    run = seen.run
    return WorkflowRunView.of(
        run,
        workflow=run.name,
        version=run.number,
        started_by=run.cause,
        input=seen.input,
        output=seen.output,
        reason=None if seen.reason is None else put(viewer.lang, seen.reason),
        reason_code=seen.reason_code,
        owner_name=put(viewer.lang, seen.who),
        next=seen.next,
        steps=[_view_step(step, viewer) for step in seen.steps],
    )


def _view_step(seen: "StepSeen", viewer: Viewer) -> WorkflowStepView:
    row, waiting = seen.row, seen.waiting
    return WorkflowStepView(
        name=seen.label,
        kind=seen.kind,
        state="planned" if row is None else row.state,
        why=None if waiting is None else waiting.why,
        waits_for="" if waiting is None else waiting.what,
        due_at=None if waiting is None else waiting.until,
        attempt=0 if row is None else row.attempt,
        open_items=None if row is None else row.open_items,
        input=seen.input,
        output=seen.output,
        error=None if seen.error is None else put(viewer.lang, seen.error),
        error_code=seen.error_code,
        opened_at=None if row is None else row.opened_at,
        started_at=None if row is None else row.started_at,
        ended_at=None if row is None else row.ended_at,
    )


WORKFLOW = Noun(
    "workflow",
    "workflows",
    AREA,
    WorkflowView,
    view=f"{__name__}:view_workflow",
    find=f"{_ROWS}:get_workflow",
    hold=f"{_ROWS}:hold_workflow",
    named=f"{_ROWS}:find_workflow",
    which="Its name, or its number.",
    get_help="Shows one workflow.",
    needs=("workflows", "reader"),
)
WORKFLOW.lists(
    "list_workflows",
    "Lists workflows by name.",
    f"{_ROWS}:list_workflows",
    columns=("id", "name", "title", "version", "open_runs", "failed_runs", "made_at"),
    empty=(
        "No workflows. Example: pabal flow import FILE.yaml",
        "워크플로우가 없습니다. 예: pabal flow import 파일.yaml",
    ),
    wanted=WorkflowFilter,
    is_short=True,
)
WORKFLOW.verb(
    "save",
    f"{_ROWS}:save_workflow",
    "Saves a workflow from YAML, as a new version where there is one of its name.",
    WorkflowToSave,
    operation="save_workflow",
    makes=True,
    in_commands=False,
)
WORKFLOW.verb(
    "start",
    f"{_ROWS}:start_run",
    "Starts a run in your name: your rights are asked for when each step runs.",
    RunToStart,
    operation="start_workflow",
    status=202,
    shows=WorkflowRunView,
    view=f"{__name__}:view_run",
    location="/workflow-runs/{id}",
    in_commands=False,
)
WORKFLOW.verb(
    "archive",
    f"{_ROWS}:archive_workflow",
    "Puts a workflow away: nothing starts it any more, its runs go on.",
    method="DELETE",
    answers_nothing=True,
    confirm=("Put the workflow away?", "워크플로우를 보관할까요?"),
)
WORKFLOW_RUN = Noun(
    "run",
    "runs",
    AREA,
    WorkflowRunView,
    view=f"{__name__}:view_run",
    find=f"{_ROWS}:get_run",
    hold=f"{_ROWS}:hold_run",
    named=f"{_ROWS}:find_run",
    path="/workflow-runs",
    called="workflow_run",
    which="Its number.",
    show_command="status",
    get_help="Shows one run with its steps.",
    columns=("id", "workflow", "version", "state", "reason", "owner_name", "next", "started_at", "ended_at", "output"),
    details={"steps": ("name", "state", "why", "waits_for", "attempt", "error", "ended_at")},
    needs=("workflows", "reader"),
)
WORKFLOW_RUN.lists(
    "list_workflow_runs",
    "Lists runs of workflows, the newest first.",
    f"{_ROWS}:list_runs",
    columns=("id", "workflow", "state", "progress", "reason", "started_at", "ended_at"),
    empty=("No runs. Example: pabal flow run NAME", "실행이 없습니다. 예: pabal flow run 이름"),
    wanted=RunFilter,
    command="runs",
)
WORKFLOW_RUN.verb("pause", f"{_ROWS}:pause_run", "What runs comes to its end; nothing new begins.", RunReason)
WORKFLOW_RUN.verb("resume", f"{_ROWS}:resume_run", "Lets a paused run go on.")
WORKFLOW_RUN.verb(
    "cancel", f"{_ROWS}:cancel_run", "Stops a run, and takes back what it did unless told otherwise.", RunToCancel
)
WORKFLOW_RUN.verb(
    "retry",
    f"{_ROWS}:retry_run",
    "Lets a failed or cancelled run go on: this step and all after it are done again.",
    StepToRetry,
)
WORKFLOW_RUN.verb(
    "skip", f"{_ROWS}:skip_step", "Skips an open step; what comes after it goes on without its result.", StepToSkip
)
WORKFLOW_RUN.verb(
    "again",
    f"{_ROWS}:run_again",
    "Starts a new run of the same version, with another input where one is given.",
    RunToStart,
    operation="run_workflow_again",
    status=202,
    location="/workflow-runs/{id}",
    shows=WorkflowRunView,
    view=f"{__name__}:view_run",
    in_commands=False,
)
WORKFLOW_RUN.verb(
    "signal",
    f"{_ROWS}:send_signal",
    "Tells this run that an event has come.",
    SignalToSend,
    operation="signal_workflow_run",
    in_commands=False,
)
STEP_KIND = Noun(
    "step-kind",
    "step-kinds",
    AREA,
    StepKindView,
    view=f"{_ROWS}:view_kind",
    path="/workflow-step-kinds",
    called="workflow_step_kind",
    needs=("workflows",),
)
STEP_KIND.lists(
    "list_workflow_step_kinds",
    "Lists what a step of a workflow may do here.",
    f"{_ROWS}:list_kinds",
    columns=("name", "title", "effects"),
    empty=("No kinds of steps.", "단계 종류가 없습니다."),
    is_short=True,
    of_house=True,
    command="kinds",
)
