"""One verb on many rows over the web: an operation for each verb that says so, and what a list offers on a page."""

import dataclasses
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field, ValidationError, create_model, model_validator

from pabal.base.database import Tx
from pabal.platform import bulks
from pabal.platform.bulks import BulkChanged, Hands, NothingChosen, Order
from pabal.platform.resources import Ask, Filter, Many, Noun, case, find_name, plain
from pabal.platform.resources.asks import asked_of
from pabal.platform.resources.bulks import BulkView, view_bulk, view_preview
from pabal.platform.tenants import Scope, visible_to
from pabal.platform.web.described import needed, signed
from pabal.platform.web.endpoints import LAST, Asked, long_id, rules
from pabal.platform.web.filters import Org
from pabal.platform.web.idempotency import Once, OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import body_of, model_of, query_of, read_ask
from pabal.platform.web.paging import answer_json
from pabal.platform.web.visit import Visit

BulkId = Annotated[int, *long_id(bulks.PREFIX)]
NAMED_AT_ONCE = 1000
OnlyLook = Annotated[bool, Query(description="Only say which rows can and which cannot, and why; nothing is done.")]


@dataclass(frozen=True)
class Offer:
    """What may be done to many rows of a list: its verbs, and all that its filter holds, as REST would be asked.

    `filter` None: what is shown is no filter of the list, so that only rows that are ticked are meant. `total` None:
    there are more than are shown, and nobody has counted them yet.
    """

    name: str
    noun: Noun
    verbs: Sequence[Many]
    filter: str | None
    total: int | None


def offer(
    visit: Visit,
    name: str,
    wanted: Filter | None,
    *,
    total: int | None = None,
    org: int | None = None,
    only: Collection[str] = (),
) -> Offer | None:
    """Each is offered what they may do, and nothing to whoever may do nothing; `org` is the unit that the list is
    narrowed to, `only` the verbs that make sense of its rows."""
    noun = visit.site.nouns[name]
    verbs = [
        one
        for one in noun.for_many.values()
        if one.is_offered and visit.actor.may(one.right, noun.area) and (not only or one.name in only)
    ]
    if not verbs:
        return None
    return Offer(name, noun, verbs, None if wanted is None else _write_filter(wanted, org), total)


def _write_filter(wanted: Filter, org: int | None) -> str:
    """As the list's address in REST has it."""
    fields = {one.name: one for one in dataclasses.fields(wanted)}
    said = {
        about.alias or name: (getattr(wanted, name), fields[name].default)
        for name, about in asked_of(type(wanted)).items()
    }
    kept = {name: plain(value) for name, (value, default) in said.items() if value != default and value is not None}
    if org is not None:
        kept["org"] = org
    return urlencode({name: ",".join(value) if isinstance(value, list) else value for name, value in kept.items()})


def hands_of(visit: Visit) -> Hands:
    return partial(needed, visit)


async def choose_all(tx: Tx, visit: Visit, order: Order, text: str) -> list[str]:
    """All that a filter holds, which is written as the list's address in REST has it."""
    listing = order.noun.listings[0]
    model = query_of(
        listing.wanted, is_short=listing.is_short, has_period=listing.has_period, of_house=listing.of_house
    )
    try:
        asked = model.model_validate(dict(parse_qsl(text)))
    except ValidationError as error:
        raise NothingChosen(text[:200]) from error
    scope = await _within(tx, visit, getattr(asked, "org", None))
    wanted: Any = read_ask(listing.wanted, asked)
    return await bulks.list_keys(tx, scope, order.noun, wanted, hands_of(visit))


async def _within(tx: Tx, visit: Visit, org: int | None) -> Scope:
    return visit.scope if org is None else await visible_to(tx, visit.actor, within=org)


def add_many(router: APIRouter, noun: Noun, many: Many) -> None:
    """`POST /many/rooms/claim`: no id stands where `many` does. Where the list has an address of its own, such as
    /rule-executions, that stands in the place of `rooms`, and the noun's own word goes on being understood."""

    async def endpoint(visit: Visit, once: Once, asked: Any, dry_run: bool = False, org: int | None = None) -> Response:
        visit.actor.require(many.right, noun.area)
        order = Order(_name_of(visit, noun), noun, many, _read_options(many, asked))

        async def act(tx: Tx) -> Response:
            keys = await _choose(tx, visit, order, asked)
            return await (_look if dry_run else _start)(tx, visit, order, keys)

        return await once.run(act)

    listed = noun.address.strip("/")
    called = listed if listed and "/" not in listed else noun.many
    for path in dict.fromkeys((f"/many/{called}/{many.name}", f"/many/{noun.many}/{many.name}")):
        _add(router, path, endpoint, noun, many, is_described=path.startswith(f"/many/{called}/"))


