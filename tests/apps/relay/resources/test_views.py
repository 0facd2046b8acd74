"""What is shown of accounts, codes, conversations and messages: the requirement's names, and no secret."""

from datetime import UTC, datetime, timedelta

import pytest

from pabal.apps.relay.actions.accounts import rotate_token
from pabal.apps.relay.model.messages import ConversationState, MessageState
from pabal.apps.relay.resources import NOUNS, rows
from pabal.apps.relay.resources.accounts import (
    HIDDEN,
    AccountRotation,
    PairingCodeToMake,
    PairingCodeView,
    RelayAccountView,
    view_account,
    view_code,
)
from pabal.apps.relay.resources.conversations import ConversationFilter, ConversationView, view_conversation
from pabal.apps.relay.resources.messages import (
    MASKED,
    RelayMessageFilter,
    RelayMessageView,
    ReplyView,
    mask_callback,
    view_message,
    view_trace,
)
from pabal.apps.relay.resources.names import ConversationStatus, MessageStatus
from pabal.apps.relay.store import accounts, replies
from pabal.base import clock
from pabal.platform.actor import Role
from pabal.platform.resources import View, Viewer, plain_json
from pabal.platform.tenants import visible_to
from tests.support.people import person
from tests.support.relay import HOUSE, RelayWorld, skill

SECRETS = ("relay_token_hash", "old_token_hash", "token_hash", "callback_url", "last_callback_url")


def viewer_of(world: RelayWorld, now: datetime, role: Role = Role.ADMIN) -> Viewer:
    return Viewer(person(world.tree.haeundae, role), "en", now)


@pytest.mark.parametrize(
    ("view", "names"),
    [
        (RelayAccountView, "id openclaw_user_id rate_limit_per_minute created_at disabled_at"),
        (
            ConversationView,
            "conversation_key kakao_channel_id plusfriend_user_key account_id state last_callback_url_expires_at "
            "first_seen_at last_seen_at paired_at",
        ),
        (
            RelayMessageView,
            "id account_id conversation_key kakao_payload normalized callback_expires_at status source_event_id "
            "created_at delivered_at acked_at",
        ),
        (PairingCodeView, "code account_id expires_at used_at used_by metadata created_at"),
    ],
)
def test_every_column_of_the_requirement_is_there_under_its_name(view: type[View], names: str):
    assert set(names.split()) <= set(view.names())


def test_no_view_has_a_field_for_a_secret():
    fields = {name for noun in NOUNS for name in noun.shows.names()}

    assert fields & {*SECRETS, "token"} == set()


def test_states_are_those_of_the_machines_in_capitals():
    assert [one.value for one in ConversationStatus] == [one.upper() for one in ConversationState]
    assert [one.value for one in MessageStatus] == [one.upper() for one in MessageState]


async def test_a_callback_address_is_never_shown_but_that_there_is_one(world: RelayWorld):
    await world.say("안녕")
    async with world.db.transaction() as tx:
        scope = await visible_to(tx, person(world.tree.haeundae))
        [talk] = (await rows.list_conversations(tx, scope, ConversationFilter())).items
        [message] = (await rows.list_messages(tx, scope, RelayMessageFilter())).items
        now = tx.now

    shown, later = (view_conversation(talk, viewer_of(world, now + timedelta(seconds=one))) for one in (0, 61))
    told = view_message(message, viewer_of(world, now))

    assert (shown.has_callback_url, later.has_callback_url) == (True, False)
    assert told.kakao_payload["userRequest"]["callbackUrl"] == MASKED
    assert told.kakao_payload["userRequest"]["utterance"] == "안녕"
    for one in (shown, told):
        assert "bot-api.kakao.com" not in plain_json(one)


def test_a_payload_without_a_callback_address_is_shown_as_it_came():
    for payload in ({}, {"userRequest": None}, {"userRequest": {"utterance": "x"}}):
        assert mask_callback(payload) == payload


async def test_an_active_code_is_hidden_from_who_may_only_look_until_it_is_over(world: RelayWorld):
    code = await world.make_code()
    async with world.db.transaction() as tx:
        found, now = await accounts.get_code(tx, HOUSE, code), tx.now

    operator, viewer = (view_code(found, viewer_of(world, now, role)) for role in (Role.OPERATOR, Role.VIEWER))
    over = view_code(found, viewer_of(world, now + timedelta(hours=1), Role.VIEWER))

    assert (operator.code, operator.state) == (code, "active")
    assert (viewer.code, viewer.state) == (HIDDEN, "active")
    assert (over.code, over.state) == (code, "expired")


