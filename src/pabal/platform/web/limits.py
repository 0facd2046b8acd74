"""How much one may send at once, and how often one may ask: counted in memory, each server for itself."""

from collections import OrderedDict
from dataclasses import dataclass, field

from fastapi import HTTPException, Request
from starlette.datastructures import Headers, MutableHeaders

from pabal.base.clock import elapsed
from pabal.platform.web.headers import Asgi, Message, Receive, Scope, Send
from pabal.platform.web.identify import Visitor
from pabal.platform.web.problems import TooManyRequests

MOST_BYTES = 1_000_000
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


class Limits:
    """ASGI. Refuses bodies that are too large while they come in; files are uploads and have their own limit."""

    def __init__(self, app: Asgi) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_rate(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_rate(scope, MutableHeaders(scope=message))
            await send(message)

        is_upload = Headers(scope=scope).get("content-type", "").startswith("multipart/form-data")
        await self._app(scope, receive if is_upload else _counted(scope, receive), send_with_rate)


def _counted(scope: Scope, receive: Receive) -> Receive:
    announced = Headers(scope=scope).get("content-length", "0")
    seen = 0

    async def receive_some() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MOST_BYTES or (announced.isdigit() and int(announced) > MOST_BYTES):
            raise HTTPException(413)
        return message

    return receive_some


def _add_rate(scope: Scope, headers: MutableHeaders) -> None:
    state = scope.get("state", {})
    if "rate_limit" in state:
        headers["RateLimit-Policy"] = state["rate_limit_policy"]
        headers["RateLimit"] = state["rate_limit"]
