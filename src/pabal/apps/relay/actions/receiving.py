"""A webhook of Kakao: to whom it goes, or what its user is told at once. One short transaction."""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import pairing, rests
from pabal.apps.relay.actions.answers import read_answers, take_late
from pabal.apps.relay.machine import CONVERSATION, MESSAGE, MessageEvent
from pabal.apps.relay.model import outputs
from pabal.apps.relay.model.messages import ACCOUNT_ABOUT, ConversationState, End, ReplyState
from pabal.apps.relay.model.pairing import read_command
from pabal.apps.relay.model.skill import Skill, SkillRequest, answer_with, digest_of, name_event, promise, say
from pabal.apps.relay.store import mailboxes, receiving, replies
from pabal.apps.relay.store.receiving import Asked, Met, NewMessage
from pabal.base.database import Database, Tx
from pabal.base.killpoints import kill_point
from pabal.base.telemetry import declare, emit
from pabal.engine.transitions import begin, transition
from pabal.platform import notifications, settings
from pabal.platform.actor import ENGINE
from pabal.platform.notifications import Level, Notice
from pabal.platform.settings import Setting, Values

declare("relay.webhook.received", "Webhooks received from Kakao", level=logging.DEBUG)
declare("relay.message.queued", "Messages queued for an account", level=logging.DEBUG)
declare("relay.message.repeated", "Webhooks that came again; nothing was queued twice", level=logging.DEBUG)
declare("relay.message.asleep", "Messages answered at once because nobody reads the account's mailbox")
declare("relay.message.withdrawn", "Messages withdrawn because nobody could tell Kakao that they were queued", level=30)

HOT = own.ALL
# mailboxes and those who wait for an answer on the line are woken by these
MAIL, ANSWERED = "relay.mail:", "relay.answered:"
# an account's readers may have lost their right to read
GONE = "relay.gone:"


@dataclass(frozen=True, slots=True)
class Direct:
    """What Kakao is answered at once."""

    skill: Skill


@dataclass(frozen=True, slots=True)
class Waits:
    """There is no callback address: its answer is waited for on the line."""

    uid: UUID
    until: datetime
    lang: str


async def receive(tx: Tx, request: SkillRequest, uid: UUID) -> Direct | Waits:
    """In a transaction opened by `store.receiving.opening`. `uid` is the new message's, if there will be one."""
    met = await _meet(tx, request)
    values = settings.values_of(met.settings, HOT)
    command = read_command(request.utterance)
    if met.state is ConversationState.BLOCKED:
        return await _tell(tx, met, values, own.BLOCKED, request.lang)
    if command is not None:
        await receiving.note_seen(tx, met.id)
        return Direct(say(await pairing.answer(tx, request, met, command, values)))
    if met.state is not ConversationState.PAIRED or met.account_id is None:
        is_pending = met.state is ConversationState.PENDING
        return await _tell(tx, met, values, own.PENDING if is_pending else own.UNPAIRED, request.lang)
    rest = await rests.go_on(tx, met.id, request, values)
    if rest is not None:
        await receiving.note_seen(tx, met.id)
        return Direct(rest)
    if met.is_disabled or met.is_asleep(tx.now, values[own.ASLEEP_AFTER]):
        return await _tell_asleep(tx, met, request, values)
    return await _queue(tx, met, met.account_id, request, uid, values)


async def receive_at_once(
    database: Database, request: SkillRequest, uid: UUID, known: dict[str, str]
) -> tuple[Direct | Waits, datetime] | None:
    """One statement instead of a transaction, for a plain word to somebody who reads; with its moment.

    `known` are the settings as they were last seen: where they are others by now, or anything is not so plain, None.
    """
    values = settings.values_of(known, HOT)
    if read_command(request.utterance) is not None or rests.may_go_on(request, values):
        return None
    asked = _ask(request, uid, values, known)
    made = await receiving.queue_at_once(database, asked, lambda row: {f"{MAIL}{row['account_id']}": row["created_at"]})
    if made is None:
        return None
    return _queued(request, made["account_id"], uid, made["answer_by"], values), made["created_at"]


