"""REST of described resources: a row of a noun becomes an operation. What all operations need is written here, once.

A list has its page, its total and its CSV; one thing has its ETag; a verb has If-Match, Idempotency-Key and `dry_run`,
and runs in one transaction. The row a verb changes is locked by its action; only If-Match locks it before, to compare.
"""

from collections.abc import Awaitable, Callable
from inspect import Parameter, Signature
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from pabal.base.database import Tx
from pabal.engine import ids
from pabal.engine.listing import Page as Rows
from pabal.platform.actor import Right
from pabal.platform.operating.model import tried
from pabal.platform.resources import Ask, Listing, Noun, Reading, Verb, View, Viewer, find_name
from pabal.platform.tenants import visible_to
from pabal.platform.web.endpoints import LAST, long_id, no_content
from pabal.platform.web.etags import answer_one, check_match, names_version
from pabal.platform.web.idempotency import KEY_REQUIRED, Once, OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import body_of, model_of, query_of, read_ask
from pabal.platform.web.paging import CSV, Page, Source, answer_all, answer_json, answer_list
from pabal.platform.web.visit import Visit

DryRun = Annotated[bool, Query(description="Do it, answer what came of it, and take it back.")]
Endpoint = Callable[..., Awaitable[Response]]


def rest(router: APIRouter, noun: Noun) -> None:
    """Lists and what makes a new one first: `/{id}` would take their paths."""
    for listing in noun.listings:
        _add_list(router, noun, listing)
    for verb in sorted(noun.verbs, key=lambda one: not one.makes):
        if verb.in_rest:
            _add_verb(router, noun, verb)
    if noun.find and noun.get_help:
        _add_one(router, noun)


def rest_reading(router: APIRouter, reading: Reading) -> None:
    model = query_of(reading.wanted, is_short=True, has_period=False, of_house=reading.of_house)

    async def endpoint(visit: Visit, wanted: Any) -> Response:
        visit.actor.require(Right.READ, reading.area)
        asked = read_ask(reading.wanted, wanted)
        async with visit.read() as tx:
            view = await find_name(reading.read)(tx, visit.scope, asked, viewer_of(visit))
        return answer_json(view)

    router.get(reading.path, response_model=model_of(reading.shows))(
        _signed(endpoint, reading.name, reading.help, visit=Visitor, wanted=Annotated[model, Query()])
    )


def viewer_of(visit: Visit) -> Viewer:
    return Viewer(visit.actor, visit.lang, visit.now, visit.zone, apps=lambda: visit.site.slices)


def view_row(visit: Visit, noun: Noun, row: Any) -> View:
    made: View = find_name(noun.view)(row, viewer_of(visit))
    return made


def answer_row(visit: Visit, noun: Noun, row: Any) -> Response:
    """One thing with its ETag."""
    return answer_one(visit, view_row(visit, noun, row), version=_version(noun, row))


async def find_row(tx: Tx, visit: Visit, noun: Noun, row_id: int) -> Any:
    visit.actor.require(Right.READ, noun.area)
    return await find_name(noun.find)(tx, await visible_to(tx, visit.actor), row_id)


async def match_row(tx: Tx, visit: Visit, noun: Noun, row_id: int) -> None:
    """Raises VersionMismatch when the visitor names another version. Who names none costs nothing."""
    if not names_version(visit):
        return
    await find_name(noun.hold)(tx, row_id)
    row = await find_row(tx, visit, noun, row_id)
    check_match(visit, view_row(visit, noun, row), version=_version(noun, row))


def _add_list(router: APIRouter, noun: Noun, listing: Listing) -> None:
    model = query_of(
        listing.wanted, is_short=listing.is_short, has_period=listing.has_period, of_house=listing.of_house
    )

    async def endpoint(visit: Visit, wanted: Any) -> Response:
        visit.actor.require(Right.READ, noun.area)
        asked = read_ask(listing.wanted, wanted)
        if listing.is_short:
            async with visit.read() as tx:
                rows = await find_name(listing.load)(tx, visit.scope, asked)
            return answer_all([view_row(visit, noun, row) for row in rows])
        return await answer_list(visit, wanted, source_of(visit, noun, listing, asked), has_csv=True)

    shown = model_of(noun.shows)
    router.get(
        listing.path or noun.address,
        response_model=Page[shown],  # type: ignore[valid-type]  # made from the view
        responses={} if listing.is_short else {200: {"content": {CSV: {}}}},
    )(_signed(endpoint, listing.name, listing.help, visit=Visitor, wanted=Annotated[model, Query()]))


