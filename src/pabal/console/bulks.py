"""One verb on many rows of any list: looked at first, then done, followed row by row, and taken back."""

import secrets
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_type_hints
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response
from pydantic import ValidationError

from pabal.base.database import Tx
from pabal.base.errors import Conflict
from pabal.platform import bulks
from pabal.platform.bulks import Bulk, NothingChosen, Order
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.resources import Many, plain
from pabal.platform.resources.bulks import RESULTS, STATES, view_ended, view_row
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import cut_by_id, read_before
from pabal.platform.web.lists import RowId, Word, back_to, turn
from pabal.platform.web.many import NAMED_AT_ONCE, choose_all, hands_of
from pabal.platform.web.models import body_of, read_ask
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter()
HERE = "/bulks"
PAGE = 50
_LISTS: dict[str, Pair] = {
    "messaging.schedules": ("Scheduled messages", "예약 메시지"),
    "messaging.deliveries": ("Send logs", "발송 기록"),
    "messaging.rooms": ("Rooms", "톡방"),
    "messaging.devices": ("Devices", "기기"),
    "adgroups.adgroups": ("Ad groups", "광고그룹"),
    "rendering.jobs": ("Render jobs", "렌더 작업"),
    "rules.rules": ("Rules", "규칙"),
    "rules.executions": ("Rule executions", "규칙 실행"),
    "platform.alerts": ("Alerts", "경보"),
    "platform.approvals": ("Approvals", "승인함"),
    "platform.dead-letters": ("Dead letters", "처리 못 한 이벤트"),
}
Ids = Annotated[list[str], Form()]
Text = Annotated[str, Form(max_length=4000)]


@dataclass(frozen=True)
class Option:
    """What the console asks for of what is said to each row: a text, a yes, or a unit."""

    name: str
    label: Pair
    kind: str


@dataclass(frozen=True)
class Choice:
    """What a list posted: some rows, or with `every` all that its filter holds."""

    noun: str
    verb: str
    ids: tuple[str, ...]
    every: bool
    filter: str
    back: str

    @property
    def query(self) -> str:
        said = [("noun", self.noun), ("verb", self.verb), ("back", self.back)]
        said += [("every", "1"), ("filter", self.filter)] if self.every else [("id", one) for one in self.ids]
        return urlencode(said)


@dataclass(frozen=True)
class BulkLine:
    bulk: Bulk
    verb: Pair
    noun: Pair


@router.post(f"{HERE}/choose")
async def choose(  # long: what a list posts
    visit: Visitor,
    noun: Text,
    verb: Text,
    id: Ids | None = None,
    every: Text = "",
    filter: Text = "",
    back: Text = "/",
) -> Response:
    chosen = Choice(noun, verb, tuple((id or [])[:NAMED_AT_ONCE]), bool(every), filter, back)
    return visit.go(f"{HERE}/new?{chosen.query}")


@router.get(f"{HERE}/new")
async def preview(  # long: what a list posted
    visit: Visitor,
    noun: Word = "",
    verb: Word = "",
    id: Annotated[list[str] | None, Query()] = None,
    every: Word = "",
    filter: str = "",
    back: str = "/",
) -> Response:
    """Nothing is changed by looking; the page can be reloaded."""
    chosen = Choice(noun, verb, tuple(id or ()), bool(every), filter, back_to(back, "/"))
    order = bulks.make_order(visit.site.nouns, noun, verb, {})
    # looking tries the verb and takes it back, which is a change of rows for that moment
    async with visit.change() as tx:
        keys = await _keys(tx, visit, order, chosen)
        looked = None
        if keys:
            tried = Order(order.name, order.noun, order.many, _own_unit(visit, order.many))
            looked = await bulks.preview(tx, visit.actor, tried, keys, lang=visit.lang, hands=hands_of(visit))
        units = (await load_tree(tx, visit.scope)).choices() if "unit_id" in order.many.labels else []
    return await visit.show(
        "bulk_new.html",
        order=order,
        chosen=chosen,
        looked=looked,
        rows=[] if looked is None else [view_ended(one, visit.lang) for one in looked.looked_at],
        options=_options(order.many),
        units=units,
        results=RESULTS,
        nonce=secrets.token_urlsafe(12),
    )


@router.post(HERE)
async def start(  # long: what was looked at
    visit: Visitor,
    request: Request,
    noun: Text,
    verb: Text,
    id: Ids | None = None,
    every: Text = "",
    filter: Text = "",
    back: Text = "/",
    seen: Annotated[int, Form(ge=0)] = 0,
    once: Text = "",
) -> Response:
    """`once` is new in every form that is shown: sent a second time, nothing more is done."""
    chosen = Choice(noun, verb, tuple((id or [])[:NAMED_AT_ONCE]), bool(every), filter, back)
    many = bulks.make_order(visit.site.nouns, noun, verb, {}).many
    order = bulks.make_order(visit.site.nouns, noun, verb, _read_options(many, dict(await request.form())))
    async with visit.change() as tx:
        known = await bulks.find_request(tx, visit.actor.name, once)
        if known is not None:
            return visit.go(_href(known, back))
        keys = await _keys(tx, visit, order, chosen)
        if not keys or (chosen.every and len(keys) != seen):
            said = ("The list has changed meanwhile: look again.", "그사이 목록이 바뀌었습니다. 다시 확인하세요.")
            return visit.go(f"{HERE}/new?{chosen.query}", said=said)
        made = await bulks.start(
            tx, visit.actor, order, keys, lang=visit.lang, hands=hands_of(visit), request=once[:100] or None
        )
    return visit.go(_href(made.id, back))


@router.get(HERE)
async def list_page(visit: Visitor, cursor: Word = "") -> Response:
    """One's own, the newest first: a bulk is found again after its page was closed."""
    async with visit.read() as tx:
        found = await bulks.list_bulks(tx, visit.actor.name, before=read_before(cursor), limit=PAGE + 1)
    page = cut_by_id(found, PAGE)
    return await visit.show(
        "bulks.html",
        rows=[BulkLine(one, *_name(visit, one)) for one in page.items],
        states=STATES,
        pager=turn(visit, page.cursor),
    )


def _name(visit: Visit, bulk: Bulk) -> tuple[Pair, Pair]:
    """What was done to what. A verb or a list that this server does not have any more shows its name."""
    noun = visit.site.nouns.get(bulk.noun)
    many = None if noun is None else noun.for_many.get(bulk.verb)
    verb = (bulk.verb, bulk.verb) if many is None else many.label
    return verb, _LISTS.get(bulk.noun, (bulk.noun, bulk.noun))


@router.get(f"{HERE}/{{bulk_id}}")
async def show(visit: Visitor, bulk_id: RowId, back: str = "/") -> Response:
    return await _show(visit, bulk_id, back_to(back, "/"))


@router.post(f"{HERE}/{{bulk_id}}/undo")
async def undo(visit: Visitor, bulk_id: RowId, back: Text = "/") -> Response:
    try:
        async with visit.change() as tx:
            made = await bulks.undo(
                tx, visit.actor, bulk_id, nouns=visit.site.nouns, lang=visit.lang, hands=hands_of(visit)
            )
    except Conflict as error:
        return await _show(visit, bulk_id, back_to(back, "/"), 409, explain(error, visit.lang))
    return visit.go(_href(made.id, back))


async def _show(visit: Visit, bulk_id: int, back: str, status: int = 200, wrong: str = "") -> Response:
    async with visit.read() as tx:
        found = await bulks.get_bulk(tx, visit.actor.name, bulk_id)
        rows = await bulks.list_rows(tx, bulk_id)
    order = bulks.make_order(visit.site.nouns, found.noun, found.verb, found.said)
    refused = [view_row(row) for row in rows if row.result == "refused"]
    return await visit.show(
        "bulk.html",
        status,
        bulk=found,
        order=order,
        refused=refused,
        done=[view_row(row) for row in rows if row.result == "done"],
        may_undo=bool(order.many.undo and found.done and found.ended_at and found.undone_by is None),
        states=STATES,
        results=RESULTS,
        back=back,
        wrong=wrong,
    )


async def _keys(tx: Tx, visit: Visit, order: Order, chosen: Choice) -> list[str]:
    """Whoever may do it to none is told so before anything is looked up."""
    visit.actor.require(order.many.right, order.noun.area)
    try:
        if chosen.every:
            return await choose_all(tx, visit, order, chosen.filter)
        found = [bulks.clean_key(order.noun, one) for one in chosen.ids]
        return bulks.check_keys([one for one in found if one is not None])
    except NothingChosen:
        return []


def _options(many: Many) -> list[Option]:
    hints = {} if many.asks is None else get_type_hints(many.asks)
    return [Option(name, label, _kind(name, hints[name])) for name, label in many.labels.items()]


def _kind(name: str, hint: Any) -> str:
    if name == "unit_id":
        return "unit"
    return "check" if bool in (hint, *get_args(hint)) else "text"


def _read_options(many: Many, posted: dict[str, Any]) -> dict[str, Any]:
    """As REST reads them; what was left empty has its default."""
    if many.asks is None:
        return {}
    given = {name: posted[f"option_{name}"] for name in many.labels if posted.get(f"option_{name}")}
    try:
        asked = read_ask(many.asks, body_of(many.asks).model_validate(given))
    except ValidationError as error:
        raise NothingChosen(", ".join(str(one["loc"]) for one in error.errors())) from error
    said: dict[str, Any] = plain(getattr(asked, "given", {}))
    return said


def _own_unit(visit: Visit, many: Many) -> dict[str, Any]:
    """Before somebody chose, a row is tried with the unit they look at."""
    return {"unit_id": visit.scope.unit_id or visit.actor.unit_id} if "unit_id" in many.labels else {}


def _href(bulk_id: int, back: str) -> str:
    return f"{HERE}/{bulk_id}?{urlencode({'back': back_to(back, '/')})}"
