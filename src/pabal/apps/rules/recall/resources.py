"""Remembered cases, described once: REST and the command line follow."""

from datetime import datetime

from pabal.apps.rules.recall.model import AREA, Standing
from pabal.platform.resources import Filter, Noun, View, ask, field

APP = "pabal.apps.rules.recall"
_ACTIONS, _STORE, _FINDING = f"{APP}.actions", f"{APP}.store", f"{APP}.finding"


class CaseView(View):
    """A request that became a workflow and went well; the nearest are shown to the planner as examples. What looked
    like a secret was taken out before it was kept."""

    id: int = field(("ID", "번호"), example=7)
    request: str = field(("Request", "요청"), example="어제 AI 뉴스 요약해서 보내 줘")
    standing: str = field(("Use", "사용"), status="recall_case", example="pinned")
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    runs: int = field(("Runs", "실행"), example=14)
    successes: int = field(("Successes", "성공"), example=14)
    workflow: str = field(("Workflow", "워크플로우"), description="As YAML.", example="name: news\n")
    created_at: datetime = field(("Remembered", "기억한 때"))
    created_by: str = field(("By", "만든 사람"), example="user:12")


class CaseFilter(Filter):
    standing: list[Standing] = ask("Only of these.", example=["pinned"], default_factory=list)
    q: str | None = ask("A part of the request.", option="--find", default=None)


_COLUMNS = ("id", "request", "standing", "unit_id", "runs", "successes", "created_at")
CASE = Noun(
    "case",
    "cases",
    AREA,
    CaseView,
    find=f"{_STORE}:get_case",
    hold=f"{_STORE}:hold_case",
    named=f"{_FINDING}:find_case",
    words=f"{APP}.labels:STATUS",
    columns=(*_COLUMNS, "workflow", "created_by"),
    get_help="Shows one remembered case.",
)
CASE.lists(
    "list_cases",
    "Lists remembered cases, the newest first.",
    f"{_FINDING}:list_cases",
    columns=_COLUMNS,
    empty=(
        "No cases. A plan is remembered when the workflow it became has run well.",
        "사례가 없습니다. 계획으로 만든 워크플로우가 성공하면 사례로 기억합니다.",
    ),
    wanted=CaseFilter,
)
CASE.verb("pin", f"{_ACTIONS}:pin_case", "Puts a case first whenever it is near a request at all.")
CASE.verb("ban", f"{_ACTIONS}:ban_case", "Never shows a case to the planner again.")
CASE.verb("reset", f"{_ACTIONS}:reset_case", "Lets a case be used as others are: neither pinned nor banned.")
CASE.verb(
    "forget",
    f"{_ACTIONS}:forget_case",
    "Deletes a case for good.",
    method="DELETE",
    answers_nothing=True,
    status=204,
    confirm=("Forget this case? Its text is deleted.", "이 사례를 지울까요? 내용도 함께 지워집니다."),
)
