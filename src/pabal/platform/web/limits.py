"""What stands before every request: how often one may ask, what runs for whom, and bodies within limits."""

import asyncio

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders

from pabal.base.clock import elapsed
from pabal.base.errors import PabalError
from pabal.platform.web.assets import PREFIX as ASSETS
from pabal.platform.web.bodies import LimitedBody, is_multipart, refuse_unread
from pabal.platform.web.doors import find_door, require_key
from pabal.platform.web.faults import answer
from pabal.platform.web.headers import Asgi, Message, Receive, Scope, Send
from pabal.platform.web.identify import SESSION_COOKIE, Visitor
from pabal.platform.web.problems import SignInNeeded, TokenRefused
from pabal.platform.web.turns import Rate, SlowDown, TooManyAtOnce, Turn, Turns


async def limit_rate(request: Request, visit: Visitor) -> None:
    rate: Rate = getattr(request.app.state, "rate", None) or Rate()
    request.app.state.rate = rate
    request.state.rate_limit_policy = rate.policy
    request.state.rate_limit = '"api";r=0'
    request.state.rate_limit = rate.take(visit.actor.name, elapsed())


# Files of the console, which a browser fetches many of at once and keeps, count less.
_ASSET = 0.1
# No stranger may upload anything, so that this is always refused; until then its bytes come in.
_UPLOAD = 10.0
# Whoever watches over the server must hear of it while somebody at the same address keeps it busy.
_WATCHED = ("/livez", "/readyz")


class Limits:
    """ASGI. Counts what runs for whom, and reads bodies within limits; some are refused by their head alone."""

    def __init__(self, app: Asgi) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in _WATCHED or _is_open(scope):
            await self._app(scope, receive, send)
            return

        async def send_with_rate(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_rate(scope, MutableHeaders(scope=message))
            await send(message)

        state = scope["app"].state
        try:
            turn = _begin(scope, state.turns)
        except TooManyAtOnce as error:
            await _refuse(error, scope, receive, send)
            return
        scope.setdefault("state", {})["turn"] = turn
        try:
            refusal = refuse_unread(scope) or await _pace(scope, receive, turn) or await _meet(scope, receive, turn)
            if refusal is None:
                body = LimitedBody(scope, receive, state.body_limits)
                await self._app(scope, body.receive, send_with_rate)
        finally:
            turn.end()
        if refusal is not None:
            await _refuse(refusal, scope, receive, send)


def _is_open(scope: Scope) -> bool:
    door = find_door(scope["app"], scope["path"])
    return door is not None and door.is_open


def _begin(scope: Scope, turns: Turns) -> Turn:
    client = scope.get("client")
    address = client[0] if client else ""
    try:
        return turns.begin(address)
    except TooManyAtOnce:
        if not _has_key(scope):
            raise
        return turns.knock(address)


async def _meet(scope: Scope, receive: Receive, turn: Turn) -> PabalError | None:
    """Whoever knocked must be somebody, before any of a body is read: strangers' slow ones are what they came past."""
    return await _require_known(scope, receive, TooManyAtOnce()) if turn.is_knocking else None


async def _pace(scope: Scope, receive: Receive, turn: Turn) -> PabalError | None:
    """A stranger asks only so often. Whoever turns out to be known was none, also where others at the same address have
    used everything up.
    """
    try:
        turn.take_guest(elapsed(), _weigh(scope))
    except SlowDown as too_often:
        return await _require_known(scope, receive, too_often) if _has_key(scope) else too_often
    return None


def _weigh(scope: Scope) -> float:
    if scope["path"].startswith(ASSETS):
        return _ASSET
    return _UPLOAD if is_multipart(Headers(scope=scope)) else 1.0


async def _require_known(scope: Scope, receive: Receive, otherwise: PabalError) -> PabalError | None:
    try:
        await require_key(scope, receive)
    except (SignInNeeded, TokenRefused):
        return otherwise
    except PabalError as error:
        return error
    return None


def _has_key(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    return "authorization" in headers or f"{SESSION_COOKIE}=" in headers.get("cookie", "")


async def _refuse(error: PabalError, scope: Scope, receive: Receive, send: Send) -> None:
    """Strangers who ask too often wait for the answer: told at once, they would ask again at once."""
    if isinstance(error, SlowDown | TooManyAtOnce):
        sender = scope.get("state", {}).get("sender")
        if sender is not None:
            sender.is_put_off = True
        await asyncio.sleep(scope["app"].state.turns.shares.refusal_wait)
    answered = await answer(Request(scope, receive), error)
    await answered(scope, receive, send)


def _add_rate(scope: Scope, headers: MutableHeaders) -> None:
    state = scope.get("state", {})
    if "rate_limit" in state:
        headers["RateLimit-Policy"] = state["rate_limit_policy"]
        headers["RateLimit"] = state["rate_limit"]
