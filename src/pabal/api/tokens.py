"""API tokens: what programs hold. A secret is shown once."""

from datetime import datetime, timedelta
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import Asked, Number, Shown, answer, by_id, may_read, no_content, noun, read_id
from pabal.base.database import Tx
from pabal.engine import listing
from pabal.platform import auth
from pabal.platform.actor import Role
from pabal.platform.auth import MadeToken, NewToken, Token
from pabal.platform.tenants import visible_to
from pabal.platform.web.etags import answer_one
from pabal.platform.web.filters import Listed, Moment, Word
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_list

router = noun("tokens")
AREA = "people"


class TokenShown(Shown):
    """`start` is how its secret begins, to recognise it by."""

    id: int = Field(examples=[5])
    unit_id: int = Field(examples=[3])
    name: str = Field(examples=["nightly report"])
    role: Role = Field(examples=["viewer"])
    scopes: list[str] = Field(examples=[["jobs:read"]])
    start: str = Field(examples=["pbl_Zk3vQx8a"])
    made_by: int | None = Field(examples=[12])
    replaces: int | None = Field(examples=[None])
    replaced_by: int | None = Field(examples=[None])
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


class TokenMade(TokenShown):
    """The only time that the secret is shown."""

    secret: str = Field(examples=["pbl_Zk3vQx8a…"])


class TokenToMake(Asked):
    name: Word = Field(examples=["nightly report"])
    unit_id: int = Field(ge=1, lt=2**63, examples=[3])
    role: Role = Field(examples=["viewer"])
    scopes: list[Word] = Field(min_length=1, max_length=50, examples=[["jobs:read"]])
    expires_at: Moment


class Rotate(Asked):
    """The old secret works until the overlap is over."""

    expires_at: Moment | None = Field(default=None, examples=["2026-12-31T00:00:00Z"])
    overlap_seconds: int = Field(default=86_400, ge=0, le=30 * 86_400, examples=[86_400])


@router.get("/tokens", response_model=Page[TokenShown])
async def list_tokens(visit: Visitor, wanted: Annotated[Listed, Query()]) -> Response:
    """Lists the tokens of your organisation, the newest first, those that are over included."""
    may_read(visit, AREA)

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[Token]:
        found = await auth.list_tokens(tx, visit.scope, before=read_id(cursor), limit=limit + 1)
        return by_id(found, limit, lambda one: one.id)

    return await answer_list(visit, wanted, Source("tokens", TokenShown, load, TokenShown.model_validate))


@router.get("/tokens/{id}", response_model=TokenShown)
async def get_token(visit: Visitor, id: Number) -> Response:
    """Shows one token, without its secret."""
    may_read(visit, AREA)
    async with visit.read() as tx:
        found = await auth.get_token(tx, await visible_to(tx, visit.actor), id)
    return answer_one(visit, TokenShown.model_validate(found))


@router.post("/tokens", response_model=TokenMade, status_code=201)
async def make_token(visit: Visitor, once: OnceOnly, asked: TokenToMake) -> Response:
    """Makes a token. Its secret is in this answer and nowhere else."""

    async def act(tx: Tx) -> Response:
        new = NewToken(asked.name, asked.unit_id, asked.role, tuple(asked.scopes), asked.expires_at)
        made = await auth.make_token(tx, visit.actor, new)
        return answer(_made(made), 201, location=f"/tokens/{made.token.id}")

    return await once.run(act)


@router.post("/tokens/{id}/rotate", response_model=TokenMade, status_code=201)
async def rotate_token(visit: Visitor, once: OnceOnly, id: Number, asked: Rotate) -> Response:
    """Makes a new secret for the same rights; the old one works for a while longer."""

    async def act(tx: Tx) -> Response:
        overlap = timedelta(seconds=asked.overlap_seconds)
        made = await auth.rotate_token(tx, visit.actor, id, expires_at=asked.expires_at, overlap=overlap)
        return answer(_made(made), 201, location=f"/tokens/{made.token.id}")

    return await once.run(act)


@router.delete("/tokens/{id}", status_code=204)
async def revoke_token(visit: Visitor, id: Number) -> Response:
    """Revokes a token at once."""
    async with visit.change() as tx:
        await auth.revoke_token(tx, visit.actor, id)
    return no_content()


def _made(made: MadeToken) -> TokenMade:
    return TokenMade(**TokenShown.model_validate(made.token).model_dump(), secret=made.secret)
