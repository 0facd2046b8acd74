"""Who is asking: a session cookie of a person, or a bearer token of a program. Opens the Visit of each request."""

import hmac
from typing import Annotated
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from pabal.base.database import Tx
from pabal.platform import auth, tenants
from pabal.platform.actor import Actor
from pabal.platform.auth import Session
from pabal.platform.language.pairs import Lang, choose_language
from pabal.platform.resources import BadParameter
from pabal.platform.tenants import Scope, UnitNotFound
from pabal.platform.web.problems import CsrfFailed, SignInNeeded, TokenRefused
from pabal.platform.web.proxies import is_this_machine
from pabal.platform.web.site import Site
from pabal.platform.web.turns import take_turn
from pabal.platform.web.visit import Visit

SESSION_COOKIE = "pabal_session"
SCOPE_COOKIE = "pabal_scope"
LANG_COOKIE = "pabal_lang"
THEME_COOKIE = "pabal_theme"
DEVICE_COOKIE = "pabal_device"
CSRF_HEADER = "X-CSRF-Token"
CSRF_FIELD = "csrf_token"
ZONE = ZoneInfo("Asia/Seoul")

_SAFE = ("GET", "HEAD", "OPTIONS")
_FORM = "application/x-www-form-urlencoded"

_bearer = HTTPBearer(auto_error=False, description="An API token: `Authorization: Bearer pbl_…`")
_cookie = APIKeyCookie(name=SESSION_COOKIE, auto_error=False, description="A person's session in the console")


def site_of(request: Request) -> Site:
    found: Site = request.app.state.site
    return found


async def open_visit(
    request: Request,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)] = None,
    session_key: Annotated[str | None, Security(_cookie)] = None,
) -> Visit:
    visit = await _identify(request, credentials, session_key)
    if visit.session_id is not None:
        await check_csrf(request, visit.csrf_token)
    return visit


async def reopen_visit(request: Request) -> Visit:
    """The same request as things are now: for streams, which outlive a sign-out, a revocation and a move."""
    return await open_visit(request, await _bearer(request), await _cookie(request))


async def find_visit(request: Request) -> Visit:
    """Who is asking, before anything of a body is read; whether a form is one of ours is not known yet."""
    return await _identify(request, await _bearer(request), await _cookie(request))


async def open_guest(request: Request) -> Visit:
    """For the pages one reaches without signing in. A form there must come from our own pages."""
    check_source(request)
    site = site_of(request)
    async with site.services.identity.transaction() as tx:
        now = tx.now
    theme = request.cookies.get(THEME_COOKIE)
    return Visit(request, site, None, Scope((), None), guess_language(request), ZONE, now, theme=theme)


Visitor = Annotated[Visit, Depends(open_visit)]
Guest = Annotated[Visit, Depends(open_guest)]


def origin_of(request: Request) -> str:
    """The address of the other side; behind a trusted proxy it is the forwarded one (proxies.py)."""
    return request.client.host if request.client else ""


def lets_demo_in(request: Request) -> bool:
    """Everybody knows the password of the demo's people: they act on a demo's own machine, or where its start said
    otherwise.
    """
    site = site_of(request)
    settings = site.services.settings
    return site.is_demo and (settings.demo_from_anywhere or is_this_machine(request, settings.public_url))


def guess_language(request: Request, wanted: str | None = None) -> Lang:
    """What was chosen in this browser, then what the account says, then what the browser asks for."""
    for said in (request.cookies.get(LANG_COOKIE), wanted):
        if said in ("ko", "en"):
            return "ko" if said == "ko" else "en"
    return choose_language(request.headers.get("Accept-Language"))


async def check_csrf(request: Request, expected: str) -> None:
    """A browser sends the cookie wherever a form comes from; only our own pages know the token."""
    if request.method in _SAFE:
        return
    check_source(request)
    given = request.headers.get(CSRF_HEADER)
    if given is None and request.headers.get("Content-Type", "").startswith(_FORM):
        given = str((await request.form()).get(CSRF_FIELD) or "")
    if not given or not hmac.compare_digest(given.encode(), expected.encode()):
        raise CsrfFailed


def check_source(request: Request) -> None:
    """What a browser itself says about where a request comes from, when it says so."""
    if request.method in _SAFE:
        return
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise CsrfFailed("cross-site")
    source = request.headers.get("Origin")
    if source is not None and urlsplit(source).netloc != request.headers.get("Host"):
        raise CsrfFailed("origin")


async def _find_session(tx: Tx, request: Request, key: str) -> Session | None:
    return await auth.find_session(tx, key, origin=origin_of(request), with_demo=lets_demo_in(request))


async def _identify(
    request: Request, credentials: HTTPAuthorizationCredentials | None, session_key: str | None
) -> Visit:
    """A token in the header wins over a cookie: a program says who it is."""
    if credentials is None and not session_key:
        raise SignInNeeded
    async with site_of(request).services.identity.transaction() as tx:
        if credentials is not None:
            actor = await auth.find_token(
                tx, credentials.credentials, origin=origin_of(request), with_demo=lets_demo_in(request)
            )
            if actor is None:
                raise TokenRefused
            take_turn(request, actor.name)
            return await _visit_of_token(tx, request, actor)
        session = await _find_session(tx, request, session_key) if session_key else None
        if session is None:
            raise SignInNeeded
        take_turn(request, session.actor.name)
        return await _visit_of_session(tx, request, session)


async def _visit_of_token(tx: Tx, request: Request, actor: Actor) -> Visit:
    scope = await _scope(tx, actor, request.query_params.get("org"))
    lang = guess_language(request)
    return Visit(request, site_of(request), actor, scope, lang, ZONE, tx.now)


async def _visit_of_session(tx: Tx, request: Request, session: Session) -> Visit:
    is_api = request.url.path.startswith("/api/")
    wanted = request.query_params.get("org") if is_api else request.cookies.get(SCOPE_COOKIE)
    try:
        scope = await _scope(tx, session.actor, wanted)
    except (BadParameter, UnitNotFound):
        if is_api:
            raise
        # a cookie of another day: the unit is gone, or somebody else signed in here
        scope = await tenants.visible_to(tx, session.actor)
    return Visit(
        request,
        site_of(request),
        session.actor,
        scope,
        guess_language(request, session.preferences.language),
        ZoneInfo(session.preferences.zone),
        tx.now,
        csrf_token=session.csrf,
        session_id=session.id,
        user_id=session.user_id,
        theme=request.cookies.get(THEME_COOKIE) or session.preferences.theme,
    )


async def _scope(tx: Tx, actor: Actor, wanted: str | None) -> Scope:
    if not wanted:
        return await tenants.visible_to(tx, actor)
    if not (wanted.isascii() and wanted.isdigit() and len(wanted) < 19):
        raise BadParameter("org")
    return await tenants.visible_to(tx, actor, within=int(wanted))
