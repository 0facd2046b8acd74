"""How ad groups live: the matrix, who is told, when a delayed event is late, how a migration commits."""

from datetime import timedelta

from pabal.apps.adgroups.model.adgroups import Event
from pabal.base.errors import Invalid
from pabal.platform.language.pairs import Pair
from pabal.platform.settings import Setting

LIFE: Pair = ("Ad groups: life", "광고그룹: 수명")
MIGRATION: Pair = ("Ad groups: migration", "광고그룹: 전환")


class BadEvents(Invalid):
    """Name events of ad groups, separated by commas: start, expire, reject, pause."""


def read_events(text: str) -> tuple[Event, ...]:
    names = [name.strip().lower() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in set(Event)]
    if unknown:
        raise BadEvents(", ".join(unknown))
    return tuple(dict.fromkeys(Event(name) for name in names))


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
