"""relay.call_back: an answer goes to Kakao, once. relay.push: a late one goes out at once, where that is paid for."""

import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import calling
from pabal.apps.relay.actions.answers import Late, lang_of, read_answers, take_late
from pabal.apps.relay.actions.calling import Call
from pabal.apps.relay.actions.endings import miss
from pabal.apps.relay.actions.rests import offer
from pabal.apps.relay.gateway import Accepted, CallResult, Kakao, NotAllowed, Rejected, Unclear, Unreached
from pabal.apps.relay.machine import MESSAGE, MessageEvent
from pabal.apps.relay.model import outputs
from pabal.apps.relay.model.messages import CALL_BACK, OPEN, PUSH, End, MessageState, ReplyState
from pabal.apps.relay.store import replies, rests
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine.finishing import Finish
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import DONE, Cancel, Done, Fail, Outcome, Retry
from pabal.engine.retry import Backoff
from pabal.engine.transitions import Because, transition, transition_loaded
from pabal.platform import settings
from pabal.platform.actor import ENGINE

declare("relay.callback.sent", "Answers that Kakao took", level=logging.DEBUG)
declare(
    "relay.callback.failed", "Answers that Kakao did not take, or of which nobody knows", labels=("reason",), level=30
)
declare("relay.event.sent", "Late answers sent through Kakao's Event API; each costs something")
declare("relay.event.failed", "Late answers the Event API did not take", level=30)

_BACKOFF = Backoff(first=timedelta(milliseconds=300), most=timedelta(seconds=5))


class CallBack:
    """An address works once: that it is being used is committed before it is, so that no crash uses it twice."""

    def __init__(self, kakao: Kakao) -> None:
        self._kakao = kakao

    async def prepare(self, tx: Tx, job: Job) -> Call | Outcome:
        message = await replies.use_address(tx, job.args["message"])
        if message is None or message.state not in OPEN:
            return Cancel("the message has ended")
        if message.called_at is not None:
            # an attempt before this one used the address, and died before it could tell what came of it
            return await _fail(tx, message.id, End.CALLBACK_UNKNOWN, "the server stopped during the callback")
        if message.callback_url is None or message.callback_expires_at <= tx.now:
            return await _miss(tx, message.id)
        values = settings.values_of(message.settings, calling.SETTINGS)
        fresh = [one for one in await replies.list_replies(tx, message.id) if one.state is ReplyState.PENDING]
        late = await take_late(tx, message.conversation_id) if message.has_late else Late([])
        await replies.carry(tx, late.replies, message.id)
        made = calling.compose(read_answers(fresh), late.answers, values, lang_of(message.kakao_payload))
        await offer(tx, message.conversation_id, message.id, made, values)
        return calling.plan_call(message, message.uid, message.callback_url, made, now=tx.now, attempt=job.attempt)

    async def perform(self, job: Job, prepared: Call) -> CallResult:
        return await self._kakao.call_back(prepared.url, prepared.skill)

    async def record(self, tx: Tx, prepared: Call, result: CallResult) -> Outcome:
        message_id = prepared.message_id
        match result:
            case Accepted():
                return await _succeed(tx, message_id)
            case Rejected(reason, is_token=True) if prepared.is_early:
                return await _try_again(tx, message_id, reason, after=timedelta(seconds=1))
            case Rejected(reason):
                return await _fail(tx, message_id, End.REFUSED_BY_KAKAO, reason, is_unseen=True)
            case Unreached(reason):
                return await _try_again(tx, message_id, reason)
            case Unclear(reason):
                return await _fail(tx, message_id, End.CALLBACK_UNKNOWN, reason)
            case NotAllowed():
                return await _fail(tx, message_id, End.ADDRESS_NOT_ALLOWED, None, is_unseen=True)

    def finish(self, prepared: Call, result: CallResult) -> Finish | None:
        """What nearly every callback comes to: Kakao took the answer to a message that was handed out."""
        if not isinstance(result, Accepted):
            return None
        move = (MessageEvent.ACK, MessageState.DELIVERED, MessageState.ACKED)
        picking = replies.acking(prepared.message_id, prepared.uid, reason=End.CALLED_BACK.value)
        because = Because(ENGINE.name, End.CALLED_BACK)
        return Finish(MESSAGE, move, picking, because, lambda: _tell_sent(prepared.message_id))

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        message = await replies.hold_for_call(tx, job.args["message"])
        if message is not None and message.state in OPEN:
            is_unseen = message.called_at is None
            why = End.CALLBACK_UNREACHABLE if is_unseen else End.CALLBACK_UNKNOWN
            await _fail(tx, message.id, why, reason[:200], is_unseen=is_unseen)


