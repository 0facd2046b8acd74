"""An instance answers: taken in at once, called back a little later; kept for the next message when it is too late."""

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import calling
from pabal.apps.relay.actions.questions import take_answer
from pabal.apps.relay.actions.receiving import ANSWERED
from pabal.apps.relay.actions.replaying import show_answer
from pabal.apps.relay.actions.rests import offer
from pabal.apps.relay.errors import CallbackExpired, LetterNotFound, ReplyRefused, ReplyTooLarge, WrongConversation
from pabal.apps.relay.model import outputs
from pabal.apps.relay.model.messages import CALL_BACK, MESSAGE_ABOUT, OPEN, PUSH, ReplyState
from pabal.apps.relay.model.skill import clean_all, is_question_key, is_replay_key
from pabal.apps.relay.store import replies
from pabal.apps.relay.store.replies import Answerable, EarlierReply
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine.headstart import Beginning
from pabal.engine.queue import NewJob, enqueue
from pabal.platform import settings
from pabal.platform.findings import Finding
from pabal.platform.settings import Values

declare("relay.reply.taken", "Answers of instances that were taken in", level=logging.DEBUG)
declare("relay.reply.deferred", "Late answers kept for their user's next message")
declare(
    "relay.reply.late", "Late answers that were refused, because late ones are not rescued or too late even for that"
)
LARGEST = 100_000
_HOT = (own.GATHER, own.CALLBACK_DELAY, own.RESCUE, own.EVENT_API, *calling.SETTINGS)
Delivery = Literal["pending", "deferred", "shown"]


@dataclass(frozen=True, slots=True)
class Taken:
    """`delivery` pending: on its way to Kakao. deferred: kept for the user's next message. shown: to a replay
    or a question, and sent to nobody. `notes` say what Kakao's limits took away."""

    message_id: UUID
    delivery: Delivery
    is_repeat: bool
    notes: tuple[Finding, ...]
    at: datetime


async def reply(
    tx: Tx,
    uid: UUID,
    response: Any,
    *,
    conversation_key: str | None = None,
    can_push: bool = False,
    beginning: Beginning | None = None,
) -> Taken:
    """At once, before the callback: a client that waits for each reply would otherwise never send its second.

    In a transaction opened by `store.replies.opening`. With a `beginning`, a callback that need not wait begins in it.
    """
    answer, digest = _read(response)
    message = replies.read_answerable(tx.opened)
    if message is None:
        raise LetterNotFound(str(uid))
    if conversation_key is not None and conversation_key != message.conversation_key:
        raise WrongConversation
    values = settings.values_of(message.settings, _HOT)
    before = next((one for one in message.replies if one.digest == digest), None)
    if before is not None:
        return _taken(tx, uid, _delivery_of(message, before), _notes(answer, message.replies, values), is_repeat=True)
    if is_replay_key(message.conversation_key):
        await show_answer(tx, message, digest=digest, response=clean_all(response))
        return _taken(tx, uid, "shown", answer.notes)
    if is_question_key(message.conversation_key):
        await take_answer(tx, message, answer, digest=digest, response=clean_all(response))
        return _taken(tx, uid, "shown", answer.notes)
    new = _NewReply(uid, answer, digest, clean_all(response))
    if _is_in_time(tx, message):
        return await _take_in_time(tx, message, new, values, beginning or Beginning(None))
    return await _take_late(tx, message, new, values, can_push=can_push)


@dataclass(frozen=True, slots=True)
class _NewReply:
    uid: UUID
    answer: outputs.Bubbles
    digest: str
    response: Any


def _read(response: Any) -> tuple[outputs.Bubbles, str]:
    text = json.dumps(response, ensure_ascii=False, sort_keys=True)
    if len(text.encode("utf-8", "replace")) > LARGEST:
        raise ReplyTooLarge
    answer = outputs.read_answer(response)
    if isinstance(answer, outputs.Unshowable):
        raise ReplyRefused(answer.findings)
    return answer, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _is_in_time(tx: Tx, message: Answerable) -> bool:
    """Its address has not been used, and lives long enough."""
    return message.state in OPEN and message.called_at is None and tx.now < message.answer_by