async def test_an_old_token_is_told_of_only_while_it_works(world: RelayWorld):
    async with world.db.transaction() as tx:
        rotated = await rotate_token(
            tx, person(world.tree.haeundae), world.account.account.id, overlap=timedelta(hours=1)
        )
        now = tx.now

    during, after = (
        view_account(rotated.account, viewer_of(world, now + timedelta(minutes=one))).old_token_until
        for one in (59, 61)
    )

    assert (during, after) == (now + timedelta(hours=1), None)


async def test_an_account_nobody_reads_from_is_asleep_before_anybody_wrote(world: RelayWorld):
    states = []
    for seconds in (0, 59, 2):
        await clock.advance(world.db, timedelta(seconds=seconds))
        async with world.db.transaction() as tx:
            states.append((await accounts.get_account(tx, HOUSE, world.account.account.id)).state)

    assert states == ["awake", "awake", "asleep"]


async def test_a_trace_tells_every_step_and_every_answer(world: RelayWorld):
    await world.say("날씨 어때?")
    [handed] = await world.read()
    await world.reply(handed.letter.uid, "맑아요")

    async with world.db.transaction() as tx:
        trace = await rows.get_trace(tx, HOUSE, handed.letter.uid)
        shown = view_trace(trace, viewer_of(world, tx.now))

    assert [(one.event, one.source, one.target) for one in shown.steps] == [
        ("begin", None, "QUEUED"),
        ("hand_out", "QUEUED", "DELIVERED"),
    ]
    [reply] = shown.replies
    assert (reply.state, reply.response, reply.said("en")) == ("pending", skill("맑아요"), "맑아요")
    assert (shown.status, shown.handed_out, shown.answered_at is not None) == ("DELIVERED", 1, True)


async def test_a_late_answer_names_the_message_it_went_with(world: RelayWorld):
    await world.say("첫 질문")
    [first] = await world.read()
    await clock.advance(world.db, timedelta(seconds=70))
    await world.reply(first.letter.uid, "늦은 답")
    await world.read()
    await world.say("둘째 질문")
    second = await world.newest()
    await world.read()
    await world.reply(second.uid, "새 답")
    async with world.db.transaction() as tx:
        late = await replies.lock_deferred(tx, second.conversation_id, most=5)
        await replies.carry(tx, late, second.id)

    async with world.db.transaction() as tx:
        shown = view_trace(await rows.get_trace(tx, HOUSE, first.letter.uid), viewer_of(world, tx.now))

    [reply] = shown.replies
    assert (reply.state, reply.carried_by) == ("carried", str(second.uid))


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("맑아요", "맑아요"),
        ({"text": "맑아요"}, "맑아요"),
        (skill("하나", "둘"), "하나 · 둘"),
        ({"template": {"outputs": [{"simpleImage": {"imageUrl": "x"}}]}}, "[simpleImage]"),
        ({}, ""),
    ],
)
def test_an_answer_is_told_in_a_cell(response: object, text: str):
    at = datetime(2026, 7, 3, tzinfo=UTC)
    shown = ReplyView(state="sent", response=response, received_at=at, ended_at=None, carried_by=None, detail=None)

    assert shown.said("en") == text


async def test_messages_are_found_by_status_account_conversation_text_and_period(world: RelayWorld):
    await world.pair("lee")
    await world.say("아침 날씨")
    await clock.advance(world.db, timedelta(minutes=10))
    await world.read()
    await world.say("저녁 날씨", "lee")
    [first, second] = await world.messages()
    middle = first.created_at + timedelta(minutes=5)

    async def found(**wanted: object) -> list[str]:
        async with world.db.transaction() as tx:
            page = await rows.list_messages(tx, HOUSE, RelayMessageFilter.make(wanted))
        return [one.text for one in page.items]

    assert await found() == ["저녁 날씨", "아침 날씨"]
    assert await found(q="아침") == ["아침 날씨"]
    assert await found(conversation=second.conversation_id) == ["저녁 날씨"]
    assert await found(since=middle) == ["저녁 날씨"]
    assert await found(until=middle) == ["아침 날씨"]
    assert await found(status=(MessageStatus.ACKED,)) == []
    assert len(await found(account=world.account.account.id)) == 2


def test_spans_are_asked_for_in_seconds_and_handed_on_as_spans():
    rotation = AccountRotation.make({"overlap_seconds": 60})
    made = PairingCodeToMake.make({"account_id": "x", "expires_in_seconds": 120})

    assert rotation.arguments() == {"overlap": timedelta(minutes=1)}
    assert AccountRotation.make({}).arguments() == {"overlap": None}
    assert made.arguments() == {"account_id": "x", "expires_in": timedelta(minutes=2), "metadata": {}}
