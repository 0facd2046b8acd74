"""What an operator may change at run time about plans; models, prices and calls a day are those of the skills."""

from datetime import timedelta

from pabal.platform.language.pairs import Pair
from pabal.platform.settings import Setting

_PLANS: Pair = ("Rules: plans", "룰: 계획")

MOST_ANSWERS = Setting(
    key="rules.plan_answers",
    default=3,
    least=1,
    most=10,
    label=("Answers of a model for one plan", "계획 하나에 모델을 부르는 횟수"),
    help=(
        "The first answer, and those that correct it with the checker's sentences. After that the plan has failed.",
        "첫 답과, 검사에서 찾은 잘못을 알려 주고 다시 받는 답을 더한 수입니다. 그래도 안 되면 계획은 실패합니다.",
    ),
    group=_PLANS,
    requirement="D-41",
)
MOST_EXAMPLES = Setting(
    key="rules.plan_examples",
    default=3,
    least=0,
    most=5,
    label=("Cases shown to the model", "모델에게 보여 줄 사례 수"),
    help=(
        "The nearest of the cases that the asker may see. 0: none.",
        "요청한 사람이 볼 수 있는 사례 가운데 가까운 순서입니다. 0이면 보여 주지 않습니다.",
    ),
    group=_PLANS,
    requirement="D-42",
)
DECIDE_WITHIN = Setting(
    key="rules.plan_decide_within",
    default=timedelta(days=3),
    least=timedelta(minutes=10),
    most=timedelta(days=30),
    label=("Time to decide a plan", "계획을 결정할 수 있는 시간"),
    help=("After that it has expired, and can be drafted again.", "지나면 만료되며, 다시 만들 수 있습니다."),
    group=_PLANS,
    requirement="D-44",
)
ALL = (MOST_ANSWERS, MOST_EXAMPLES, DECIDE_WITHIN)
