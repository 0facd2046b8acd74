"""What instances call: their mailbox by long poll, their answers, their pairing. Names as published clients use."""

import json
from datetime import datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from pabal.apps.relay.actions import accounts as account_actions
from pabal.apps.relay.actions import conversations as conversation_actions
from pabal.apps.relay.actions import replying
from pabal.apps.relay.actions.replying import Taken
from pabal.apps.relay.api.callers import Holder, hub_for, limit_headers, read_token
from pabal.apps.relay.errors import LetterNotFound, NotYourConversation, SessionNotPaired, TokenInvalid
from pabal.apps.relay.hub import Hub, Seat, parse_cursor, show_cursor
from pabal.apps.relay.model.letters import show_letter, show_moment
from pabal.apps.relay.store import accounts, conversations, mailboxes, replies
from pabal.apps.relay.store.accounts import hash_token
from pabal.apps.relay.store.mailboxes import TokenHolder
from pabal.base.clock import elapsed
from pabal.base.killpoints import kill_point
from pabal.base.telemetry import declare, emit
from pabal.engine.headstart import HeadStart, NotBegun
from pabal.platform.findings import view_finding
from pabal.platform.resources import BadParameter, plain
from pabal.platform.web.identify import guess_language, site_of
from pabal.platform.web.turns import turn_of

declare("relay.callback.not_begun", "Callbacks that could not begin with their reply; they are tried as work", level=40)

router = APIRouter(prefix="/openclaw", include_in_schema=False)
LONGEST_WAIT = 60.0
# what was acked is not handed out again before its address dies
ACKED_FOR = timedelta(hours=1)
MOST_LETTERS, MOST_ACKED = 100, 1000


def answer(holder: TokenHolder, body: dict[str, Any], status: int = 200) -> Response:
    return JSONResponse(body, status, limit_headers(holder))


@router.get("/messages")
async def read_messages(
    request: Request,
    holder: Holder,
    wait: Annotated[float, Query(ge=0, le=60_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_LETTERS)] = 20,
    cursor: Annotated[str | None, Query(max_length=100)] = None,
) -> Response:
    """`wait` up to 60 is seconds, above it milliseconds. `cursor` is where this reader goes on from."""
    hub = hub_for(request)
    name, after = parse_cursor(cursor)
    seat = hub.sit_down(holder.id, hash_token(read_token(request)), name=name, capacity=limit)
    turn_of(request).become_stream()
    began = elapsed()
    deadline = began + read_wait(wait)
    try:
        now = await hub.look(seat, after=after)
        while not seat.letters and not seat.is_closed and elapsed() < deadline and not await request.is_disconnected():
            seat.awake.clear()
            await seat.rest(min(1.0, deadline - elapsed()))
        return answer(holder, _show_letters(seat, limit, now + timedelta(seconds=elapsed() - began)))
    finally:
        await hub.get_up(seat)


def read_wait(wait: float) -> float:
    """In seconds, whichever of the two units it was said in."""
    return wait if wait <= LONGEST_WAIT else wait / 1000


def _show_letters(seat: Seat, limit: int, now: datetime) -> dict[str, Any]:
    """What is shown is with the reader from here on."""
    handed = [seat.letters.popleft() for _ in range(min(limit, len(seat.letters)))]
    shown = [show_letter(one.letter, now) for one in handed]
    return {
        "messages": shown,
        "hasMore": len(handed) >= limit,
        "cursor": show_cursor(seat.name, handed[-1].number) if handed else None,
    }


class Acked(BaseModel):
    model_config = ConfigDict(extra="ignore")

    message_ids: list[UUID] = Field(alias="messageIds", max_length=MOST_ACKED)


@router.post("/messages/ack")
async def ack_messages(request: Request, holder: Holder, said: Acked) -> Response:
    """Received, and not to be handed out again."""
    async with site_of(request).services.changes.transaction() as tx:
        acked = await mailboxes.ack(tx, holder.id, said.message_ids, visible_at=tx.now + ACKED_FOR)
    return answer(holder, {"acknowledged": acked, "requested": len(said.message_ids)})


class ReplyBody(BaseModel):
    model_config = ConfigDict(extra="ignore")

    message_id: str = Field(alias="messageId", max_length=100)
    conversation_key: str | None = Field(None, alias="conversationKey", max_length=500)
    response: Any


@router.post("/reply")
async def reply(request: Request, holder: Holder, said: ReplyBody) -> Response:
    if holder.session_until is not None:
        raise SessionNotPaired
    hub = hub_for(request)
    try:
        taken = await _take(hub, holder, said, hub.services.head_start)
    except NotBegun as error:
        emit("relay.callback.not_begun", error=repr(error.__cause__))
        taken = await _take(hub, holder, said, HeadStart())
    kill_point("relay.reply_committed")
    return answer(holder, _show_taken(request, taken), 202 if taken.delivery == "deferred" else 200)


