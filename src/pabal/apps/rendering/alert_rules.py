"""What is measured about rendering every quarter of a minute under the requirements' names, and who is called when."""

from collections import Counter
from datetime import timedelta

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.forecasts import foresee
from pabal.apps.rendering.model.renders import AREA
from pabal.apps.rendering.store import figures, showing
from pabal.base.database import Tx
from pabal.base.telemetry import gauge
from pabal.platform import alerts, settings
from pabal.platform.alerts import AlertRule, Level, Measure, Reading
from pabal.platform.language.pairs import Pair

RECENT = timedelta(minutes=10)
_GAUGES = {
    "render_queue_pending_count": gauge("render_queue_pending_count", "Render jobs that wait"),
    "render_queue_oldest_seconds": gauge("render_queue_oldest_seconds", "Age of the oldest waiting render job"),
    "render_job_duration_seconds": gauge("render_job_duration_seconds", "Mean of the last 100 renders of a day"),
    "render_job_success_rate": gauge("render_job_success_rate", "Percent of a day's renders that succeeded"),
    "ae_worker_active_count": gauge("ae_worker_active_count", "Render slots with a heartbeat"),
    "nexrender_api_latency_ms": gauge("nexrender_api_latency_ms", "Slowest answer of a nexrender"),
    "nas_copy_duration_seconds": gauge("nas_copy_duration_seconds", "Longest copy to the NAS in ten minutes"),
}


async def read_pending(tx: Tx) -> float:
    found = await figures.read_pending(tx)
    _GAUGES["render_queue_oldest_seconds"].set(found.oldest_seconds or 0)
    return _shown("render_queue_pending_count", float(found.count))


async def read_duration(tx: Tx) -> float | None:
    return _kept("render_job_duration_seconds", await figures.read_average(tx))


async def read_success(tx: Tx) -> float | None:
    return _kept("render_job_success_rate", (await figures.read_success(tx)).percent)


async def read_workers(tx: Tx) -> float | None:
    """None where there is no farm at all."""
    found = await figures.count_workers(tx)
    return _shown("ae_worker_active_count", float(found.alive)) if found.known else None


async def read_missing_workers(tx: Tx) -> float:
    """Fewer than licences; without their number, fewer than slots that are known."""
    found = await figures.count_workers(tx)
    wanted = await settings.value(tx, own.LICENCES) or found.known
    return float(max(wanted - found.alive, 0)) if found.known else 0.0


async def read_latency(tx: Tx) -> float | None:
    return _kept("nexrender_api_latency_ms", await figures.read_latency(tx, tx.now - RECENT))


async def read_away(tx: Tx) -> float:
    return await figures.count_away(tx, tx.now - RECENT)


async def read_copies(tx: Tx) -> float | None:
    return _kept("nas_copy_duration_seconds", await figures.read_copies(tx, tx.now - RECENT))


async def read_slow(tx: Tx) -> list[Reading]:
    before = tx.now - await settings.value(tx, own.SLOW_ALERT)
    return await alerts.read_by_unit(tx, SLOW, await figures.count_slow(tx, before))


async def read_unbegun(tx: Tx) -> list[Reading]:
    before = tx.now - await settings.value(tx, own.QUEUE_ALERT)
    return await alerts.read_by_unit(tx, UNBEGUN, await figures.count_unbegun(tx, before))


async def read_late(tx: Tx) -> list[Reading]:
    """Renders that will not be through when they are needed."""
    needed = await showing.list_needed(tx)
    outlook = await foresee(tx, needed)
    late = Counter(one.unit_id for one in needed if outlook.renders[one.id].on_air == "missed")
    return await alerts.read_by_unit(tx, LATE, {unit: float(count) for unit, count in late.items()})


async def read_poisoned(tx: Tx) -> list[Reading]:
    return await alerts.read_by_unit(tx, POISONED, await figures.count_poisoned(tx, tx.now - timedelta(hours=1)))


def _shown(name: str, value: float) -> float:
    _GAUGES[name].set(value)
    return value


def _kept(name: str, value: float | None) -> float | None:
    """The last value stays where there is nothing to say now."""
    return None if value is None else _shown(name, value)


PENDING, DURATION, SUCCESS = (
    "rendering.render_queue_pending_count",
    "rendering.render_job_duration_seconds",
    "rendering.render_job_success_rate",
)
WORKERS, MISSING = "rendering.ae_worker_active_count", "rendering.ae_worker_missing_count"
LATENCY, AWAY = "rendering.nexrender_api_latency_ms", "rendering.nexrender_away"
COPIES = "rendering.nas_copy_duration_seconds"
LATE = "rendering.late_for_air"
SLOW, UNBEGUN, POISONED = "rendering.slow_renders", "rendering.unbegun_renders", "rendering.poison_jobs"
MEASURES = (
    Measure(PENDING, ("Render jobs waiting", "대기 중인 렌더 작업"), read_pending),
    Measure(DURATION, ("Mean time of a render", "평균 렌더 시간"), read_duration, "s"),
    Measure(SUCCESS, ("Renders that succeed", "렌더 성공률"), read_success, "%"),
    Measure(WORKERS, ("Render slots there", "연결된 렌더 슬롯"), read_workers),
    Measure(MISSING, ("Render slots missing", "모자란 렌더 슬롯"), read_missing_workers),
    Measure(LATENCY, ("Answer time of nexrender", "nexrender 응답 시간"), read_latency, "ms"),
    Measure(AWAY, ("nexrender servers that do not answer", "응답 없는 nexrender"), read_away),
    Measure(COPIES, ("Longest copy to the NAS", "가장 오래 걸린 NAS 복사"), read_copies, "s"),
    Measure(SLOW, ("Renders that take long", "오래 걸리는 렌더"), read_slow),
    Measure(UNBEGUN, ("Renders nexrender has not begun", "nexrender가 시작하지 않은 렌더"), read_unbegun),
    Measure(LATE, ("Renders that miss their on-air time", "방송 시각에 늦을 렌더"), read_late),
    Measure(POISONED, ("Renders parked in an hour", "한 시간 동안 세워 둔 작업"), read_poisoned),
)
_BY_NAME = {one.name: one for one in MEASURES}


