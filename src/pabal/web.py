"""The web server: whether this server lives, whether it is ready, and its metrics. Nothing here shows a secret."""

import asyncio
import socket
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Protocol

import uvicorn
from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from pabal.base.database import DatabaseError
from pabal.base.errors import PabalError, Unavailable
from pabal.base.telemetry import hide_secrets, metrics_text
from pabal.engine.loop import LoopState
from pabal.engine.server import Server

TRIES = 100
STOP_SECONDS = 5


class NoPort(Unavailable):
    """No port to listen on could be had. Choose another with PABAL_PORT or --port."""


class Running(Protocol):
    """What is shown of a server."""

    roles: frozenset[str]
    is_stopping: bool
    server: Server

    def loop_states(self) -> list[LoopState]: ...
    async def list_missing_migrations(self) -> list[str]: ...


def make_web(app: Running) -> FastAPI:
    site = FastAPI(title="Pabal", docs_url=None, redoc_url=None, openapi_url=None)

    @site.get("/livez")
    async def livez() -> PlainTextResponse:
        return PlainTextResponse("ok\n")

    @site.get("/readyz")
    async def readyz() -> JSONResponse:
        report = await read_readiness(app)
        return JSONResponse(report, status_code=200 if report["ready"] else 503)

    @site.get("/metrics")
    async def metrics() -> Response:
        app.loop_states()  # sets the gauges of the moment
        return Response(metrics_text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return site


async def read_readiness(app: Running) -> dict[str, Any]:
    database, missing = await _look_at_database(app)
    loops = [_show(state) for state in app.loop_states()]
    is_ready = not app.is_stopping and database["reachable"] and not missing and all(loop["healthy"] for loop in loops)
    return {
        "ready": is_ready,
        "stopping": app.is_stopping,
        "roles": sorted(app.roles),
        "database": database,
        "migrations": {"current": database["reachable"] and not missing, "missing": missing},
        # Deaf is slower, not broken: Pabal polls.
        "wakeups": {"deaf": app.server.wakeups.is_deaf},
        "loops": loops,
    }


async def _look_at_database(app: Running) -> tuple[dict[str, Any], list[str]]:
    try:
        missing = await app.list_missing_migrations()
    except TimeoutError:
        return {"reachable": False, "error": "no answer in time"}, []
    except (PabalError, DatabaseError, OSError) as error:
        return {"reachable": False, "error": _safe(f"{type(error).__name__}: {error}")}, []
    return {"reachable": True, "error": None}, missing


def _show(state: LoopState) -> dict[str, Any]:
    shown = asdict(state)
    shown["healthy"] = shown.pop("is_healthy")
    shown["seconds_since_success"] = round(state.seconds_since_success, 3)
    shown["last_error"] = None if state.last_error is None else _safe(state.last_error)
    return shown


def _safe(text: str) -> str:
    return str(hide_secrets(None, "", {"text": text})["text"])


def listen(host: str, port: int) -> socket.socket:
    """On this port, or on the next free one; port 0 means any."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    last = port if port == 0 else min(port + TRIES, 65535)
    for number in range(port, last + 1):
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host, number))
            # Two may bind one port; only one may listen.
            found.listen(2048)
        except OSError as error:
            found.close()
            reason = error
            continue
        found.setblocking(False)
        return found
    raise NoPort(f"{host} {port} to {last}: {reason}")


class Site(uvicorn.Server):
    """The web server on a socket that listens already. Signals are the process's business, not uvicorn's."""

    def __init__(self, app: FastAPI, listening: socket.socket) -> None:
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
        super().__init__(config)
        self._socket = listening
        self._settled = asyncio.Event()
        self._ended = asyncio.Event()
        host, port = listening.getsockname()[:2]
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{port}"

    async def run_until_stopped(self) -> None:
        try:
            await self.serve(sockets=[self._socket])
        finally:
            self._settled.set()
            self._ended.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._settled.set()

    async def wait_until_started(self) -> None:
        """Or until it failed to."""
        await self._settled.wait()

    async def stop(self) -> None:
        self.should_exit = True
        if self.started:
            await self._ended.wait()
        self._socket.close()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield
