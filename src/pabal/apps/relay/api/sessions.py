"""What the published plugin and the Hermes client call: sessions without an account, and the stream of events."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import accounts as account_actions
from pabal.apps.relay.api.callers import Holder, hub_for, limit_headers, read_token
from pabal.apps.relay.errors import RelaySessionNotFound, TooManyLooks
from pabal.apps.relay.hub import Hub, Seat, parse_cursor, show_cursor
from pabal.apps.relay.model.letters import show_letter, show_moment
from pabal.apps.relay.store import accounts
from pabal.apps.relay.store.accounts import hash_token
from pabal.apps.relay.store.mailboxes import TokenHolder
from pabal.base.addresses import group_address
from pabal.base.clock import elapsed
from pabal.platform import settings
from pabal.platform.web.identify import origin_of, site_of
from pabal.platform.web.problems import TooManyRequests
from pabal.platform.web.turns import Rate, turn_of

router = APIRouter(prefix="/v1", include_in_schema=False)
HEARTBEAT_SECONDS = 30.0
PING = ": ping\n\n"


@router.post("/sessions/create")
async def create_session(request: Request) -> Response:
    async with site_of(request).services.changes.transaction() as tx:
        made = await account_actions.create_session(tx, group_address(origin_of(request)))
    return JSONResponse(
        {
            "sessionToken": made.token,
            "pairingCode": made.code,
            "expiresIn": int(made.life.total_seconds()),
            "status": "pending_pairing",
        }
    )


@router.get("/sessions/{token}/status")
async def session_status(request: Request, token: str) -> Response:
    async with site_of(request).services.pages.transaction() as tx:
        _limit_looks(request, await settings.value(tx, own.STATUS_PER_ADDRESS))
        found = await accounts.find_session(tx, token[:200])
    if found is None:
        raise RelaySessionNotFound
    shown: dict[str, Any] = {"status": found.status}
    if found.status == "paired":
        at = show_moment(found.paired_at)
        shown |= {"pairedAt": at, "kakaoUserId": found.kakao_user_id, "accountId": str(found.id)}
    return JSONResponse(shown)


def _limit_looks(request: Request, most: int) -> None:
    rate: Rate | None = getattr(request.app.state, "session_looks", None)
    if rate is None or rate.limit != most:
        rate = request.app.state.session_looks = Rate(limit=most, seconds=60)
    try:
        rate.take(group_address(origin_of(request)), elapsed())
    except TooManyRequests as error:
        raise TooManyLooks from error


@router.get("/events")
async def follow(request: Request, holder: Holder) -> Response:
    """One stream of an account: its messages, and that somebody paired with it."""
    hub = hub_for(request)
    name, after = parse_cursor(request.headers.get("Last-Event-ID"))
    turn_of(request).become_stream()
    seat = hub.sit_down(holder.id, hash_token(read_token(request)), name=name)
    try:
        now = await hub.look(seat, after=after)
    except BaseException:
        await hub.get_up(seat)
        raise
    site_of(request).stopping.add(hub.drain)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", **limit_headers(holder)}
    return StreamingResponse(_send(hub, seat, holder, now), media_type="text/event-stream", headers=headers)


async def _send(hub: Hub, seat: Seat, holder: TokenHolder, now: datetime) -> AsyncIterator[str]:
    began = beat_at = elapsed()
    is_pending = holder.session_until is not None
    hello = {
        "accountId": "" if is_pending else str(holder.id),
        "sessionId": str(holder.id),
        "status": "pending_pairing" if is_pending else "paired",
    }
    try:
        yield frame("connected", hello)
        while True:
            seat.awake.clear()
            while seat.news:
                yield frame(*seat.news.popleft())
            while seat.letters:
                handed = seat.letters[0]
                at = now + timedelta(seconds=elapsed() - began)
                yield frame("message", show_letter(handed.letter, at), show_cursor(seat.name, handed.number))
                seat.letters.popleft()
            if seat.is_closed:
                return
            if elapsed() - beat_at >= HEARTBEAT_SECONDS:
                beat_at = elapsed()
                yield PING
            await seat.rest(beat_at + HEARTBEAT_SECONDS - elapsed())
    finally:
        await asyncio.shield(hub.get_up(seat))


def frame(event: str, data: dict[str, Any], number: str | None = None) -> str:
    """LF only, and one line of data: published clients read nothing else."""
    line = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"{f'id: {number}{chr(10)}' if number else ''}event: {event}\ndata: {line}\n\n"
