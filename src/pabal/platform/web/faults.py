"""Turns whatever a route raises into one answer: problem+json for programs, a page for people."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from pabal.base import disk
from pabal.base.clock import host_time
from pabal.base.database import ConnectionFailure, DatabaseError, DatabaseUnavailable
from pabal.base.errors import NotFound, PabalError
from pabal.base.telemetry import declare, emit
from pabal.platform.resources import BadParameter
from pabal.platform.web.bodies import BodyRefused
from pabal.platform.web.doors import find_door
from pabal.platform.web.headers import Asgi, Message, Receive, Scope, Send
from pabal.platform.web.identify import THEME_COOKIE, ZONE, guess_language, site_of
from pabal.platform.web.methods import show_allowed
from pabal.platform.web.problems import (
    PROBLEM_JSON,
    BodyTooLarge,
    Fault,
    MediaTypeNotSupported,
    MethodNotAllowed,
    Problem,
    SignInNeeded,
    Unexpected,
    UnknownParameter,
    Unreadable,
    make_problem,
)
from pabal.platform.web.render import Voice

declare("web.failed", "Requests that ended in an error nobody foresaw", level=40)

MOST_FAULTS = 100
_PLACES = {"query": "", "path": "", "header": "", "cookie": ""}


class BodyInvalid(PabalError, code="body_invalid"):
    """What was sent does not fit. Look at the fields that are named and send it again."""

    status = 422

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = faults
        super().__init__(", ".join(one.pointer for one in faults))


def handle_errors(app: FastAPI) -> None:
    """Before other middleware is added: what is unforeseen is answered inside it, with its headers."""
    app.add_exception_handler(PabalError, _on_pabal_error)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_middleware(LastResort)


class LastResort:
    """ASGI. The framework's own handler of the unforeseen stands outside all middleware, and raises once more."""

    def __init__(self, app: Asgi) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def noting(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except Exception as error:
            # half an answer cannot be taken back: the connection is cut, so that nobody takes it for a whole one
            if has_begun or scope["type"] != "http":
                raise
            answered = await _on_unexpected(Request(scope, receive), error)
            await answered(scope, receive, send)


async def answer(request: Request, error: PabalError) -> Response:
    lang = guess_language(request)
    request_id = request.scope.get("state", {}).get("request_id", "")
    problem = make_problem(error, lang=lang, instance=request.url.path, request_id=request_id)
    if isinstance(error, SignInNeeded) and not wants_json(request):
        return _to_sign_in(request)
    answered = _as_json(request, problem) if wants_json(request) else _as_page(request, problem)
    if isinstance(error, MethodNotAllowed):
        # each route of the framework knows its own methods only
        answered.headers["Allow"] = show_allowed(request)
    return answered


def wants_json(request: Request) -> bool:
    """The seeds' own paths lie below /api too; what is not a page is for programs."""
    if request.url.path.startswith("/api/") or find_door(request.app, request.url.path) is not None:
        return True
    return "text/html" not in request.headers.get("Accept", "*/*") and "HX-Request" not in request.headers


def _as_json(request: Request, problem: Problem) -> Response:
    headers = {"Content-Language": problem.lang, "Vary": "Accept-Language"}
    if problem.retry_after is not None:
        headers["Retry-After"] = str(problem.retry_after)
    if problem.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    door = find_door(request.app, request.url.path)
    shown = problem.as_json() if door is None or door.show is None else door.show(problem.as_json())
    return JSONResponse(shown, problem.status, headers, media_type=PROBLEM_JSON)


def _to_sign_in(request: Request) -> Response:
    query = f"?{request.url.query}" if request.url.query else ""
    there = f"{request.url.path}{query}" if request.method == "GET" else "/"
    if "HX-Request" in request.headers or "X-Fragment" in request.headers:
        return Response(status_code=401, headers={"HX-Refresh": "true"})
    return RedirectResponse(f"/sign-in?next={quote(there, safe='')}", status_code=303)


def _as_page(request: Request, problem: Problem) -> Response:
    site = site_of(request)
    headers = {"Retry-After": str(problem.retry_after)} if problem.retry_after is not None else None
    page = site.templates.get_template("error.html").render(
        **Voice(problem.lang, ZONE, datetime.fromtimestamp(host_time(), UTC), site.words).helpers(),
        problem=problem,
        theme=request.cookies.get(THEME_COOKIE),
        is_fragment="HX-Request" in request.headers or "X-Fragment" in request.headers,
    )
    return Response(page, problem.status, headers, media_type="text/html; charset=utf-8")


async def _on_pabal_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, PabalError):
        raise error
    return await answer(request, error)


async def _on_invalid(request: Request, error: Exception) -> Response:
    """A body that does not fit is 422; a query, path or header that cannot be read is 400."""
    found: Sequence[Any] = error.errors() if isinstance(error, RequestValidationError) else ()
    if any(one["type"] == "json_invalid" for one in found):
        return await answer(request, Unreadable("JSON"))
    outside = [one for one in found if one["loc"] and one["loc"][0] in _PLACES][:MOST_FAULTS]
    if outside:
        names = ", ".join(str(one["loc"][-1]) for one in outside)
        if all(one["loc"][0] == "path" for one in outside):
            return await answer(request, NotFound(names))
        is_unknown = any(one["type"] == "extra_forbidden" for one in outside)
        return await answer(request, UnknownParameter(names) if is_unknown else BadParameter(names))
    return await answer(request, BodyInvalid([_fault(one) for one in found[:MOST_FAULTS]]))


async def _on_http(request: Request, error: Exception) -> Response:
    """What the framework itself refuses, in our words."""
    if isinstance(error, BodyRefused):
        return await answer(request, error.error)
    status = error.status_code if isinstance(error, HTTPException) else 500
    named: dict[int, PabalError] = {
        404: NotFound(),
        405: MethodNotAllowed(request.method),
        413: BodyTooLarge(),
        415: MediaTypeNotSupported(),
        400: Unreadable(),
    }
    answered = await answer(request, named.get(status, Unexpected()))
    if isinstance(error, HTTPException) and error.headers and status != 405:
        answered.headers.update(error.headers)
    return answered


async def _on_unexpected(request: Request, error: Exception) -> Response:
    if disk.is_full(error):
        return await answer(
            request, disk.name_full("database" if isinstance(error, DatabaseError) else "server", error)
        )
    if isinstance(error, ConnectionFailure):
        return await answer(request, DatabaseUnavailable(type(error).__name__))
    request_id = request.scope.get("state", {}).get("request_id", "")
    emit("web.failed", path=request.url.path, method=request.method, request_id=request_id, exc_info=error)
    return await answer(request, Unexpected(request_id))


def _fault(found: Any) -> Fault:
    place = [str(part) for part in found["loc"] if part != "body"]
    return Fault("/" + "/".join(place), str(found["type"]), str(found["msg"]))
