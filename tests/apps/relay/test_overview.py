"""The relay on the front page, in the menu and in the search."""

import pytest

from pabal.apps.relay import overview
from pabal.apps.relay.gateway import Rejected
from pabal.apps.relay.jobs import make_kinds
from pabal.base import clock
from pabal.base.database import Database
from pabal.platform.overview import Card
from pabal.platform.tenants import visible_to
from pabal.testing import Parts, drain
from tests.support.people import person, plant
from tests.support.relay import HOUSE, SECOND, RelayWorld, ScriptedKakao, add_account

UID = "7a4f5e5e-a013-411c-aff2-bc29bb8e2531"


async def answer(world: RelayWorld, text: str, kakao: ScriptedKakao) -> None:
    await world.say(text)
    [handed] = await world.read()
    await world.reply(handed.letter.uid, "답")
    await clock.advance(world.db, 2 * SECOND)
    await drain(Parts(world.db, make_kinds(kakao)))


async def test_without_an_account_there_is_no_card(db: Database) -> None:
    await plant(db)

    async with db.transaction() as tx:
        assert await overview.card(tx, HOUSE) is None


async def test_the_card_says_what_was_answered_today_and_what_was_not(world: RelayWorld) -> None:
    await answer(world, "하나", ScriptedKakao())
    async with world.db.transaction() as tx:
        calm = await overview.card(tx, HOUSE)
    await answer(world, "둘", ScriptedKakao(Rejected("no")))
    async with world.db.transaction() as tx:
        card = await overview.card(tx, HOUSE)

    assert isinstance(calm, Card)
    assert (calm.value, calm.bars, calm.look, calm.trouble) == (1, "7", "good", ("", ""))
    assert isinstance(card, Card)
    assert (card.value, card.bars, card.look, card.trouble) == (1, "7x", "fail", ("1 not answered", "답 못 함 1"))


async def test_needs_are_users_to_approve_accounts_asleep_and_failed_callbacks(world: RelayWorld) -> None:
    careful = await add_account(world.db, world.tree.haeundae.id, "조심스러운 비서", asks_owner=True)
    await world.pair("lee", careful)
    await answer(world, "실패한 질문", ScriptedKakao(Rejected("no")))
    await clock.advance(world.db, 90 * SECOND)
    await world.say("거기 있나요?")
    async with world.db.transaction() as tx:
        needs, waiting = await overview.list_needs(tx, HOUSE), await overview.count_needs(tx, HOUSE)
        elsewhere = await overview.list_needs(tx, await visible_to(tx, person(world.tree.gangnam)))
        message = (await world.messages())[0]

    assert [(need.family, need.state) for need in needs] == [
        ("relay_conversation", "pending"),
        ("relay_account", "asleep"),
        ("relay_message", "failed"),
    ]
    assert needs[1].title == ("비서", "비서")
    assert needs[1].reason[1].startswith("사용자 1명이")
    assert (needs[2].title[1], needs[2].href) == ("실패한 질문", f"/relay/messages/{message.uid}")
    assert (waiting, elsewhere) == (1, [])


async def test_the_search_finds_accounts_users_and_messages_in_sight(world: RelayWorld) -> None:
    await world.say("비서에게 묻습니다")
    async with world.db.transaction() as tx:
        named = await overview.find(tx, HOUSE, "비서")
        users = await overview.find(tx, HOUSE, "kim")
        elsewhere = await overview.find(tx, await visible_to(tx, person(world.tree.gangnam)), "비서")

    assert [found.family[1] for found in named] == ["중계 계정", "대화", "중계 메시지(최근 24시간)"]
    assert named[2].title == "비서에게 묻습니다"
    assert [found.title for found in users] == ["kim"]
    assert elsewhere == []


@pytest.mark.parametrize(
    ("about", "href"),
    [
        ("relay_message:7", "/relay/messages/7"),
        ("relay_conversation:3", "/relay/conversations/3"),
        (f"relay_account:{UID}", f"/relay/accounts/{UID}"),
        ("relay_account:7", None),
        ("relay_message:seven", None),
        ("room:7", None),
    ],
)
def test_a_name_leads_to_its_page(about: str, href: str | None) -> None:
    assert overview.link(about) == href
