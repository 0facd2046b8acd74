"""The tables of the requirements, under names of our own, with the promises they state."""

import pytest

from pabal.apps.relay.store import accounts
from pabal.base.database import ConstraintBroken, Database
from pabal.base.sql import load
from tests.support.relay import RelayWorld, add_account

SQL = load(__file__)


async def columns(db: Database, table: str) -> dict[str, tuple[str, bool, str]]:
    """By name: type, whether it may be null, and its default."""
    async with db.transaction() as tx:
        rows = await tx.rows(SQL.list_columns, table=table)
    return {row["column_name"]: (row["data_type"], row["is_nullable"] == "YES", row["column_default"]) for row in rows}


async def indexes(db: Database, table: str) -> list[str]:
    async with db.transaction() as tx:
        return [row["indexdef"] for row in await tx.rows(SQL.list_indexes, table=table)]


async def references(db: Database) -> set[tuple[str, str, str]]:
    """Which column of which table is a key of which other."""
    async with db.transaction() as tx:
        rows = await tx.rows(SQL.list_references)
    return {(row["from_table"], row["column_name"], row["to_table"]) for row in rows}


@pytest.mark.req("C-30", "C-35", "C-41")
async def test_what_belongs_to_an_account_names_one_that_exists(db: Database):
    found = await references(db)

    assert found >= {(table, "account_id", "account") for table in ("conversation", "message", "pairing_code")}
    assert ("message", "conversation_id", "conversation") in found


@pytest.mark.req("C-23", "C-24", "C-25", "C-26", "C-27")
async def test_accounts(db: Database):
    found = await columns(db, "account")

    assert found["id"] == ("uuid", False, "gen_random_uuid()")
    assert found["openclaw_user_id"][:2] == ("text", False)
    assert found["relay_token_hash"][:2] == ("text", False)
    assert found["rate_limit_per_minute"][2] == "60"
    assert found["created_at"][2] == "pabal.now()"
    assert found["disabled_at"][:2] == ("timestamp with time zone", True)


@pytest.mark.req("C-24")
async def test_an_openclaw_user_has_one_account(world: RelayWorld):
    await add_account(world.db, world.tree.haeundae.id, openclaw_user_id="claw-1")

    new = accounts.NewAccount(world.tree.haeundae.id, "claw-1", "둘째", "token", 60)
    async with world.db.transaction() as tx:
        with pytest.raises(ConstraintBroken):
            await accounts.insert_account(tx, new)


@pytest.mark.req("C-28", "C-29", "C-30", "C-44")
async def test_who_talks_in_a_conversation(db: Database):
    found, made = await columns(db, "conversation"), await indexes(db, "conversation")

    assert found["conversation_key"][:2] == ("text", False)
    assert any("UNIQUE" in one and one.endswith("(conversation_key)") for one in made)
    assert (found["kakao_channel_id"][1], found["plusfriend_user_key"][1]) == (False, False)
    assert any("UNIQUE" in one and one.endswith("(kakao_channel_id, plusfriend_user_key)") for one in made)
    assert found["account_id"][:2] == ("uuid", True)
    assert any(one.endswith("(account_id)") for one in made)


@pytest.mark.req("C-31", "C-32", "C-33")
async def test_how_a_conversation_stands(db: Database):
    found = await columns(db, "conversation")

    assert found["paired_at"][:2] == ("timestamp with time zone", True)
    assert found["state"][1:] == (False, "'unpaired'::text")
    assert (found["last_callback_url"][1], found["last_callback_url_expires_at"][1]) == (True, True)
    assert (found["first_seen_at"][2], found["last_seen_at"][2]) == ("pabal.now()", "pabal.now()")


@pytest.mark.req("C-34", "C-35", "C-36", "C-37", "C-40")
async def test_inbound_messages(db: Database):
    found, made = await columns(db, "message"), await indexes(db, "message")

    assert any("UNIQUE" in one and one.endswith("(uid)") for one in made)
    assert found["uid"] == ("uuid", False, "gen_random_uuid()")
    assert (found["account_id"][:2], found["conversation_key"][:2]) == (("uuid", False), ("text", False))
    assert (found["kakao_payload"][:2], found["normalized"][:2]) == (("jsonb", False), ("jsonb", False))
    # Kakao sends an address only where the block asks for it
    assert (found["callback_url"][1], found["callback_expires_at"][1]) == (True, False)
    assert found["created_at"][2] == "pabal.now()"
    assert (found["delivered_at"][1], found["acked_at"][1]) == (True, True)


@pytest.mark.req("C-38", "C-39", "C-42", "C-43")
async def test_inbound_messages_begin_queued_and_are_found_by_index(db: Database):
    found, made = await columns(db, "message"), await indexes(db, "message")

    assert found["state"][1:] == (False, "'queued'::text")
    assert any("UNIQUE" in one and "(kakao_channel_id, source_event_id)" in one for one in made)
    assert any(one.endswith("(account_id, state)") for one in made)
    assert any(one.endswith("(callback_expires_at)") for one in made)


@pytest.mark.req("C-41", "C-45")
async def test_pairing_codes(db: Database):
    found, made = await columns(db, "pairing_code"), await indexes(db, "pairing_code")

    assert any("UNIQUE" in one and one.endswith("(code)") for one in made)
    assert (found["account_id"][:2], found["expires_at"][1]) == (("uuid", False), False)
    assert (found["used_at"][1], found["used_by"][:2]) == (True, ("text", True))
    assert found["metadata"] == ("jsonb", False, "'{}'::jsonb")
    assert found["created_at"][2] == "pabal.now()"
    assert any(one.endswith("(expires_at)") for one in made)


@pytest.mark.req("C-65", "C-66", "C-25")
async def test_a_token_is_nowhere_in_the_database(world: RelayWorld):
    async with world.db.transaction() as tx:
        kept, rest = await tx.value(SQL.dump_accounts), await tx.value(SQL.dump_rest)

    assert world.account.token not in kept + rest
    assert accounts.hash_token(world.account.token) in kept
    assert len(accounts.hash_token(world.account.token)) == 64
    assert world.account.token not in repr(world.account)
