"""Doors: addresses of apps for programs that are none of Pabal's own clients, with keys and words of their own."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI, Request

from pabal.platform.web.headers import Scope
from pabal.platform.web.identify import find_visit
from pabal.platform.web.problems import SignInNeeded, TokenRefused


@dataclass(frozen=True, slots=True)
class Door:
    """`meet` answers whether a request shows a key of the app's. `show` says an error in the words those programs read.

    `is_open`: the app takes in whatever comes there and answers it by itself, also when it is too much or nonsense.
    """

    prefix: str
    meet: Callable[[Request], Awaitable[bool]] | None = None
    show: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    is_open: bool = False


def find_door(app: FastAPI, path: str) -> Door | None:
    doors: Sequence[Door] = getattr(app.state, "doors", ())
    return next((one for one in doors if path.startswith(one.prefix)), None)


async def require_key(scope: Scope, receive: Any) -> None:
    """Raises unless whoever asks is known: to Pabal, or to the app whose door it is."""
    request = Request(scope, receive)
    door = find_door(scope["app"], scope["path"])
    if door is None or door.meet is None:
        await find_visit(request)
    elif "authorization" not in request.headers:
        raise SignInNeeded
    elif not await door.meet(request):
        raise TokenRefused
