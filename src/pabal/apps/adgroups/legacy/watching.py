"""What is measured while both ways run, and the rule that calls somebody."""

from datetime import timedelta

from pabal.apps.adgroups.legacy import mismatches
from pabal.base.database import Tx
from pabal.platform import alerts
from pabal.platform.alerts import AlertRule, Level, Measure, Reading

AREA = "adgroups"


async def read_mismatches(tx: Tx) -> list[Reading]:
    """For each unit those nobody decided about, and which the calculator should have seen as the machine does."""
    return await alerts.read_by_unit(tx, MISMATCHES.name, await mismatches.count_unsettled(tx))


MISMATCHES = Measure(
    "adgroups.mismatches",
    ("Ad groups seen differently by both ways", "두 방식이 다르게 보는 광고그룹"),
    read_mismatches,
)
RULE = AlertRule(
    name=MISMATCHES.name,
    label=("Stored and calculated state differ", "저장된 상태와 계산한 상태가 다름"),
    measure=MISMATCHES,
    beyond="above",
    threshold=0,
    held_for=timedelta(minutes=2),
    level=Level.ATTENTION,
    advice=(
        "Open the list: each has its cause. Mend it, or decide whom to believe: the machine or the calculator.",
        "목록에서 하나씩 까닭을 보세요. 고치거나, 저장된 상태와 계산한 상태 가운데 무엇을 믿을지 정하세요.",
    ),
    area=AREA,
    href="/ads/mismatches",
)
MEASURES = (MISMATCHES,)
RULES = (RULE,)