async def _take(hub: Hub, holder: TokenHolder, said: ReplyBody, head_start: HeadStart) -> Taken:
    """A callback that need not wait begins in the commit that takes the reply, and is performed after it."""
    uid = _read_uid(said.message_id)
    async with (
        head_start.open() as beginning,
        replies.opening(hub.services.changes, account_id=holder.id, uid=uid) as tx,
    ):
        key, can_push = said.conversation_key, hub.kakao.can_push
        return await replying.reply(
            tx, uid, said.response, conversation_key=key, can_push=can_push, beginning=beginning
        )


def _show_taken(request: Request, taken: Taken) -> dict[str, Any]:
    lang = guess_language(request)
    shown: dict[str, Any] = {
        "success": True,
        "messageId": str(taken.message_id),
        "delivery": taken.delivery,
        "repeated": taken.is_repeat,
    }
    if taken.notes:
        shown["notes"] = [plain(view_finding(one, lang)) for one in taken.notes]
    return shown


@router.get("/replies/{message_id}")
async def show_replies(request: Request, holder: Holder, message_id: str) -> Response:
    """How it ended."""
    async with site_of(request).services.pages.transaction() as tx:
        found = await replies.find_reply_state(tx, holder.id, _read_uid(message_id))
    if found is None:
        raise LetterNotFound(message_id)
    said = [
        {
            "state": one["state"],
            "receivedAt": one["received_at"],
            "endedAt": one["ended_at"],
            "reason": one["detail"],
        }
        for one in found["replies"] or []
    ]
    shown = {
        "messageId": str(found["uid"]),
        "status": found["state"].upper(),
        "delivery": said[-1]["state"] if said else "none",
        "reason": found["end_reason"],
        "detail": found["end_detail"],
        "answeredAt": show_moment(found["answered_at"]),
        "calledBackAt": show_moment(found["called_at"]),
        "ackedAt": show_moment(found["acked_at"]),
        "replies": said,
    }
    return answer(holder, shown)


class CodeAsked(BaseModel):
    """Both spellings of its life are in use."""

    model_config = ConfigDict(extra="ignore")

    expiry_seconds: int | None = Field(None, alias="expirySeconds", ge=60, le=86_400)
    expires_in_seconds: int | None = Field(None, alias="expiresInSeconds", ge=60, le=86_400)
    metadata: dict[str, Any] = Field(default_factory=dict)


@router.post("/pairing/generate")
async def generate_code(request: Request, holder: Holder, said: CodeAsked) -> Response:
    if len(json.dumps(said.metadata)) > 4000:
        raise BadParameter("metadata")
    seconds = said.expiry_seconds or said.expires_in_seconds
    async with site_of(request).services.changes.transaction() as tx:
        held = await accounts.hold_account(tx, holder.id)
        if held is None:
            raise TokenInvalid
        life = None if seconds is None else timedelta(seconds=seconds)
        code = await account_actions.make_pairing_code(tx, held, expires_in=life, metadata=said.metadata)
        made = await accounts.hold_code(tx, code)
    return answer(holder, {"code": code, "expiresAt": show_moment(None if made is None else made.expires_at)})


@router.get("/pairing/list")
async def list_pairings(
    request: Request,
    holder: Holder,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    async with site_of(request).services.pages.transaction() as tx:
        rows = await conversations.list_of_account(tx, holder.id, most=limit, skip=offset)
    total = rows[0]["total"] if rows else 0
    shown = [
        {
            "conversationKey": row["conversation_key"],
            "state": row["state"].upper(),
            "pairedAt": show_moment(row["paired_at"]),
            "lastSeenAt": show_moment(row["last_seen_at"]),
        }
        for row in rows
    ]
    return answer(holder, {"conversations": shown, "total": total, "hasMore": offset + len(rows) < total})


class Unpaired(BaseModel):
    model_config = ConfigDict(extra="ignore")

    conversation_key: str = Field(alias="conversationKey", min_length=1, max_length=500)


@router.post("/pairing/unpair")
async def unpair(request: Request, holder: Holder, said: Unpaired) -> Response:
    async with site_of(request).services.changes.transaction() as tx:
        if not await conversation_actions.unpair_own(tx, holder.id, said.conversation_key):
            raise NotYourConversation
    return answer(holder, {"success": True, "conversationKey": said.conversation_key})


def _read_uid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise LetterNotFound(text[:100]) from error
