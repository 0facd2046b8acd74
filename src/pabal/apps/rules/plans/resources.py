"""Plans, described once: REST and the command line follow."""

from datetime import datetime
from typing import TYPE_CHECKING

from pabal.apps.rules.plans.labels import DOORS
from pabal.apps.rules.plans.model import AREA, LONGEST_REMARK, LONGEST_REQUEST, ModelUse, PlanState
from pabal.apps.rules.skills.errors import LONGEST_MODEL
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, Rules, View, Viewer, ask, field

if TYPE_CHECKING:
    from pabal.apps.rules.plans.finding import PlanSeen

APP = "pabal.apps.rules.plans"
_ACTIONS, _FINDING = f"{APP}.actions", f"{APP}.finding"
_FIND_UNIT = "pabal.platform.commands.options:find_unit_id"
_MODEL = Rules(max_length=LONGEST_MODEL)
_YAML = Rules(min_length=1, max_length=200_000)


class PlanExampleView(View):
    """A remembered case that the language model was shown, and why it was chosen."""

    case: int = field(("Case", "사례"), example=7)
    score: float = field(("Score", "가까움"), description="From 0 to 1.", example=0.91)
    words: list[str] = field(("Shared words", "같은 낱말"), example=["뉴스", "요약해서"])
    why: list[str] = field(
        ("Why", "고른 까닭"), description="`words`: it shares words; `meaning`: it means the same.", example=["words"]
    )


class PlanAnswerView(View):
    """What the language model took for one answer, and the checker's sentences where it could not be used."""

    number: int = field(("No.", "번호"), example=1)
    model: str = field(("Model", "모델"), example="gemini-2.5-pro")
    tokens_in: int = field(("Tokens in", "입력 토큰"), example=3120)
    tokens_out: int = field(("Tokens out", "출력 토큰"), example=1044)
    cost: float = field(("Cost ($)", "비용($)"), example=0.021)
    is_estimated: bool = field(("Estimated", "어림값"), example=False)
    mistakes: list[str] = field(("Mistakes", "잘못"), example=[])
    at: datetime = field(("Time", "시각"))


class PlanView(View):
    """A request in words and the workflow proposed for it. Nothing of it runs before somebody approves it in the inbox;
    then `workflow_id` and `run_id` are what it became."""

    id: int = field(("No.", "번호"), example=77)
    state: str = field(("State", "상태"), status="plan", is_told=True, example="proposed")
    request: str = field(("Request", "요청"), example="지난주 AI 뉴스 요약해서 보고서 만들어줘")
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    door: str = field(("Asked by way of", "요청한 곳"), words=DOORS, example="telegram")
    asked_by: str = field(("Asked by", "요청한 사람"), example="user:3")
    written_by: str = field(("Written by", "만든 쪽"), example="model:gemini-2.5-pro")
    yaml: str = field(("YAML", "YAML"), description="The workflow as it would be saved.", example="name: news_77\n…")
    rights: list[str] = field(
        ("Rights", "필요한 권한"), description="Whoever approves it has them.", example=["rules:write"]
    )
    steps: int = field(("Steps", "단계"), example=4)
    calls: int = field(("Calls at most", "최대 호출"), example=8)
    effects: dict[str, int] = field(("Effects", "영향"), example={"network": 2, "files": 1, "messages": 1})
    problem: str = field(("Problem", "문제"), example="")
    model: str = field(
        ("Chosen model", "고른 모델"), description="Empty: the one of the settings.", example="gemini-2.5-flash"
    )
    remark: str = field(("Remark", "바꿀 점"), example="")
    tokens: int = field(("Tokens", "토큰"), description="Of all answers together.", example=4164)
    cost: float = field(("Cost ($)", "비용($)"), description="Of all answers together.", example=0.021)
    workflow_id: int | None = field(("Workflow", "워크플로우"), example=12)
    run_id: int | None = field(("Run", "실행"), example=31)
    decided_by: str | None = field(("Decided by", "결정한 사람"), example="user:3")
    created_at: datetime = field(("Asked", "요청한 때"))
    examples: list[PlanExampleView] = field(("Cases shown", "참고한 사례"))
    answers: list[PlanAnswerView] = field(("Answers", "모델의 답"))


class ModelUseView(View):
    """What a language model took for plans in the last 30 days."""

    model: str = field(("Model", "모델"), example="gemini-2.5-pro")
    plans: int = field(("Plans", "계획"), example=4)
    answers: int = field(("Answers", "답"), example=6)
    tokens_in: int = field(("Tokens in", "입력 토큰"), example=18_200)
    tokens_out: int = field(("Tokens out", "출력 토큰"), example=5_400)
    cost: float = field(("Cost ($)", "비용($)"), example=0.12)
    is_estimated: bool = field(("Estimated", "어림값"), example=False)


def view_plan(seen: "PlanSeen", viewer: Viewer) -> PlanView:
    plan, cost = seen.plan, seen.plan.reckoned
    return PlanView.of(
        plan,
        rights=list(plan.rights),
        steps=cost.steps,
        calls=cost.calls,
        effects=dict(cost.effects),
        tokens=seen.tokens,
        cost=float(seen.cost),
        examples=[PlanExampleView(**{"why": ["words"], **one}) for one in plan.examples],
        answers=[PlanAnswerView.of(one, cost=float(one.cost), mistakes=list(one.mistakes)) for one in seen.answers],
    )


