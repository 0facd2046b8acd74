"""What is measured about ad groups every quarter of a minute, and the rules that call somebody."""

from datetime import timedelta

from pabal.apps.adgroups.legacy import watching as legacy
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.serving import watching as serving
from pabal.apps.adgroups.settings import LATE_AFTER
from pabal.base.database import Tx
from pabal.engine import timers
from pabal.engine.timers import LateTimers
from pabal.platform import alerts, settings
from pabal.platform.alerts import AlertRule, Level, Measure, Reading

AREA = "adgroups"


async def read_late(tx: Tx) -> list[Reading]:
    """For each unit its delayed events whose moment is long past."""
    found = await _count_late(tx)
    return await alerts.read_by_unit(tx, "adgroups.late_events", {unit: one.late for unit, one in found.items()})


async def read_stuck(tx: Tx) -> list[Reading]:
    """For each unit those that failed again and again, and fire no more."""
    found = await _count_late(tx)
    return await alerts.read_by_unit(tx, "adgroups.stuck_events", {unit: one.stuck for unit, one in found.items()})


async def _count_late(tx: Tx) -> dict[int, LateTimers]:
    before = tx.now - await settings.value(tx, LATE_AFTER)
    return {one.unit_id: one for one in await timers.count_late(tx, AD_GROUP, before) if one.unit_id is not None}


LATE = Measure("adgroups.late_events", ("Late delayed events", "늦은 지연 이벤트"), read_late)
STUCK = Measure("adgroups.stuck_events", ("Delayed events set aside", "멈춘 지연 이벤트"), read_stuck)

LATE_RULE = AlertRule(
    name=LATE.name,
    label=("Delayed events are late", "지연 이벤트가 늦음"),
    measure=LATE,
    beyond="above",
    threshold=0,
    held_for=timedelta(0),
    level=Level.FAILURE,
    advice=(
        "Their moment has passed and they have not happened. See whether a server runs the scheduler; what is due "
        "happens as soon as one does.",
        "시각이 지났는데 아직 일어나지 않았습니다. 스케줄러를 맡은 서버가 있는지 보세요. "
        "서버가 돌아오면 바로 일어납니다.",
    ),
    area=AREA,
    href="/ads/delayed?late=1",
)
STUCK_RULE = AlertRule(
    name=STUCK.name,
    label=("Delayed events failed again and again", "지연 이벤트가 거듭 실패"),
    measure=STUCK,
    beyond="above",
    threshold=0,
    held_for=timedelta(0),
    level=Level.FAILURE,
    advice=(
        "They fire no more by themselves. The list says what went wrong; fire or move each by hand.",
        "더는 저절로 일어나지 않습니다. 목록에서 까닭을 보고 하나씩 직접 일으키거나 옮기세요.",
    ),
    area=AREA,
    href="/ads/delayed?late=1",
)

MEASURES = (LATE, STUCK, *serving.MEASURES, *legacy.MEASURES)
RULES = (LATE_RULE, STUCK_RULE, *serving.RULES, *legacy.RULES)
