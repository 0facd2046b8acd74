"""What the demo begins with: a chat that was answered, one that was rescued, one that expired. Takes it out again."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

from pabal.apps.relay.actions import accounts, mailboxes, receiving, replying
from pabal.apps.relay.actions.answers import take_late
from pabal.apps.relay.actions.pairing import complete
from pabal.apps.relay.machine import CONVERSATION, MESSAGE, ConversationEvent, MessageEvent
from pabal.apps.relay.model.messages import Account, End
from pabal.apps.relay.model.skill import SkillRequest, say
from pabal.apps.relay.store import mailboxes as mailbox_store
from pabal.apps.relay.store import messages, replies
from pabal.apps.relay.store import receiving as receiving_store
from pabal.apps.relay.store.accounts import hash_token
from pabal.base.database import Tx
from pabal.base.sql import load as load_sql
from pabal.engine.transitions import begin, transition
from pabal.platform.actor import ENGINE

SQL = load_sql(__file__)
CHANNEL = "demo-channel"
FAST, SLOW = "빠른 비서", "느린 비서"
ACCOUNTS = {FAST: "부산총판", SLOW: "서울총판"}
# who is paired with whom; the last one with nobody
USERS = {"지민": FAST, "하늘": SLOW, "새봄": None}


@dataclass(frozen=True)
class Spoken:
    """Minutes ago, who said what, and after how many seconds what was answered."""

    minutes: float
    user: str
    text: str
    answer: str = ""
    after: float = 0


SPOKEN = (
    Spoken(12, "지민", "내일 회의 몇 시야?", "내일 오전 10시, 3층 회의실입니다.", 3.2),
    Spoken(11, "지민", "회의록 양식도 보내 줘", "회의록 양식을 메일로 보내 두었습니다.", 5.4),
    Spoken(9, "하늘", "이번 달 매출 요약해 줘", "이번 달 매출은 지난달보다 8% 늘었습니다.", 74),
    Spoken(6, "하늘", "가장 많이 팔린 품목은?", "겨울 코트가 가장 많이 팔렸습니다.", 41),
    Spoken(4, "하늘", "재고가 모자란 품목 알려 줘"),
)


async def load(tx: Tx) -> None:
    made = {name: await _make_account(tx, name, unit) for name, unit in ACCOUNTS.items()}
    await mailboxes.note_reading(tx, [one.id for one in made.values()])
    for user, account in USERS.items():
        await _meet(tx, user, None if account is None else made[account])
    for spoken in SPOKEN:
        account = USERS[spoken.user]
        if account is not None:
            await _speak(tx, spoken, made[account])


async def clear(tx: Tx) -> None:
    for statement in (SQL.delete_replies, SQL.delete_messages):
        await tx.run(statement)
    await tx.run(SQL.delete_conversations, channel=CHANNEL)
    await tx.run(SQL.delete_accounts)


async def renew_tokens(tx: Tx) -> dict[str, str]:
    """Only hashes are kept, so that each start of a demo has tokens of its own. By name of its account."""
    made: dict[str, str] = {}
    for row in await tx.rows(SQL.list_demo_accounts):
        made[row["name"]] = accounts.new_token()
        await tx.run(SQL.update_token, id=row["id"], token_hash=hash_token(made[row["name"]]), now=tx.now)
    return made


async def _make_account(tx: Tx, name: str, unit: str) -> Account:
    unit_id: int = await tx.value(SQL.find_unit, name=unit)
    made = await accounts.create_account(
        tx, ENGINE, name=name, openclaw_user_id=f"demo:{name}", unit_id=unit_id, rate_limit_per_minute=600
    )
    return made.account


async def _meet(tx: Tx, user: str, account: Account | None) -> None:
    with _ago(tx, timedelta(minutes=20)):
        made = await receiving_store.insert_conversation(
            tx, f"{CHANNEL}:{user}", kakao_channel_id=CHANNEL, plusfriend_user_key=user
        )
        if made is None:
            return
        await begin(tx, CONVERSATION, [made], actor=ENGINE.name)
        if account is not None:
            await complete(tx, made, account.id, account.unit_id)
            await transition(tx, CONVERSATION, made, ConversationEvent.PAIR, actor=f"kakao:{user}")


async def _speak(tx: Tx, spoken: Spoken, account: Account) -> None:
    uid = uuid4()
    ago = timedelta(minutes=spoken.minutes)
    request = _request(spoken, uid)
    with _ago(tx, ago):
        await receiving_store.reopen(tx, request.conversation_key)
        await receiving.receive(tx, request, uid)
    with _ago(tx, ago - timedelta(seconds=0.4)):
        await mailbox_store.reopen(tx, {account.id: 20})
        await mailboxes.hand_out(tx, {account.id: [("demo00000000", 20)]})
    in_time = 0 < spoken.after < 55
    if not in_time:
        with _ago(tx, ago - timedelta(seconds=55)):
            await _expire(tx, uid)
    if spoken.answer:
        with _ago(tx, ago - timedelta(seconds=spoken.after)):
            await replies.reopen(tx, account_id=account.id, uid=uid)
            await replying.reply(tx, uid, say(spoken.answer))
            if in_time:
                await _call_back(tx, uid)


async def _expire(tx: Tx, uid: UUID) -> None:
    message_id = await messages.find_id(tx, uid)
    await replies.note_expired(tx, [message_id], reason=End.NOBODY_ANSWERED.value)
    await transition(tx, MESSAGE, message_id, MessageEvent.EXPIRE, actor=ENGINE.name, reason=End.NOBODY_ANSWERED)


async def _call_back(tx: Tx, uid: UUID) -> None:
    """As the job would: what came late before goes out with it."""
    message_id = await messages.find_id(tx, uid)
    called = await replies.use_address(tx, message_id)
    if called is None:
        return
    late = await take_late(tx, called.conversation_id)
    await replies.carry(tx, late.replies, message_id)
    await replies.note_acked(tx, message_id, reason=End.CALLED_BACK.value)
    await transition(tx, MESSAGE, message_id, MessageEvent.ACK, actor=ENGINE.name, reason=End.CALLED_BACK)


def _request(spoken: Spoken, uid: UUID) -> SkillRequest:
    url = f"https://bot-api.kakao.com/v1/bots/{CHANNEL}/callback/{uid.hex}"
    user = {"id": spoken.user, "type": "botUserKey", "properties": {"plusfriendUserKey": spoken.user}}
    asked = {"utterance": spoken.text, "lang": "ko", "user": user, "callbackUrl": url}
    return SkillRequest(
        channel_id=CHANNEL,
        user_key=spoken.user,
        utterance=spoken.text,
        lang="ko",
        callback_url=url,
        event_id=None,
        payload={"bot": {"id": CHANNEL, "name": "데모 채널"}, "userRequest": asked},
    )


@contextmanager
def _ago(tx: Tx, ago: timedelta) -> Iterator[None]:
    now = tx.now
    tx.now = now - ago
    try:
        yield
    finally:
        tx.now = now