def _ask(request: SkillRequest, uid: UUID, values: Values, known: dict[str, str]) -> Asked:
    life, margin = _life_of(request, values)
    event = name_event(request)
    return Asked(
        uid=uid,
        conversation_key=request.conversation_key,
        kakao_channel_id=request.channel_id,
        kakao_payload=request.payload,
        normalized=request.normalized,
        callback_url=request.callback_url,
        life=life,
        margin=margin,
        queue_time=values[own.QUEUE_TTL],
        asleep_after=values[own.ASLEEP_AFTER],
        source_event_id=event,
        join_key=digest_of(request) if event is None else None,
        settings=known,
    )


async def _meet(tx: Tx, request: SkillRequest) -> Met:
    met = receiving.read_met(tx.opened)
    if met is not None:
        return met
    made = await receiving.insert_conversation(
        tx,
        request.conversation_key,
        kakao_channel_id=request.channel_id,
        plusfriend_user_key=request.user_key,
    )
    if made is not None:
        await begin(tx, CONVERSATION, [made], actor=ENGINE.name)
    return await receiving.meet_again(tx, request.conversation_key)


async def _tell(tx: Tx, met: Met, values: Values, text: tuple[Setting[str], Setting[str]], lang: str) -> Direct:
    await receiving.note_seen(tx, met.id)
    return Direct(say(values[own.in_language(text, lang)]))


async def _tell_asleep(tx: Tx, met: Met, request: SkillRequest, values: Values) -> Direct:
    emit("relay.message.asleep", account=str(met.account_id))
    await receiving.note_seen(tx, met.id)
    if met.account_id and not met.is_disabled and await mailboxes.note_asleep(tx, met.account_id):
        await notifications.notify(tx, _asleep_notice(met))
    said = outputs.Bubbles(tuple(say(values[own.in_language(own.ASLEEP, request.lang)])["template"]["outputs"]))
    return Direct(await with_late(tx, met.id, [said], values, request.lang))


async def with_late(
    tx: Tx,
    conversation_id: int,
    fresh: list[outputs.Bubbles],
    values: Values,
    lang: str,
    message_id: int | None = None,
) -> Skill:
    """A direct answer, late ones in front of it: those are with the user from now on."""
    late = await take_late(tx, conversation_id)
    for one in late.replies:
        await replies.end_reply(tx, one.id, state=ReplyState.SENT.value, detail=End.ANSWERED_DIRECTLY.value)
    mark, more = values[own.in_language(own.LATE_MARK, lang)], values[own.in_language(own.MORE, lang)]
    made = outputs.compose(fresh, late.answers, mark=mark, more=more)
    await rests.offer(tx, conversation_id, message_id, made, values)
    return answer_with(made.outputs, made.quick_replies)


async def _queue(
    tx: Tx, met: Met, account_id: UUID, request: SkillRequest, uid: UUID, values: Values
) -> Direct | Waits:  # long: whose, what, and by which numbers
    new = _new_message(tx.now, met, account_id, request, uid, values)
    made = await receiving.insert_message(tx, new)
    if made is None:
        return await _repeat(tx, new, request, values)
    kill_point("relay.queued")
    tx.hint(f"{MAIL}{account_id}", tx.now)
    return _queued(request, account_id, uid, new.answer_by, values)


def _queued(request: SkillRequest, account_id: UUID, uid: UUID, answer_by: datetime, values: Values) -> Direct | Waits:
    emit("relay.message.queued", account=str(account_id))
    if request.callback_url is None:
        return Waits(uid, answer_by, request.lang)
    return Direct(promise(values[own.in_language(own.WAITING, request.lang)]))


def _life_of(request: SkillRequest, values: Values) -> tuple[timedelta, timedelta]:
    """How long an answer can reach its user, and how long before that we stop."""
    if request.callback_url is None:
        return values[own.DIRECT_WAIT], timedelta(0)
    return values[own.CALLBACK_TTL], values[own.CALLBACK_MARGIN]


