"""Oneself: who one is here, one's sessions and preferences."""

from typing import Annotated

from fastapi.responses import Response

from pabal.api.parts import SessionId, answer, no_content, noun
from pabal.base.database import Tx
from pabal.engine import ids
from pabal.platform import auth
from pabal.platform.auth import OpenSession, Preferences
from pabal.platform.notifications import linking
from pabal.platform.web.etags import answer_one
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of, read_body
from pabal.platform.web.paging import Page, answer_all, answer_json
from pabal.platform.web.visit import Visit
from pabal.resources.people import MeView, Preference, PreferencesView, SessionView, TelegramCodeView

router = noun("me")


@router.get("/me", response_model=model_of(MeView))
async def get_me(visit: Visitor) -> Response:
    """Says who you are here and what you may see."""
    actor = visit.actor
    shown = MeView(
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


@router.put("/me/preferences", response_model=model_of(PreferencesView))
async def set_preferences(
    visit: Visitor, once: OnceOnly, asked: Annotated[Preference, read_body(Preference)]
) -> Response:
    """Sets your language, time zone and theme."""

    async def act(tx: Tx) -> Response:
        wanted = Preferences(asked.language, asked.timezone, asked.theme)
        user = await auth.set_preferences(tx, visit.actor, wanted)
        return answer(PreferencesView.of(user, timezone=user.zone))

    return await once.run(act)


@router.post("/me/telegram-code", status_code=201, response_model=model_of(TelegramCodeView))
async def make_telegram_code(visit: Visitor) -> Response:
    """Makes a code that links your Telegram account: send `/start CODE` to the bot. It works once, for 15 minutes."""
    async with visit.change() as tx:
        made = await linking.make_code(tx, visit.actor)
    return answer_json(TelegramCodeView(code=made.code, expires_at=made.expires_at), 201)


@router.delete("/me/telegram", status_code=204)
async def unlink_telegram(visit: Visitor) -> Response:
    """Unlinks your Telegram account: its buttons do nothing any more."""
    async with visit.change() as tx:
        await linking.unlink(tx, visit.actor)
    return no_content()


@router.get("/sessions", response_model=Page[model_of(SessionView)])  # type: ignore[misc]  # made from the view
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


def _show(visit: Visit, one: OpenSession) -> SessionView:
    return SessionView.of(one, id=ids.show("ses", one.id), is_this=one.id == visit.session_id)
