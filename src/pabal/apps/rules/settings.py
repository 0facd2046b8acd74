"""What an operator may change at run time: how long runs are kept. `skills.settings` has sources and models."""

from datetime import timedelta

from pabal.platform.language.pairs import Pair
from pabal.platform.settings import Setting

_KEEPING: Pair = ("Rules: keeping", "룰: 보관")

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
ALL = (KEEP_RUNS,)
