from datetime import timedelta

import pytest

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import accounts, conversations
from pabal.apps.relay.actions.accounts import create_session
from pabal.apps.relay.errors import TooManyCodes
from pabal.apps.relay.model import sentences
from pabal.apps.relay.model.messages import ConversationState, End
from pabal.apps.relay.store import accounts as store
from pabal.apps.relay.store.conversations import list_conversations
from pabal.base import clock
from pabal.base.telemetry import count_emitted
from pabal.platform.actor import ENGINE
from tests.support.relay import HOUSE, RelayWorld, add_account, set_value


async def conversation(world: RelayWorld, user: str):
    async with world.db.transaction() as tx:
        [found] = (await list_conversations(tx, HOUSE, q=f":{user}")).items
    return found


@pytest.mark.req("C-79", "C-30", "C-33")
async def test_the_right_code_pairs_however_it_is_typed(world: RelayWorld):
    code, before = await world.make_code(), count_emitted("relay.pairing.verified")

    assert await world.hear(f"/PAIR  {code.lower().replace('-', ' ')}", "lee") == [
        sentences.PAIRED[1].format(account="비서")
    ]

    found = await conversation(world, "lee")
    assert (found.state, found.account_id) == (ConversationState.PAIRED, world.account.account.id)
    assert found.paired_at is not None
    assert found.unit_id == world.tree.haeundae.id
    assert count_emitted("relay.pairing.verified") == before + 1


@pytest.mark.req("C-69")
async def test_a_code_works_once(world: RelayWorld):
    code = await world.make_code()
    await world.hear(f"/pair {code}", "lee")

    assert await world.hear(f"/pair {code}", "park") == [sentences.USED[1]]
    assert (await conversation(world, "park")).state is ConversationState.UNPAIRED


@pytest.mark.req("C-56", "C-68")
async def test_a_code_lives_for_ten_minutes(world: RelayWorld):
    code, other = await world.make_code(), await world.make_code()
    await clock.advance(world.db, timedelta(minutes=9, seconds=50))
    assert await world.hear(f"/pair {code}", "lee") == [sentences.PAIRED[1].format(account="비서")]

    await clock.advance(world.db, timedelta(seconds=11))

    assert await world.hear(f"/pair {other}", "park") == [sentences.EXPIRED[1]]


async def test_each_refusal_says_its_own_reason(world: RelayWorld):
    revoked, off = await world.make_code(), await add_account(world.db, world.tree.haeundae.id, "꺼진 비서")
    of_off = await world.make_code(off)
    async with world.db.transaction() as tx:
        await accounts.revoke_code(tx, ENGINE, revoked)
        await accounts.disable_account(tx, ENGINE, off.account.id)

    assert await world.hear("/pair", "lee") == [sentences.NO_CODE[1]]
    assert await world.hear("/pair ABCD-2345", "lee") == [sentences.WRONG[1].format(left=4)]
    assert await world.hear("/pair ABCO-2345", "lee") == [sentences.WRONG_LETTERS[1].format(left=3)]
    assert await world.hear(f"/pair {revoked}", "lee") == [sentences.REVOKED[1]]
    assert await world.hear(f"/pair {of_off}", "park") == [sentences.SWITCHED_OFF[1]]
    assert await world.hear(f"/pair {await world.make_code()}", "kim") == [sentences.ALREADY[1].format(account="비서")]
    assert await world.hear("/pair XXXX-2222", "choi", lang="en") == [sentences.WRONG[0].format(left=4)]


@pytest.mark.req("C-71")
async def test_guesses_are_slowed_five_in_five_minutes_then_fifteen_minutes_of_nothing(world: RelayWorld):
    for left in (4, 3, 2, 1):
        assert await world.hear("/pair WXYZ-2345", "lee") == [sentences.WRONG[1].format(left=left)]
    assert await world.hear("/pair WXYZ-2345", "lee") == [sentences.TOO_MANY[1].format(minutes=15)]

    right = await world.make_code()
    await clock.advance(world.db, timedelta(minutes=5))
    assert await world.hear(f"/pair {right}", "lee") == [sentences.TOO_MANY[1].format(minutes=10)]
    # nobody else is slowed by it, and no other word
    assert await world.hear("/pair WXYZ-2345", "park") == [sentences.WRONG[1].format(left=4)]
    assert await world.hear("/status", "lee") == [sentences.NOT_PAIRED[1]]

    await clock.advance(world.db, timedelta(minutes=10, seconds=1))
    assert await world.hear(f"/pair {await world.make_code()}", "lee") == [sentences.PAIRED[1].format(account="비서")]


