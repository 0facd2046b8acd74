"""How messages end without an answer: their time is over, their conversation ended, or they are old."""

from datetime import timedelta

from pabal.apps.relay import settings as own
from pabal.apps.relay.machine import MESSAGE, MessageEvent
from pabal.apps.relay.model.messages import End, MessageState
from pabal.apps.relay.store import conversations, messages, replies, rests
from pabal.base.database import Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine.transitions import Because, Step, apply, transition, transition_all
from pabal.platform import settings
from pabal.platform.actor import ENGINE

declare("relay.message.expired", "Messages that nobody answered in time", amount="count")
declare("relay.reply.expired", "Late answers whose user did not write again in time", amount="count")
BATCH = 500
# Whoever waits for an answer on the line has taken it by then, or is gone.
LEFT_AFTER = timedelta(seconds=2)
# A session that nobody paired with is remembered for so long, so that its instance hears that it is over.
KEEP_SESSIONS = timedelta(hours=1)
KEEP_TRIES = timedelta(hours=1)


async def expire_once(database: Database) -> int:
    """Every server looks; what one has locked, another passes over."""
    async with database.transaction() as tx:
        due = await replies.lock_expired(tx, most=BATCH)
        if due:
            await replies.note_expired(tx, [one.id for one in due], reason=End.NOBODY_ANSWERED.value)
            steps = [Step(one, MessageEvent.EXPIRE, MessageState.EXPIRED, []) for one in due]
            await apply(tx, MESSAGE, steps, Because(ENGINE.name, End.NOBODY_ANSWERED))
            emit("relay.message.expired", count=len(due))
        left = await replies.lock_left(tx, tx.now - LEFT_AFTER, most=BATCH)
        for message_id in left:
            await miss(tx, message_id)
        over = await replies.expire_replies(tx, BATCH)
        if over:
            emit("relay.reply.expired", count=over)
    return len(due) + len(left) + over


async def miss(tx: Tx, message_id: int) -> None:
    """It was answered in time, and nobody passed that on: the answer waits for the user's next message."""
    await replies.note_end(tx, message_id, End.ANSWERED_LATE)
    await transition(tx, MESSAGE, message_id, MessageEvent.EXPIRE, actor=ENGINE.name, reason=End.ANSWERED_LATE)
    await replies.defer_replies(tx, message_id, End.ANSWERED_LATE)


async def close_conversation(tx: Tx, conversation_id: int, *, unit_id: int | None) -> None:
    """It is paired with nobody any more. Who saw it before still does."""
    await drop_open(tx, conversation_id)
    await conversations.update_pairing(tx, conversation_id, account_id=None, unit_id=unit_id, paired_at=None)


async def drop_open(tx: Tx, conversation_id: int) -> None:
    """What its account has not answered yet, it need not; late answers of it, and rests of long ones, go to nobody."""
    found = await replies.lock_open_of(tx, conversation_id)
    for message_id in found:
        await replies.note_end(tx, message_id, End.UNPAIRED)
    if found:
        await transition_all(tx, MESSAGE, found, MessageEvent.FAIL, actor=ENGINE.name, reason=End.UNPAIRED)
    await replies.drop_deferred(tx, conversation_id)
    await rests.drop_of_conversation(tx, conversation_id)


async def clean_up_once(database: Database) -> int:
    """Every minute. Deletes what is older than it is kept, in portions."""
    async with database.transaction() as tx:
        kept = await settings.values(tx, [own.KEEP_MESSAGES, own.KEEP_CODES])
        until = tx.now - kept[own.KEEP_MESSAGES]
        deleted = await messages.delete_messages(tx, until, most=BATCH)
        await messages.forget_unread(tx)
        await messages.delete_codes(tx, tx.now - kept[own.KEEP_CODES])
        await messages.delete_sessions(tx, tx.now - KEEP_SESSIONS)
        deleted += await messages.delete_conversations(tx, until, most=BATCH)
        await rests.delete_rests(tx)
        await messages.delete_tries(tx, tx.now - KEEP_TRIES)
    return deleted
