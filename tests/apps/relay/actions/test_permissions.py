"""Who may do what with accounts, codes and conversations: every verb, by role, unit and scope."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from pabal.apps.relay.actions import accounts, conversations, replaying
from pabal.apps.relay.actions.accounts import AccountToken
from pabal.apps.relay.errors import AccountNotFound, CodeNotFound, ConversationNotFound, MessageNotFound
from pabal.apps.relay.machine import ConversationEvent
from pabal.apps.relay.model.messages import Message
from pabal.apps.relay.resources import rows
from pabal.apps.relay.resources.accounts import PairingCodeFilter, RelayAccountFilter
from pabal.apps.relay.resources.conversations import ConversationFilter
from pabal.apps.relay.resources.messages import RelayMessageFilter
from pabal.apps.relay.store import accounts as account_store
from pabal.apps.relay.store import conversations as conversation_store
from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.engine.listing import Page
from pabal.platform.actor import Actor, NotAllowed, Right, Role
from pabal.platform.tenants import UnitNotFound, visible_to
from tests.support.people import person
from tests.support.relay import RelayWorld, add_account
from tests.support.work import undone


@dataclass(frozen=True)
class Thing:
    """Of Haeundae: `talk` is paired, `waiting` waits for approval, `blocked` is blocked; `other` is an account too."""

    world: RelayWorld
    account: AccountToken
    other: AccountToken
    off: AccountToken
    code: str
    talk: int
    waiting: int
    blocked: int
    message: Message


Verb = Callable[[Tx, Actor, Thing], Awaitable[Any]]
MANAGE: dict[str, Verb] = {
    "create": lambda tx, actor, it: accounts.create_account(
        tx, actor, name="새 비서", unit_id=it.world.tree.haeundae.id
    ),
    "edit": lambda tx, actor, it: accounts.edit_account(tx, actor, it.account.account.id, name="다른 비서"),
    "rotate": lambda tx, actor, it: accounts.rotate_token(tx, actor, it.account.account.id),
    "disable": lambda tx, actor, it: accounts.disable_account(tx, actor, it.account.account.id),
    "enable": lambda tx, actor, it: accounts.enable_account(tx, actor, it.off.account.id),
}
WRITE: dict[str, Verb] = {
    "make": lambda tx, actor, it: accounts.new_code(tx, actor, account_id=it.account.account.id),
    "revoke": lambda tx, actor, it: accounts.revoke_code(tx, actor, it.code),
    "approve": lambda tx, actor, it: conversations.approve(tx, actor, it.waiting),
    "reject": lambda tx, actor, it: conversations.reject(tx, actor, it.waiting),
    "unpair": lambda tx, actor, it: conversations.unpair(tx, actor, it.talk),
    "move": lambda tx, actor, it: conversations.move(tx, actor, it.talk, account_id=it.other.account.id),
    "block": lambda tx, actor, it: conversations.block(tx, actor, it.talk),
    "unblock": lambda tx, actor, it: conversations.unblock(tx, actor, it.blocked),
    "replay": lambda tx, actor, it: replaying.replay(tx, actor, it.message.uid, account_id=it.other.account.id),
}
VERBS = [(name, verb, Right.MANAGE) for name, verb in MANAGE.items()]
VERBS += [(name, verb, Right.WRITE) for name, verb in WRITE.items()]


@pytest.fixture
async def thing(world: RelayWorld) -> Thing:
    home = world.tree.haeundae.id
    other = await add_account(world.db, home, "다른 계정")
    asking = await add_account(world.db, home, "묻는 계정", asks_owner=True)
    off = await add_account(world.db, home, "꺼진 계정")
    admin = person(world.tree.haeundae)
    await world.pair("lee", asking)
    await world.pair("choi")
    await world.say("안녕하세요")
    async with world.db.transaction() as tx:
        await accounts.disable_account(tx, admin, off.account.id)
        talk, waiting, choi = [
            await conversation_store.name_conversation(tx, await visible_to(tx, admin), f"b0ts:{user}")
            for user in ("kim", "lee", "choi")
        ]
        await conversations.decide(tx, admin, choi.id, ConversationEvent.BLOCK)
    code, [message] = await world.make_code(), await world.messages()
    return Thing(world, world.account, other, off, code, talk.id, waiting.id, choi.id, message)


@pytest.mark.parametrize(("verb", "right"), [one[1:] for one in VERBS], ids=[one[0] for one in VERBS])
async def test_every_verb_takes_its_right_and_what_is_out_of_sight_is_not_found(thing: Thing, verb: Verb, right: Right):
    tree = thing.world.tree
    allowed = [person(tree.haeundae), person(tree.busan), person(tree.hq)]
    refused = [
        person(tree.haeundae, Role.VIEWER),
        person(tree.nampo, Role.VIEWER),
        Actor("token:1", tree.haeundae.id, Role.ADMIN, ("messaging:manage", "relay:read")),
    ]
    (allowed if right is Right.WRITE else refused).append(person(tree.haeundae, Role.OPERATOR))
    refused += [Actor("token:2", tree.haeundae.id, Role.ADMIN, ("relay:write",))] if right is Right.MANAGE else []

    for actor in allowed:
        async with undone(thing.world.db) as tx:
            await verb(tx, actor, thing)
    for actor in refused:
        async with undone(thing.world.db) as tx:
            with pytest.raises(NotAllowed):
                await verb(tx, actor, thing)
    for stranger in (person(tree.nampo), person(tree.gangnam), person(tree.seoul)):
        async with undone(thing.world.db) as tx:
            with pytest.raises((AccountNotFound, ConversationNotFound, CodeNotFound, MessageNotFound, UnitNotFound)):
                await verb(tx, stranger, thing)


async def test_another_branch_sees_nothing_and_cannot_guess(thing: Thing):
    tree = thing.world.tree
    lists: list[tuple[Callable[..., Awaitable[Page[Any]]], Any]] = [
        (rows.list_accounts, RelayAccountFilter()),
        (rows.list_codes, PairingCodeFilter(ended=True)),
        (rows.list_conversations, ConversationFilter()),
        (rows.list_messages, RelayMessageFilter()),
    ]

    async with undone(thing.world.db) as tx:
        mine, theirs = [await visible_to(tx, person(unit, Role.VIEWER)) for unit in (tree.haeundae, tree.nampo)]
        for load, wanted in lists:
            assert (await load(tx, mine, wanted)).items
            assert (await load(tx, theirs, wanted)).items == []
        assert (await rows.get_trace(tx, mine, thing.message.uid)).message == thing.message
        for look in (
            lambda: rows.get_trace(tx, theirs, thing.message.uid),
            lambda: account_store.get_account(tx, theirs, thing.account.account.id),
            lambda: account_store.get_code(tx, theirs, thing.code),
            lambda: conversation_store.get_conversation(tx, theirs, thing.talk),
            lambda: conversation_store.name_conversation(tx, theirs, "b0ts:kim"),
        ):
            with pytest.raises(NotFound):
                await look()


async def test_a_conversation_is_not_moved_to_an_account_out_of_sight(thing: Thing):
    tree = thing.world.tree
    foreign = await add_account(thing.world.db, tree.gangnam.id, "강남 비서")

    async with undone(thing.world.db) as tx:
        with pytest.raises(AccountNotFound):
            await conversations.move(tx, person(tree.haeundae), thing.talk, account_id=foreign.account.id)


async def test_an_account_is_given_only_to_a_unit_in_sight(thing: Thing):
    tree = thing.world.tree

    async with undone(thing.world.db) as tx:
        with pytest.raises(UnitNotFound):
            await accounts.edit_account(tx, person(tree.haeundae), thing.account.account.id, unit_id=tree.gangnam.id)


async def test_whoever_nobody_has_paired_with_is_the_head_offices_alone(world: RelayWorld):
    await world.say("누구세요?", "stranger")

    async with undone(world.db) as tx:
        seen = {}
        for unit in (world.tree.hq, world.tree.busan, world.tree.haeundae):
            found = await rows.list_conversations(tx, await visible_to(tx, person(unit)), ConversationFilter())
            seen[unit.id] = {one.plusfriend_user_key for one in found.items}

    assert list(seen.values()) == [{"kim", "stranger"}, {"kim"}, {"kim"}]


async def test_no_message_of_another_is_found_by_its_id(thing: Thing):
    async with undone(thing.world.db) as tx:
        with pytest.raises(MessageNotFound):
            await rows.name_trace(tx, await visible_to(tx, person(thing.world.tree.gangnam)), str(thing.message.uid))
