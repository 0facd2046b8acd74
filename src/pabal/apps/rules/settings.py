"""What an operator may change at run time: how long runs and their files are kept. `skills.settings` has sources and models."""

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
KEEP_ARTIFACTS = Setting(
    key="rules.keep_artifacts",
    default=timedelta(days=30),
    least=timedelta(days=1),
    most=timedelta(days=3650),
    label=("Keep files of runs for", "결과 파일 보관 기간"),
    help=(
        "Files that scripts made are deleted after that, once a day. A rule may have its own time.",
        "스크립트가 만든 파일은 이 기간이 지나면 하루에 한 번 지웁니다. 룰마다 따로 정할 수 있습니다.",
    ),
    group=_KEEPING,
    requirement="D-93",
)
ALL = (KEEP_RUNS, KEEP_ARTIFACTS)
