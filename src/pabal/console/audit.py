"""Audit: who changed what, before and after, and from where; also as CSV."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.console.people import ROLES
from pabal.engine import ids
from pabal.engine.listing import Page
from pabal.platform import audit as ledger
from pabal.platform import auth, tenants
from pabal.platform.actor import Right
from pabal.platform.audit import Entry, Wanted
from pabal.platform.language.actions import SUBJECTS, name_action, name_field
from pabal.platform.language.pairs import Pair
from pabal.platform.tenants import Scope
from pabal.platform.web.exports import stream_csv
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import cut_by_id, read_before
from pabal.platform.web.lists import Word, keep_filters, midnight, read_day, today, turn
from pabal.platform.web.paging import AT_ONCE
from pabal.platform.web.tree import LEVELS, Tree, load_tree
from pabal.platform.web.visit import Visit

router = APIRouter()
AREA = "audit"
PAGE = 50
COLUMNS = (
    *("id", "at", "actor", "actor_label", "origin", "action", "action_words", "about"),
    *("unit_id", "unit", "before", "after"),
)
# Where a person sees what an entry is about.
_BY_NUMBER = {
    "user": "/people/users/{}",
    "unit": "/people/units/{}",
    "token": "/people/tokens/{}",
    "fact": "/facts/{}",
}
_BY_KIND = {"setting": "/settings", "backup": "/backup", "rule": "/alerts", "channel": "/notifications"}
_BY_ID = {"job_": "/jobs/{}", "sch_": "/schedules/{}", "wrk_": "/servers/{}"}
_UNITS = ("unit_id", "parent_id")
_WORDS: dict[str, dict[str, Pair]] = {
    "role": {role.value: said for role, said in ROLES.items()},
    "level": {level.value: said for level, said in LEVELS.items()},
}

Change = tuple[str, str | None, str | None]


class Filters(BaseModel):
    actor: Word = ""
    action: Word = ""
    about: Word = ""
    since: Annotated[Word, Field(alias="from")] = ""
    until: Annotated[Word, Field(alias="to")] = ""
    cursor: str = ""

    @property
    def days(self) -> tuple[date | None, date | None]:
        return read_day(self.since), read_day(self.until)

    def wanted(self, visit: Visit, before: int) -> Wanted:
        """Days are the visitor's, both included."""
        first, last = self.days
        return Wanted(
            visit.scope.listed,
            self.actor or None,
            self.action or None,
            self.about or None,
            since=None if first is None else midnight(visit, first),
            until=None if last is None else midnight(visit, last, days=1),
            before=before,
            veiled=visit.scope.veiled,
        )


@dataclass(frozen=True, slots=True)
class Row:
    """An entry as the table shows it: `name` is what it is about, where that has one."""

    entry: Entry
    said: str
    link: str | None
    name: str | None
    path: list[str]
    changes: list[Change]