async def _try_again(tx: Tx, message_id: int, reason: str, after: timedelta | None = None) -> Outcome:
    """Its address was not used up. Late answers that went along are free again; its own wait for the next try."""
    await replies.forget_call(tx, message_id)
    await rests.drop_of_message(tx, message_id)
    await replies.let_go(tx, message_id)
    return Retry(reason, after=after)


async def _succeed(tx: Tx, message_id: int) -> Outcome:
    message = await replies.note_acked(tx, message_id, reason=End.CALLED_BACK.value)
    if message is None:
        raise LookupError(f"message {message_id} is gone")
    await transition_loaded(tx, MESSAGE, message, MessageEvent.ACK, Because(ENGINE.name, End.CALLED_BACK))
    _tell_sent(message_id)
    return DONE


def _tell_sent(message_id: int) -> None:
    emit("relay.callback.sent", message=message_id)


async def _fail(tx: Tx, message_id: int, why: End, detail: str | None, *, is_unseen: bool = False) -> Outcome:
    """Answers that nobody can have seen are kept for the user's next message."""
    await replies.note_end(tx, message_id, why, detail=detail)
    await transition(tx, MESSAGE, message_id, MessageEvent.FAIL, actor=ENGINE.name, reason=why)
    if is_unseen:
        await rests.drop_of_message(tx, message_id)
    if is_unseen and await settings.value(tx, own.RESCUE):
        await replies.defer_replies(tx, message_id, why)
    else:
        state = ReplyState.FAILED if is_unseen else ReplyState.UNKNOWN
        await replies.end_replies(tx, message_id, state, why)
    emit("relay.callback.failed", reason=why.value, message=message_id, detail=detail)
    return Fail(why.value)


async def _miss(tx: Tx, message_id: int) -> Outcome:
    """Nobody worked for so long."""
    await miss(tx, message_id)
    return Done("too late for its callback; kept for the user's next message", partial=True)


@dataclass(frozen=True, slots=True)
class PushedReply:
    reply_id: int
    bot_id: str
    user_key: str = field(repr=False)
    event: dict[str, Any] = field(repr=False)


class Push:
    """It is carried while it is pushed, so that it does not go out with the next message too."""

    def __init__(self, kakao: Kakao) -> None:
        self._kakao = kakao

    async def prepare(self, tx: Tx, job: Job) -> PushedReply | Outcome:
        reply = await replies.hold_deferred_reply(tx, job.args["reply"])
        if reply is None:
            return Cancel("it went out with another message, or is over")
        address = await replies.find_address(tx, reply.conversation_id)
        [made] = read_answers([reply])
        text = "\n".join(one["simpleText"]["text"] for one in made.outputs if "simpleText" in one)
        if not text:
            return Cancel("there is no text in it; it waits for the user's next message")
        name = await settings.value(tx, own.EVENT_NAME)
        await replies.carry(tx, [reply], reply.message_id)
        event = {"name": name, "data": {"text": text[: outputs.LONGEST_TEXT]}}
        return PushedReply(reply.id, address["kakao_channel_id"], address["plusfriend_user_key"], event)

    async def perform(self, job: Job, prepared: PushedReply) -> CallResult:
        return await self._kakao.push(prepared.bot_id, prepared.event, prepared.user_key)

    async def record(self, tx: Tx, prepared: PushedReply, result: CallResult) -> Outcome:
        if isinstance(result, Accepted):
            emit("relay.event.sent", reply=prepared.reply_id)
            await self._end(tx, prepared.reply_id, ReplyState.SENT, End.PUSHED)
            return DONE
        emit("relay.event.failed", reply=prepared.reply_id, result=type(result).__name__)
        if isinstance(result, Unclear):
            await self._end(tx, prepared.reply_id, ReplyState.UNKNOWN, End.CALLBACK_UNKNOWN)
            return Fail(result.reason)
        await replies.let_go_one(tx, prepared.reply_id)
        return Retry(result.reason) if isinstance(result, Unreached) else Fail(_why(result))

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        """It waits for the user's next message, as it would have without."""
        await replies.let_go_one(tx, job.args["reply"])

    async def _end(self, tx: Tx, reply_id: int, state: ReplyState, why: End) -> None:
        await replies.end_reply(tx, reply_id, state=state.value, detail=why.value)


def _why(result: CallResult) -> str:
    return result.reason if isinstance(result, Rejected) else "the address of the Event API is not allowed"


def make_kinds(kakao: Kakao) -> Kinds:
    kinds = Kinds()
    kinds.steps(CALL_BACK, CallBack(kakao), backoff=_BACKOFF)
    kinds.steps(PUSH, Push(kakao), backoff=_BACKOFF)
    return kinds
