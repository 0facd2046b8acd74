"""What is measured about the bridge, and when somebody should look."""

from datetime import timedelta

from pabal.base.database import Tx
from pabal.platform.alerts import AlertRule, Level, Measure, Reading
from pabal.platform.broker.model import AREA
from pabal.platform.broker.store import count_failed, list_lines, read_lag


async def read_away(tx: Tx) -> list[Reading] | None:
    """For how long each server has not reached the broker; nothing where none is set."""
    lines = await list_lines(tx)
    away: dict[str, float] = {}
    for line in lines:
        since = 0.0 if line.failed_since is None else (tx.now - line.failed_since).total_seconds()
        away[line.server] = max(since, away.get(line.server, 0.0))
    return [Reading(seconds, server) for server, seconds in away.items()] or None


AWAY = Measure("broker.away", ("Broker away", "브로커 끊김"), read_away, "s")
LAG = Measure("broker.lag", ("Lag of facts going out", "내보내는 사실의 지연"), read_lag, "s")
FAILED = Measure("broker.failed", ("Events given up within the hour", "한 시간 안에 포기한 이벤트"), count_failed)
MEASURES = (AWAY, LAG, FAILED)
ALERT_RULES = (
    AlertRule(
        name="broker.away",
        label=("The broker is away", "브로커가 응답하지 않음"),
        measure=AWAY,
        beyond="above",
        threshold=30,
        held_for=timedelta(seconds=30),
        level=Level.FAILURE,
        advice=(
            "Facts wait and are sent when it is back; events wait in the broker. See whether it runs and its address "
            "is right.",
            "사실은 모아 두었다가 돌아오면 보내고, 이벤트는 브로커에 남아 있습니다. 브로커가 켜져 있는지, "
            "주소가 맞는지 보세요.",
        ),
        area=AREA,
    ),
    AlertRule(
        name="broker.behind",
        label=("Facts go out late", "사실이 늦게 나감"),
        measure=LAG,
        beyond="above",
        threshold=300,
        held_for=timedelta(minutes=1),
        level=Level.ATTENTION,
        advice=(
            "No server publishes, or the broker is slow. If nobody shall get facts any more, empty the setting "
            "broker.facts_out: facts are kept until they are out.",
            "내보내는 서버가 없거나 브로커가 느립니다. 이제 받을 곳이 없다면 설정 broker.facts_out을 비우세요. "
            "나가지 못한 사실은 계속 보관됩니다.",
        ),
        area=AREA,
    ),
    AlertRule(
        name="broker.failed",
        label=("Events from outside fail", "외부 이벤트 처리 실패"),
        measure=FAILED,
        beyond="above",
        threshold=0,
        held_for=timedelta(0),
        level=Level.ATTENTION,
        advice=(
            "An event failed three times in a way nobody foresaw. See `pabal broker events --result failed`; mend the "
            "cause and let the sender send it again under a new id.",
            "이벤트가 예상하지 못한 이유로 세 번 실패했습니다. `pabal broker events --result failed`를 보고 원인을 "
            "고친 뒤, 보낸 쪽에서 새 id로 다시 보내게 하세요.",
        ),
        area=AREA,
    ),
)