@router.get("/audit")
async def audit(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        wanted = filters.wanted(visit, read_before(filters.cursor))
        page = cut_by_id(await ledger.list_entries(tx, wanted, limit=PAGE + 1), PAGE)
        rows = await _make_rows(tx, visit, page.items)
    return await visit.show(
        "audit.html",
        rows=rows,
        filters=filters,
        is_filtered=bool(filters.model_dump(exclude_defaults=True)),
        subjects=[(f"{name}.*", visit.say(*said)) for name, said in SUBJECTS.items()],
        today=today(visit),
        export=keep_filters(visit, "/audit.csv"),
        pager=turn(visit, page.cursor),
    )


@router.get("/audit.csv")
async def export(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    """All that the filters leave, streamed."""
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        tree = await load_tree(tx, await tenants.visible_to(tx, visit.actor))

    async def read(cursor: str | None) -> Page[Sequence[Any]]:
        async with visit.read() as tx:
            wanted = filters.wanted(visit, read_before(cursor or filters.cursor))
            page = cut_by_id(await ledger.list_entries(tx, wanted, limit=AT_ONCE + 1), AT_ONCE)
        return Page([_csv_row(visit, tree, entry) for entry in page.items], page.cursor)

    return stream_csv("audit", COLUMNS, read)


def link_of(visit: Visit, about: str) -> str | None:
    """An app knows its own things; the platform's are here."""
    found = visit.site.link(about)
    if found is not None:
        return found
    kind, _, rest = about.partition(":")
    if kind in _BY_NUMBER and rest.isascii() and rest.isdigit():
        return _BY_NUMBER[kind].format(rest)
    if kind == "alert" and rest.isascii() and rest.isdigit():
        return f"/alerts/{ids.show('alr', int(rest))}"
    return _BY_KIND.get(kind) or next(
        (there.format(about) for start, there in _BY_ID.items() if about.startswith(start)), None
    )


async def _make_rows(tx: Tx, visit: Visit, entries: Sequence[Entry]) -> list[Row]:
    own = await tenants.visible_to(tx, visit.actor)
    tree = await load_tree(tx, own)
    names = {about: await _name(tx, own, tree, about) for about in {entry.about for entry in entries}}
    return [
        Row(
            entry,
            visit.say(*name_action(entry.action)),
            link_of(visit, entry.about),
            names[entry.about],
            tree.names(entry.unit_id),
            show_changes(visit, tree, entry),
        )
        for entry in entries
    ]


async def _name(tx: Tx, own: Scope, tree: Tree, about: str) -> str | None:
    """People, tokens and units one may see by their name; they may be gone, or never have been one's own."""
    kind, _, number = about.partition(":")
    if kind not in ("user", "token", "unit") or not (number.isascii() and number.isdigit() and len(number) < 19):
        return None
    try:
        if kind == "user":
            return (await auth.get_user(tx, own, int(number))).name
        if kind == "token":
            return (await auth.get_token(tx, own, int(number))).name
    except NotFound:
        return None
    found = tree.by_id.get(int(number))
    return None if found is None else found.name


def show_changes(visit: Visit, tree: Tree, entry: Entry) -> list[Change]:
    """Field by field, as `ui.diff` takes it; what was empty and stayed so tells nothing."""
    before, after = entry.before or {}, entry.after or {}
    return [
        (
            visit.say(*name_field(field)),
            _show_value(visit, tree, field, before.get(field)),
            _show_value(visit, tree, field, after.get(field)),
        )
        for field in {**before, **after}
        if before.get(field) is not None or after.get(field) is not None
    ]


def _show_value(visit: Visit, tree: Tree, field: str, value: Any) -> str | None:
    if value is None:
        return None
    if field in _UNITS and isinstance(value, int) and value in tree.by_id:
        return tree.by_id[value].name
    word = _WORDS.get(field, {}).get(value) if isinstance(value, str) else None
    if word is not None:
        return visit.say(*word)
    if isinstance(value, bool):
        return visit.say("yes", "예") if value else visit.say("no", "아니요")
    if isinstance(value, str):
        return _as_moment(visit, value) or value
    return ", ".join(map(str, value)) if isinstance(value, list) else json.dumps(value, ensure_ascii=False)


def _as_moment(visit: Visit, text: str) -> str | None:
    """The audit keeps moments as text; a person reads them in their own zone."""
    if len(text) < 20 or text[10] != "T":
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if moment.tzinfo is None else visit.voice.moment(moment)


def _csv_row(visit: Visit, tree: Tree, entry: Entry) -> tuple[Any, ...]:
    return (
        *(ids.show("aud", entry.id), entry.at.astimezone(UTC).isoformat(), entry.actor, entry.actor_label),
        *(entry.origin, entry.action, visit.say(*name_action(entry.action)), entry.about, entry.unit_id),
        *(" › ".join(tree.names(entry.unit_id)), entry.before, entry.after),
    )
