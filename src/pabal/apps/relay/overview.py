"""The relay on the front page, in the menu and in the search: the day so far, and what waits for a person."""

from datetime import datetime, time, timedelta
from typing import Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from pabal.apps.relay.labels import ENDS
from pabal.apps.relay.model.messages import (
    ACCOUNT_ABOUT,
    CONVERSATION_ABOUT,
    MESSAGE_ABOUT,
    Conversation,
    ConversationState,
)
from pabal.apps.relay.store import accounts, conversations, live, messages
from pabal.apps.relay.store.live import AsleepAccount, FailedMessage
from pabal.base.database import Tx
from pabal.platform.language.pairs import Pair
from pabal.platform.overview import Card, FirstStep, Found, Need
from pabal.platform.tenants import Scope

ZONE = ZoneInfo("Asia/Seoul")
HOUR = timedelta(hours=1)
SEARCHED = timedelta(hours=24)
EACH = 5
LAST = 20
LONGEST_TITLE = 60
BARS = {"acked": "7", "expired": "m", "failed": "x"}
ACCOUNT: Pair = ("Relay account", "중계 계정")
CONVERSATION: Pair = ("Conversation", "대화")
MESSAGE: Pair = ("Relayed message, last 24 hours", "중계 메시지(최근 24시간)")


async def card(tx: Tx, scope: Scope) -> Card | FirstStep | None:
    """What was answered today, as the operators' zone has it. Nothing where there is no account."""
    if not (await accounts.list_accounts(tx, scope, limit=1)).items:
        return None
    midnight = datetime.combine(tx.now.astimezone(ZONE).date(), time(0), ZONE)
    counts = await live.count_ends(tx, scope, midnight)
    failed = counts.get("failed", 0)
    bad = failed + counts.get("expired", 0)
    look: Literal["good", "attn", "fail"] = "fail" if failed else "attn" if bad else "good"
    return Card(
        value=counts.get("acked", 0),
        word=("answered", "응답함"),
        bars="".join(BARS[state] for state in reversed(await live.list_last_ends(tx, scope, midnight, most=LAST))),
        look=look,
        trouble=(f"{bad} not answered", f"답 못 함 {bad}") if bad else ("", ""),
        next_at=None,
        href="/relay",
    )


async def list_needs(tx: Tx, scope: Scope) -> list[Need]:
    pending = await conversations.list_conversations(tx, scope, states=[ConversationState.PENDING], limit=EACH)
    return [
        *(_to_approve(one) for one in pending.items),
        *(_asleep(one) for one in await live.list_asleep(tx, scope, most=EACH)),
        *(_failed(one) for one in await live.list_failed(tx, scope, tx.now - HOUR, most=EACH)),
    ]


async def count_needs(tx: Tx, scope: Scope) -> int:
    """Users who wait for a yes or a no: the number beside the conversations."""
    return await live.count_pending(tx, scope)


async def find(tx: Tx, scope: Scope, text: str) -> list[Found]:
    named = await accounts.list_accounts(tx, scope, q=text, with_waiting=True, limit=EACH)
    talks = await conversations.list_conversations(tx, scope, q=text, limit=EACH)
    said = await messages.list_messages(tx, scope, q=text, since=tx.now - SEARCHED, limit=EACH)
    return [
        *(Found(ACCOUNT, one.name, one.openclaw_user_id, f"/relay/accounts/{one.id}") for one in named.items),
        *(
            Found(CONVERSATION, one.plusfriend_user_key, one.account_name or "", f"/relay/conversations/{one.id}")
            for one in talks.items
        ),
        *(
            Found(MESSAGE, _shorten(one.text), one.account_name, f"/relay/messages/{one.uid}")
            for one in said.items
            if not (one.is_replay or one.is_question)
        ),
    ]


def link(about: str) -> str | None:
    """Where a person sees what this names."""
    kind, _, name = about.partition(":")
    is_number = name.isascii() and name.isdigit() and len(name) < 19
    if kind == MESSAGE_ABOUT and is_number:
        return f"/relay/messages/{name}"
    if kind == CONVERSATION_ABOUT and is_number:
        return f"/relay/conversations/{name}"
    return f"/relay/accounts/{name}" if kind == ACCOUNT_ABOUT and _is_uuid(name) else None


def _to_approve(one: Conversation) -> Need:
    return Need(
        family="relay_conversation",
        state=one.state,
        title=("A user wants to be paired", "연결 승인 요청"),
        note=one.account_name or "",
        reason=("The code was right. Approve or reject it.", "올바른 코드를 보냈습니다. 승인하거나 거절하세요."),
        href=f"/relay/conversations/{one.id}",
        action=("Decide", "승인하기"),
        at=one.last_seen_at,
    )


def _asleep(one: AsleepAccount) -> Need:
    users = max(1, one.users)
    return Need(
        family="relay_account",
        state="asleep",
        title=(one.name, one.name),
        reason=(
            f"{users} user{'' if users == 1 else 's'} wrote, and nobody reads the messages. Check the instance.",
            f"사용자 {users}명이 메시지를 보냈지만 읽어 가지 않습니다. 인스턴스를 확인하세요.",
        ),
        href=f"/relay/accounts/{one.id}",
        action=("Look", "보기"),
        at=one.asleep_at,
        severity="failure",
    )


def _failed(one: FailedMessage) -> Need:
    title = _shorten(one.text)
    return Need(
        family="relay_message",
        state="failed",
        title=(title, title),
        note=one.account_name,
        reason=ENDS[one.end_reason],
        href=f"/relay/messages/{one.uid}",
        action=("Look", "보기"),
        at=one.at,
        severity="failure",
    )


def _shorten(text: str) -> str:
    said = " ".join(text.split()) or "…"
    return said if len(said) <= LONGEST_TITLE else f"{said[: LONGEST_TITLE - 1]}…"


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