def _rule(  # long: what rules differ in
    name: str,
    label: Pair,
    threshold: float,
    advice: Pair,
    *,
    beyond: str = "above",
    level: Level = Level.ATTENTION,
    href: str = "/render",
    held_for: timedelta = timedelta(0),
) -> AlertRule:
    return AlertRule(
        name=name,
        label=label,
        measure=_BY_NAME[name],
        beyond="above" if beyond == "above" else "below",
        threshold=threshold,
        held_for=held_for,
        level=level,
        advice=advice,
        area=AREA,
        href=href,
    )


RULES = (
    _rule(
        PENDING,
        ("Many render jobs wait", "렌더 대기열이 김"),
        10,
        (
            "Check that all slots work and that none is paused. More slots need more licences.",
            "슬롯이 모두 일하는지, 일시정지된 슬롯이 없는지 확인하세요. 슬롯을 늘리려면 라이선스가 더 필요합니다.",
        ),
    ),
    _rule(
        DURATION,
        ("Renders take long", "렌더 시간이 김"),
        300,
        (
            "Compare with the template's usual time on a job's page. A template or a machine may have become slow.",
            "작업 페이지에서 평소 시간과 비교하세요. 템플릿이나 장비가 느려졌을 수 있습니다.",
        ),
    ),
    _rule(
        SUCCESS,
        ("Too many renders fail", "렌더 실패가 많음"),
        90,
        ("Each failed job says why.", "실패한 작업마다 사유가 있습니다."),
        beyond="below",
        level=Level.FAILURE,
        href="/render?state=failed",
    ),
    _rule(
        MISSING,
        ("Render slots are missing", "렌더 슬롯이 모자람"),
        0,
        (
            "A server with the role render does not run, or has fewer slots than there are licences.",
            "render 역할의 서버가 꺼져 있거나 슬롯이 라이선스보다 적습니다.",
        ),
        level=Level.FAILURE,
        href="/render/workers",
        held_for=timedelta(minutes=1),
    ),
    _rule(
        LATENCY,
        ("nexrender answers slowly", "nexrender 응답이 느림"),
        5000,
        ("Check the machine nexrender runs on.", "nexrender가 도는 장비를 확인하세요."),
        href="/render/workers",
    ),
    _rule(
        AWAY,
        ("nexrender does not answer", "nexrender 응답 없음"),
        0,
        (
            "Start nexrender's server. Renders go on by themselves when it is back.",
            "nexrender 서버를 다시 켜세요. 돌아오면 렌더가 스스로 이어집니다.",
        ),
        level=Level.FAILURE,
        href="/render/workers",
    ),
    _rule(
        COPIES,
        ("Copies to the NAS take long", "NAS 복사가 느림"),
        60,
        ("Check the network and the NAS.", "네트워크와 NAS를 확인하세요."),
    ),
    _rule(
        SLOW,
        ("A render takes long", "렌더가 오래 걸림"),
        0,
        ("It goes on until its time limit.", "시간 제한까지는 계속합니다."),
        href="/render?state=rendering",
    ),
    _rule(
        UNBEGUN,
        ("nexrender does not begin a job", "nexrender가 작업을 시작하지 않음"),
        0,
        (
            "Check that a nexrender worker runs and is connected to its server.",
            "nexrender 워커가 켜져 서버에 연결돼 있는지 확인하세요.",
        ),
        level=Level.FAILURE,
        href="/render?state=rendering",
    ),
    _rule(
        LATE,
        ("A render will miss its on-air time", "렌더가 방송 시각에 늦음"),
        0,
        (
            "Give it a higher priority, open another slot, or prepare something else.",
            "우선순위를 올리거나 슬롯을 더 열거나 다른 화면을 준비하세요.",
        ),
        level=Level.FAILURE,
    ),
    _rule(
        POISONED,
        ("A job loses its workers again and again", "워커를 거듭 잃는 작업"),
        0,
        (
            "It was parked. Find out why its server died before you retry it.",
            "작업을 세워 두었습니다. 다시 시도하기 전에 서버가 왜 죽었는지 확인하세요.",
        ),
        level=Level.FAILURE,
        href="/render?state=failed",
    ),
)
