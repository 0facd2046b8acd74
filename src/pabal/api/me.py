"""Oneself: who one is here, one's sessions and preferences."""

from datetime import datetime
from typing import Literal

from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import Asked, SessionId, Shown, answer, fill, no_content, noun
from pabal.base.database import Tx
from pabal.engine import ids
from pabal.platform import auth
from pabal.platform.actor import Role
from pabal.platform.auth import OpenSession, Preferences
from pabal.platform.web.etags import answer_one
from pabal.platform.web.filters import Word
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, answer_all
from pabal.platform.web.visit import Visit

router = noun("me")


class Me(Shown):
    """`units` null means the whole house."""

    name: str = Field(examples=["user:12"])
    label: str = Field(examples=["김운영"])
    role: Role = Field(examples=["operator"])
    scopes: list[str] = Field(examples=[["*:manage"]])
    unit_id: int | None = Field(examples=[3])
    units: list[int] | None = Field(examples=[[3, 4]])
    language: str = Field(examples=["ko"])
    timezone: str = Field(examples=["Asia/Seoul"])


class PreferencesShown(Asked):
    """Null means: as the browser says."""

    language: Literal["ko", "en"] | None = Field(default=None, examples=["ko"])
    timezone: Word = Field(default="Asia/Seoul", examples=["Asia/Seoul"])
    theme: Literal["light", "dark"] | None = Field(default=None, examples=[None])


class SessionShown(Shown):
    id: str = Field(examples=["ses_01h2xcejqtf2n"])
    is_this: bool = Field(examples=[True])
    origin: str = Field(examples=["127.0.0.1"])
    agent: str = Field(examples=["Mozilla/5.0"])
    created_at: datetime
    seen_at: datetime
    expires_at: datetime


@router.get("/me", response_model=Me)
async def get_me(visit: Visitor) -> Response:
    """Says who you are here and what you may see."""
    actor = visit.actor
    shown = Me(
        name=actor.name,
        label=actor.label,
        role=actor.role,
        scopes=list(actor.scopes),
        unit_id=actor.unit_id,
        units=visit.scope.listed,
        language=visit.lang,
        timezone=str(visit.zone),
    )
    return answer_one(visit, shown)


@router.put("/me/preferences", response_model=PreferencesShown)
async def set_preferences(visit: Visitor, once: OnceOnly, asked: PreferencesShown) -> Response:
    """Sets your language, time zone and theme."""

    async def act(tx: Tx) -> Response:
        wanted = Preferences(asked.language, asked.timezone, asked.theme)
        user = await auth.set_preferences(tx, visit.actor, wanted)
        return answer(PreferencesShown(language=user.language, timezone=user.zone, theme=user.theme))  # type: ignore[arg-type]  # checked when they were set

    return await once.run(act)


@router.get("/sessions", response_model=Page[SessionShown])
async def list_sessions(visit: Visitor) -> Response:
    """Lists where you are signed in."""
    async with visit.read() as tx:
        found = await auth.list_sessions(tx, visit.actor)
    shown = [_show(visit, one) for one in found]
    return answer_all(shown)


@router.delete("/sessions/{id}", status_code=204)
async def revoke_session(visit: Visitor, id: SessionId) -> Response:
    """Signs one of your sessions out at once."""
    async with visit.change() as tx:
        await auth.revoke_session(tx, visit.actor, id)
    return no_content()


def _show(visit: Visit, one: OpenSession) -> SessionShown:
    return fill(SessionShown, one, id=ids.show("ses", one.id), is_this=one.id == visit.session_id)
