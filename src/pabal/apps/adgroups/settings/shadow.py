"""How the old calculator is watched while both ways run."""

from datetime import timedelta

from pabal.apps.adgroups.settings.life import MIGRATION
from pabal.platform.settings import Setting

COMPARE = Setting(
    key="adgroups.compare",
    default=True,
    label=("Compare both ways", "두 방식 비교"),
    help=(
        "What the old calculator says is compared with the stored state. Switch it off once the calculator is gone.",
        "예전 계산기의 상태를 저장된 상태와 비교합니다. 계산기를 더 쓰지 않으면 끄세요.",
    ),
    group=MIGRATION,
    requirement="E-81",
)
COMPARE_EVERY = Setting(
    key="adgroups.compare_every",
    default=timedelta(minutes=5),
    least=timedelta(seconds=15),
    most=timedelta(days=1),
    label=("Time between comparisons", "비교 간격"),
    help=(
        "So long after all open ad groups were compared it begins again.",
        "열린 광고그룹을 모두 비교한 뒤 이만큼 지나면 다시 시작합니다.",
    ),
    group=MIGRATION,
    requirement="E-83",
)
