"""One's own account: language, zone, theme, password, sessions; and the scope one looks at."""

from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response

from pabal.base.errors import PabalError
from pabal.console.zones import list_zones
from pabal.platform import auth, tenants
from pabal.platform.auth import Preferences
from pabal.platform.language.errors import explain
from pabal.platform.notifications import linking
from pabal.platform.notifications.linking import LinkCode
from pabal.platform.web.identify import LANG_COOKIE, SCOPE_COOKIE, THEME_COOKIE, Guest, Visitor
from pabal.platform.web.lists import RowId
from pabal.platform.web.visit import Visit

router = APIRouter()
YEAR = 365 * 86400


@router.get("/account")
async def account(visit: Visitor) -> Response:
    return await _show(visit)


@router.post("/account/preferences")
async def prefer(
    visit: Visitor, language: Annotated[str, Form()], zone: Annotated[str, Form()], theme: Annotated[str, Form()]
) -> Response:
    async with visit.change() as tx:
        await auth.set_preferences(tx, visit.actor, Preferences(language or None, zone, theme or None))
    answer = visit.go("/account", said=("Saved.", "저장했습니다."))
    # what this browser chose before would win over what was just saved
    for cookie in (LANG_COOKIE, THEME_COOKIE):
        visit.drop_cookie(answer, cookie)
    return answer


@router.post("/account/password")
async def change_password(
    visit: Visitor,
    password: Annotated[str, Form(max_length=1000)],
    current: Annotated[str, Form(max_length=1000)] = "",
    revoke_tokens: Annotated[bool, Form()] = False,
) -> Response:
    try:
        await auth.change_password(
            visit.services.identity,
            visit.actor,
            current=current or None,
            new=password,
            keep=visit.session_id,
            revoke_tokens=revoke_tokens,
        )
    except PabalError as error:
        return await _show(visit, error)
    return visit.go("/account", said=("Your password is changed.", "비밀번호를 바꿨습니다."))


@router.post("/account/telegram")
async def link_telegram(visit: Visitor) -> Response:
    """The code is shown once, on the page that answers."""
    try:
        async with visit.change() as tx:
            made = await linking.make_code(tx, visit.actor)
    except PabalError as error:
        return await _show(visit, error)
    return await _show(visit, code=made)


@router.post("/account/telegram/unlink")
async def unlink_telegram(visit: Visitor) -> Response:
    async with visit.change() as tx:
        await linking.unlink(tx, visit.actor)
    return visit.go("/account", said=("Telegram is unlinked.", "텔레그램 연결을 끊었습니다."))


@router.post("/account/sessions/{session_id}/end")
async def end_session(visit: Visitor, session_id: RowId) -> Response:
    async with visit.change() as tx:
        await auth.revoke_session(tx, visit.actor, session_id)
    return visit.go("/account", said=("That session is over.", "그곳의 로그인을 끝냈습니다."))


@router.post("/account/sessions/end-others")
async def end_others(visit: Visitor) -> Response:
    async with visit.change() as tx:
        await auth.revoke_other_sessions(tx, visit.actor, keep=visit.session_id or 0)
    return visit.go("/account", said=("All other sessions are over.", "다른 곳의 로그인을 모두 끝냈습니다."))


@router.get("/language/{lang}")
async def speak(visit: Guest, lang: str, back: str = "/") -> Response:
    """A preference of this browser; an account that says otherwise is changed on its own page."""
    answer = visit.go(back)
    visit.keep_cookie(answer, LANG_COOKIE, "ko" if lang == "ko" else "en", seconds=YEAR)
    return answer


@router.post("/theme")
async def paint(visit: Guest, theme: Annotated[str, Form()], back: Annotated[str, Form()] = "/") -> Response:
    answer = visit.go(back)
    # "system" is kept as a word: without it the account's own theme would come back
    wanted = theme if theme in ("light", "dark") else "system"
    visit.keep_cookie(answer, THEME_COOKIE, wanted, seconds=YEAR)
    return answer


@router.post("/scope")
async def narrow(visit: Visitor, unit: Annotated[int, Form()], back: Annotated[str, Form()] = "/") -> Response:
    async with visit.read() as tx:
        scope = await tenants.visible_to(tx, visit.actor, within=unit)
    answer = visit.go(back)
    visit.keep_cookie(answer, SCOPE_COOKIE, str(scope.unit_id), seconds=YEAR)
    return answer


async def _show(visit: Visit, error: PabalError | None = None, *, code: LinkCode | None = None) -> Response:
    async with visit.read() as tx:
        user = await auth.get_user(tx, await tenants.visible_to(tx, visit.actor), visit.user_id or 0)
        unit = await tenants.get_unit(tx, user.unit_id)
        sessions = await auth.list_sessions(tx, visit.actor)
        link = await linking.find_own_link(tx, visit.actor)
    errors = [] if error is None else [("password", explain(error, visit.lang))]
    return await visit.show(
        "account.html",
        200 if error is None else 422,
        user=user,
        unit=unit,
        sessions=sessions,
        link=link,
        code=code,
        zones=list_zones(visit.now),
        errors=errors,
    )