def _add(
    router: APIRouter, path: str, endpoint: Callable[..., Any], noun: Noun, many: Many, *, is_described: bool
) -> None:
    router.add_api_route(
        path,
        signed(
            endpoint,
            f"{many.name.replace('-', '_')}_many_{noun.operation}",
            f"{many.label[0]}, on many rows at once: those that are named, or all that a filter holds.",
            visit=Visitor,
            once=OnceOnly,
            asked=_body(noun, many),
            dry_run=(OnlyLook, False),
            org=(Annotated[Org, Query()], None),
        ),
        methods=["POST"],
        response_model=model_of(BulkView),
        responses={202: {"model": model_of(BulkView), "description": "It goes on as durable work: ask for its bulk."}},
        include_in_schema=is_described,
    )


async def _look(tx: Tx, visit: Visit, order: Order, keys: Sequence[str]) -> Response:
    tried = await bulks.preview(tx, visit.actor, order, keys, lang=visit.lang, hands=hands_of(visit))
    return answer_json(view_preview(order.name, order.many.name, visit.actor.name, tx.now, tried, visit.lang))


async def _start(tx: Tx, visit: Visit, order: Order, keys: Sequence[str]) -> Response:
    made = await bulks.start(tx, visit.actor, order, keys, lang=visit.lang, hands=hands_of(visit))
    rows = [] if made.ended_at is None else await bulks.list_rows(tx, made.id)
    return answer_json(view_bulk(made, rows), 202 if made.ended_at is None else 200)


async def _choose(tx: Tx, visit: Visit, order: Order, asked: Any) -> list[str]:
    if asked.filter is None:
        return bulks.check_keys([bulks.show_key(order.noun, one) for one in asked.ids])
    wanted: Any = read_ask(order.noun.listings[0].wanted, asked.filter)
    keys = await bulks.list_keys(tx, visit.scope, order.noun, wanted, hands_of(visit))
    if asked.expect is not None and asked.expect != len(keys):
        raise BulkChanged(f"{len(keys)} instead of {asked.expect}")
    return keys


def _read_options(many: Many, asked: Any) -> dict[str, Any]:
    options = getattr(asked, "options", None)
    if many.asks is None or options is None:
        return {}
    made = read_ask(many.asks, options)
    said: dict[str, Any] = plain(getattr(made, "given", {}))
    return said


def _body(noun: Noun, many: Many) -> type[BaseModel]:
    """`ids` or a `filter`, and what is said to each row."""
    named = f"{many.name}_{noun.operation}".title().replace("_", "").replace("-", "")
    fields: dict[str, Any] = {
        "ids": (
            Annotated[
                tuple[_id(noun), ...],  # type: ignore[misc]  # made from the noun
                Field(
                    max_length=NAMED_AT_ONCE,
                    description="Which rows, by their ids.",
                    examples=[[noun.shows.fields[noun.key].example]],
                ),
            ],
            (),
        ),
        "filter": (
            body_of(noun.listings[0].wanted) | None,
            Field(
                default=None,
                description="Instead of ids: all rows that this filter of the list holds.",
                examples=[None],
            ),
        ),
        "expect": (
            int | None,
            Field(
                default=None,
                ge=1,
                le=bulks.MOST,
                description="Refuse it if the filter holds another number by now.",
                examples=[None],
            ),
        ),
    }
    if many.asks is not None:
        fields["options"] = _options(many.asks)
    return create_model(f"{named}OfMany", __base__=_Chosen, **fields)


class _Chosen(Asked):
    model_config = rules(
        {
            "oneOf": [
                case("ids", ids={"minItems": 1}, filter={"type": "null"}),
                case("filter", filter={"type": "object"}, ids={"maxItems": 0}),
            ]
        }
    )

    @model_validator(mode="after")
    def fits(self) -> "_Chosen":
        if bool(getattr(self, "ids", ())) == (getattr(self, "filter", None) is not None):
            raise ValueError("give ids or a filter")
        return self


def _options(asks: type[Ask]) -> Any:
    body, help = body_of(asks), "What is said to each row."
    if any(one.is_required() for one in body.model_fields.values()):
        return body, Field(description=help)
    return body | None, Field(default=None, description=help)


def _id(noun: Noun) -> Any:
    if noun.prefix:
        return Annotated[int, *long_id(noun.prefix)]
    if noun.reads_key:
        return find_name(noun.reads_key).__origin__
    return Annotated[int, Field(ge=1, le=LAST)]


def _name_of(visit: Visit, noun: Noun) -> str:
    return next(name for name, one in visit.site.nouns.items() if one is noun)
