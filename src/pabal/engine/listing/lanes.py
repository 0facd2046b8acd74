"""Shared lanes: how wide each is, who holds it, how many wait."""

from collections.abc import Sequence
from dataclasses import dataclass

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.listing.paging import Page, cut, one_more, read_cursor, show_cursor

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class LaneLine:
    """A shared lane, or the name of many (`licence`), which nobody holds itself. `chosen` beats `declared`."""

    name: str
    declared: int | None
    chosen: int | None
    width: int
    holders: list[int]
    running: int
    waiting: int

    @property
    def id(self) -> str:
        return self.name


async def list_lanes(tx: Tx, *, cursor: str | None = None, limit: int = 50) -> Page[LaneLine]:
    after = "" if cursor is None else str(read_cursor(cursor, str)[0])
    rows = await tx.rows(SQL.list_lanes, after=after, limit_rows=one_more(limit))
    page = cut([row["name"] for row in rows], limit, show_cursor)
    return Page(await show_lanes(tx, page.items), page.cursor)


async def show_lanes(tx: Tx, names: Sequence[str]) -> list[LaneLine]:
    """Those of them that are shared."""
    return await tx.all(LaneLine, SQL.show_lanes, names=list(names))
