"""What is measured about rules every quarter of a minute, and what calls somebody."""

from datetime import timedelta

from pabal.apps.rules.model.rules import AREA
from pabal.apps.rules.store import runs
from pabal.base.database import Tx
from pabal.platform import alerts
from pabal.platform.alerts import AlertRule, Level, Measure, Reading

FAILING = "rules.failing"


async def read_failing(tx: Tx) -> list[Reading]:
    return await alerts.read_by_unit(tx, FAILING, await runs.count_failing(tx))


MEASURES = (Measure(FAILING, ("Rules whose last run failed", "마지막 실행이 실패한 룰"), read_failing),)
RULES = (
    AlertRule(
        name=FAILING,
        label=("A rule fails", "룰 실행 실패"),
        measure=MEASURES[0],
        beyond="above",
        threshold=0,
        held_for=timedelta(0),
        level=Level.ATTENTION,
        advice=(
            "Its run says why. Correct the rule or its source, then run it now; or pause it.",
            "실행 화면에 사유가 있습니다. 룰이나 데이터 소스를 고치고 다시 실행하거나, 일시 중지하세요.",
        ),
        area=AREA,
        href="/rules/runs?status=failure",
    ),
)
