"""The occurrence ledger of all schedules: what was decided about each moment, how it ended and why; also as CSV."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from pabal.base.database import Tx
from pabal.engine import ids, listing, why
from pabal.engine.listing import OccurrenceLine, Page
from pabal.engine.listing.occurrences import STATES, Wanted
from pabal.engine.why import BadSubject
from pabal.platform.actor import Right
from pabal.platform.language.moments import show_span
from pabal.platform.language.pairs import Lang, Pair
from pabal.platform.language.stories import explain_reason
from pabal.platform.web.actors import name_actors
from pabal.platform.web.exports import stream_csv
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import Word, keep_filters, midnight, read_day, today, turn
from pabal.platform.web.paging import AT_ONCE
from pabal.platform.web.visit import Visit

router = APIRouter()
AREA = "schedules"
LAST_ID = 10**18
VIEWS: tuple[tuple[str, Pair], ...] = (
    ("", ("All", "전체")),
    ("enqueued", ("Under way", "진행 중")),
    ("failed,missed,partial", ("Trouble", "문제 있음")),
    ("skipped,coalesced", ("Not run", "실행 안 함")),
    ("done", ("Done", "완료")),
)
COLUMNS = (
    *("id", "schedule", "name", "kind", "about", "unit_id", "moment", "state", "decision", "reason", "explained"),
    *("job", "decided_at", "ended_at", "count", "actor"),
)


class Filters(BaseModel):
    state: Word = ""
    schedule: Word = ""
    kind: Word = ""
    since: Annotated[Word, Field(alias="from")] = ""
    until: Annotated[Word, Field(alias="to")] = ""
    cursor: str = ""

    @property
    def states(self) -> tuple[str, ...]:
        return tuple(state for state in self.state.split(",") if state in STATES)

    @property
    def days(self) -> tuple[date | None, date | None]:
        return read_day(self.since), read_day(self.until)


@dataclass(frozen=True, slots=True)
class Row:
    """An occurrence as a table shows it; `key` is its id in the page, `who` is None when the engine decided."""

    line: OccurrenceLine
    id: str
    key: str
    schedule: str
    reason: str
    job: str | None
    who: str | None
    took: str


@router.get("/occurrences")
async def occurrences(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page = await load_page(tx, _wanted(visit, filters), filters.cursor or None)
        rows = await make_rows(tx, visit, page.items)
        named = await _name_schedule(tx, visit, filters.schedule)
    return await visit.show(
        "occurrences.html",
        rows=rows,
        filters=filters,
        is_filtered=bool(filters.model_dump(exclude={"cursor"}, exclude_defaults=True)),
        views=VIEWS,
        states=STATES,
        named=named,
        kinds=sorted(visit.site.kinds),
        today=today(visit),
        export=keep_filters(visit, "/occurrences.csv"),
        pager=turn(visit, page.cursor),
        live_topics="schedule.*",
    )


@router.get("/occurrences.csv")
async def export(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    """All that the filters leave, streamed."""
    visit.actor.require(Right.READ, AREA)

    async def read(cursor: str | None) -> Page[Sequence[Any]]:
        async with visit.read() as tx:
            page = await listing.list_occurrences(tx, _wanted(visit, filters), limit=AT_ONCE, cursor=cursor)
        return Page([_csv_row(visit.lang, line) for line in page.items], page.cursor)

    return stream_csv("occurrences", COLUMNS, read)


async def load_page(tx: Tx, wanted: Wanted, cursor: str | None, *, limit: int = 50) -> Page[OccurrenceLine]:
    """A cursor that cannot be read begins at the beginning."""
    return await read_page(lambda start: listing.list_occurrences(tx, wanted, limit=limit, cursor=start), cursor or "")


async def make_rows(tx: Tx, visit: Visit, lines: Sequence[OccurrenceLine]) -> list[Row]:
    names = await name_actors(tx, visit, (line.actor for line in lines))
    return [_row(visit.lang, line, names) for line in lines]


def read_schedule_id(text: str) -> int | None:
    """sch_12 or 12; None for what cannot be an id."""
    try:
        found = why.read_schedule(text) if len(text) < 30 else LAST_ID
    except BadSubject:
        return None
    return found if found < LAST_ID else None


def show_duration(span: timedelta, lang: Lang) -> str:
    """2.4초, 3분 12초, 2시간."""
    seconds = max(0.0, span.total_seconds())
    if seconds < 60:
        return f"{seconds:.1f}초" if lang == "ko" else f"{seconds:.1f} s"
    if seconds < 3600:
        rest = int(seconds % 60)
        return f"{show_span(span, lang)} {rest}초" if lang == "ko" else f"{show_span(span, lang)} {rest} s"
    return show_span(span, lang)


def _wanted(visit: Visit, filters: Filters) -> Wanted:
    """Days are the visitor's, both included. A schedule that cannot be read shows nothing."""
    first, last = filters.days
    schedule_id = (read_schedule_id(filters.schedule) or 0) if filters.schedule else None
    return Wanted(
        visit.scope.listed,
        schedule_id,
        filters.kind or None,
        filters.states,
        since=None if first is None else midnight(visit, first),
        until=None if last is None else midnight(visit, last, days=1),
    )


async def _name_schedule(tx: Tx, visit: Visit, text: str) -> str:
    """The name of the schedule one filters by, where it is one's own to see."""
    schedule_id = read_schedule_id(text)
    found = [] if schedule_id is None else await listing.show_schedules(tx, [schedule_id])
    return found[0].name if found and visit.scope.holds(found[0].unit_id) else text


def _row(lang: Lang, line: OccurrenceLine, names: Mapping[str, str]) -> Row:
    return Row(
        line,
        id=why.show_occurrence(line.schedule_id, line.fire_at),
        key=f"occ-{line.schedule_id}-{int(line.fire_at.timestamp() * 1_000_000)}",
        schedule=why.show_schedule(line.schedule_id),
        reason=explain_reason(line.reason, lang, line.state, line.decision),
        job=None if line.work_id is None else ids.show("job", line.work_id),
        who=None if line.actor is None else names[line.actor],
        took="" if line.ended_at is None else show_duration(line.ended_at - line.decided_at, lang),
    )


def _csv_row(lang: Lang, line: OccurrenceLine) -> tuple[Any, ...]:
    row = _row(lang, line, {line.actor or "": line.actor or ""})
    return (
        *(row.id, row.schedule, line.name, line.kind, line.about, line.unit_id, line.fire_at.isoformat()),
        *(line.state, line.decision, line.reason, row.reason, row.job, line.decided_at.isoformat()),
        *(None if line.ended_at is None else line.ended_at.isoformat(), line.count, line.actor),
    )
