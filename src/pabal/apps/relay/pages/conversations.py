"""Conversations: who is paired with which account; approve, reject, unpair, move, block; many at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.relay.actions import conversations as actions
from pabal.apps.relay.errors import ConversationNotFound
from pabal.apps.relay.machine import CONVERSATION, ConversationEvent
from pabal.apps.relay.model.messages import AREA, Conversation, ConversationState
from pabal.apps.relay.pages.page_texts import (
    CONVERSATIONS,
    PAGE,
    TOPICS,
    Typed,
    list_choices,
    read_uuid,
    short_key,
)
from pabal.apps.relay.store import conversations, messages
from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.engine.listing import Page
from pabal.engine.transitions import BEGIN, MoveNotAllowed, Transition, history
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair
from pabal.platform.web.actors import name_actors
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, back_to, read_number, turn
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(prefix=CONVERSATIONS, include_in_schema=False)
MOST_AT_ONCE = 200
LAST_MESSAGES = 20
# what may be done to many
BULK = (ConversationEvent.UNPAIR, ConversationEvent.BLOCK)
DECISIONS = (*BULK, ConversationEvent.APPROVE, ConversationEvent.REJECT, ConversationEvent.UNBLOCK)
VERBS: dict[ConversationEvent, Pair] = {
    ConversationEvent.APPROVE: ("Approve", "승인"),
    ConversationEvent.REJECT: ("Reject", "거절"),
    ConversationEvent.UNPAIR: ("Unpair", "연결 끊기"),
    ConversationEvent.MOVE: ("Move", "옮기기"),
    ConversationEvent.BLOCK: ("Block", "차단"),
    ConversationEvent.UNBLOCK: ("Unblock", "차단 해제"),
}
DONE: dict[ConversationEvent, Pair] = {
    ConversationEvent.APPROVE: (
        "Approved. Messages go through from now on.",
        "승인했습니다. 이제 메시지를 전달합니다.",
    ),
    ConversationEvent.REJECT: ("Rejected.", "거절했습니다."),
    ConversationEvent.UNPAIR: ("Unpaired.", "연결을 끊었습니다."),
    ConversationEvent.BLOCK: ("Blocked.", "차단했습니다."),
    ConversationEvent.UNBLOCK: ("Unblocked. The user can pair again.", "차단을 풀었습니다. 다시 연결할 수 있습니다."),
}
HISTORY: dict[str, Pair] = {
    BEGIN: ("First message", "첫 메시지"),
    ConversationEvent.ASK: ("Sent a valid code, waits for approval", "올바른 코드를 보내 승인을 기다림"),
    ConversationEvent.PAIR: ("Paired by a code", "코드로 연결"),
    ConversationEvent.APPROVE: ("Approved", "승인"),
    ConversationEvent.REJECT: ("Rejected", "거절"),
    ConversationEvent.UNPAIR: ("Unpaired", "연결 끊음"),
    ConversationEvent.MOVE: ("Moved to another account", "다른 계정으로 옮김"),
    ConversationEvent.BLOCK: ("Blocked", "차단"),
    ConversationEvent.UNBLOCK: ("Unblocked", "차단 해제"),
}
Ids = Annotated[list[Word], Form()]


class Filters(BaseModel):
    state: Word = ""
    account: Word = ""
    q: Word = ""
    cursor: str = ""

    @property
    def is_set(self) -> bool:
        return bool(self.state or self.account or self.q)


@dataclass(frozen=True, slots=True)
class Line:
    conversation: Conversation
    user: str
    path: list[str]
    verbs: list[ConversationEvent]


@dataclass(frozen=True, slots=True)
class Change:
    """One row of its history, in words."""

    at: datetime
    text: str
    who: str
    reason: str
    look: str


@router.get("")
async def show_list(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page = await _load_page(tx, visit, filters)
        lines = await _show_lines(tx, visit, page.items)
        accounts = await list_choices(tx, visit)
    return await visit.show(
        "relay/conversations.html",
        lines=lines,
        filters=filters,
        accounts=accounts,
        pager=turn(visit, page.cursor),
        verbs=VERBS,
        bulk=BULK,
        live_topics=TOPICS,
    )


@router.get("/bulk")
async def preview_many(
    visit: Visitor, event: Word = "", id: Annotated[list[Word] | None, Query()] = None, back: Word = CONVERSATIONS
) -> Response:
    """Nothing is changed by looking; the page can be reloaded."""
    visit.actor.require(Right.WRITE, AREA)
    wanted = ConversationEvent(event) if event in BULK else None
    async with visit.read() as tx:
        lines = await _show_lines(tx, visit, await _load(tx, visit, _read_ids(id or ())))
    return await visit.show(
        "relay/conversations_bulk.html",
        event=wanted,
        verbs=VERBS,
        moving=[one for one in lines if wanted in one.verbs],
        refused=[one for one in lines if wanted not in one.verbs],
        back=back_to(back, CONVERSATIONS),
    )


@router.post("/bulk")
async def choose_many(
    visit: Visitor, event: Annotated[Word, Form()], id: Ids | None = None, back: Annotated[Word, Form()] = CONVERSATIONS
) -> Response:
    asked = [("event", event), ("back", back), *(("id", str(one)) for one in _read_ids(id or ()))]
    return visit.go(f"{CONVERSATIONS}/bulk?{urlencode(asked)}")


@router.post("/bulk/send")
async def decide_many(
    visit: Visitor,
    event: Annotated[ConversationEvent, Form()],
    id: Ids | None = None,
    reason: Annotated[Typed, Form()] = "",
    back: Annotated[Word, Form()] = CONVERSATIONS,
) -> Response:
    ids = _read_ids(id or ()) if event in BULK else []
    async with visit.change() as tx:
        done = [await _decide(tx, visit, one, event, reason) for one in ids]
    said = ("{verb}: {done} done, {left} left as they were", "{verb}: {done}건 처리, {left}건 그대로")
    counts = {"done": sum(done), "left": len(ids) - sum(done)}
    return visit.go(back_to(back, CONVERSATIONS), said=said, verb=visit.say(*VERBS[event]), **counts)


@router.get("/{conversation_id}")
async def show(visit: Visitor, conversation_id: RowId) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        conversation = await conversations.get_conversation(tx, visit.scope, conversation_id)
        [line] = await _show_lines(tx, visit, [conversation])
        last = await messages.list_messages(tx, visit.scope, conversation_id=conversation_id, limit=LAST_MESSAGES)
        changes = await _list_changes(tx, visit, conversation_id)
        accounts = await list_choices(tx, visit, only_enabled=True)
    return await visit.show(
        "relay/conversation.html",
        line=line,
        one=conversation,
        messages=last.items,
        changes=changes,
        accounts=[choice for choice in accounts if choice[0] != str(conversation.account_id)],
        verbs=VERBS,
        live_topics=TOPICS,
    )


@router.post("/{conversation_id}/move")
async def move(
    visit: Visitor, conversation_id: RowId, account_id: Annotated[UUID, Form()], reason: Annotated[Typed, Form()] = ""
) -> Response:
    async with visit.change() as tx:
        moved = await actions.move(tx, visit.actor, conversation_id, account_id=account_id, reason=reason or None)
    said = ("Moved to {account}.", "{account} 계정으로 옮겼습니다.")
    return visit.go(f"{CONVERSATIONS}/{conversation_id}", said=said, account=moved.account_name)


@router.post("/{conversation_id}/{event}")
async def decide(
    visit: Visitor,
    conversation_id: RowId,
    event: ConversationEvent,
    reason: Annotated[Typed, Form()] = "",
    back: Annotated[Word, Form()] = "",
) -> Response:
    if event not in DECISIONS:
        raise ConversationNotFound(event)
    async with visit.change() as tx:
        await actions.decide(tx, visit.actor, conversation_id, event, reason=reason or None)
    return visit.go(back_to(back, f"{CONVERSATIONS}/{conversation_id}"), said=DONE[event])


async def _load_page(tx: Tx, visit: Visit, filters: Filters) -> Page[Conversation]:
    return await read_page(
        lambda cursor: conversations.list_conversations(
            tx,
            visit.scope,
            states=[filters.state] if filters.state in set(ConversationState) else None,
            account_id=read_uuid(filters.account),
            q=filters.q,
            cursor=cursor,
            limit=PAGE,
        ),
        filters.cursor,
    )


async def _show_lines(tx: Tx, visit: Visit, found: Sequence[Conversation]) -> list[Line]:
    tree = await load_tree(tx, visit.scope)
    return [Line(one, short_key(one.conversation_key), tree.names(one.unit_id), _verbs_of(one)) for one in found]


def _verbs_of(conversation: Conversation) -> list[ConversationEvent]:
    """What the machine lets people do in its state."""
    return [event for event in VERBS if CONVERSATION.find_move(conversation.state, event) is not None]


async def _list_changes(tx: Tx, visit: Visit, conversation_id: int) -> list[Change]:
    made = await history(tx, CONVERSATION, conversation_id)
    names = await name_actors(tx, visit, (one.actor for one in made))
    return [_show_change(visit, one, names[one.actor]) for one in reversed(made)]


def _show_change(visit: Visit, made: Transition, name: str) -> Change:
    kind = made.actor.partition(":")[0]
    who = {"kakao": visit.say("KakaoTalk user", "카카오톡 사용자"), "relay": visit.say("the instance", "인스턴스")}
    looks = {"paired": "good", "pending": "attn", "blocked": "fail"}
    text = visit.say(*HISTORY.get(made.event, (made.event, made.event)))
    # the engine writes down what a user began
    by = who["kakao"] if made.event == BEGIN else who.get(kind, name)
    return Change(made.at, text, by, made.reason or "", looks.get(made.target, "end"))


async def _load(tx: Tx, visit: Visit, ids: Sequence[int]) -> list[Conversation]:
    found = []
    for one in ids:
        try:
            found.append(await conversations.get_conversation(tx, visit.scope, one))
        except NotFound:
            continue
    return found


async def _decide(tx: Tx, visit: Visit, conversation_id: int, event: ConversationEvent, reason: str) -> bool:
    """Whether it was done: one that somebody else changed meanwhile stays as it is."""
    try:
        await actions.decide(tx, visit.actor, conversation_id, event, reason=reason or None)
    except (MoveNotAllowed, ConversationNotFound):
        return False
    return True


def _read_ids(given: Sequence[str]) -> list[int]:
    return list(dict.fromkeys(number for one in given if (number := read_number(one)) is not None))[:MOST_AT_ONCE]
