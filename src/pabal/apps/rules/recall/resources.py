"""Remembered cases, described once: REST and the command line follow."""

from datetime import datetime

from pabal.apps.rules.recall.model import AREA, LONGEST_ANSWER, LONGEST_REQUEST, Case, CaseKind, Recalled, Standing
from pabal.platform.language.pairs import Pair
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, Rules, View, Viewer, ask, field

APP = "pabal.apps.rules.recall"
_ACTIONS, _STORE, _FINDING = f"{APP}.actions", f"{APP}.store", f"{APP}.finding"
_FIND_UNIT = "pabal.platform.commands.options:find_unit_id"
_REQUEST, _ANSWER = Rules(min_length=1, max_length=LONGEST_REQUEST), Rules(min_length=1, max_length=LONGEST_ANSWER)


KINDS: dict[str, Pair] = {"script": ("Script", "스크립트"), "plan": ("Workflow", "워크플로우")}


class CaseView(View):
    """A request and an answer that was good; the nearest are shown to the language model as examples. What looked like
    a secret was taken out before it was kept. `score` and `words` say why one is near, where somebody asked that."""

    id: int = field(("ID", "번호"), example=7)
    request: str = field(("Request", "요청"), example="환율이 1,400원을 넘으면 알려줘")
    kind: str = field(("Kind", "종류"), words=KINDS, example="plan")
    standing: str = field(("Use", "사용"), status="recall_case", example="pinned")
    score: float | None = field(("Score", "가까움"), description="From 0 to 1.", example=0.91)
    words: list[str] = field(("Shared words", "같은 낱말"), example=["환율이", "알려줘"])
    succeeded: int = field(("Succeeded", "성공"), description="Runs of its plan, since the first good one.", example=4)
    failed: int = field(("Failed", "실패"), example=1)
    last_run_at: datetime | None = field(("Last run", "마지막 실행"))
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    answer: str = field(("Answer", "답"), example="=== fx/alert.py\n")
    created_at: datetime = field(("Remembered", "기억한 때"))
    created_by: str = field(("By", "등록한 사람"), example="user:12")


def view_case(found: Case | Recalled, viewer: Viewer) -> CaseView:
    if isinstance(found, Recalled):
        return CaseView.of(found.case, score=round(found.score, 3), words=list(found.words))
    return CaseView.of(found, score=None, words=[])


class CaseFilter(Filter):
    near: str | None = ask(
        "The five nearest to this request by its words, and why.", rules=Rules(max_length=LONGEST_REQUEST), default=None
    )
    kind: CaseKind | None = ask(
        "Scripts or workflows; the nearest to a request are scripts unless this says otherwise.",
        example="plan",
        default=None,
    )
    standing: list[Standing] = ask("Only of these.", example=["pinned"], default_factory=list)
    q: str | None = ask("A part of the request.", option="--find", default=None)


class CaseToTeach(Ask):
    """Without a unit it is your own's."""

    request: str = ask(
        "What was asked for.", argument=True, metavar="REQUEST", rules=_REQUEST, example="환율이 오르면 알려줘"
    )
    answer: str = ask(
        "What was a good answer: the files of a script, as `pabal rule draft` writes them, or the YAML of a workflow. "
        "@FILE reads it there.",
        option="--answer",
        metavar="TEXT",
        find=f"{_FINDING}:read_answer",
        rules=_ANSWER,
        example="=== fx/alert.py\n",
    )
    kind: CaseKind = ask("What the answer is.", example="script", default=CaseKind.SCRIPT)
    unit_id: int | None = ask(
        "Whose it is.", option="--org", metavar="UNIT", find=_FIND_UNIT, rules=ROW_ID, example=3, default=None
    )


_COLUMNS = ("id", "request", "kind", "standing", "score", "words", "succeeded", "failed", "unit_id", "created_at")
CASE = Noun(
    "case",
    "cases",
    AREA,
    CaseView,
    view=f"{__name__}:view_case",
    find=f"{_STORE}:get_case",
    hold=f"{_STORE}:hold_case",
    named=f"{_FINDING}:find_case",
    words=f"{APP}.labels:STATUS",
    columns=(*_COLUMNS, "last_run_at", "answer", "created_by"),
    get_help="Shows one remembered case.",
)
CASE.lists(
    "list_cases",
    "Lists remembered cases, the newest first; or those nearest to a request.",
    f"{_FINDING}:list_cases",
    columns=_COLUMNS,
    empty=(
        "No cases. Example: pabal rule case new '…' --answer @draft.txt",
        "사례가 없습니다. 예: pabal rule case new '…' --answer @draft.txt",
    ),
    wanted=CaseFilter,
)
CASE.verb(
    "teach",
    f"{_ACTIONS}:teach_case",
    "Teaches a case: a request, and an answer that was good.",
    CaseToTeach,
    makes=True,
    command="new",
)
CASE.verb("pin", f"{_ACTIONS}:pin_case", "Puts a case first whenever it is near a request at all.")
CASE.verb("ban", f"{_ACTIONS}:ban_case", "Never shows a case to a language model again.")
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
