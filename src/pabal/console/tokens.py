"""Tokens: what programs hold. A secret is in the answer to its making and nowhere else."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from pabal.base.errors import Conflict, Invalid, PabalError
from pabal.console.people import AREA, AT_ONCE, LAST, ROLES, Failed, Number, fail, roles_to_give
from pabal.console.users import address_of
from pabal.platform import auth, tenants
from pabal.platform.actor import EVERYTHING, Right, Role, right_of
from pabal.platform.auth import MadeToken, NewToken, Token
from pabal.platform.language.pairs import Pair
from pabal.platform.language.rights import AREAS, RIGHTS
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import cut_by_id, read_before
from pabal.platform.web.lists import turn
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter()
OVERLAPS: dict[int, Pair] = {
    0: ("at once", "바로"),
    1: ("after 1 hour", "1시간 뒤"),
    24: ("after 1 day", "하루 뒤"),
    72: ("after 3 days", "3일 뒤"),
    168: ("after 7 days", "7일 뒤"),
}
_AT: dict[type[PabalError], str] = {auth.BadDisplayName: "name", auth.BadScope: "reach", auth.BadExpiry: "days"}


class TokenToMake(BaseModel):
    """`reach` all: everything the role allows; otherwise what is ticked."""

    name: Annotated[str, Field(max_length=1000)] = ""
    unit: Annotated[int, Field(ge=1, le=LAST)]
    role: Role
    reach: str = "chosen"
    scope: list[Annotated[str, Field(max_length=60)]] = []
    days: Annotated[int, Field(ge=0, le=10_000)] = 90

    @property
    def scopes(self) -> tuple[str, ...]:
        return (EVERYTHING,) if self.reach == "all" else keep_strongest(self.scope)


@dataclass(frozen=True, slots=True)
class Row:
    token: Token
    state: str
    scopes: str
    path: list[str]


def state_of(token: Token, now: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    if token.expires_at <= now:
        return "expired"
    return "active" if token.replaced_by is None else "rotating"


def keep_strongest(scopes: Iterable[str]) -> tuple[str, ...]:
    """Write holds read, and manage both: of each area one is enough. What is no right at all stays, to be refused."""
    rank = {right: place for place, right in enumerate(RIGHTS)}
    best: dict[str, str] = {}
    for scope in scopes:
        area, _, right = scope.partition(":")
        best[area] = max(best.get(area, right), right, key=lambda one: rank.get(one, len(rank)))
    return tuple(f"{area}:{right}" for area, right in best.items())


def list_areas(visit: Visit) -> dict[str, Pair]:
    """The platform's, then one for each app."""
    apps = {name: label for one in visit.site.slices for name, label in one.named_areas.items()}
    apps.pop("platform", None)
    return {**AREAS, **apps}


def say_scopes(visit: Visit, token: Token) -> str:
    """What it can really do: a scope above its role is cut down to it."""
    areas = list_areas(visit)
    return ", ".join(_say_scope(visit, areas, scope, right_of(token.role)) for scope in token.scopes)


@router.get("/people/tokens")
async def tokens(visit: Visitor, cursor: Annotated[str, Query()] = "") -> Response:
    return await _show_list(visit, cursor)


@router.post("/people/tokens")
async def make_token(visit: Visitor, asked: Annotated[TokenToMake, Form()]) -> Response:
    try:
        async with visit.change() as tx:
            until = tx.now + timedelta(days=asked.days)
            new = NewToken(asked.name, asked.unit, asked.role, asked.scopes, until)
            made = await auth.make_token(tx, visit.actor, new)
    except Invalid as error:
        typed = asked.model_dump(mode="json")
        return await _show_list(visit, "", fail(visit, "make", error, _AT.get(type(error), ""), typed))
    return await _show_made(visit, made)


@router.get("/people/tokens/{token_id}")
async def token(visit: Visitor, token_id: Number) -> Response:
    return await _show_token(visit, token_id)