async def _take_in_time(tx: Tx, message: Answerable, new: _NewReply, values: Values, beginning: Beginning) -> Taken:
    is_called_for = message.callback_url is not None and message.answered_at is None
    job = _plan_call(tx, message, values)
    if not (is_called_for and await _call_at_once(tx, message, new, values, beginning, job)):
        await replies.insert_reply(tx, message, state=ReplyState.PENDING, digest=new.digest, response=new.response)
        if is_called_for:
            await beginning.enqueue(tx, job)
    emit("relay.reply.taken", message=message.id)
    if message.callback_url is None:
        tx.hint(f"{ANSWERED}{new.uid}", tx.now)
    return _taken(tx, new.uid, "pending", _notes(new.answer, message.replies, values))


def _plan_call(tx: Tx, message: Answerable, values: Values) -> NewJob:
    """Once everything that comes close behind is there, and not so early that it overtakes our own answer."""
    at = max(tx.now + values[own.GATHER], message.created_at + values[own.CALLBACK_DELAY])
    return NewJob(
        CALL_BACK,
        {"message": message.id},
        about=f"{MESSAGE_ABOUT}:{message.id}",
        run_at=min(at, message.answer_by) if at > tx.now else None,
        unit_id=message.unit_id,
        max_failures=20,
    )


async def _call_at_once(
    tx: Tx, message: Answerable, new: _NewReply, values: Values, beginning: Beginning, job: NewJob
) -> bool:
    """The first answer, with nothing late in front of it: what its callback says is known without asking again."""
    fresh = outputs.read_answer(new.response)
    if message.callback_url is None or message.has_late or isinstance(fresh, outputs.Unshowable):
        return False
    made = calling.compose([fresh], [], values, message.lang)
    call = calling.plan_call(message, new.uid, message.callback_url, made, now=tx.now, attempt=1)
    prepared = replies.using_address(message, call, digest=new.digest, response=new.response, now=tx.now)
    if await beginning.enqueue_prepared(tx, job, prepared) is None:
        return False
    await offer(tx, message.conversation_id, message.id, made, values)
    return True


async def _take_late(tx: Tx, message: Answerable, new: _NewReply, values: Values, *, can_push: bool) -> Taken:
    if not values[own.RESCUE] or tx.now >= message.readable_until:
        emit("relay.reply.late", message=message.id)
        raise CallbackExpired
    given = {"digest": new.digest, "response": new.response}
    made = await replies.insert_reply(tx, message, state=ReplyState.DEFERRED, **given)
    emit("relay.reply.deferred", message=message.id)
    if can_push and values[own.EVENT_API]:
        about = f"{MESSAGE_ABOUT}:{message.id}"
        await enqueue(tx, NewJob(PUSH, {"reply": made}, about=about, unit_id=message.unit_id, max_failures=3))
    return _taken(tx, new.uid, "deferred", _notes(new.answer, (), values))


def _notes(answer: outputs.Bubbles, before: Sequence[EarlierReply], values: Values) -> tuple[Finding, ...]:
    """What Kakao's limits took away, and what did not fit: the user has a button for that, unless its text is empty."""
    wanted = [one for reply in before for one in _outputs_of(reply)]
    left_out = outputs.fit_count([*wanted, *answer.outputs])
    more = values[own.MORE[0]].strip()
    return (*answer.notes, *((outputs.left_out_note(left_out, more),) if left_out else ()))


def _outputs_of(reply: EarlierReply) -> tuple[dict[str, Any], ...]:
    read = outputs.read_answer(reply.response)
    return read.outputs if isinstance(read, outputs.Bubbles) else ()


def _delivery_of(message: Answerable, before: EarlierReply) -> Delivery:
    """As it was answered the first time, whatever became of it since."""
    if is_replay_key(message.conversation_key) or is_question_key(message.conversation_key):
        return "shown"
    return "deferred" if before.is_late else "pending"


def _taken(tx: Tx, uid: UUID, delivery: Delivery, notes: tuple[Finding, ...], *, is_repeat: bool = False) -> Taken:
    return Taken(uid, delivery, is_repeat, notes, tx.now)
