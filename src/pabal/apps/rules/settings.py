"""What an operator may change at run time: how long runs are kept, and what a language model costs."""

from datetime import timedelta

from pabal.platform.language.pairs import Pair
from pabal.platform.settings import Setting

_KEEPING: Pair = ("Rules: keeping", "룰: 보관")
_MODEL: Pair = ("Rules: language model", "룰: 언어 모델")

KEEP_RUNS = Setting(
    key="rules.keep_runs",
    default=timedelta(days=30),
    least=timedelta(days=1),
    most=timedelta(days=3650),
    label=("Keep runs for", "실행 기록 보관 기간"),
    help=("Runs that ended longer ago are deleted once a day.", "끝난 지 이보다 오래된 실행은 하루에 한 번 지웁니다."),
    group=_KEEPING,
    seed="30일",
    requirement="D-95",
)
TOKEN_PRICE = Setting(
    key="rules.token_price",
    default=0.0,
    least=0.0,
    most=1000.0,
    label=("Price of a million tokens", "토큰 백만 개의 가격"),
    help=(
        "In dollars. Each run says how many tokens it took, and what they cost.",
        "달러 기준입니다. 실행마다 쓴 토큰 수와 비용을 남깁니다.",
    ),
    group=_MODEL,
    requirement="D-09",
)
ALL = (KEEP_RUNS, TOKEN_PRICE)
