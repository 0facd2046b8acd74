"""Statistics of what was sent: how well, how late, where, what followed; the seed's counters; the servers' load."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.apps.messaging.actions import reports
from pabal.apps.messaging.actions.reports import EffectRow, Row, Totals
from pabal.apps.messaging.api.parts import SEOUL, Zone, may_read, noun
from pabal.apps.messaging.resources.schedules import DAYS
from pabal.apps.messaging.resources.statistics import BotServerView, view_server
from pabal.apps.messaging.store.bots import list_servers
from pabal.apps.messaging.store.statistics import Delays, Period
from pabal.platform.web.endpoints import Shown, answer
from pabal.platform.web.filters import Moment
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.paging import Page, answer_all
from pabal.platform.web.problems import BadParameter
from pabal.platform.web.visit import Visit

router = noun()
WEEK, LONGEST = timedelta(days=7), timedelta(days=366)


class PeriodAsked(Plain):
    """Without from and to, the last seven days."""

    since: Annotated[Moment | None, Field(alias="from", description="Due from then on.")] = None
    until: Annotated[Moment | None, Field(alias="to", description="Due before then.")] = None
    timezone: Annotated[Zone, Field(description="Whose days and hours are meant.")] = SEOUL

    def read(self, visit: Visit) -> Period:
        until = self.until or visit.now
        period = Period(self.since or until - WEEK, until)
        if not timedelta(0) < period.until - period.since <= LONGEST:
            raise BadParameter("from, to: between them lies at most a year")
        return period

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)


class TotalsShown(Shown):
    """`processed` is every delivery that ended; only `sent` is a success. The rate is in percent."""

    processed: int = Field(examples=[120])
    sent: int = Field(examples=[118])
    success_rate: float = Field(examples=[98.3])
    average_ms: float = Field(description="How long one took.", examples=[1640.0])
    by_state: dict[str, int] = Field(examples=[{"sent": 118, "missed": 2}])


class DelaysShown(Shown):
    """How long after its moment a delivery began."""

    deliveries: int = Field(examples=[118])
    average_ms: float = Field(examples=[210.0])
    p50_ms: float = Field(examples=[120.0])
    p95_ms: float = Field(examples=[480.0])
    p99_ms: float = Field(examples=[900.0])
    worst_ms: float = Field(examples=[1200.0])


class StretchShown(Shown):
    """An hour or a day of the timezone."""

    at: datetime
    totals: TotalsShown


class LimitShown(Shown):
    name: str = Field(examples=["min_gap_seconds"])
    deliveries: int = Field(examples=[4])
    rooms: int = Field(examples=[2])


class UnsentShown(Shown):
    """Due, and without an end."""

    deliveries: int = Field(examples=[0])
    oldest_seconds: float = Field(examples=[0.0])
    average_seconds: float = Field(examples=[0.0])


class StatisticsShown(Shown):
    """`due` and `sent` are by weekday (Monday first) and hour. Duplicates are counted for the whole house only."""

    since: datetime = Field(alias="from")
    until: datetime = Field(alias="to")
    totals: TotalsShown
    before: TotalsShown
    delays: DelaysShown
    delays_before: DelaysShown
    per_hour: float = Field(examples=[0.7])
    last_minute: int = Field(description="Ended in the last whole minute.", examples=[1])
    unsent: UnsentShown
    limits: list[LimitShown]
    duplicates_prevented: int | None = Field(examples=[3])
    series: list[StretchShown]
    due: list[list[int]] = Field(examples=[[[0, 1]]])
    sent: list[list[int]] = Field(examples=[[[0, 1]]])


class UsageRowShown(Shown):
    key: str = Field(examples=["3"])
    name: str | None = Field(examples=["해운대점"])
    totals: TotalsShown
    delay_ms: float = Field(examples=[210.0])


class ReasonShown(Shown):
    state: str = Field(examples=["missed"])
    reason: str = Field(examples=["bot_offline"])
    deliveries: int = Field(examples=[2])


class UsageShown(Shown):
    """The busiest first. `kinds` are schedule type and cause; a null template is none."""

    units: list[UsageRowShown]
    rooms: list[UsageRowShown]
    kinds: list[UsageRowShown]
    templates: list[UsageRowShown]
    reasons: list[ReasonShown]


class EffectRowShown(Shown):
    """The mean number of messages in the room in the hour before and in the hour after, over so many sends."""

    key: str = Field(examples=["monday 09"])
    name: str | None = Field(examples=[None])
    sends: int = Field(examples=[12])
    before: float = Field(examples=[3.5])
    after: float = Field(examples=[9.0])
    change: float = Field(examples=[5.5])


class EffectShown(Shown):
    """`is_cut`: there were more sends than are looked at; these are the newest."""

    whole: EffectRowShown
    hours: list[EffectRowShown]
    rooms: list[EffectRowShown]
    is_cut: bool = Field(examples=[False])


class MetricsShown(Shown):
    """The counters since the beginning, by the names they have always had. The rate is in percent, times in ms."""

    processed_count: int = Field(examples=[120])
    success_count: int = Field(examples=[118])
    failure_count: int = Field(examples=[2])
    avg_processing_time: float = Field(examples=[1640.0])
    last_poll_time: datetime | None
    success_rate: float = Field(examples=[98.3])


@router.get("/statistics", response_model=StatisticsShown)
async def get_message_statistics(visit: Visitor, wanted: Annotated[PeriodAsked, Query()]) -> Response:
    """Says how a period went and how the one before it did: success, delays, limits, what is unsent."""
    may_read(visit)
    period = wanted.read(visit)
    async with visit.read() as tx:
        found = await reports.read_summary(tx, visit.scope, period, wanted.zone)
    shown = StatisticsShown(
        **{"from": period.since, "to": period.until},
        totals=_totals(found.totals),
        before=_totals(found.before),
        delays=_delays(found.delays),
        delays_before=_delays(found.delays_before),
        per_hour=found.per_hour,
        last_minute=found.last_minute,
        unsent=UnsentShown.model_validate(found.unsent),
        limits=[LimitShown.model_validate(one) for one in found.limits],
        duplicates_prevented=None if found.duplicates is None else found.prevented,
        series=[StretchShown(at=row.key, totals=_totals(row.totals)) for row in found.series],
        due=found.heat.due,
        sent=found.heat.sent,
    )
    return Response(shown.model_dump_json(by_alias=True), media_type="application/json")


@router.get("/statistics/usage", response_model=UsageShown)
async def get_message_usage(visit: Visitor, wanted: Annotated[PeriodAsked, Query()]) -> Response:
    """Says who sent what: per unit, room, kind and template, and why some did not go out."""
    may_read(visit)
    async with visit.read() as tx:
        found = await reports.read_usage(tx, visit.scope, wanted.read(visit))
    shown = UsageShown(
        units=_rows(found.units, {}),
        rooms=_rows(found.rooms, found.names.rooms),
        kinds=_rows(found.kinds, {}),
        templates=_rows(found.templates, found.names.templates),
        reasons=[ReasonShown(state=state, reason=reason, deliveries=count) for (state, reason), count in found.reasons],
    )
    return answer(shown)


@router.get("/statistics/effect", response_model=EffectShown)
async def get_message_effect(visit: Visitor, wanted: Annotated[PeriodAsked, Query()]) -> Response:
    """Says what sends were followed by: messages seen in the room in the hour after, against the hour before."""
    may_read(visit)
    async with visit.read() as tx:
        found = await reports.read_effect(tx, visit.scope, wanted.read(visit), wanted.zone)
    shown = EffectShown(
        whole=_effect(found.whole, "all", None),
        hours=[_effect(row, f"{DAYS[day]} {hour:02}", None) for (day, hour), row in sorted(found.cells.items())],
        rooms=[_effect(row, str(row.key), found.names.rooms.get(row.key)) for row in found.rooms],
        is_cut=found.is_cut,
    )
    return answer(shown)


@router.get("/metrics", response_model=MetricsShown)
async def get_message_metrics(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Says the scheduler's counters: processed, success, failure, average time, last poll, success rate."""
    may_read(visit)
    async with visit.read() as tx:
        found = await reports.seed_metrics(tx, visit.scope)
    return answer(MetricsShown(**found))


