"""What is measured about ad groups, their serving and their migration, and the rules that call somebody."""

from datetime import timedelta

from pabal.apps.adgroups.legacy import shadow
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import AREA
from pabal.apps.adgroups.serving import store as serving
from pabal.apps.adgroups.settings import LATE_AFTER
from pabal.base.database import Tx
from pabal.engine import timers
from pabal.engine.timers import LateTimers
from pabal.platform import alerts, settings
from pabal.platform.alerts import AlertRule, Level, Measure, Reading

SERVING = "/ads/serving"
DELAYED = "/ads/delayed?late=1"


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


async def read_differences(tx: Tx) -> float | None:
    """What the last check found, mended or not: found again and again, something undoes what we write."""
    checks = await serving.list_checks(tx, 1)
    return checks[0].found if checks and await serving.is_wanted(tx) else None


async def read_remaining(tx: Tx) -> float | None:
    checks = await serving.list_checks(tx, 1)
    return checks[0].remaining if checks and await serving.is_wanted(tx) else None


async def read_check_age(tx: Tx) -> float | None:
    checks = await serving.list_checks(tx, 1)
    return (tx.now - checks[0].at).total_seconds() if checks and await serving.is_wanted(tx) else None


async def read_away(tx: Tx) -> float | None:
    if not await serving.is_wanted(tx):
        return None
    since = await serving.find_away(tx)
    return 0 if since is None else (tx.now - since).total_seconds()


async def read_mismatches(tx: Tx) -> list[Reading]:
    """For each unit those nobody decided about, and which the calculator should have seen as the machine does."""
    return await alerts.read_by_unit(tx, MISMATCHES.name, await shadow.count_unsettled(tx))


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
    href=DELAYED,
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
    href=DELAYED,
)

DIFFERENCES = Measure(
    "adgroups.serving_differences",
    ("Differences the last check of ad servers' data found", "광고 서버용 데이터 점검에서 나온 차이"),
    read_differences,
)
REMAINING = Measure("adgroups.serving_remaining", ("Differences that remain", "고치지 못한 차이"), read_remaining)
CHECK_AGE = Measure(
    "adgroups.serving_check_age",
    ("Age of the last check of ad servers' data", "광고 서버용 데이터를 점검한 지"),
    read_check_age,
    "s",
)
AWAY = Measure(
    "adgroups.serving_away",
    ("How long ad servers' Redis has been away", "광고 서버용 Redis가 응답하지 않은 시간"),
    read_away,
    "s",
)
SERVING_RULES = (
    AlertRule(
        name="adgroups.serving_remaining",
        label=("What ad servers read is wrong", "광고 서버용 데이터가 틀림"),
        measure=REMAINING,
        beyond="above",
        threshold=0,
        held_for=timedelta(minutes=1),
        level=Level.FAILURE,
        advice=(
            "The last check could not mend what it found. Look what it says, then check again or rebuild.",
            "점검이 차이를 다 고치지 못했습니다. 이유를 보고 다시 점검하거나 새로 만드세요.",
        ),
        area=AREA,
        href=SERVING,
    ),
    AlertRule(
        name="adgroups.serving_differences",
        label=("What ad servers read keeps differing", "광고 서버용 데이터가 계속 어긋남"),
        measure=DIFFERENCES,
        beyond="above",
        threshold=0,
        # longer than the time between two checks: one that mends is no reason to call anybody
        held_for=timedelta(minutes=11),
        level=Level.ATTENTION,
        advice=(
            "Checks mend it, and find it again: something else writes to or empties this Redis.",
            "고쳐도 다시 어긋납니다. 다른 프로그램이 이 Redis에 쓰거나 지우는지 보세요.",
        ),
        area=AREA,
        href=SERVING,
    ),
    AlertRule(
        name="adgroups.serving_away",
        label=("Ad servers' Redis does not answer", "광고 서버용 Redis가 응답하지 않음"),
        measure=AWAY,
        beyond="above",
        threshold=0,
        held_for=timedelta(minutes=1),
        level=Level.FAILURE,
        advice=(
            "Ad servers go on with what they read last. Look after Redis; what waits is written when it is back.",
            "광고 서버는 마지막 내용으로 송출합니다. Redis를 살피세요. 돌아오면 밀린 것을 씁니다.",
        ),
        area=AREA,
        href=SERVING,
    ),
    AlertRule(
        name="adgroups.serving_check_age",
        label=("What ad servers read was not checked", "광고 서버용 데이터를 점검하지 못함"),
        measure=CHECK_AGE,
        beyond="above",
        threshold=1800,
        held_for=timedelta(minutes=1),
        level=Level.ATTENTION,
        advice=(
            "Look whether a server runs work, and whether the schedule of the check is paused.",
            "작업을 하는 서버가 있는지, 점검 스케줄이 멈춰 있지 않은지 보세요.",
        ),
        area=AREA,
        href=SERVING,
    ),
)

MISMATCHES = Measure(
    "adgroups.mismatches",
    ("Ad groups seen differently by both ways", "두 방식이 다르게 보는 광고그룹"),
    read_mismatches,
)
MISMATCHES_RULE = AlertRule(
    name=MISMATCHES.name,
    label=("Stored and calculated state differ", "저장된 상태와 계산한 상태가 다름"),
    measure=MISMATCHES,
    beyond="above",
    threshold=0,
    held_for=timedelta(minutes=2),
    level=Level.ATTENTION,
    advice=(
        "Open the list: each has its cause. Fix it, or decide whom to believe: the machine or the calculator.",
        "목록에서 하나씩 까닭을 보세요. 고치거나, 저장된 상태와 계산한 상태 가운데 무엇을 믿을지 정하세요.",
    ),
    area=AREA,
    href="/ads/mismatches",
)

MEASURES = (LATE, STUCK, DIFFERENCES, REMAINING, CHECK_AGE, AWAY, MISMATCHES)
RULES = (LATE_RULE, STUCK_RULE, *SERVING_RULES, MISMATCHES_RULE)
