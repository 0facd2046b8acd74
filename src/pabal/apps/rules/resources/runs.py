"""Runs of rules, under the requirement's name: rule executions."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pabal.apps.rules.labels import REASONS, TRIGGERS
from pabal.apps.rules.model.rules import AREA, Run
from pabal.apps.rules.resources.names import (
    APP,
    FINDING,
    READINGS,
    ROWS,
    RULE_EXAMPLE,
    RUN_EXAMPLE,
    STATUS_WORDS,
    RunStatus,
)
from pabal.platform.resources import Ask, Filter, Noun, View, Viewer, ask, field

_STORE = f"{APP}.store.runs"


class RuleExecutionView(View):
    """One run of a rule. `status` is running, success or failure; `reason` says more where there is more to say.

    `captured` is what its callbacks sent; of a dry run, what they would have sent.
    """

    id: str = field(("ID", "ID"), example=RUN_EXAMPLE)
    rule_id: str = field(("Rule ID", "룰 ID"), example=RULE_EXAMPLE)
    rule_name: str = field(("Rule", "룰"), example="Apple 주가 $200 돌파 알림")
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    status: str = field(("Status", "상태"), status="rule_run", example="success")
    reason: str | None = field(("Reason", "사유"), words=REASONS, example=None)
    trigger: str = field(("Trigger", "실행 방법"), words=TRIGGERS, example="schedule")
    is_dry: bool = field(("Dry run", "시험 실행"), example=False)
    scheduled_at: datetime = field(("Planned", "예정 시각"), description="The moment it stands for.")
    executed_at: datetime = field(("Started", "시작"))
    finished_at: datetime | None = field(("Ended", "끝"))
    exit_code: int | None = field(("Exit code", "종료 코드"), example=None)
    attempt: int = field(("Attempt", "시도"), example=1)
    commit: str | None = field(("Commit", "커밋"), description="Of the script's repository.", example=None)
    dirty: dict[str, str] = field(
        ("Uncommitted", "커밋하지 않은 파일"),
        description="Files that ran as they were in the folder, not in the commit, each with its SHA-256.",
        example={},
    )
    log_summary: str = field(("Summary", "요약"), example="5개 기사 요약 완료")
    artifact_path: str | None = field(("Artifact", "결과 파일"), example=None)
    artifacts: list[dict[str, Any]] = field(
        ("Files", "결과 파일 목록"),
        description="Files that it made, each with its name, size, type and where programs get it.",
        example=[],
    )
    artifacts_until: datetime | None = field(
        ("Files until", "파일 보관 기한"), description="When they are deleted. Null: with the run."
    )
    met: bool | None = field(
        ("Condition met", "조건 충족"), description="Null: the rule has no condition, or it failed.", example=True
    )
    checks: list[dict[str, Any]] = field(
        ("Compared", "비교한 값"),
        description="What the condition compared.",
        example=[{"path": "price", "op": ">=", "wanted": 200, "found": 212.4, "met": True}],
    )
    captured: list[dict[str, Any]] = field(
        ("Sent", "보낸 것"),
        example=[{"type": "telegram", "is_due": True, "is_sent": True, "text": "AAPL 212.4", "to": "운영 알림"}],
    )
    tokens: int = field(("Tokens", "토큰"), description="Of a language model.", example=0)
    cost: float = field(("Cost ($)", "비용($)"), example=0.0)
    count: int = field(("Moments", "횟수"), description="More than one where several were missed together.", example=1)


def view_run(run: Run, viewer: Viewer) -> RuleExecutionView:
    return RuleExecutionView.of(
        run,
        id=str(run.id),
        rule_id=str(run.rule_id),
        status=run.state.value,
        reason=None if run.reason is None else run.reason.value,
        trigger=run.trigger.value,
        artifacts=[_show_artifact(one) for one in run.artifacts],
    )


def _show_artifact(one: dict[str, Any]) -> dict[str, Any]:
    shown = {name: one[name] for name in ("id", "name", "media_type", "size")}
    return {**shown, "path": f"/api/v1/files/{one['id']}/content"}


class ExecutionFilter(Filter):
    rule_id: UUID | None = ask(
        "Only of this rule.", option="--rule", find=f"{FINDING}:find_rule_id", example=RULE_EXAMPLE, default=None
    )
    status: RunStatus | None = ask("Only with this status.", example="failure", default=None)
    reason: str | None = ask("Only with this reason: timeout, missed, skipped_overlap.", example="missed", default=None)
    since: datetime | None = ask("Only what started from then on.", default=None)
    until: datetime | None = ask("Only what started before.", default=None)


class RunCancelling(Ask):
    reason: str | None = ask(
        "Why; kept in the audit.", option="--message,-m", metavar="TEXT", example="Wrong topic.", default=None
    )


_COLUMNS = (
    "id",
    "rule_name",
    "status",
    "reason",
    "trigger",
    "scheduled_at",
    "executed_at",
    "finished_at",
    "log_summary",
)
EXECUTION = Noun(
    "execution",
    "executions",
    AREA,
    RuleExecutionView,
    view=f"{__name__}:view_run",
    find=f"{_STORE}:get_run",
    hold=f"{_STORE}:hold_run",
    named=f"{FINDING}:find_run",
    reads_key=f"{READINGS}:RunId",
    words=STATUS_WORDS,
    path="/rule-executions",
    which="Its id.",
    called="rule_execution",
    get_help="Shows one run of a rule.",
    title="rule_name",
)
EXECUTION.lists(
    "list_rule_executions",
    "Lists runs of rules, the newest first.",
    f"{ROWS}:list_runs",
    columns=_COLUMNS,
    empty=("No runs. Example: pabal rule run RULE", "실행이 없습니다. 예: pabal rule run 룰"),
    wanted=ExecutionFilter,
)
EXECUTION.verb(
    "cancel",
    f"{APP}.actions.runs:cancel_run",
    "Cancels a run: what waits is not begun, what runs is stopped.",
    RunCancelling,
    status=202,
)
EXECUTION.on_many("cancel", ("Cancel", "취소"), labels={"reason": ("Reason", "사유")}, is_grave=True)
