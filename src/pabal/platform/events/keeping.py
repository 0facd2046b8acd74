"""How long events are kept, what is measured of consumers, and when somebody is told."""

from collections.abc import Sequence
from datetime import timedelta

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.platform import settings
from pabal.platform.alerts.model import AlertRule, Level, Measure, Reading
from pabal.platform.events import places
from pabal.platform.events.model import AREA
from pabal.platform.language.pairs import Pair
from pabal.platform.settings import Setting

SQL = load(__file__)
BATCH = 10_000
GROUP: Pair = ("Events", "이벤트")

KEEP_EVENTS = Setting(
    key="events.keep",
    default=timedelta(days=30),
    least=timedelta(days=1),
    most=timedelta(days=3650),
    label=("Keep events", "이벤트 보관"),
    help=(
        "How long events stay in the log. What a consumer has not taken yet and dead letters stay longer. An event "
        "whose id comes again later than this counts as new.",
        "이벤트를 기록에 남겨 두는 기간입니다. 소비자가 아직 받지 않은 것과 처리하지 못한 것은 더 남습니다. "
        "이보다 늦게 같은 id로 온 이벤트는 새 이벤트로 봅니다.",
    ),
    group=GROUP,
    requirement="D-37",
)
SETTINGS = (KEEP_EVENTS,)


async def forget_once(database: Database) -> int:
    """Events past their time, up to 10,000, with what remembers that they were done."""
    async with database.transaction() as tx:
        before = tx.now - await settings.value(tx, KEEP_EVENTS)
        forgotten: int = await tx.value(SQL.forget_events, before=before, batch=BATCH)
    return forgotten if forgotten == BATCH else 0


async def read_lag(tx: Tx) -> Sequence[Reading] | None:
    """Of each consumer that is not paused: the age of the first event it has not taken."""
    found = await places.list_consumers(tx)
    return [Reading(one.lag_seconds, one.name) for one in found if not one.is_paused] or None


async def count_dead(tx: Tx) -> Sequence[Reading] | None:
    """By the unit whose event it was."""
    rows = await tx.rows(SQL.count_dead)
    return [Reading(float(row["count"]), row["consumer"], row["unit_id"]) for row in rows] or None


LAG = Measure("events.lag", ("Lag of consumers", "소비자 지연"), read_lag, "s")
DEAD = Measure("events.dead", ("Dead letters", "처리하지 못한 이벤트"), count_dead)
MEASURES = (LAG, DEAD)
ALERT_RULES = (
    AlertRule(
        name="events.behind",
        label=("A consumer is behind", "소비자가 밀림"),
        measure=LAG,
        beyond="above",
        threshold=300,
        held_for=timedelta(minutes=1),
        level=Level.ATTENTION,
        advice=(
            "No server with its app runs, an event fails and is tried again, or more comes than it takes. If its code "
            "is gone, forget the consumer: events are kept until it has taken them.",
            "그 앱이 있는 서버가 없거나, 실패한 이벤트를 다시 시도하고 있거나, 받는 것보다 많이 들어옵니다. 코드에서 "
            "없어진 소비자라면 목록에서 지우세요. 받지 않은 이벤트는 계속 보관됩니다.",
        ),
        area=AREA,
    ),
    AlertRule(
        name="events.dead",
        label=("Events could not be taken", "처리하지 못한 이벤트가 있음"),
        measure=DEAD,
        beyond="above",
        threshold=0,
        held_for=timedelta(0),
        level=Level.ATTENTION,
        advice=(
            "See the reason of each on the page of events. Remove its cause and try it again, or discard it.",
            "이벤트 화면에서 이유를 보세요. 원인을 없앤 뒤 다시 시도하거나 버리세요.",
        ),
        area=AREA,
    ),
)
