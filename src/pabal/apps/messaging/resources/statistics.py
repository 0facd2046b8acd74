"""Statistics: how well, how late and where messages were sent; archived months; the load of the servers of bots."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pabal.apps.messaging.model.bots import BotServer
from pabal.apps.messaging.model.deliveries import Archive
from pabal.apps.messaging.model.reasons import name_reason
from pabal.apps.messaging.resources.schedules import DAYS
from pabal.engine import ids
from pabal.platform.commands.lazily import lazily
from pabal.platform.language.pairs import Lang, put
from pabal.platform.resources import BadParameter, Filter, Report, Rules, View, Viewer, ask, column, field

if TYPE_CHECKING:
    from pabal.apps.messaging.actions.reports import EffectRow, Row, Totals
    from pabal.apps.messaging.store.statistics import Period
    from pabal.base.database import Tx
    from pabal.platform.storage import File
    from pabal.platform.tenants import Scope

with lazily():
    from pabal.apps.messaging.actions import reports
    from pabal.apps.messaging.store import statistics
    from pabal.platform import tenants

AREA = "messaging"
BASE = "/api/v1/messages"
LONGEST = timedelta(days=366)


class TotalsView(View):
    """`processed` is every delivery that ended; only `sent` is a success. The rate is in percent."""

    processed: int = field(("Processed", "처리"), example=120)
    sent: int = field(("Sent", "성공"), example=118)
    success_rate: float = field(("Success (%)", "성공률(%)"), example=98.3)
    average_ms: float = field(("Took (ms)", "평균 처리(ms)"), description="How long one took.", example=1640.0)
    by_state: dict[str, int] = field(("By state", "상태별"), example={"sent": 118, "missed": 2})


class DelaysView(View):
    """How long after its moment a delivery began."""

    deliveries: int = field(("Sends", "발송"), example=118)
    average_ms: float = field(("Delay (ms)", "평균 지연(ms)"), example=210.0)
    p50_ms: float = field(("Delay p50 (ms)", "지연 p50(ms)"), example=120.0)
    p95_ms: float = field(("Delay p95 (ms)", "지연 p95(ms)"), example=480.0)
    p99_ms: float = field(("Delay p99 (ms)", "지연 p99(ms)"), example=900.0)
    worst_ms: float = field(("Worst delay (ms)", "최대 지연(ms)"), example=1200.0)


class PeriodTotalsView(View):
    """An hour or a day of the timezone."""

    at: datetime = field(("At", "시각"))
    totals: TotalsView = field(("Totals", "합계"))


class LimitHitView(View):
    """A limit that put deliveries off."""

    name: str = field(("Limit", "제한"), example="min_gap_seconds")
    deliveries: int = field(("Sends", "발송"), example=4)
    rooms: int = field(("Rooms", "톡방"), example=2)


class UnsentView(View):
    """Due, and without an end."""

    deliveries: int = field(("Due, not sent", "미발송"), example=0)
    oldest_seconds: float = field(("Oldest (s)", "가장 오래된 것(초)"), example=0.0)
    average_seconds: float = field(("Waits (s)", "평균 대기(초)"), example=0.0)


class MessageMetricsView(View):
    """The counters since the beginning, by the names they have always had. The rate is in percent, times in ms."""

    processed_count: int = field(("Processed", "처리"), example=120)
    success_count: int = field(("Sent", "성공"), example=118)
    failure_count: int = field(("Not sent", "실패"), example=2)
    avg_processing_time: float = field(("Took (ms)", "평균 처리(ms)"), example=1640.0)
    last_poll_time: datetime | None = field(("Last decision", "마지막 결정"))
    success_rate: float = field(("Success (%)", "성공률(%)"), example=98.3)


class HourlyView(View):
    """What the connected bots can send in an hour at the pace they were seen to have; unmeasured ones are left out."""

    sends: float = field(("Sends", "발송"), example=420.0)
    bots: int = field(("Bots", "봇"), example=3)
    unmeasured: int = field(("Not measured", "측정 전"), example=0)


class StatisticsView(View):
    """`due` and `sent` are by weekday (Monday first) and hour. Duplicates are counted for the whole house only.
    `counters` are since the beginning."""

    since: datetime = field(("Since", "시작"), alias="from")
    until: datetime = field(("Until", "끝"), alias="to")
    totals: TotalsView = field(("Totals", "합계"))
    before: TotalsView = field(("Before", "이전 기간"))
    delays: DelaysView = field(("Delays", "지연"))
    delays_before: DelaysView = field(("Delays before", "이전 지연"))
    per_hour: float = field(("Per hour", "시간당"), example=0.7)
    capacity: HourlyView = field(("Capacity per hour", "시간당 가능"))
    last_minute: int = field(("Last minute", "지난 1분"), description="Ended in the last whole minute.", example=1)
    unsent: UnsentView = field(("Due, not sent", "미발송"))
    limits: list[LimitHitView] = field(("Limits reached", "걸린 제한"))
    duplicates_prevented: int | None = field(("Duplicates prevented", "막은 중복"), example=3)
    series: list[PeriodTotalsView] = field(("Over time", "추이"))
    due: list[list[int]] = field(("Due", "예정"), example=[[0, 1]])
    sent: list[list[int]] = field(("Sent", "성공"), example=[[0, 1]])
    counters: MessageMetricsView = field(("Since the beginning", "전체 누계"))


class UsageRowView(View):
    """How it went for one unit, room, kind or template."""

    key: str = field(("Key", "키"), example="3")
    name: str | None = field(("Name", "이름"), example="해운대점")
    totals: TotalsView = field(("Totals", "합계"))
    delay_ms: float = field(("Delay (ms)", "평균 지연(ms)"), example=210.0)

    @column(("Name", "이름"))
    def called(self, _: Lang) -> str:
        return self.name or self.key


class ReasonView(View):
    """Why some did not go out."""

    state: str = field(("State", "상태"), status="delivery", example="missed")
    reason: str = field(("Code", "코드"), example="bot_offline")
    deliveries: int = field(("Sends", "발송"), example=2)

    @column(("Why", "이유"))
    def why(self, lang: Lang) -> str:
        return put(lang, name_reason(self.reason))


class UsageView(View):
    """The busiest first. `kinds` are schedule type and cause; a template without a key is none."""

    units: list[UsageRowView] = field(("Units", "조직"))
    rooms: list[UsageRowView] = field(("Rooms", "톡방"))
    kinds: list[UsageRowView] = field(("Kinds", "종류"))
    templates: list[UsageRowView] = field(("Templates", "템플릿"))
    reasons: list[ReasonView] = field(("Reasons", "이유"))


class EffectRowView(View):
    """The mean number of messages in the room in the hour before and in the hour after, over so many sends."""

    key: str = field(("Key", "키"), example="monday 09")
    name: str | None = field(("Name", "이름"), example=None)
    sends: int = field(("Sends", "발송"), example=12)
    before: float = field(("Before", "이전"), example=3.5)
    after: float = field(("After", "이후"), example=9.0)
    change: float = field(("Change", "변화"), example=5.5)


class EffectView(View):
    """`is_cut`: there were more sends than are looked at; these are the newest."""

    whole: EffectRowView = field(("Whole", "전체"))
    hours: list[EffectRowView] = field(("Hours", "시간대"))
    rooms: list[EffectRowView] = field(("Rooms", "톡방"))
    is_cut: bool = field(("Cut", "일부"), example=False)


class PeriodFilter(Filter):
    """Without from and to, the last seven days."""

    since: datetime | None = ask("Due from then on.", alias="from", default=None)
    until: datetime | None = ask("Due before then.", alias="to", default=None)
    timezone: str = ask("Whose days and hours are meant.", read="pabal.platform.web.wall:Zone", default="Asia/Seoul")
    # people count days; programs say both ends
    days: int = ask("How many days, up to now.", rules=Rules(ge=1, le=366), command_only=True, default=7)

    def read(self, now: datetime) -> "Period":
        until = self.until or now
        period = statistics.Period(self.since or until - timedelta(days=self.days), until)
        if not timedelta(0) < period.until - period.since <= LONGEST:
            raise BadParameter("from, to: between them lies at most a year")
        return period

    @property
    def zone(self) -> ZoneInfo:
        try:
            return ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise BadParameter("timezone") from error


class BotServerView(View):
    """What one server of bots said of itself last."""

    server: str = field(("Server", "서버"), example="wrk_01h2xcejqtf2n")
    host: str = field(("Host", "호스트"), example="server-1")
    port: int = field(("Port", "포트"), example=1490)
    active_bots: int = field(("Bots", "봇"), example=42)
    total_connections: int = field(("Connections", "연결"), example=45)
    memory_mb: float = field(("Memory (MB)", "메모리(MB)"), example=181.5)
    cpu_percent: float = field(("CPU (%)", "CPU(%)"), example=3.2)
    refused: int = field(("Refused", "거절"), example=0)
    started_at: datetime = field(("Started", "시작"))
    at: datetime = field(("At", "시각"))

    @column(("Address", "주소"))
    def address(self, _: Lang) -> str:
        return f"{self.host}:{self.port}"

    @column(("Memory (MB)", "메모리(MB)"))
    def memory(self, _: Lang) -> float:
        return round(self.memory_mb, 1)

    @column(("CPU (%)", "CPU(%)"))
    def cpu(self, _: Lang) -> float:
        return round(self.cpu_percent, 1)


class MessageArchiveView(View):
    """A month is one in Seoul. `link` is where its deliveries are, as gzipped JSON lines of `size` bytes."""

    month: str = field(("Month", "달"), example="2026-10")
    deliveries: int = field(("Sends", "발송"), example=48210)
    made_at: datetime = field(("Made", "만든 때"))
    size: int = field(("Size", "크기"), example=1048576)
    link: str = field(("Link", "주소"), example=f"{BASE}/archives/2026-10")
    file: str = field(("File", "파일"), example="deliveries-2026-10.jsonl.gz")


class CopiedArchiveView(MessageArchiveView):
    to: str = field(("Copied to", "복사한 곳"))


class ArchivedMonth(Protocol):
    """See actions/archives.py."""

    @property
    def name(self) -> str: ...
    @property
    def archive(self) -> Archive: ...
    @property
    def file(self) -> "File": ...


def archive_of(month: ArchivedMonth) -> dict[str, Any]:
    return {
        "month": month.name,
        "deliveries": month.archive.deliveries,
        "made_at": month.archive.made_at,
        "size": month.file.size,
        "link": f"{BASE}/archives/{month.name}",
        "file": month.file.name,
    }


def view_server(one: BotServer) -> BotServerView:
    return BotServerView.of(one, server=ids.show("wrk", one.worker))


async def read_statistics(tx: "Tx", scope: "Scope", wanted: PeriodFilter, viewer: Viewer) -> StatisticsView:
    period = wanted.read(tx.now)
    found = await reports.read_summary(tx, scope, period, wanted.zone)
    return StatisticsView.of(
        found,
        since=period.since,
        until=period.until,
        totals=view_totals(found.totals),
        before=view_totals(found.before),
        delays=DelaysView.of(found.delays),
        delays_before=DelaysView.of(found.delays_before),
        unsent=UnsentView.of(found.unsent),
        capacity=HourlyView.of(found.capacity),
        limits=[LimitHitView.of(one) for one in found.limits],
        duplicates_prevented=None if found.duplicates is None else found.prevented,
        series=[PeriodTotalsView(at=row.key, totals=view_totals(row.totals)) for row in found.series],
        due=found.heat.due,
        sent=found.heat.sent,
        counters=await read_metrics(tx, scope, wanted, viewer),
    )


async def read_usage(tx: "Tx", scope: "Scope", wanted: PeriodFilter, viewer: Viewer) -> UsageView:
    found = await reports.read_usage(tx, scope, wanted.read(tx.now))
    units = {unit.id: unit.name for unit in await tenants.list_units(tx, scope.listed)}
    return UsageView(
        units=_usage(found.units, units),
        rooms=_usage(found.rooms, found.names.rooms),
        kinds=_usage(found.kinds, {}),
        templates=_usage(found.templates, found.names.templates),
        reasons=[ReasonView(state=state, reason=reason, deliveries=count) for (state, reason), count in found.reasons],
    )


async def read_effect(tx: "Tx", scope: "Scope", wanted: PeriodFilter, viewer: Viewer) -> EffectView:
    found = await reports.read_effect(tx, scope, wanted.read(tx.now), wanted.zone)
    return EffectView(
        whole=_effect(found.whole, "all", None),
        hours=[_effect(row, f"{DAYS[day]} {hour:02}", None) for (day, hour), row in sorted(found.cells.items())],
        rooms=[_effect(row, str(row.key), found.names.rooms.get(row.key)) for row in found.rooms],
        is_cut=found.is_cut,
    )


async def read_metrics(tx: "Tx", scope: "Scope", wanted: Filter, viewer: Viewer) -> MessageMetricsView:
    return MessageMetricsView(**await reports.seed_metrics(tx, scope))


def view_totals(totals: "Totals") -> TotalsView:
    return TotalsView.of(totals, success_rate=totals.rate)


def _usage(rows: "Sequence[Row]", names: Mapping[int, str]) -> list[UsageRowView]:
    return [
        UsageRowView(key=_key(row.key), name=names.get(row.key), totals=view_totals(row.totals), delay_ms=row.delay_ms)
        for row in rows
    ]


def _key(key: Any) -> str:
    return " ".join(key) if isinstance(key, tuple) else "" if key is None else str(key)


def _effect(row: "EffectRow", key: str, name: str | None) -> EffectRowView:
    return EffectRowView.of(row, key=key, name=name)


_WORDS = "pabal.apps.messaging.labels:STATUS"
_TOTALS = ("called", "totals.processed", "totals.sent", "totals.success_rate", "totals.average_ms", "delay_ms")
STATISTICS = Report(
    "get_message_statistics",
    "Says how a period went and how the one before it did: success, delays, limits, what is unsent.",
    AREA,
    "/statistics",
    StatisticsView,
    read=f"{__name__}:read_statistics",
    wanted=PeriodFilter,
    columns=(
        *("since", "until", "totals.processed", "totals.sent", "totals.success_rate", "totals.average_ms"),
        *("delays.p50_ms", "delays.p95_ms", "delays.p99_ms", "per_hour", "capacity.sends"),
        *("unsent.deliveries", "duplicates_prevented"),
    ),
)
USAGE = Report(
    "get_message_usage",
    "Says who sent what: per unit, room, kind and template, and why some did not go out.",
    AREA,
    "/statistics/usage",
    UsageView,
    read=f"{__name__}:read_usage",
    wanted=PeriodFilter,
    words=_WORDS,
    details={
        **dict.fromkeys(("units", "rooms", "kinds", "templates"), _TOTALS),
        "reasons": ("state", "why", "deliveries"),
    },
)
EFFECT = Report(
    "get_message_effect",
    "Says what sends were followed by: messages seen in the room in the hour after, against the hour before.",
    AREA,
    "/statistics/effect",
    EffectView,
    read=f"{__name__}:read_effect",
    wanted=PeriodFilter,
)
METRICS = Report(
    "get_message_metrics",
    "Says the scheduler's counters: processed, success, failure, average time, last poll, success rate.",
    AREA,
    "/metrics",
    MessageMetricsView,
    read=f"{__name__}:read_metrics",
)
