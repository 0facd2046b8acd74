"""How often one may ask, and what stands before every request: counted in memory, each server for itself."""

from collections import OrderedDict
from dataclasses import dataclass, field

from fastapi import Request
from starlette.datastructures import MutableHeaders

from pabal.base.clock import elapsed
from pabal.base.errors import PabalError
from pabal.platform.web.bodies import LimitedBody, refuse_unread
from pabal.platform.web.faults import answer
from pabal.platform.web.headers import Asgi, Message, Receive, Scope, Send
from pabal.platform.web.identify import Visitor
from pabal.platform.web.problems import TooManyRequests
from pabal.platform.web.turns import TooManyAtOnce, Turn

MOST_PRINCIPALS = 10_000


@dataclass
class Bucket:
    tokens: float
    at: float


@dataclass(frozen=True)
class Rate:
    """A bucket of `limit` requests for each principal, filled again over `seconds`."""

    limit: int = 1200
    seconds: int = 60
    _buckets: "OrderedDict[str, Bucket]" = field(default_factory=OrderedDict, repr=False)

    @property
    def policy(self) -> str:
        return f'"api";q={self.limit};w={self.seconds}'

    def take(self, principal: str, now: float) -> str:
        """What the RateLimit header says after this request; raises when there is nothing left."""
        bucket = self._buckets.pop(principal, None) or Bucket(self.limit, now)
        filled = min(float(self.limit), bucket.tokens + (now - bucket.at) * self.limit / self.seconds)
        self._buckets[principal] = Bucket(max(0.0, filled - 1), now)
        while len(self._buckets) > MOST_PRINCIPALS:
            self._buckets.popitem(last=False)
        if filled < 1:
            raise SlowDown(retry_after=max(1, round((1 - filled) * self.seconds / self.limit)))
        left = filled - 1
        return f'"api";r={int(left)};t={round((self.limit - left) * self.seconds / self.limit)}'


class SlowDown(TooManyRequests):
    """Too many requests in a short time. Wait as long as Retry-After says; nobody else is affected."""

    status = 429

    def __init__(self, *, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__()


async def limit_rate(request: Request, visit: Visitor) -> None:
    rate: Rate = getattr(request.app.state, "rate", None) or Rate()
    request.app.state.rate = rate
    request.state.rate_limit_policy = rate.policy
    request.state.rate_limit = '"api";r=0'
    request.state.rate_limit = rate.take(visit.actor.name, elapsed())


# Whoever watches over the server must hear of it while somebody at the same address keeps it busy.
_WATCHED = ("/livez", "/readyz")


class Limits:
    """ASGI. Counts what runs for whom, and reads bodies within limits; some are refused by their head alone."""

    def __init__(self, app: Asgi) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in _WATCHED:
            await self._app(scope, receive, send)
            return

        async def send_with_rate(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_rate(scope, MutableHeaders(scope=message))
            await send(message)

        state, client = scope["app"].state, scope.get("client")
        try:
            turn: Turn = state.turns.begin(client[0] if client else "")
        except TooManyAtOnce as error:
            await _refuse(error, scope, receive, send)
            return
        scope.setdefault("state", {})["turn"] = turn
        try:
            refusal = refuse_unread(scope)
            if refusal is not None:
                await _refuse(refusal, scope, receive, send)
            else:
                body = LimitedBody(scope, receive, state.body_limits)
                await self._app(scope, body.receive, send_with_rate)
        finally:
            turn.end()


async def _refuse(error: PabalError, scope: Scope, receive: Receive, send: Send) -> None:
    answered = await answer(Request(scope, receive), error)
    await answered(scope, receive, send)


def _add_rate(scope: Scope, headers: MutableHeaders) -> None:
    state = scope.get("state", {})
    if "rate_limit" in state:
        headers["RateLimit-Policy"] = state["rate_limit_policy"]
        headers["RateLimit"] = state["rate_limit"]
