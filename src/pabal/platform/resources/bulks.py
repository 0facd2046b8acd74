"""A bulk as every face shows it: before it is done, on its way, and row by row."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from pabal.engine import ids
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Lang
from pabal.platform.resources.views import View, Viewer, field

if TYPE_CHECKING:
    from pabal.platform.bulks import Bulk, BulkRow, Ended, Preview

PREFIX = "blk"

STATES = {
    "preview": ("only looked at", "미리 보기"),
    "running": ("running", "진행 중"),
    "done": ("done", "완료"),
    "partial": ("partly done", "일부 완료"),
    "failed": ("nothing done", "처리 없음"),
}
RESULTS = {
    "done": ("done", "처리함"),
    "refused": ("left as it was", "그대로 둠"),
    "waiting": ("waiting", "대기"),
    "possible": ("can be done", "처리 가능"),
}


class BulkRowView(View):
    """`code` and `detail` say why nothing was done to it; in a preview, why nothing would be."""

    id: str = field(("ID", "ID"), description="The row's id, as its own list has it.", example="12")
    title: str | None = field(("Name", "이름"), example="Morning notice")
    result: str = field(("Result", "결과"), words=RESULTS, example="done")
    code: str | None = field(("Code", "코드"), example=None)
    detail: str | None = field(("Why not", "사유"), is_told=True, example=None)


class BulkView(View):
    """One verb on many rows. `results` are there where one bulk is asked for. A preview has no id, and tries the first
    200 rows."""

    id: str | None = field(("ID", "ID"), example="blk_01h2xcejqtf2n")
    state: str = field(("State", "상태"), words=STATES, example="partial")
    noun: str = field(("Of", "대상"), example="messaging.schedules")
    verb: str = field(("Verb", "동작"), example="pause")
    total: int = field(("Rows", "전체"), example=3)
    done: int = field(("Done", "처리"), example=2)
    refused: int = field(("Left", "그대로"), example=1)
    waiting: int = field(("Waiting", "대기"), example=0)
    actor: str = field(("By", "요청자"), example="user:7")
    undoes: str | None = field(("Takes back", "되돌린 대상"), example=None)
    undone_by: str | None = field(("Taken back by", "되돌린 작업"), example=None)
    made_at: datetime = field(("Asked for", "요청 시각"))
    ended_at: datetime | None = field(("Ended", "끝난 시각"))
    results: list[BulkRowView] = field(("Results", "결과"))


def view_bulk(bulk: "Bulk", rows: "Sequence[BulkRow]" = ()) -> BulkView:
    return BulkView.of(
        bulk,
        id=bulk.shown_id,
        undoes=_show(bulk.undoes),
        undone_by=_show(bulk.undone_by),
        results=[view_row(row) for row in rows],
    )


def view_row(row: "BulkRow", _viewer: Viewer | None = None) -> BulkRowView:
    return BulkRowView.of(row, id=row.key, result=row.result or "waiting", detail=row.why)


def view_preview(
    noun: str, verb: str, actor: str, now: datetime, tried: "Preview", lang: Lang
) -> BulkView:  # long: columns
    return BulkView(
        id=None,
        state="preview",
        noun=noun,
        verb=verb,
        total=tried.total,
        done=0,
        refused=len(tried.refused),
        waiting=tried.total - len(tried.refused),
        actor=actor,
        undoes=None,
        undone_by=None,
        made_at=now,
        ended_at=None,
        results=[view_ended(one, lang) for one in tried.looked_at],
    )


def view_ended(one: "Ended", lang: Lang) -> BulkRowView:
    error = one.error
    return BulkRowView(
        id=one.key,
        title=one.title,
        result="possible" if error is None else "refused",
        code=None if error is None else error.code,
        detail=None if error is None else explain(error, lang),
    )


def _show(bulk_id: int | None) -> str | None:
    return None if bulk_id is None else ids.show(PREFIX, bulk_id)