@router.post("/people/tokens/{token_id}/rotate")
async def rotate_token(visit: Visitor, token_id: Number, overlap: Annotated[int, Form(ge=0, le=720)] = 24) -> Response:
    try:
        async with visit.change() as tx:
            made = await auth.rotate_token(tx, visit.actor, token_id, overlap=timedelta(hours=overlap))
    except (Invalid, Conflict) as error:
        return await _show_token(visit, token_id, fail(visit, "rotate", error, "", {"overlap": overlap}))
    return await _show_made(visit, made)


@router.post("/people/tokens/{token_id}/revoke")
async def revoke_token(visit: Visitor, token_id: Number) -> Response:
    try:
        async with visit.change() as tx:
            gone = await auth.revoke_token(tx, visit.actor, token_id)
    except Conflict as error:
        return await _show_token(visit, token_id, fail(visit, "revoke", error, "", {}))
    said: Pair = ("{name} no longer works.", "{name} 토큰은 이제 쓸 수 없습니다.")
    return visit.go("/people/tokens", said=said, name=gone.name)


@router.get("/people/tokens/{token_id}/{verb}")
async def back_to_token(visit: Visitor, token_id: Number, verb: str) -> Response:
    """The address of the answer that showed a secret: whoever comes back to it finds none there."""
    return visit.go(f"/people/tokens/{token_id}")


async def _show_list(visit: Visit, cursor: str, failed: Failed | None = None) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        tree = await load_tree(tx, visit.scope)
        found = await auth.list_tokens(tx, visit.scope, before=read_before(cursor), limit=AT_ONCE + 1)
    page = cut_by_id(found, AT_ONCE)
    return await visit.show(
        "tokens.html",
        200 if failed is None else failed.status,
        rows=[
            Row(one, state_of(one, visit.now), say_scopes(visit, one), tree.names(one.unit_id)) for one in page.items
        ],
        pager=turn(visit, page.cursor),
        failed=failed,
        tree=tree,
        areas=list_areas(visit),
        rights=RIGHTS,
        roles_to_give=roles_to_give(visit),
    )


async def _show_token(visit: Visit, token_id: int, failed: Failed | None = None) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        scope = await tenants.visible_to(tx, visit.actor)
        found = await auth.get_token(tx, scope, token_id)
        tree = await load_tree(tx, scope)
    return await visit.show(
        "token.html",
        200 if failed is None else failed.status,
        failed=failed,
        is_alive=found.is_alive(visit.now),
        overlaps=[(hours, visit.say(*said)) for hours, said in OVERLAPS.items()],
        **_described(visit, found, tree.names(found.unit_id)),
    )


async def _show_made(visit: Visit, made: MadeToken) -> Response:
    """The page itself answers: a redirect would have to carry the secret in an address or a cookie."""
    async with visit.read() as tx:
        scope = await tenants.visible_to(tx, visit.actor)
        tree = await load_tree(tx, scope)
        old = None if made.token.replaces is None else await auth.get_token(tx, scope, made.token.replaces)
    answer = await visit.show(
        "token_made.html",
        secret=made.secret,
        old=old,
        address=address_of(visit),
        **_described(visit, made.token, tree.names(made.token.unit_id)),
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _described(visit: Visit, token: Token, path: list[str]) -> dict[str, Any]:
    return {
        "token": token,
        "state": state_of(token, visit.now),
        "scopes": say_scopes(visit, token),
        "path": path,
        "role": visit.say(*ROLES[token.role]),
    }


def _say_scope(visit: Visit, areas: dict[str, Pair], scope: str, most: Right) -> str:
    if scope == EVERYTHING:
        return visit.say("everything its role allows", "역할이 허락하는 전부")
    area, _, right = scope.partition(":")
    word = visit.say(*RIGHTS[min(most, Right[right.upper()]).name.lower()])
    if area == "*":
        return visit.say("everything: {right}", "전부: {right}", right=word)
    return f"{visit.say(*areas.get(area, (area, area)))}: {word}"
