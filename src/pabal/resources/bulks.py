"""Bulks: what somebody did to many rows at once. Everybody sees their own; the command line sees all."""

from typing import TYPE_CHECKING

from pabal.platform.resources import Noun, Viewer
from pabal.platform.resources.bulks import BulkView, view_bulk

if TYPE_CHECKING:
    from pabal.resources.bulk_rows import SeenBulk

_ROWS = "pabal.resources.bulk_rows"


def show_bulk(seen: "SeenBulk", _viewer: Viewer) -> BulkView:
    return view_bulk(seen.bulk, seen.rows)


_COLUMNS = ("id", "state", "noun", "verb", "total", "done", "refused", "waiting", "made_at", "ended_at", "undone_by")
BULK = Noun(
    "bulk",
    "bulks",
    "",
    BulkView,
    view=f"{__name__}:show_bulk",
    find=f"{_ROWS}:get_bulk",
    named=f"{_ROWS}:find_bulk",
    prefix="blk",
    columns=(*_COLUMNS, "actor", "undoes"),
    which="Like blk_01h2xcejqtf2n.",
    get_help="Shows one bulk with what became of each row.",
    needs=("reader",),
    details={"results": ("id", "title", "result", "detail")},
)
BULK.lists(
    "list_bulks",
    "Lists what you did to many rows at once, the newest first.",
    f"{_ROWS}:list_bulks",
    columns=_COLUMNS,
    empty=("No bulks.", "한꺼번에 처리한 것이 없습니다."),
    of_house=True,
)
