"""One alert for each heartbeat that is down: it failed, or its grace time is over."""

from collections import Counter
from datetime import timedelta

from pabal.apps.rules.heartbeats import store
from pabal.apps.rules.heartbeats.model import AREA
from pabal.base.database import Tx
from pabal.platform import alerts
from pabal.platform.alerts import AlertRule, Level, Measure, Reading

DOWN = "rules.heartbeats_down"


async def read_down(tx: Tx) -> list[Reading]:
    """Of two with one name the number tells them apart."""
    found = await store.list_down(tx)
    times = Counter(one.name for one in found)
    named = [(one, one.name if times[one.name] == 1 else f"{one.name} #{one.id}") for one in found]
    return await alerts.and_ended(tx, DOWN, [Reading(1, name, one.unit_id) for one, name in named])


MEASURES = (Measure(DOWN, ("Heartbeats that are down", "중단된 하트비트"), read_down),)
RULES = (
    AlertRule(
        name=DOWN,
        label=("A job elsewhere does not report", "외부 작업의 보고가 없음"),
        measure=MEASURES[0],
        beyond="above",
        threshold=0,
        held_for=timedelta(0),
        level=Level.FAILURE,
        advice=(
            "Its report did not come within its grace time, or said that it failed. Look at its last reports, then at "
            "the machine it runs on.",
            "유예 시간 안에 보고가 없었거나 실패를 알려 왔습니다. 마지막 보고를 보고, 작업이 도는 컴퓨터를 확인하세요.",
        ),
        area=AREA,
        href="/rules/heartbeats?state=down",
    ),
)
