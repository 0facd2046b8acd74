"""How rendering goes: the queue, the last day, and a period by composition, day and reason."""

from datetime import date, datetime

from pabal.apps.rendering.labels import REASONS
from pabal.apps.rendering.model.renders import AREA
from pabal.apps.rendering.resources.names import COMPOSITION_EXAMPLE, ROWS
from pabal.platform.resources import Filter, Report, Rules, View, ask, field

MOST_DAYS = 92


class CompositionStatisticsView(View):
    composition_id: str = field(("Composition ID", "컴포지션 ID"), example=COMPOSITION_EXAMPLE)
    composition_name: str = field(("Composition", "컴포지션"), example="_MAIN Mini Chip Count")
    completed: int = field(("Completed", "완료"), example=24)
    failed: int = field(("Failed", "실패"), example=1)
    median_seconds: float | None = field(("Usually (s)", "보통(초)"), example=92.0)
    slow_seconds: float | None = field(("Slowest 5 % (s)", "느린 5%(초)"), example=140.0)
    last_at: datetime = field(("Last", "마지막"))


class DayStatisticsView(View):
    day: date = field(("Day", "날짜"), example="2026-07-03")
    completed: int = field(("Completed", "완료"), example=24)
    failed: int = field(("Failed", "실패"), example=1)
    cancelled: int = field(("Cancelled", "취소"), example=0)


class ReasonStatisticsView(View):
    code: str = field(
        ("Reason", "사유"), words={str(one): words for one, words in REASONS.items()}, example="nas_unavailable"
    )
    count: int = field(("Count", "건수"), example=1)


class RenderStatisticsView(View):
    """`pending` is everything that waits, however old, and `active_workers` those that give a sign of life, busy or
    not. The average is of the last 100 jobs of the last day, the success rate of all that ended in it."""

    pending: int = field(("Waiting", "대기"), example=4)
    pending_last_hour: int = field(("Waiting, asked for in the last hour", "최근 1시간에 들어온 대기"), example=4)
    oldest_pending_seconds: float | None = field(
        ("Oldest waits (s)", "가장 오래된 대기(초)"), is_told=True, example=48.0
    )
    working: int = field(("Under way", "진행 중"), example=2)
    average_seconds: float | None = field(("Average (s)", "평균(초)"), example=94.2)
    median_seconds: float | None = field(("Usually (s)", "보통(초)"), example=92.0)
    success_rate: float | None = field(("Success rate (%)", "성공률(%)"), example=96.4)
    completed: int = field(("Completed in a day", "하루 완료"), example=27)
    failed: int = field(("Failed in a day", "하루 실패"), example=1)
    active_workers: int = field(("Workers", "워커"), example=2)
    busy_workers: int = field(("Busy workers", "작업 중인 워커"), example=2)
    licences: int = field(("Licences", "라이선스"), example=2)
    compositions: list[CompositionStatisticsView] = field(("By composition", "컴포지션별"))
    days: list[DayStatisticsView] = field(("By day", "날짜별"))
    reasons: list[ReasonStatisticsView] = field(("By reason", "실패 사유별"))


class StatisticsFilter(Filter):
    days: int = ask("How many days back, by composition, day and reason.", rules=Rules(ge=1, le=MOST_DAYS), default=7)


STATISTICS = Report(
    "get_render_statistics",
    "Says how rendering goes: the queue, the last day, and a period by composition, day and reason.",
    AREA,
    "/statistics",
    RenderStatisticsView,
    read=f"{ROWS}:read_statistics",
    wanted=StatisticsFilter,
    columns=(
        *("pending", "oldest_pending_seconds", "working", "average_seconds", "median_seconds", "success_rate"),
        *("completed", "failed", "active_workers", "busy_workers", "licences"),
    ),
    details={
        "compositions": ("composition_name", "completed", "failed", "median_seconds", "slow_seconds", "last_at"),
        "days": ("day", "completed", "failed", "cancelled"),
        "reasons": ("code", "count"),
    },
)