def view_use(use: ModelUse, viewer: Viewer) -> ModelUseView:
    return ModelUseView.of(use, cost=float(use.cost))


class PlanFilter(Filter):
    state: list[PlanState] = ask("Only in these states.", example=["proposed"], default_factory=list)
    q: str | None = ask("A part of the request.", option="--find", default=None)


class PlanToRequest(Ask):
    """With `yaml` no language model is asked: it is checked at once, and proposed as it is."""

    request: str = ask(
        "What shall be done, in your words.",
        argument=True,
        metavar="REQUEST",
        rules=Rules(min_length=1, max_length=LONGEST_REQUEST),
        example="지난주 AI 뉴스 요약해서 보고서 만들어줘",
    )
    yaml: str | None = ask(
        "A workflow that was planned already. @FILE reads it there.",
        option="--yaml",
        metavar="TEXT",
        find=f"{_FINDING}:read_yaml",
        rules=_YAML,
        default=None,
    )
    model: str = ask(
        "The language model that writes it, instead of the one of the settings. Takes the right to change rules.",
        option="--model",
        metavar="MODEL",
        rules=_MODEL,
        example="gemini-2.5-flash",
        default="",
    )
    unit_id: int | None = ask(
        "Whose it is.", option="--org", metavar="UNIT", find=_FIND_UNIT, rules=ROW_ID, example=3, default=None
    )


class PlanChange(Ask):
    yaml: str = ask(
        "The workflow as it shall be. @FILE reads it there.",
        option="--yaml",
        metavar="TEXT",
        find=f"{_FINDING}:read_yaml",
        rules=_YAML,
        example="name: news\nsteps: …\n",
    )


class PlanToRedo(Ask):
    remark: str = ask(
        "What is wanted otherwise.",
        option="--message,-m",
        metavar="TEXT",
        rules=Rules(max_length=LONGEST_REMARK),
        example="Only articles of the last three days.",
        default="",
    )
    model: str = ask(
        "The language model that writes it, instead of the one before. Takes the right to change rules.",
        option="--model",
        metavar="MODEL",
        rules=_MODEL,
        example="gemini-2.5-flash",
        default="",
    )


_COLUMNS = ("id", "state", "request", "unit_id", "door", "steps", "tokens", "created_at")
_MORE: tuple[str, ...] = (
    *("asked_by", "written_by", "rights", "calls", "effects", "problem", "remark", "model", "cost"),
    *("workflow_id", "run_id", "decided_by", "yaml"),
)
PLAN = Noun(
    "plan",
    "plans",
    AREA,
    PlanView,
    view=f"{__name__}:view_plan",
    find=f"{_FINDING}:get_plan",
    hold=f"{_FINDING}:hold_plan",
    named=f"{_FINDING}:find_plan",
    words=f"{APP}.labels:STATUS",
    which="Its number.",
    columns=(*_COLUMNS, *_MORE),
    details={
        "examples": ("case", "score", "why", "words"),
        "answers": ("number", "model", "tokens_in", "tokens_out", "cost", "mistakes", "at"),
    },
    get_help="Shows one plan: the workflow, what it may cost, and how it was drafted.",
    needs=("workflows", "reader"),
)
PLAN.lists(
    "list_plans",
    "Lists plans, the newest first. With a token that may only propose: its own.",
    f"{_FINDING}:list_plans",
    columns=_COLUMNS,
    empty=(
        "No plans. Example: pabal plan '지난주 AI 뉴스 요약해서 보고서 만들어줘'",
        "계획이 없습니다. 예: pabal plan '지난주 AI 뉴스 요약해서 보고서 만들어줘'",
    ),
    wanted=PlanFilter,
)
PLAN.verb(
    "request",
    f"{_FINDING}:request_plan",
    "Asks for a plan in words; a language model drafts a workflow, and a person decides whether it runs.",
    PlanToRequest,
    makes=True,
    command="new",
)
PLAN.verb(
    "edit",
    f"{_FINDING}:edit_plan",
    "Changes the proposed workflow; the inbox asks again.",
    PlanChange,
    method="PATCH",
)
PLAN.verb("withdraw", f"{_FINDING}:withdraw_plan", "Takes a plan back before it is decided.")
PLAN.verb("redo", f"{_FINDING}:redo_plan", "Has a plan drafted again.", PlanToRedo)
MODEL_USE = Noun(
    "plan-model",
    "plan-models",
    "rules",
    ModelUseView,
    view=f"{__name__}:view_use",
)
MODEL_USE.lists(
    "list_plan_models",
    "Lists what each language model took for plans in the last 30 days, the dearest first.",
    f"{_FINDING}:list_models",
    columns=("model", "plans", "answers", "tokens_in", "tokens_out", "cost", "is_estimated"),
    empty=("No language model was asked for a plan.", "계획을 만들려고 부른 언어 모델이 없습니다."),
    is_short=True,
    command="models",
)