def _new_message(
    now: datetime, met: Met, account_id: UUID, request: SkillRequest, uid: UUID, values: Values
) -> NewMessage:  # long: as above
    life, margin = _life_of(request, values)
    event = name_event(request)
    return NewMessage(
        uid=uid,
        unit_id=met.unit_id,
        account_id=account_id,
        conversation_id=met.id,
        conversation_key=request.conversation_key,
        kakao_channel_id=request.channel_id,
        kakao_payload=request.payload,
        normalized=request.normalized,
        callback_url=request.callback_url,
        callback_expires_at=now + life,
        answer_by=now + max(life - margin, timedelta(0)),
        readable_until=now + max(life, values[own.QUEUE_TTL]),
        source_event_id=event,
        join_key=digest_of(request) if event is None else None,
    )


async def _repeat(tx: Tx, new: NewMessage, request: SkillRequest, values: Values) -> Direct | Waits:
    """The same request came again: it is answered as the first was."""
    emit("relay.message.repeated")
    first = await receiving.find_repeated(tx, new)
    if first is None or first.end_reason == End.WITHDRAWN:
        return Direct(say(values[own.in_language(own.FALLBACK, request.lang)]))
    if first.has_callback:
        return Direct(promise(values[own.in_language(own.WAITING, request.lang)]))
    return Waits(first.uid, new.answer_by, request.lang)


async def finish_waiting(tx: Tx, waits: Waits, *, is_over: bool) -> Skill | None:
    """The answer, once there is one; when the time is over, that there is none. None: it is still waited for."""
    rows = await receiving.find_waiting(tx, waits.uid)
    values = await settings.values(tx, HOT)
    no_answer = say(values[own.in_language(own.NO_ANSWER, waits.lang)])
    if not rows:
        return no_answer
    message_id, state, is_answered = rows[0]["id"], rows[0]["state"], rows[0]["answered_at"] is not None
    is_open = state in ("queued", "delivered")
    if is_answered and (is_open or state == "acked"):
        return await _answer_directly(tx, message_id, values, waits.lang, is_open=is_open)
    if is_open and not is_over:
        return None
    if is_open:
        await replies.note_expired(tx, [message_id], reason=End.NOBODY_ANSWERED.value)
        await transition(tx, MESSAGE, message_id, MessageEvent.EXPIRE, actor=ENGINE.name, reason=End.NOBODY_ANSWERED)
    return no_answer


async def _answer_directly(tx: Tx, message_id: int, values: Values, lang: str, *, is_open: bool) -> Skill:
    said = await replies.list_in_time(tx, message_id)
    fresh = read_answers(said)
    if not is_open:
        made = outputs.compose(fresh, more=values[own.in_language(own.MORE, lang)])
        return answer_with(made.outputs, made.quick_replies)
    await replies.note_end(tx, message_id, End.ANSWERED_DIRECTLY, is_acked=True)
    await transition(tx, MESSAGE, message_id, MessageEvent.ACK, actor=ENGINE.name, reason=End.ANSWERED_DIRECTLY)
    await replies.end_replies(tx, message_id, ReplyState.SENT, End.ANSWERED_DIRECTLY)
    conversation_id = said[0].conversation_id
    return await with_late(tx, conversation_id, fresh, values, lang, message_id)


async def withdraw(tx: Tx, uids: list[UUID]) -> int:
    """Kakao was not told that these are queued, so that nobody may answer them."""
    found = await receiving.find_open_uids(tx, uids)
    for message_id in found:
        await replies.note_end(tx, message_id, End.WITHDRAWN)
        await transition(tx, MESSAGE, message_id, MessageEvent.FAIL, actor=ENGINE.name, reason=End.WITHDRAWN)
        # somebody was quick
        await replies.defer_replies(tx, message_id, End.WITHDRAWN)
        emit("relay.message.withdrawn", message=message_id)
    return len(found)


def _asleep_notice(met: Met) -> Notice:
    return Notice(
        name="relay.account_asleep",
        title=("{account} does not read its messages", "{account} 계정이 메시지를 읽지 않습니다"),
        text=(
            "A user wrote and was told that the assistant is not reachable. Check that the instance runs.",
            "사용자가 보낸 메시지에 지금은 답할 수 없다고 알렸습니다. 인스턴스가 켜져 있는지 확인하세요.",
        ),
        values={"account": met.account_name},
        level=Level.FAILURE,
        unit_id=met.unit_id,
        about=f"{ACCOUNT_ABOUT}:{met.account_id}",
        link="/relay/accounts",
        key=f"relay.account_asleep:{met.account_id}",
    )
