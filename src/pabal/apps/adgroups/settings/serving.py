"""How often what ad servers read is compared with the database."""

from datetime import UTC, datetime, timedelta

from pabal.engine.recurrence import Interval
from pabal.platform.language.pairs import Pair
from pabal.platform.settings import Setting

ANCHOR = datetime(2024, 1, 1, tzinfo=UTC)
SERVING: Pair = ("Ad groups: serving", "광고그룹: 광고 서버")


def as_interval(every: timedelta) -> Interval:
    """Raises BadInterval for parts of a second."""
    return Interval(every, ANCHOR)


CHECK_EVERY = Setting(
    key="adgroups.serving_check_every",
    default=timedelta(minutes=5),
    least=timedelta(seconds=30),
    most=timedelta(days=1),
    label=("Time between checks of what ad servers read", "광고 서버용 데이터 점검 간격"),
    help=(
        "How often Redis is compared with the database; what differs is mended and reported.",
        "Redis와 데이터베이스를 이 간격으로 견주어, 다른 것은 고치고 알립니다.",
    ),
    group=SERVING,
    requirement="E-71",
    check=as_interval,
)