@pytest.mark.req("C-71")
async def test_guesses_of_more_than_five_minutes_ago_do_not_count(world: RelayWorld):
    for _ in range(4):
        await world.hear("/pair WXYZ-2345", "lee")
    await clock.advance(world.db, timedelta(minutes=5, seconds=1))

    assert await world.hear("/pair WXYZ-2345", "lee") == [sentences.WRONG[1].format(left=4)]


@pytest.mark.req("C-11")
async def test_an_owner_who_wants_to_be_asked_decides(world: RelayWorld):
    careful = await add_account(world.db, world.tree.haeundae.id, "까다로운 비서", asks_owner=True)
    told = await world.hear(f"/pair {await world.make_code(careful)}", "lee")
    await world.hear(f"/pair {await world.make_code(careful)}", "park")
    lee, park = await conversation(world, "lee"), await conversation(world, "park")

    assert told == [sentences.ASKED[1].format(account="까다로운 비서")]
    assert lee.state is ConversationState.PENDING
    assert await world.hear("/status", "lee") == [sentences.STATUS_PENDING[1].format(account="까다로운 비서")]
    async with world.db.transaction() as tx:
        await conversations.approve(tx, ENGINE, lee.id)
        await conversations.reject(tx, ENGINE, park.id)

    assert (await conversation(world, "lee")).state is ConversationState.PAIRED
    assert (await conversation(world, "lee")).paired_at is not None
    assert (await conversation(world, "park")).state is ConversationState.UNPAIRED
    assert (await conversation(world, "park")).account_id is None


@pytest.mark.req("C-10")
async def test_who_unpairs_is_paired_with_nobody_and_their_open_question_ends(world: RelayWorld):
    await world.say("질문")

    assert await world.hear("/unpair") == [sentences.UNPAIRED[1]]

    found = await conversation(world, "kim")
    assert (found.state, found.account_id, found.paired_at) == (ConversationState.UNPAIRED, None, None)
    message = await world.newest()
    assert (message.status, message.end_reason) == ("FAILED", End.UNPAIRED)
    assert await world.read() == []
    assert await world.hear("/unpair") == [sentences.NOT_PAIRED[1]]


async def test_the_relays_own_words_never_reach_the_instance(world: RelayWorld):
    assert await world.hear("/status") == [sentences.STATUS_PAIRED[1].format(account="비서")]
    assert await world.hear("/help") == [sentences.HELP[1]]
    assert await world.hear("/code") == [sentences.CODE[1]]
    assert await world.read() == []

    await world.say("/session")
    assert [one.letter.normalized["text"] for one in await world.read()] == ["/session"]


@pytest.mark.req("C-70", "C-78")
async def test_an_account_has_five_active_codes_at_most(world: RelayWorld):
    before = count_emitted("relay.pairing.created")
    codes = [await world.make_code() for _ in range(5)]

    with pytest.raises(TooManyCodes):
        await world.make_code()
    assert count_emitted("relay.pairing.created") == before + 5

    await world.hear(f"/pair {codes[0]}", "lee")
    async with world.db.transaction() as tx:
        await accounts.revoke_code(tx, ENGINE, codes[1])
    assert await world.make_code()
    assert await world.make_code()
    with pytest.raises(TooManyCodes):
        await world.make_code()
    await set_value(world.db, own.MOST_CODES, 6)
    assert await world.make_code()


@pytest.mark.req("C-41")
async def test_a_code_remembers_who_used_it_and_when(world: RelayWorld):
    async with world.db.transaction() as tx:
        made = await accounts.new_code(tx, ENGINE, account_id=world.account.account.id, metadata={"for": "lee"})
    await world.hear(f"/pair {made.code}", "lee")

    async with world.db.transaction() as tx:
        found = await store.get_code(tx, HOUSE, made.code)
    assert found.account_id == world.account.account.id
    assert (found.used_by, found.metadata) == ("b0ts:lee", {"for": "lee"})
    assert found.used_at is not None
    assert found.expires_at - found.created_at == timedelta(minutes=10)


async def test_pairing_makes_a_session_an_account_like_any_other(world: RelayWorld):
    async with world.db.transaction() as tx:
        session = await create_session(tx, "203.0.113.7")
    async with world.db.transaction() as tx:
        seen = await store.find_session(tx, session.token)
    assert seen is not None
    assert seen.status == "pending_pairing"

    await world.hear(f"/pair {session.code}", "lee")

    async with world.db.transaction() as tx:
        seen = await store.find_session(tx, session.token)
    assert seen is not None
    assert (seen.status, seen.kakao_user_id) == ("paired", "lee")
    await clock.advance(world.db, timedelta(hours=2))
    await world.hear("/unpair", "lee")
    async with world.db.transaction() as tx:
        seen = await store.find_session(tx, session.token)
    assert seen is not None
    assert seen.status == "disconnected"
