"""A workflow asks an account something: its instance finds it in its mailbox, and what it answers reaches no user."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from pabal.apps.relay.actions.receiving import MAIL
from pabal.apps.relay.actions.replaying import begin_conversation, hold_account, keep_shown
from pabal.apps.relay.machine import MESSAGE, MessageEvent
from pabal.apps.relay.model import outputs
from pabal.apps.relay.model.messages import AREA, MESSAGE_ABOUT, OPEN, End, MessageState
from pabal.apps.relay.model.skill import QUESTION_CHANNEL, make_question, question_key
from pabal.apps.relay.store import questions, replies
from pabal.apps.relay.store.questions import NewQuestion
from pabal.apps.relay.store.replies import Answerable
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine.subjects import Plain
from pabal.engine.transitions import Because, begin_loaded, transition
from pabal.engine.workflows import signals
from pabal.platform import audit
from pabal.platform.actor import ENGINE, Actor, Right
from pabal.platform.tenants import visible_to

declare("relay.question.asked", "Questions that workflows asked an account")
declare("relay.question.answered", "Questions of workflows that an instance answered")


@dataclass(frozen=True, slots=True)
class Question:
    """`asked_by`: what asks, `key`: its one attempt, `until`: how long an answer is of use."""

    text: str
    asked_by: str
    key: str
    until: datetime


async def ask(tx: Tx, actor: Actor, account_id: UUID, question: Question) -> int:
    """The message it became, in the mailbox of an account in sight."""
    actor.require(Right.WRITE, AREA)
    account = await hold_account(tx, await visible_to(tx, actor), account_id)
    request = make_question(question.text)
    new = NewQuestion(
        uid=uuid4(),
        asked_by=question.asked_by,
        asked_key=question.key,
        unit_id=account.unit_id,
        account_id=account.id,
        payload=request.payload,
        normalized=request.normalized,
        until=question.until,
    )
    where = await begin_conversation(tx, actor, question_key(account.id), QUESTION_CHANNEL, account)
    made = await questions.insert_question(tx, new, where)
    begun = [Plain(made, new.unit_id, MessageState.QUEUED.value, 1)]
    await begin_loaded(tx, MESSAGE, begun, {made: MessageState.QUEUED.value}, Because(actor.name))
    tx.hint(f"{MAIL}{account.id}", tx.now)
    emit("relay.question.asked", account=str(account.id))
    after = {"account": account.name, "asked_by": question.asked_by}
    await audit.record(tx, actor, "relay.question_ask", f"{MESSAGE_ABOUT}:{made}", unit_id=account.unit_id, after=after)
    return made


async def take_answer(tx: Tx, message: Answerable, answer: outputs.Bubbles, *, digest: str, response: Any) -> None:
    """The first answer is the question's; whoever waits for it goes on, in the commit that takes it in."""
    is_first = message.state in OPEN
    await keep_shown(tx, message, End.QUESTION_ANSWERED, digest=digest, response=response)
    if is_first:
        said = {"text": outputs.text_of(answer), "outputs": list(answer.outputs)}
        await signals.send(tx, signal_of(message.id), said)
        emit("relay.question.answered", message=message.id)


async def withdraw_question(tx: Tx, key: str) -> None:
    """Nobody waits for its answer any more, so that no instance need work on it."""
    found = await questions.find_open_question(tx, key)
    if found is not None:
        await replies.note_end(tx, found, End.QUESTION_WITHDRAWN)
        await transition(tx, MESSAGE, found, MessageEvent.FAIL, actor=ENGINE.name, reason=End.QUESTION_WITHDRAWN)


def signal_of(message_id: int) -> str:
    return f"relay_question:{message_id}"
