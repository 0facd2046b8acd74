"""API tokens: what programs hold. A secret is shown once."""

from datetime import timedelta

from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import Asked, Number, answer, noun
from pabal.base.database import Tx
from pabal.platform import auth
from pabal.platform.actor import Role
from pabal.platform.auth import MadeToken, NewToken
from pabal.platform.web.filters import Moment, Word
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.rest import rest, viewer_of
from pabal.platform.web.visit import Visit
from pabal.resources.people import TOKEN, MadeTokenView, view_made_token

router = noun("tokens")
rest(router, TOKEN)


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


@router.post("/tokens", response_model=model_of(MadeTokenView), status_code=201)
async def make_token(visit: Visitor, once: OnceOnly, asked: TokenToMake) -> Response:
    """Makes a token. Its secret is in this answer and nowhere else."""

    async def act(tx: Tx) -> Response:
        new = NewToken(asked.name, asked.unit_id, asked.role, tuple(asked.scopes), asked.expires_at)
        return _answer(visit, await auth.make_token(tx, visit.actor, new))

    return await once.run(act)


@router.post("/tokens/{id}/rotate", response_model=model_of(MadeTokenView), status_code=201)
async def rotate_token(visit: Visitor, once: OnceOnly, id: Number, asked: Rotate) -> Response:
    """Makes a new secret for the same rights; the old one works for a while longer."""

    async def act(tx: Tx) -> Response:
        overlap = timedelta(seconds=asked.overlap_seconds)
        return _answer(
            visit, await auth.rotate_token(tx, visit.actor, id, expires_at=asked.expires_at, overlap=overlap)
        )

    return await once.run(act)


def _answer(visit: Visit, made: MadeToken) -> Response:
    return answer(view_made_token(made, viewer_of(visit)), 201, location=f"/tokens/{made.token.id}")
