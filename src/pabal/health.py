"""Health: whether this server lives, whether it is ready, and its metrics. Nothing here shows a secret."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any, Protocol

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.routing import Match
from starlette.types import Scope

import pabal
from pabal.base.database import Database, DatabaseError
from pabal.base.errors import PabalError
from pabal.base.migrations import Comparison
from pabal.base.settings import Exposure
from pabal.base.telemetry import hide_secrets, metrics_text
from pabal.engine.loop import LoopState
from pabal.engine.server import Server
from pabal.platform.slice import Slice
from pabal.platform.web.exposure import require_metrics_reader

POOL_SECONDS = 2.0


class Running(Protocol):
    """What is shown of a server."""

    roles: frozenset[str]
    slices: tuple[Slice, ...]
    is_stopping: bool
    server: Server

    @property
    def pools(self) -> Mapping[str, Database]: ...
    def loop_states(self) -> list[LoopState]: ...
    async def compare_migrations(self) -> Comparison: ...


class OneLook:
    """However many ask at once, one look is taken: a flood of questions must not use up what they ask about."""

    def __init__(self, look: Callable[[], Coroutine[Any, Any, dict[str, Any]]]) -> None:
        self._look = look
        self._looking: asyncio.Task[dict[str, Any]] | None = None

    async def read(self) -> dict[str, Any]:
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        return await asyncio.shield(self._looking)


def health_routes(app: Running, *, metrics_for: Exposure, wait: float = POOL_SECONDS) -> APIRouter:
    """Alive and ready are open to everybody who reaches the port: load balancers sign in nowhere."""
    site = APIRouter(include_in_schema=False)
    readiness = OneLook(partial(read_readiness, app, wait=wait))
    condition = OneLook(partial(read_condition, app, wait=wait))

    @site.get("/livez")
    async def livez() -> PlainTextResponse:
        return PlainTextResponse("ok\n")

    @site.get("/readyz")
    async def readyz() -> JSONResponse:
        report = await readiness.read()
        return JSONResponse(report, status_code=200 if report["ready"] else 503)

    programs = APIRouter(route_class=ForPrograms, include_in_schema=False)

    # older plugins put their slash behind ours
    @programs.get("/health")
    @programs.get("//health")
    async def health(request: Request) -> JSONResponse:
        """What the apps' own clients read; figures only for whoever may read the metrics."""
        report = dict(await condition.read())
        try:
            await require_metrics_reader(request, metrics_for)
        except PabalError:
            report = {name: report[name] for name in ("status", "database", "version")}
        asked = request.query_params.get("worker")
        if asked is not None and report["status"] == "ok":
            return _answer_worker(report, asked)
        return JSONResponse(report, status_code=200 if report["status"] == "ok" else 503)

    @site.get("/metrics")
    async def metrics(request: Request) -> Response:
        await require_metrics_reader(request, metrics_for)
        app.loop_states()  # sets the gauges of the moment
        return Response(metrics_text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    site.include_router(programs)
    return site


def _answer_worker(report: dict[str, Any], asked: str) -> JSONResponse:
    """`/health?worker=`: of those an app lists under `workers`, this one by its id or name, at the top level."""
    found = [one for one in report.get("workers", ()) if asked in (one["worker_id"], one["name"])]
    if not found:
        return JSONResponse({**report, "status": "worker_unknown"}, status_code=404)
    return JSONResponse({**{name: report[name] for name in ("database", "version")}, **found[0]})


class ForPrograms(APIRoute):
    """A browser that asks for the same address gets the console's page."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", ""):
            return Match.NONE, {}
        return super().matches(scope)


async def read_condition(app: Running, *, wait: float = POOL_SECONDS) -> dict[str, Any]:
    """One document for all apps: each says its own under the names its clients know."""
    report: dict[str, Any] = {"status": "ok", "database": "ok", "version": pabal.__version__}
    try:
        async with asyncio.timeout(wait), app.pools["pages"].transaction() as tx:
            for one in app.slices:
                if one.health is not None:
                    report |= await one.health(tx)
    except (TimeoutError, PabalError, DatabaseError, OSError):
        return {**report, "status": "error", "database": "error"}
    return {**report, "status": "stopping"} if app.is_stopping else report


async def read_readiness(app: Running, *, wait: float = POOL_SECONDS) -> dict[str, Any]:
    (database, found), pools = await asyncio.gather(_look_at_database(app), _look_at_pools(app.pools, wait))
    missing = [] if found is None else [str(one) for one in found.missing]
    loops = [_show(state) for state in app.loop_states()]
    is_well = database["reachable"] and not missing and all(pools.values()) and all(loop["healthy"] for loop in loops)
    is_ready = not app.is_stopping and is_well
    return {
        "ready": is_ready,
        "stopping": app.is_stopping,
        "roles": sorted(app.roles),
        "database": database,
        # Whether a request gets a connection in time.
        "pools": pools,
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


async def _look_at_pools(pools: Mapping[str, Database], wait: float) -> dict[str, bool]:
    answers = await asyncio.gather(*(_answers(each, wait) for each in pools.values()))
    return dict(zip(pools, answers, strict=True))


async def _answers(pool: Database, wait: float) -> bool:
    try:
        async with asyncio.timeout(wait):
            await pool.ping()
    except (PabalError, DatabaseError, OSError):
        return False
    return True


def _show(state: LoopState) -> dict[str, Any]:
    shown = asdict(state)
    shown["healthy"] = shown.pop("is_healthy")
    shown["seconds_since_success"] = round(state.seconds_since_success, 3)
    shown["last_error"] = None if state.last_error is None else _safe(state.last_error)
    return shown


def _safe(text: str) -> str:
    return str(hide_secrets(None, "", {"text": text})["text"])
