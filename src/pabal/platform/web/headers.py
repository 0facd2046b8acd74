"""What every answer carries: a request id and the headers that keep a browser from being turned against its user."""

import re
import uuid
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.datastructures import Headers

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "media-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_SECURE = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_REQUEST_ID = b"x-request-id"
_GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


class SecureHeaders:
    """ASGI, not a wrapper of requests: streams must pass through untouched."""

    def __init__(self, app: Asgi, *, is_https: bool) -> None:
        self._app = app
        # what a person saw signed in must not be shown by a cache or by going back after signing out
        headers = {**_SECURE, "Cache-Control": "no-store"}
        if is_https:
            headers["Strict-Transport-Security"] = "max-age=31536000"
        # written once, as they go out: every answer has them
        self._headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(Headers(scope=scope).get("x-request-id"))
        scope.setdefault("state", {})["request_id"] = request_id

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = [one for one in message.get("headers", ()) if one[0].lower() != _REQUEST_ID]
                known = {name.lower() for name, _ in given}
                own = [one for one in self._headers if one[0] not in known]
                message["headers"] = [*given, (_REQUEST_ID, request_id.encode("latin-1")), *own]
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _request_id(given: str | None) -> str:
    """A caller's own number is kept when it is harmless: it goes into logs and answers."""
    return given if given and _GIVEN_ID.fullmatch(given) else uuid.uuid4().hex
