"""What the lists of messaging share: what an address may say, pages of a list, names of units, rows as CSV."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Path
from fastapi.responses import Response
from pydantic import AfterValidator

from pabal.apps.messaging.model.reasons import Sentence
from pabal.base.database import Tx
from pabal.platform import tenants
from pabal.platform.tenants import Scope, Unit
from pabal.platform.web.filters import FIRST_YEAR, LAST_YEAR
from pabal.platform.web.paging import CSV, write_csv
from pabal.platform.web.visit import Visit

AREA = "messaging"
PAGE = 50
MARK = "\ufeff"  # tells Excel that this is UTF-8

# a number in an address that cannot be a row's is not found, instead of overflowing below
RowId = Annotated[int, Path(ge=0, le=2**63 - 1)]


def clean(text: str) -> str:
    """A console refuses no filter; what the database could not keep or nobody would type is left out."""
    return text.replace("\0", "").strip()[:300]


Word = Annotated[str, AfterValidator(clean)]


def read_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def read_day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if FIRST_YEAR <= day.year <= LAST_YEAR else None


def midnight(day: date, visit: Visit, *, days: int = 0) -> datetime:
    return datetime.combine(day + timedelta(days=days), time(), visit.zone).astimezone(UTC)


def today(visit: Visit) -> date:
    return visit.now.astimezone(visit.zone).date()


@dataclass(frozen=True, slots=True)
class Pager:
    """The addresses of the next page and of the first one; a list that is read by cursor knows no way one page back."""

    next: str | None
    back: str | None
    back_label: str
    said: str = ""


def turn(visit: Visit, cursor: str | None) -> Pager:
    """This list from this cursor on, every filter kept."""
    kept = {name: value for name, value in visit.query.items() if name != "cursor" and value}
    first = f"{visit.path}?{urlencode(kept)}" if kept else visit.path
    onward = None if cursor is None else f"{visit.path}?{urlencode({**kept, 'cursor': cursor})}"
    return Pager(onward, first if visit.query.get("cursor") else None, visit.say("First page", "처음으로"))


def export_link(visit: Visit, path: str, **more: str) -> str:
    """All that this page's filters leave, from another address."""
    kept = {name: value for name, value in visit.query.items() if name != "cursor" and value} | more
    return f"{path}?{urlencode(kept)}" if kept else path


def answer_csv(name: str, rows: Sequence[Sequence[Any]]) -> Response:
    """For tables that are short by their nature."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"', "Cache-Control": "no-store"}
    return Response(MARK + write_csv(rows), media_type=CSV, headers=headers)


def tell(visit: Visit, sentences: Sequence[Sentence]) -> str:
    """In the visitor's language and zone."""
    return " ".join(_tell(visit, one) for one in sentences)


def _tell(visit: Visit, sentence: Sentence) -> str:
    return visit.say(*sentence.pair, **{name: _show(visit, value) for name, value in sentence.values.items()})


def _show(visit: Visit, value: Any) -> Any:
    if isinstance(value, datetime):
        return visit.voice.moment(value, seconds=True)
    return visit.say(*value) if isinstance(value, tuple) else value if value is not None else "–"


class Units:
    """Names of the units one may see. Nobody learns from it who stands above its top."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self.units = units
        self._by_id = {unit.id: unit for unit in units}

    def path(self, unit_id: int | None) -> list[str]:
        found: list[str] = []
        while unit_id is not None and unit_id in self._by_id:
            found.append(self._by_id[unit_id].name)
            unit_id = self._by_id[unit_id].parent_id
        return found[::-1]

    def name(self, unit_id: int | None) -> str:
        return self._by_id[unit_id].name if unit_id in self._by_id else ""

    @property
    def choices(self) -> list[tuple[int, str]]:
        """For a select: indented with spaces that a browser keeps."""
        return [(unit.id, "\u2003" * (len(self.path(unit.id)) - 1) + unit.name) for unit in self.units]


async def load_units(tx: Tx, scope: Scope) -> Units:
    return Units(await tenants.list_units(tx, scope.listed))
