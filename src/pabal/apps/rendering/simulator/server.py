"""SimulatedNexrender: nexrender's server 1.38.0 on a real socket, with render workers behind it.

Under /sim, where the real one has nothing, it is told to misbehave and shows what it saw (control.py).
"""

import asyncio
import json
import os
import re
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, Self

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from pabal.apps.rendering.simulator import control
from pabal.apps.rendering.simulator.faults import REQUEST_FAULTS, FaultKind, FaultList
from pabal.apps.rendering.simulator.journal import (
    FarmChange,
    FarmJournal,
    JobPicked,
    RequestAnswered,
    RequestReceived,
    moment,
)
from pabal.apps.rendering.simulator.options import NexrenderOptions
from pabal.apps.rendering.simulator.table import Job, JobRefused, JobTable, check_job, create_job, show_status
from pabal.apps.rendering.simulator.workers import WorkerPool
from pabal.base.errors import Unavailable
from pabal.platform.web.asked import AskedServer, quiet

_HOST = "127.0.0.1"
_HANG_UP = "hang_up"
_LIMIT = 100 * 1024 * 1024
_HEADERS = {"access-control-allow-origin": "*", "access-control-allow-credentials": "true"}
_WRONG_SECRET = 'Wrong or no authentication secret provided. Please check the "nexrender-secret" header.'  # noqa: S105 -- nexrender's sentence
# What nexrender's router takes for a segment: it means "letters and a few signs", and lets a slash in.
_UID = r"(?P<uid>[a-zA-Z0-9@.+-_]+)"


class NexrenderPortTaken(Unavailable, code="nexrender_port_taken"):
    """Another program uses the port of the simulated nexrender."""


@dataclass(frozen=True)
class Call:
    """A request as the routes see it."""

    uid: str
    body: bytes


class SimulatedNexrender:
    """`async with SimulatedNexrender(NexrenderOptions(…)) as nexrender:` serves on `nexrender.url`."""

    def __init__(self, options: NexrenderOptions | None = None) -> None:
        self.options = options or NexrenderOptions()
        self.journal = FarmJournal(self.options.log, tell=self.options.tell)
        self.faults = FaultList(self.options.faults)
        self.table = JobTable(self.options.database, order=self.options.order, seed=self.options.seed)
        self.is_up = False
        self.workers = WorkerPool(
            self.options, self.table, self.faults, self.journal, is_up=lambda: self.is_up, on_change=self._changed
        )
        self.url = ""
        self._numbers = count(1)
        self._is_save_due = False
        self._door: _Door | None = None
        self._returning: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        try:
            self._socket = _bind(self.options.port)
        except OSError as error:
            self.journal.close()
            raise NexrenderPortTaken(f"{self.options.port}: {error.strerror or error}") from error
        self.url = f"http://{_HOST}:{self._socket.getsockname()[1]}"
        self.journal.add(FarmChange(moment(), "farm_started", detail=str(os.getpid())))
        await self.accept()
        self.workers.start_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._returning is not None:
            self._returning.cancel()
            await asyncio.gather(self._returning, return_exceptions=True)
        await self.workers.stop()
        await self.refuse()
        self._socket.close()
        self.journal.close()

    async def refuse(self) -> None:
        """The server is away: connections are cut and refused, also those of the workers, who go on rendering."""
        if self._door is not None:
            self.is_up = False
            door, self._door = self._door, None
            await door.close()
            self._socket.close()
            self._socket = _bind(int(self.url.rpartition(":")[2]))  # held, so that nobody else gets it meanwhile
            self.journal.add(FarmChange(moment(), "server_down"))

    async def accept(self) -> None:
        if self._door is None:
            self._socket.listen(100)
            self._door = _Door(self._answer)
            await self._door.open(self._socket)
            self.is_up = True
            self.journal.add(FarmChange(moment(), "server_up"))

    async def restart(self, seconds: float = 0.0) -> None:
        """The server dies and returns with what its file holds. Workers are machines of their own."""
        await self.refuse()
        self.table.load()
        await asyncio.sleep(seconds)
        await self.accept()

    def restart_soon(self, seconds: float) -> None:
        """For the control endpoint, whose own connection a restart cuts."""
        if self._returning is None or self._returning.done():
            self._returning = asyncio.create_task(self.restart(seconds))

    def _changed(self) -> None:
        """nexrender answers first and writes its file afterwards."""
        if not self._is_save_due:
            self._is_save_due = True
            asyncio.get_running_loop().call_soon(self._save)
        self.journal.wake()

    def _save(self) -> None:
        self._is_save_due = False
        self.table.save()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.url.path.startswith(control.PREFIX):
            may = self._may(request)
            answer = await control.answer_control(self, request) if may else _text(403, _WRONG_SECRET)
            return await answer(scope, receive, send)
        number = next(self._numbers)
        call = Call(_find_uid(request.url.path), await request.body())
        named = call.uid or _read_uid(call.body)
        self.journal.add(RequestReceived(moment(), number, request.method, request.url.path, named))
        answer = self._handle(request, call)
        if await self._is_struck(request):
            self.journal.add(RequestAnswered(moment(), number, None))
            scope["state"][_HANG_UP]()
            await receive()  # uvicorn must see that nobody is there before this returns
            return None
        self.journal.add(RequestAnswered(moment(), number, answer.status_code))
        return await answer(scope, receive, send)

    def _may(self, request: Request) -> bool:
        return not self.options.secret or request.headers.get("nexrender-secret") == self.options.secret

    async def _is_struck(self, request: Request) -> bool:
        """After it was handled: waits when it is slow; true when nobody shall get an answer."""
        found = {kind: self.faults.take(kind, f"{request.method} {request.url.path}") for kind in REQUEST_FAULTS}
        if slow := found[FaultKind.SLOW]:
            await asyncio.sleep(slow.value)
        return found[FaultKind.NO_ANSWER] is not None

    def _handle(self, request: Request, call: Call) -> Response:
        if request.method == "OPTIONS" or (request.method == "GET" and _target(request) == "/api/v1/health"):
            return _text(200, "ok")
        if not self._may(request):
            return _text(403, _WRONG_SECRET)
        try:
            return self._route(request.method, request.url.path, call)
        except JobRefused as refusal:
            return _text(400, f"{refusal}\n    at validate (simulated)")

    def _route(self, method: str, path: str, call: Call) -> Response:
        match method, path.removeprefix("/api/v1"):
            case "POST", "/jobs":
                return self._create(call.body)
            case "GET", "/jobs":
                return _json(self.table.rows)
            case "GET", "/jobs/status":
                return _json([show_status(job) for job in self.table.rows])
            case "GET", "/jobs/pickup":
                return self._pick_up()
        if not call.uid:
            return Response(status_code=204, headers=_HEADERS)
        return self._route_job(method, call)

    def _route_job(self, method: str, call: Call) -> Response:
        if method == "GET" and call.uid.endswith("/status"):
            job = self.table.find(call.uid.removesuffix("/status"))
            return _text(500, "Internal Server Error") if job is None else _json(show_status(job))
        if method == "GET":
            return _json(self.table.find(call.uid))
        if method == "PUT":
            return self._update(call)
        if method == "DELETE":
            self.table.remove(call.uid)
            self._changed()
            return _json({"id": call.uid, "removed": True})
        return Response(status_code=204, headers=_HEADERS)

    def _create(self, body: bytes) -> Response:
        given = _parse(body)
        if isinstance(given, Response):
            return given
        if given is None:
            return _text(500, "Internal Server Error")
        job = create_job(given, _HOST)
        check_job(job)
        self._insert(job)
        return _json(job)

    def _insert(self, job: Job) -> None:
        names = (str(job["uid"]), str(job["template"]["composition"]))
        rows = 2 if self.faults.take(FaultKind.DOUBLE, *names) else 1
        rows = 0 if self.faults.take(FaultKind.FORGET, *names) else rows
        if rows != 1:
            what = "forgotten" if rows == 0 else "doubled"
            self.journal.add(FarmChange(moment(), what, names[0]))
        for _ in range(rows):
            self.table.insert(dict(job))
        self._changed()

    def _pick_up(self) -> Response:
        job = self.table.pick_up(_HOST)
        if job is not None:
            self.journal.add(JobPicked(moment(), str(job["uid"]), None))
            self._changed()
        return _json(job or {})

    def _update(self, call: Call) -> Response:
        given = _parse(call.body)
        if isinstance(given, Response):
            return given
        job = self.table.put(call.uid, given if isinstance(given, dict) else {})
        self._changed()
        return _json(job)


