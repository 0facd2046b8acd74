"""What jobs elsewhere call: /ping/<key>, /start, /fail, /log, or what they ended with. No sign-in: the key is enough.

An open door (decision 41): a job's output is no JSON, and the platform's checks of bodies are not for it. So the limits
are this room's own: of one address, of one stranger, of all at once, and of the size and the time of a body.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response

from pabal.apps.rules.heartbeats import actions
from pabal.apps.rules.heartbeats.errors import HeartbeatNotFound, ReportNotKept
from pabal.apps.rules.heartbeats.model import ADDRESS, LONGEST_BODY, Report, read_body, read_kind
from pabal.base.addresses import group_address
from pabal.base.clock import elapsed
from pabal.platform.web.doors import Door
from pabal.platform.web.identify import origin_of, site_of
from pabal.platform.web.turns import Rate, TooManyAtOnce

# for a connection to the database and all statements together
BUDGET_SECONDS = 5.0
BODY_SECONDS = 5.0
# read so that a client can finish its request; what is kept is far less
LARGEST_BODY = 1 << 20

DOORS = (Door(f"{ADDRESS}/", is_open=True),)
router = APIRouter(include_in_schema=False)


@dataclass
class PingLimits:
    """Of one server. A job sends a start, an end and a few lines; an office of jobs has one address to the outside."""

    of_key: Rate = field(default_factory=lambda: Rate(limit=120, seconds=60))
    of_stranger: Rate = field(default_factory=lambda: Rate(limit=1200, seconds=60))
    most_at_once: int = 100
    running: int = 0

    @contextmanager
    def pass_through(self, origin: str, key: UUID) -> Iterator[None]:
        """Raises where it is too much."""
        now = elapsed()
        self.of_stranger.take(group_address(origin), now)
        self.of_key.take(str(key), now)
        if self.running >= self.most_at_once:
            raise TooManyAtOnce
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1


@router.api_route(f"{ADDRESS}/{{key}}", methods=["GET", "HEAD", "POST"])
@router.api_route(f"{ADDRESS}/{{key}}/{{word}}", methods=["GET", "HEAD", "POST"])
async def ping(request: Request, key: str, word: str = "") -> Response:
    found, kind, origin = _read_key(key), read_kind(word), origin_of(request)
    if found is None or kind is None:
        _limits_of(request).of_stranger.take(group_address(origin), elapsed())
        raise HeartbeatNotFound
    with _limits_of(request).pass_through(origin, found):
        said = Report(kind[0], origin, await _read_body(request), kind[1])
        await _keep(request, found, said)
    return PlainTextResponse("OK\n", headers={"Cache-Control": "no-store"})


async def _keep(request: Request, key: UUID, said: Report) -> None:
    try:
        async with asyncio.timeout(BUDGET_SECONDS), site_of(request).services.changes.transaction() as tx:
            await actions.report(tx, key, said)
    except TimeoutError as error:
        raise ReportNotKept from error
    sender = request.scope.get("state", {}).get("sender")
    if sender is not None:
        sender.note_known()


def _read_key(text: str) -> UUID | None:
    try:
        return UUID(text) if len(text) == 36 else None
    except ValueError:
        return None


def _limits_of(request: Request) -> PingLimits:
    found: PingLimits = getattr(request.app.state, "ping_limits", None) or PingLimits()
    request.app.state.ping_limits = found
    return found


async def _read_body(request: Request) -> str:
    """Its beginning. What is larger than a client could mean is left unread."""
    kept, size = bytearray(), 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                size += len(chunk)
                kept += chunk[: 4 * LONGEST_BODY - len(kept)]
                if size > LARGEST_BODY:
                    break
    except TimeoutError as error:
        raise ReportNotKept from error
    return read_body(bytes(kept))
