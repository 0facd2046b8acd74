"""What a round asks of the database costs the same however many rounds there were, also where its plan was made while
there was nothing: long-lived connections keep such plans."""

import pytest

from pabal.apps.relay.machine import MESSAGE
from pabal.apps.relay.store import mailboxes, receiving, replies
from pabal.base.database import Database
from pabal.base.sql import Statement, load
from pabal.engine import finishing, transitions
from pabal.engine.subjects import of
from tests.support.plans import list_lookups

SQL = load(__file__)
REPLIES, DEFERRED = "reply_message_id_digest_key", "reply_deferred"

# Each statement, and the indexes it has to look things up in.
HOT: dict[str, tuple[Statement, set[str]]] = {
    "queue": (
        of(MESSAGE, transitions.SQL.begin_inserted, receiving.SQL.queue_at_once),
        {"conversation_conversation_key_key"},
    ),
    "hand out": (
        of(MESSAGE, transitions.SQL.move_picked, mailboxes.SQL.handed_out_at_once, mailboxes.SQL.pick_new),
        {"message_unread"},
    ),
    "hand out at length": (mailboxes.SQL.open_batch, {"message_unread"}),
    "hand out again": (mailboxes.SQL.lock_unanswered, {"message_unanswered_of"}),
    "go on": (mailboxes.SQL.lock_after, {"message_unanswered_of"}),
    "open a reply": (replies.SQL.open_message, {"message_uid_key", REPLIES, DEFERRED}),
    "use an address": (replies.SQL.use_address, {DEFERRED}),
    "list replies": (replies.SQL.list_replies, {REPLIES}),
    "list replies in time": (replies.SQL.list_in_time, {REPLIES}),
    "show a reply": (replies.SQL.find_reply_state, {"message_uid_key", REPLIES}),
    "late replies": (replies.SQL.lock_deferred, {DEFERRED}),
    "end replies": (replies.SQL.end_replies, {REPLIES, "reply_carried"}),
    "keep replies": (replies.SQL.defer_replies, {REPLIES, "reply_carried"}),
    "end a callback": (
        of(
            MESSAGE,
            transitions.SQL.move_picked,
            replies.SQL.acked,
            finishing.SQL.end_along.put("owner_picks", replies.SQL.pick_called),
        ),
        {"message_uid_key", REPLIES, "reply_carried"},
    ),
    "open messages of a conversation": (replies.SQL.lock_open_of, {"message_conversation"}),
}


@pytest.mark.parametrize("is_known", [False, True], ids=["unknown", "known to be empty"])
@pytest.mark.parametrize("name", HOT)
async def test_a_round_looks_things_up_whatever_there_was_when_it_was_planned(db: Database, name: str, is_known: bool):
    statement, wanted = HOT[name]
    async with db.transaction() as tx:
        if is_known:
            await tx.script(SQL.analyze_nothing.text)
        found = await list_lookups(tx, statement)

    assert found >= wanted
    # everything its account ever had
    assert "message_account_state" not in found
