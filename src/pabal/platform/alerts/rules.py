"""The engine's own rules, and how every rule stands now. That the database is away, nobody here can see."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.base.database import Tx
from pabal.platform.alerts import store
from pabal.platform.alerts.evaluation import read_limits
from pabal.platform.alerts.measures import ENGINE_MEASURES
from pabal.platform.alerts.model import AlertRule, Level, Limit
from pabal.platform.alerts.sampling import Series, list_series
from pabal.platform.alerts.store import RuleSilence
from pabal.platform.tenants import Scope

_MEASURES = {measure.name: measure for measure in ENGINE_MEASURES}


@dataclass(frozen=True, slots=True)
class RuleSeen:
    """A rule as the alerts page shows it. `worst` is the newest value of that series which is nearest to, or furthest
    beyond, the threshold; None when nothing was ever measured. `state` is ok, or the loudest of its open alerts."""

    rule: AlertRule
    limit: Limit
    worst: Series | None
    state: str
    open_count: int
    last_fired_at: datetime | None
    silence: RuleSilence | None


async def list_rules(tx: Tx, scope: Scope, rules: Sequence[AlertRule]) -> list[RuleSeen]:
    """In the order declared, with what this scope may see of each."""
    limits = await read_limits(tx, rules)
    series = await list_series(tx, scope)
    last = await store.list_last(tx, scope, [rule.name for rule in rules])
    silences = await store.list_rule_silences(tx)
    return [
        _seen(rule, limits[rule.name], series, last=last.get(rule.name), silence=silences.get(rule.name))
        for rule in rules
    ]


def _seen(
    rule: AlertRule,
    limit: Limit,
    series: Sequence[Series],
    *,
    last: store.LastOf | None,
    silence: RuleSilence | None,
) -> RuleSeen:
    measured = [one for one in series if one.measure == rule.measure.name]
    worst = max(measured, key=lambda one: one.last_value if limit.beyond == "above" else -one.last_value, default=None)
    counts = {} if last is None else {name: getattr(last, name) for name in ("firing", "acknowledged", "silenced")}
    state = next((name for name, count in counts.items() if count), "ok" if silence is None else "silenced")
    fired_at = None if last is None else last.fired_at
    return RuleSeen(rule, limit, worst, state, sum(counts.values()), fired_at, silence)


ENGINE_RULES = (
    AlertRule(
        name="engine.stuck_work",
        label=("Work is stuck", "작업이 밀림"),
        measure=_MEASURES["work.oldest_ready"],
        beyond="above",
        threshold=300,
        held_for=timedelta(minutes=2),
        level=Level.FAILURE,
        advice=(
            "A job is ready and nobody takes it. See whether a server runs its kind and holds its route.",
            "준비된 작업을 아무 서버도 가져가지 않습니다. 이 종류를 맡은 서버와 연결이 살아 있는지 보세요.",
        ),
        area="engine",
        href="/jobs?state=ready",
    ),
    AlertRule(
        name="engine.long_run",
        label=("A job runs for very long", "작업이 너무 오래 돎"),
        measure=_MEASURES["work.longest_run"],
        beyond="above",
        threshold=3600,
        held_for=timedelta(minutes=1),
        level=Level.ATTENTION,
        advice=(
            "Look at the running job: it may hang. Cancel it, or give its kind a deadline.",
            "실행 중인 작업이 멈춰 있는지 보세요. 취소하거나 이 종류에 시간 제한을 두세요.",
        ),
        area="engine",
        href="/jobs?state=running",
    ),
    AlertRule(
        name="engine.offline_servers",
        label=("A server fell silent", "서버 소식이 끊김"),
        measure=_MEASURES["servers.lost"],
        beyond="above",
        threshold=0,
        held_for=timedelta(seconds=30),
        level=Level.FAILURE,
        advice=(
            "It ended without a goodbye and did not come back; others took its work. See its log, start it again.",
            "인사 없이 끝난 서버가 돌아오지 않았습니다. 하던 일은 다른 서버가 이어받았습니다. 로그를 보고 다시 켜세요.",
        ),
        area="engine",
        href="/servers",
    ),
    AlertRule(
        name="engine.success_rate",
        label=("Many jobs fail", "작업 성공률 낮음"),
        measure=_MEASURES["work.success_rate"],
        beyond="below",
        threshold=90,
        held_for=timedelta(minutes=5),
        level=Level.ATTENTION,
        advice=(
            "Open the failed jobs: their reasons say what they have in common.",
            "실패한 작업을 열어 이유를 보세요. 무엇이 같은지 드러납니다.",
        ),
        area="engine",
        href="/jobs?state=failed",
    ),
    AlertRule(
        name="engine.processing_time",
        label=("Jobs take long", "작업 처리가 느림"),
        measure=_MEASURES["work.processing_time"],
        beyond="above",
        threshold=300,
        held_for=timedelta(minutes=5),
        level=Level.ATTENTION,
        advice=(
            "Something the handlers call may have become slow. Compare the kinds of the running jobs.",
            "작업이 부르는 바깥 시스템이 느려졌을 수 있습니다. 실행 중인 작업의 종류를 견주어 보세요.",
        ),
        area="engine",
        href="/jobs?state=running",
    ),
    AlertRule(
        name="engine.schedule_lag",
        label=("Schedules are late", "스케줄이 늦음"),
        measure=_MEASURES["schedules.lag"],
        beyond="above",
        threshold=60,
        held_for=timedelta(minutes=1),
        level=Level.FAILURE,
        advice=(
            "No server with the role scheduler keeps up. Start one, or look at the load of the database.",
            "스케줄을 맡은 서버가 없거나 따라가지 못합니다. 서버를 켜거나 데이터베이스 부하를 보세요.",
        ),
        area="engine",
        href="/schedules",
    ),
    AlertRule(
        name="engine.timer_lag",
        label=("Timers are late", "타이머가 늦음"),
        measure=_MEASURES["timers.lag"],
        beyond="above",
        threshold=60,
        held_for=timedelta(minutes=1),
        level=Level.FAILURE,
        advice=(
            "No server with the role scheduler keeps up. Start one, or look at the load of the database.",
            "타이머를 맡은 서버가 없거나 따라가지 못합니다. 서버를 켜거나 데이터베이스 부하를 보세요.",
        ),
        area="engine",
        href="/machines",
    ),
    AlertRule(
        name="engine.facts_aside",
        label=("Facts were put aside", "따로 둔 사실이 있음"),
        measure=_MEASURES["facts.aside"],
        beyond="above",
        threshold=0,
        held_for=timedelta(0),
        level=Level.ATTENTION,
        advice=(
            "A subscriber could not take them. Mend the cause, then hand them over again.",
            "구독자가 처리하지 못한 사실입니다. 원인을 고친 뒤 다시 넘기세요.",
        ),
        area="engine",
        href="/facts",
    ),
    AlertRule(
        name="engine.clock_skew",
        label=("Clocks differ", "시계 차이"),
        measure=_MEASURES["clock.skew"],
        beyond="above",
        threshold=500,
        held_for=timedelta(minutes=1),
        level=Level.ATTENTION,
        advice=(
            "Let the server synchronise its clock. Pabal decides by the database's clock, logs show the server's.",
            "서버 시계를 맞추세요. 파발은 데이터베이스 시계로 판단하지만 로그에는 서버 시계가 찍힙니다.",
        ),
        area="engine",
        href="/servers",
    ),
)
