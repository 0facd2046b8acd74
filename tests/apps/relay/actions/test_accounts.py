from datetime import timedelta

import pytest

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import accounts
from pabal.apps.relay.errors import AccountDisabled, AccountEnabled, AccountNameTaken, BadAccount, BadCodeLife
from pabal.apps.relay.store import accounts as store
from pabal.apps.relay.store import conversations
from pabal.platform import audit
from pabal.platform.actor import ENGINE
from tests.support.relay import HOUSE, RelayWorld, add_account, set_value


@pytest.mark.req("C-09", "C-66", "C-26")
async def test_an_account_is_one_instance_whose_token_is_shown_once(world: RelayWorld):
    async with world.db.transaction() as tx:
        made = await accounts.create_account(
            tx, ENGINE, name="비서", openclaw_user_id="claw-7", unit_id=world.tree.nampo.id
        )
    async with world.db.transaction() as tx:
        found = await store.get_account(tx, HOUSE, made.account.id)
        held = await store.hold_account(tx, made.account.id)

    assert len(made.token) == 64
    assert (found.openclaw_user_id, found.name, found.unit_id) == ("claw-7", "비서", world.tree.nampo.id)
    assert (found.rate_limit_per_minute, found.disabled_at, found.state) == (60, None, "asleep")
    assert found.created_at is not None
    assert held is not None
    assert held.relay_token_hash == store.hash_token(made.token)
    assert "token" not in {name for name in dir(found) if not name.startswith("_")} - {"token_made_at"}


async def test_the_limit_of_new_accounts_is_a_setting(world: RelayWorld):
    await set_value(world.db, own.RATE_LIMIT, 120)

    made = await add_account(world.db, world.tree.haeundae.id, "둘째")

    assert made.account.rate_limit_per_minute == 120


@pytest.mark.parametrize(
    "given",
    [
        {"name": ""},
        {"name": "가" * 101},
        {"name": "가\n나\0"},
        {"openclaw_user_id": " "},
        {"rate_limit_per_minute": -1},
    ],
)
async def test_what_cannot_be_an_account_is_refused(world: RelayWorld, given: dict):
    async with world.db.transaction() as tx:
        with pytest.raises(BadAccount):
            await accounts.create_account(tx, ENGINE, **{"name": "비서", **given})


async def test_an_openclaw_user_has_one_account(world: RelayWorld):
    await add_account(world.db, world.tree.haeundae.id, openclaw_user_id="claw-1")

    async with world.db.transaction() as tx:
        with pytest.raises(AccountNameTaken):
            await accounts.create_account(tx, ENGINE, name="둘째", openclaw_user_id="claw-1")


async def test_an_account_that_moves_takes_its_conversations_and_messages_along(world: RelayWorld):
    await world.say("질문")

    async with world.db.transaction() as tx:
        await accounts.edit_account(tx, ENGINE, world.account.account.id, unit_id=world.tree.gangnam.id)

    assert (await world.newest()).unit_id == world.tree.gangnam.id
    async with world.db.transaction() as tx:
        [kim] = (await conversations.list_conversations(tx, HOUSE)).items
    assert kim.unit_id == world.tree.gangnam.id


@pytest.mark.req("C-27")
async def test_an_account_is_switched_off_and_on_once(world: RelayWorld):
    account = world.account.account.id
    async with world.db.transaction() as tx:
        off = await accounts.disable_account(tx, ENGINE, account, reason="점검")
        with pytest.raises(AccountDisabled):
            await accounts.disable_account(tx, ENGINE, account)
        with pytest.raises(AccountDisabled):
            await accounts.new_code(tx, ENGINE, account_id=account)
        on = await accounts.enable_account(tx, ENGINE, account)
        with pytest.raises(AccountEnabled):
            await accounts.enable_account(tx, ENGINE, account)
        entries = await audit.list_entries(tx, audit.Wanted(action="relay.account_*"))

    assert off.disabled_at is not None
    assert on.disabled_at is None
    assert [one.action for one in entries[:2]] == ["relay.account_enable", "relay.account_disable"]
    assert entries[1].after == {"reason": "점검"}


@pytest.mark.parametrize("life", [timedelta(seconds=59), timedelta(days=1, seconds=1)])
async def test_a_code_lives_for_a_minute_to_a_day(world: RelayWorld, life: timedelta):
    async with world.db.transaction() as tx:
        with pytest.raises(BadCodeLife):
            await accounts.new_code(tx, ENGINE, account_id=world.account.account.id, expires_in=life)