def _find_uid(path: str) -> str:
    found = re.fullmatch(rf"/api/v1/jobs/{_UID}", path)
    return found["uid"] if found else ""


def _read_uid(body: bytes) -> str:
    with suppress(ValueError, RecursionError):
        given = json.loads(body)
        return str(given.get("uid") or "") if isinstance(given, dict) else ""
    return ""


def _target(request: Request) -> str:
    query = request.scope["query_string"].decode("latin-1")
    return request.url.path + (f"?{query}" if query else "")


def _parse(body: bytes) -> Any:
    if len(body) > _LIMIT:
        return _text(413, "Body exceeded 100mb limit")
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return _text(400, "Invalid JSON")


def _text(status: int, text: str) -> Response:
    """nexrender says no media type with its texts."""
    return Response(text, status, _HEADERS)


def _json(value: Any) -> Response:
    """None is nexrender's answer for what it does not know: 200 and nothing."""
    if value is None:
        return Response(status_code=200, headers=_HEADERS)
    content = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Response(content, 200, {**_HEADERS, "content-type": "application/json; charset=utf-8"})


def _bind(port: int) -> socket.socket:
    """Bound and not listening: connections are refused."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((_HOST, port))
    except OSError:
        made.close()
        raise
    return made


class _Door(AskedServer):
    """One life of the server."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        super().__init__(quiet(app, interface="asgi3", http=_MayHangUp, proxy_headers=False))

    async def open(self, listening: socket.socket) -> None:
        self._serving = asyncio.create_task(self.serve(sockets=[listening]), name="nexrender simulator")
        await self.is_up.wait()

    async def close(self) -> None:
        """At once: what was in the making gets no answer."""
        tasks = list(self.server_state.tasks)
        for connection in list(self.server_state.connections):
            if isinstance(connection, HttpToolsProtocol):
                connection.transport.abort()
        for task in tasks:
            task.cancel()
        self.force_exit = True
        self.asked.set()
        await self._serving
        await asyncio.gather(*tasks, return_exceptions=True)


class _MayHangUp(HttpToolsProtocol):
    """Lets an endpoint close its connection before a byte of an answer was sent."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["state"][_HANG_UP] = self.transport.close
