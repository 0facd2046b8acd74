"""The way in: sign-in with a password or a one-time link, the first run, sign-out."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response

from pabal.base.errors import Invalid, PabalError
from pabal.console.travel import require_demo
from pabal.console.zones import list_zones
from pabal.platform import auth, demo, tenants
from pabal.platform.auth import Caller, DemoNotHere, LinkSpent, Preferences, SignedIn, SignInFailed, TooManyTries
from pabal.platform.language.errors import explain
from pabal.platform.web.identify import DEVICE_COOKIE, SESSION_COOKIE, Guest, Visitor, lets_demo_in, origin_of
from pabal.platform.web.visit import Visit

router = APIRouter()
DAY = 86400


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why somebody could not come in, as the form shows it."""

    title: str
    reason: str
    code: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the first run asks for."""

    language: str
    zone: str
    start: str = "empty"


@router.get("/sign-in")
async def sign_in_page(visit: Guest, next: str = "/") -> Response:
    return await visit.show("sign_in.html", problem=None, login="", next=next)


@router.post("/sign-in")
async def sign_in(
    visit: Guest,
    login: Annotated[str, Form(max_length=200)],
    password: Annotated[str, Form(max_length=1000)],
    next: Annotated[str, Form(max_length=2000)] = "/",
) -> Response:
    try:
        signed = await auth.sign_in(visit.services.identity, login, password, caller_of(visit))
    except (SignInFailed, DemoNotHere, TooManyTries) as error:
        return await visit.show("sign_in.html", 401, problem=_refusal(visit, error), login=login, next=next)
    return _enter(visit, signed, next)


@router.get("/sign-in/link/{secret}")
async def link_page(visit: Guest, secret: str) -> Response:
    """Looks without using it: messengers open links for a preview."""
    async with visit.read() as tx:
        found = await auth.find_link(tx, secret)
    if found is None:
        raise LinkSpent
    caller_of(visit).check_demo(is_demo=found.is_demo)
    return await visit.show("sign_in_link.html")


@router.post("/sign-in/link/{secret}")
async def use_link(visit: Guest, secret: str) -> Response:
    async with visit.change() as tx:
        signed = await auth.use_link(tx, secret, caller_of(visit))
    return _enter(visit, signed, "/" if signed.user.has_password else "/welcome")


@router.post("/logout")
async def sign_out(visit: Visitor) -> Response:
    async with visit.change() as tx:
        if visit.session_id is not None:
            await auth.revoke_session(tx, visit.actor, visit.session_id)
    answer = visit.go("/sign-in")
    visit.drop_cookie(answer, SESSION_COOKIE)
    return answer


@router.get("/welcome")
async def welcome_page(visit: Visitor) -> Response:
    return await _show_welcome(visit, Chosen(visit.lang, str(visit.zone)))


@router.post("/welcome")
async def welcome(
    visit: Visitor,
    language: Annotated[str, Form()],
    zone: Annotated[str, Form()],
    password: Annotated[str, Form(max_length=1000)] = "",
    start: Annotated[str, Form()] = "empty",
) -> Response:
    """The password last: once there is one, the one-time link is spent and this page is done."""
    if start == "demo":
        await require_demo(visit)
    try:
        async with visit.change() as tx:
            await auth.set_preferences(tx, visit.actor, Preferences(language, zone, visit.theme))
        if password:
            await auth.change_password(
                visit.services.identity, visit.actor, current=None, new=password, keep=visit.session_id
            )
    except Invalid as error:
        return await _show_welcome(visit, Chosen(language, zone, start), error)
    if start == "demo":
        await demo.load(visit.services, visit.site.slices, visit.actor)
    return visit.go("/", said=("Welcome to Pabal.", "파발에 오신 것을 환영합니다."))


def caller_of(visit: Visit) -> Caller:
    request = visit.request
    return Caller(
        address=origin_of(request),
        agent=request.headers.get("User-Agent", ""),
        with_demo=lets_demo_in(request),
        device=request.cookies.get(DEVICE_COOKIE, ""),
    )


async def _show_welcome(visit: Visit, chosen: Chosen, error: PabalError | None = None) -> Response:
    async with visit.read() as tx:
        user = await auth.get_user(tx, await tenants.visible_to(tx, visit.actor), visit.user_id or 0)
    said = "" if error is None else explain(error, visit.lang)
    return await visit.show(
        "welcome.html",
        200 if error is None else 422,
        chosen=chosen,
        zones=list_zones(visit.now),
        login=user.login,
        wants_password=not user.has_password,
        may_choose_demo=await _may_choose_demo(visit),
        password_error=said if isinstance(error, auth.WeakPassword) else "",
        errors=[] if error is None else [("password" if isinstance(error, auth.WeakPassword) else "zone", said)],
    )


async def _may_choose_demo(visit: Visit) -> bool:
    """Only on a demo's server whose house is empty again, and in the head office."""
    async with visit.read() as tx:
        own = await tenants.visible_to(tx, visit.actor)
        is_head = visit.may("manage", demo.AREA) and own.units is None
        return visit.site.is_demo and is_head and await demo.is_empty(tx)


def _enter(visit: Visit, signed: SignedIn, there: str) -> Response:
    answer = visit.go(there)
    visit.keep_cookie(answer, SESSION_COOKIE, signed.key, seconds=14 * DAY)
    visit.keep_cookie(answer, DEVICE_COOKIE, signed.device, seconds=180 * DAY)
    return answer


def _refusal(visit: Visit, error: PabalError) -> Refusal:
    if isinstance(error, TooManyTries):
        title = visit.say("Too many tries", "시도가 너무 많습니다")
    elif isinstance(error, DemoNotHere):
        title = visit.say("The demo's people do not sign in here", "데모 사용자는 여기서 로그인할 수 없습니다")
    else:
        title = visit.say("Name or password is wrong", "아이디나 비밀번호가 맞지 않습니다")
    return Refusal(title, explain(error, visit.lang), error.code)
