"""What an operator may change at run time: every number the seed states, with its default."""

from datetime import UTC, datetime, timedelta

from pabal.apps.adgroups.model.adgroups import Event
from pabal.base.errors import Invalid
from pabal.engine.recurrence import Interval
from pabal.platform.language.pairs import Pair
from pabal.platform.settings import Setting

LIFE: Pair = ("Ad groups: life", "광고그룹: 수명")
MIGRATION: Pair = ("Ad groups: migration", "광고그룹: 전환")
ANCHOR = datetime(2024, 1, 1, tzinfo=UTC)
SERVING: Pair = ("Ad groups: serving", "광고그룹: 광고 서버")


class BadEvents(Invalid, code="bad_events"):
    """Name events of ad groups, separated by commas: start, expire, reject, pause."""


def read_events(text: str) -> tuple[Event, ...]:
    names = [name.strip().lower() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in set(Event)]
    if unknown:
        raise BadEvents(", ".join(unknown))
    return tuple(dict.fromkeys(Event(name) for name in names))


def as_interval(every: timedelta) -> Interval:
    """Raises BadInterval for parts of a second."""
    return Interval(every, ANCHOR)


STRICT_MATRIX = Setting(
    key="adgroups.strict_matrix",
    default=False,
    label=("Only the seed's matrix", "전이 매트릭스 그대로"),
    help=(
        "On: only a running ad group can be paused. Off: one that waits for its start or its hours can be, too.",
        "켜면 송출중일 때만 멈출 수 있습니다. 끄면 시작이나 시간대를 기다리는 광고그룹도 멈출 수 있습니다.",
    ),
    group=LIFE,
    requirement="E-33",
)
APPROVERS = Setting(
    key="adgroups.approvers",
    default=1,
    label=("People who must approve", "승인할 사람 수"),
    help=(
        "With 2, two different people must approve an ad group, and neither may be the one who asked. One no ends it.",
        "2면 서로 다른 두 사람이 승인해야 하고, 요청한 사람은 셀 수 없습니다. 한 사람이라도 반려하면 끝납니다.",
    ),
    group=LIFE,
    least=1,
    most=2,
)
TOLD = Setting(
    key="adgroups.told",
    default="start, expire, reject, pause",
    label=("Events people are told of", "알리는 이벤트"),
    help=(
        "A notification for each of these, to the ad group's organisation. Empty: for none.",
        "이 이벤트가 생기면 광고그룹의 조직에 알립니다. 비우면 알리지 않습니다.",
    ),
    group=LIFE,
    requirement="E-74",
    check=read_events,
)
LATE_AFTER = Setting(
    key="adgroups.late_after",
    default=timedelta(seconds=10),
    least=timedelta(seconds=1),
    most=timedelta(hours=1),
    label=("A delayed event is late after", "지연 이벤트가 늦었다고 보는 때"),
    help=("Then an alert fires.", "그러면 알람이 울립니다."),
    group=LIFE,
    requirement="E-101",
)
ONE_TRANSACTION_ROWS = Setting(
    key="adgroups.one_transaction_rows",
    default=10_000,
    least=0,
    most=1_000_000,
    label=("Rows migrated in one transaction", "한 트랜잭션으로 옮기는 행"),
    help=(
        "Up to so many rows a migration is one transaction; more are done in batches with checkpoints.",
        "이 수까지는 한 트랜잭션으로 옮기고, 더 많으면 나누어 옮기며 어디까지 했는지 적습니다.",
    ),
    group=MIGRATION,
    seed="@Transactional",
    requirement="E-89",
)


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

ALL = (STRICT_MATRIX, APPROVERS, TOLD, LATE_AFTER, ONE_TRANSACTION_ROWS, CHECK_EVERY, COMPARE, COMPARE_EVERY)