def source_of(visit: Visit, noun: Noun, listing: Listing, asked: Ask) -> Source[Any, Any]:
    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[Any]:
        found: Rows[Any] = await find_name(listing.load)(tx, visit.scope, asked, cursor=cursor, limit=limit)
        return found

    async def count(tx: Tx) -> int:
        found: int = await find_name(listing.count)(tx, visit.scope, asked)
        return found

    name = listing.title or listing.name.removeprefix("list_")
    return Source(
        name, noun.shows, load, lambda row: view_row(visit, noun, row), count=count if listing.count else None
    )


def _add_one(router: APIRouter, noun: Noun) -> None:
    async def endpoint(visit: Visit, id: int) -> Response:
        async with visit.read() as tx:
            row = await find_row(tx, visit, noun, id)
        return answer_row(visit, noun, row)

    router.get(f"{noun.address}/{{id}}", response_model=model_of(noun.shows))(
        _signed(endpoint, f"get_{noun.operation}", noun.get_help, visit=Visitor, id=id_of(noun))
    )


def _add_verb(router: APIRouter, noun: Noun, verb: Verb) -> None:
    async def endpoint(visit: Visit, once: Once, id: int = 0, asked: Any = None, dry_run: bool = False) -> Response:
        said = {} if verb.asks is None else read_ask(verb.asks, asked).arguments()

        async def act(tx: Tx) -> Response:
            if not verb.makes:
                await match_row(tx, visit, noun, id)
            async with tried(tx, dry_run=dry_run):
                row = await _do(tx, visit, verb, id, said)
                return _answer(visit, noun, verb, row)

        return await (once.required() if verb.key_required else once).run(act)

    takes: dict[str, Any] = {"visit": Visitor, "once": OnceOnly}
    if not verb.makes:
        takes["id"] = id_of(noun)
    if verb.asks is not None:
        takes["asked"] = body_of(verb.asks)
    takes["dry_run"] = (DryRun, False)
    router.add_api_route(
        verb.path if verb.path is not None else _verb_path(noun, verb),
        _signed(endpoint, verb.operation or f"{verb.name}_{noun.operation}", verb.help, **takes),
        methods=[verb.method],
        status_code=204 if verb.answers_nothing else 201 if verb.makes else verb.status,
        response_model=None if verb.answers_nothing else model_of(noun.shows),
        openapi_extra=KEY_REQUIRED if verb.key_required else None,
    )


async def _do(tx: Tx, visit: Visit, verb: Verb, row_id: int, said: dict[str, Any]) -> Any:
    needs: dict[str, Any] = {"vault": visit.services.vault, "services": visit.services, "owners": visit.site.owners}
    given: dict[str, Any] = {**said, **{name: needs[name] for name in verb.needs}}
    action = find_name(verb.action)
    return await (action(tx, visit.actor, **given) if verb.makes else action(tx, visit.actor, row_id, **given))


def _answer(visit: Visit, noun: Noun, verb: Verb, row: Any) -> Response:
    if verb.answers_nothing:
        return no_content()
    if verb.makes:
        made = ids.show(noun.prefix, row.id) if noun.prefix else row.id
        # what cannot be asked for alone is found in its list
        where = f"{visit.path}/{made}" if noun.get_help else visit.path
        return answer_json(view_row(visit, noun, row), 201, {"Location": where})
    answer = answer_row(visit, noun, row)
    answer.status_code = verb.status
    return answer


def _verb_path(noun: Noun, verb: Verb) -> str:
    if verb.makes:
        return noun.address
    return f"{noun.address}/{{id}}" if verb.method in ("PATCH", "DELETE") else f"{noun.address}/{{id}}/{verb.name}"


def id_of(noun: Noun) -> Any:
    """How a path names a row."""
    if noun.prefix:
        return Annotated[int, *long_id(noun.prefix), Path(description=f"The {noun.one}'s id.")]
    return Annotated[int, Path(ge=1, le=LAST, description="Its number.", examples=[3])]


def _version(noun: Noun, row: Any) -> int | None:
    return row.version if noun.is_versioned else None


def _signed(endpoint: Endpoint, name: str, help: str, **takes: Any) -> Endpoint:
    """The web framework reads what an endpoint takes from its signature, and its name and help from the function."""
    parameters = []
    for named, kind in takes.items():
        annotation, default = kind if isinstance(kind, tuple) else (kind, Parameter.empty)
        parameters.append(Parameter(named, Parameter.KEYWORD_ONLY, annotation=annotation, default=default))
    endpoint.__signature__ = Signature(parameters, return_annotation=Response)  # type: ignore[attr-defined]  # read by inspect
    endpoint.__name__, endpoint.__doc__ = name, help
    return endpoint
