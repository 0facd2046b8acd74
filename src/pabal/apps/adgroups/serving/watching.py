"""What is measured about serving every quarter of a minute, and the rules that call somebody."""

from datetime import timedelta

from pabal.apps.adgroups.serving import store
from pabal.base.database import Tx
from pabal.platform.alerts import AlertRule, Level, Measure

AREA = "adgroups"
HREF = "/ads/serving"


async def read_differences(tx: Tx) -> float | None:
    """What the last check found, mended or not: found again and again, something undoes what we write."""
    checks = await store.list_checks(tx, 1)
    return checks[0].found if checks and await store.is_wanted(tx) else None


async def read_remaining(tx: Tx) -> float | None:
    checks = await store.list_checks(tx, 1)
    return checks[0].remaining if checks and await store.is_wanted(tx) else None


async def read_check_age(tx: Tx) -> float | None:
    checks = await store.list_checks(tx, 1)
    return (tx.now - checks[0].at).total_seconds() if checks and await store.is_wanted(tx) else None


async def read_away(tx: Tx) -> float | None:
    if not await store.is_wanted(tx):
        return None
    since = await store.find_away(tx)
    return 0 if since is None else (tx.now - since).total_seconds()


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
MEASURES = (DIFFERENCES, REMAINING, CHECK_AGE, AWAY)

RULES = (
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
        href=HREF,
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
        href=HREF,
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
        href=HREF,
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
        href=HREF,
    ),
)
