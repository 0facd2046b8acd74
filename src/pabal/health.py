"""Health: whether this server lives, whether it is ready, and its metrics. Nothing here shows a secret."""

from dataclasses import asdict
from typing import Any, Protocol

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from pabal.base.database import DatabaseError
from pabal.base.errors import PabalError
from pabal.base.migrations import Comparison
from pabal.base.telemetry import hide_secrets, metrics_text
from pabal.engine.loop import LoopState
from pabal.engine.server import Server


class Running(Protocol):
    """What is shown of a server."""

    roles: frozenset[str]
    is_stopping: bool
    server: Server

    def loop_states(self) -> list[LoopState]: ...
    async def compare_migrations(self) -> Comparison: ...


def health_routes(app: Running) -> APIRouter:
    """Open to everybody who reaches the port: load balancers and Prometheus sign in nowhere."""
    site = APIRouter(include_in_schema=False)

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
    database, found = await _look_at_database(app)
    missing = [] if found is None else [str(one) for one in found.missing]
    loops = [_show(state) for state in app.loop_states()]
    is_ready = not app.is_stopping and database["reachable"] and not missing and all(loop["healthy"] for loop in loops)
    return {
        "ready": is_ready,
        "stopping": app.is_stopping,
        "roles": sorted(app.roles),
        "database": database,
        "migrations": {
            "current": database["reachable"] and not missing,
            "missing": missing,
            # A newer server migrated meanwhile: this one goes on, and would not start again.
            "newer": [] if found is None else list(found.newer),
        },
        # Deaf is slower, not broken: Pabal polls.
        "wakeups": {"deaf": app.server.wakeups.is_deaf},
        "loops": loops,
    }


async def _look_at_database(app: Running) -> tuple[dict[str, Any], Comparison | None]:
    try:
        found = await app.compare_migrations()
    except TimeoutError:
        return {"reachable": False, "error": "no answer in time"}, None
    except (PabalError, DatabaseError, OSError) as error:
        return {"reachable": False, "error": _safe(f"{type(error).__name__}: {error}")}, None
    return {"reachable": True, "error": None}, found


def _show(state: LoopState) -> dict[str, Any]:
    shown = asdict(state)
    shown["healthy"] = shown.pop("is_healthy")
    shown["seconds_since_success"] = round(state.seconds_since_success, 3)
    shown["last_error"] = None if state.last_error is None else _safe(state.last_error)
    return shown


def _safe(text: str) -> str:
    return str(hide_secrets(None, "", {"text": text})["text"])
