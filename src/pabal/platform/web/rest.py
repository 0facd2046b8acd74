"""REST of described resources: a row of a noun becomes an operation. What all operations need is written here, once.

A list has its page, its total and its CSV; one thing has its ETag; a verb has If-Match, Idempotency-Key and `dry_run`,
and runs in one transaction. The row a verb changes is locked by its action; only If-Match locks it before, to compare.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from pabal.base.database import Tx
from pabal.engine import ids
from pabal.engine.listing import Page as Rows
from pabal.platform.actor import Right
from pabal.platform.resources import Ask, Listing, Noun, Report, Verb, View, Viewer, find_name, plain
from pabal.platform.tenants import visible_to
from pabal.platform.web.described import needed, signed
from pabal.platform.web.endpoints import LAST, long_id, no_content
from pabal.platform.web.etags import answer_one, check_match, names_version
from pabal.platform.web.idempotency import KEY_REQUIRED, Once, OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.many import add_many
from pabal.platform.web.models import body_of, model_of, query_of, read_ask
from pabal.platform.web.paging import CSV, Page, Source, answer_all, answer_json, answer_list
from pabal.platform.web.visit import Visit

DryRun = Annotated[bool, Query(description="Do it, answer what came of it, and take it back.")]


def rest(router: APIRouter, noun: Noun) -> None:
    """Lists and what makes a new one first: `/{id}` would take their paths."""
    for listing in noun.listings:
        _add_list(router, noun, listing)
    for many in noun.for_many.values():
        if many.is_offered:
            add_many(router, noun, many)
    for verb in sorted(noun.verbs, key=lambda one: not one.makes):
        if verb.in_rest:
            _add_verb(router, noun, verb)
    if noun.find and noun.get_help:
        _add_one(router, noun)


def rest_report(router: APIRouter, report: Report) -> None:
    model = query_of(report.wanted, is_short=True, has_period=False)

    async def endpoint(visit: Visit, wanted: Any) -> Response:
        visit.actor.require(Right.READ, report.area)
        asked = read_ask(report.wanted, wanted)
        async with visit.read() as tx:
            view = await find_name(report.read)(tx, visit.scope, asked, viewer_of(visit))
        return answer_json(view)

    router.get(report.path, response_model=model_of(report.shows))(
        signed(endpoint, report.name, report.help, visit=Visitor, wanted=Annotated[model, Query()])
    )


def viewer_of(visit: Visit) -> Viewer:
    return Viewer(visit.actor, visit.lang, visit.now, visit.zone, apps=lambda: visit.site.slices)


def view_row(visit: Visit, noun: Noun, row: Any) -> View:
    made: View = find_name(noun.view)(row, viewer_of(visit))
    return made


def answer_row(visit: Visit, noun: Noun, row: Any) -> Response:
    """One thing with its ETag."""
    return answer_one(visit, view_row(visit, noun, row), version=_version(noun, row))


async def find_row(tx: Tx, visit: Visit, noun: Noun, row_id: Any) -> Any:
    _require(visit, noun)
    return await find_name(noun.find)(tx, await visible_to(tx, visit.actor), row_id, **needed(visit, noun.needs))


def _require(visit: Visit, noun: Noun) -> None:
    """Of a noun without an area each sees their own."""
    if noun.area:
        visit.actor.require(Right.READ, noun.area)


async def match_row(tx: Tx, visit: Visit, noun: Noun, row_id: Any) -> None:
    """Raises VersionMismatch when the visitor names another version. Who names none costs nothing, and what cannot be
    asked for alone has none."""
    if not names_version(visit) or not noun.hold:
        return
    await find_name(noun.hold)(tx, row_id)
    row = await find_row(tx, visit, noun, row_id)
    check_match(visit, view_row(visit, noun, row), version=_version(noun, row))


def _add_list(router: APIRouter, noun: Noun, listing: Listing) -> None:
    model = query_of(
        listing.wanted, is_short=listing.is_short, has_period=listing.has_period, of_house=listing.of_house
    )

    async def endpoint(visit: Visit, wanted: Any) -> Response:
        _require(visit, noun)
        asked = read_ask(listing.wanted, wanted)
        if listing.is_short:
            async with visit.read() as tx:
                rows = await find_name(listing.load)(tx, visit.scope, asked, **needed(visit, noun.needs))
            return answer_all([view_row(visit, noun, row) for row in rows])
        return await answer_list(visit, wanted, source_of(visit, noun, listing, asked), has_csv=True)

    shown = model_of(noun.shows)
    router.get(
        listing.path or noun.address,
        response_model=Page[shown],  # type: ignore[valid-type]  # made from the view
        responses={} if listing.is_short else {200: {"content": {CSV: {}}}},
    )(signed(endpoint, listing.name, listing.help, visit=Visitor, wanted=Annotated[model, Query()]))


def source_of(visit: Visit, noun: Noun, listing: Listing, asked: Ask) -> Source[Any, Any]:
    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[Any]:
        needs = needed(visit, noun.needs)
        found: Rows[Any] = await find_name(listing.load)(tx, visit.scope, asked, cursor=cursor, limit=limit, **needs)
        return found

    async def count(tx: Tx) -> int:
        found: int = await find_name(listing.count)(tx, visit.scope, asked)
        return found

    name = listing.title or listing.name.removeprefix("list_")
    view, viewer = find_name(noun.view), viewer_of(visit)
    return Source(name, noun.shows, load, lambda row: view(row, viewer), count=count if listing.count else None)


def _add_one(router: APIRouter, noun: Noun) -> None:
    async def endpoint(visit: Visit, **key: Any) -> Response:
        async with visit.read() as tx:
            row = await find_row(tx, visit, noun, key[noun.key])
        return answer_row(visit, noun, row)

    router.get(_address_of_one(noun), response_model=model_of(noun.shows))(
        signed(endpoint, f"get_{noun.operation}", noun.get_help, visit=Visitor, **{noun.key: id_of(noun)})
    )


def _add_verb(router: APIRouter, noun: Noun, verb: Verb) -> None:
    async def endpoint(visit: Visit, once: Once, asked: Any = None, dry_run: bool = False, **key: Any) -> Response:
        row_id = key.get(noun.key)
        said = {} if verb.asks is None else read_ask(verb.asks, asked).arguments()
        if verb.looks:
            look = find_name(verb.looks)
            said = await look(visit.read, visit.services, visit.actor, dry_run=dry_run, **said)

        async def act(tx: Tx) -> Response:
            if not verb.makes:
                await match_row(tx, visit, noun, row_id)
            needs = needed(visit, (*noun.needs, *verb.needs), dry_run=dry_run)
            action, given = find_name(verb.action), {**said, **needs}
            done = action(tx, visit.actor, **given) if verb.makes else action(tx, visit.actor, row_id, **given)
            return _answer(visit, noun, verb, await done, row_id)

        return await (once.required() if verb.key_required else once).run(act, dry_run=dry_run)

    takes: dict[str, Any] = {"visit": Visitor, "once": OnceOnly}
    if not verb.makes:
        takes[noun.key] = id_of(noun)
    if verb.asks is not None:
        takes["asked"] = body_of(verb.asks)
    takes["dry_run"] = (DryRun, False)
    router.add_api_route(
        verb.path if verb.path is not None else _verb_path(noun, verb),
        signed(endpoint, verb.operation or f"{verb.name}_{noun.operation}", verb.help, **takes),
        methods=[verb.method],
        status_code=_status(verb),
        response_model=None if verb.answers_nothing else model_of(verb.shows or noun.shows),
        openapi_extra=KEY_REQUIRED if verb.key_required else None,
    )


def _status(verb: Verb) -> int:
    return 204 if verb.answers_nothing else 201 if verb.makes else verb.status


def _answer(visit: Visit, noun: Noun, verb: Verb, row: Any, row_id: Any) -> Response:
    if verb.answers_nothing:
        return no_content()
    if verb.shows is not None:
        view = find_name(verb.view)(row, viewer_of(visit))
        return answer_json(view, _status(verb), _locate(visit, noun, verb, {"id": row_id, **plain(view)}))
    if verb.makes:
        made = ids.show(noun.prefix, row.id) if noun.prefix else row.id
        # what cannot be asked for alone is found in its list
        where = f"{visit.path}/{made}" if noun.get_help else visit.path
        return answer_json(view_row(visit, noun, row), 201, {"Location": where})
    answer = answer_row(visit, noun, row)
    answer.status_code = verb.status
    return answer


def _locate(visit: Visit, noun: Noun, verb: Verb, known: dict[str, Any]) -> dict[str, str]:
    base, is_below, _ = visit.path.partition(noun.address)
    if not is_below:  # a verb with an address of its own
        base = visit.path.removesuffix(verb.path or "")
    return {"Location": base + verb.location.format_map(known)} if verb.location else {}


def _address_of_one(noun: Noun) -> str:
    return f"{noun.address}/{{{noun.key}}}"


def _verb_path(noun: Noun, verb: Verb) -> str:
    if verb.makes:
        return noun.address
    one = _address_of_one(noun)
    return one if verb.method in ("PATCH", "DELETE") else f"{one}/{verb.name}"


def id_of(noun: Noun) -> Any:
    """How a path names a row."""
    if noun.reads_key:
        return find_name(noun.reads_key)
    if noun.prefix:
        return Annotated[int, *long_id(noun.prefix), Path(description=f"The {noun.one}'s id.")]
    return Annotated[int, Path(ge=1, le=LAST, description="Its number.", examples=[3])]


def _version(noun: Noun, row: Any) -> int | None:
    return row.version if noun.is_versioned else None
