"""What pages with lists share: what an address may say, days, pages of a list, the way back."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Path
from pydantic import AfterValidator

from pabal.platform.web.filters import FIRST_YEAR, LAST_YEAR
from pabal.platform.web.visit import Visit

# a number in an address that cannot be a row's is not found, instead of overflowing below
RowId = Annotated[int, Path(ge=0, le=2**63 - 1)]


def clean(text: str) -> str:
    """A page refuses no filter; what the database could not keep or nobody would type is left out."""
    return text.replace("\0", "").strip()[:300]


Word = Annotated[str, AfterValidator(clean)]


def read_number(text: str) -> int | None:
    """None for what cannot be a row's number."""
    return (int(text) or None) if text.isascii() and text.isdigit() and len(text) < 19 else None


def read_day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if FIRST_YEAR <= day.year <= LAST_YEAR else None


def midnight(visit: Visit, day: date, *, days: int = 0) -> datetime:
    """When this day of the visitor's begins, or the one so many days on."""
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
    onward = None if cursor is None else keep_filters(visit, visit.path, cursor=cursor)
    back = keep_filters(visit, visit.path) if visit.query.get("cursor") else None
    return Pager(onward, back, visit.say("First page", "처음으로"))


def keep_filters(visit: Visit, path: str, **more: str) -> str:
    """Another address with this page's filters: the next page, or all that they leave as a file."""
    kept = {name: value for name, value in visit.query.items() if name != "cursor" and value} | more
    return f"{path}?{urlencode(kept)}" if kept else path


def back_to(wanted: str, otherwise: str) -> str:
    """Only to a place of ours; `Visit.go` looks again."""
    return wanted if wanted.startswith("/") else otherwise


def words(count: int, cap: int) -> str:
    return f"{cap:,}+" if count > cap else f"{count:,}"