@router.get("/load", response_model=Page[model_of(BotServerView)])  # type: ignore[misc]  # made from the view
async def list_bot_servers(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Lists the servers of bots with their load. They belong to the house: who sees only a part of it sees none."""
    may_read(visit)
    async with visit.read() as tx:
        found = await list_servers(tx) if visit.scope.units is None else []
    return answer_all([view_server(one) for one in found])


def _totals(totals: Totals) -> TotalsShown:
    return TotalsShown(
        processed=totals.processed,
        sent=totals.sent,
        success_rate=totals.rate,
        average_ms=totals.average_ms,
        by_state=totals.by_state,
    )


def _delays(delays: Delays) -> DelaysShown:
    return DelaysShown.model_validate(delays)


def _rows(rows: Sequence[Row], names: dict[int, str]) -> list[UsageRowShown]:
    return [
        UsageRowShown(key=_key(row.key), name=names.get(row.key), totals=_totals(row.totals), delay_ms=row.delay_ms)
        for row in rows
    ]


def _key(key: Any) -> str:
    return " ".join(key) if isinstance(key, tuple) else "" if key is None else str(key)


def _effect(row: EffectRow, key: str, name: str | None) -> EffectRowShown:
    return EffectRowShown(key=key, name=name, sends=row.sends, before=row.before, after=row.after, change=row.change)
