"""`pabal channel`: a chat is added without its token on the line, tried out, and removed."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.platform import audit
from pabal.platform.notifications import attempts
from pabal.platform.notifications.model import Message
from pabal.platform.notifications.simulator import Kind
from tests.cli.inside import Inside
from tests.support.people import Tree
from tests.support.servers import serving
from tests.support.telegram import TOKEN, Office, open_office

KEY = "a key that only tests know"


@pytest.fixture
async def office(db: Database, tree: Tree, tmp_path: Path) -> AsyncIterator[Office]:
    async with open_office(db, tmp_path) as opened:
        kinds = opened.parts.kinds
        async with serving(db, kinds, tmp_path / "locks", meta={"kinds": sorted(kinds)}):
            yield opened


async def add(run: Inside, *more: str, said: str = f"{TOKEN}\n", **settings: str) -> int:
    given = {"PABAL_SECRET_KEY": KEY, **settings}
    made = await run("channel", "add", "ops", "--chat", "4242", *more, "-o", "json", said=said, **given)
    assert made.code == 0, made.err
    return int(made.json["id"])


async def test_a_channel_is_added_and_its_token_is_told_nobody(db: Database, run: Inside, tree: Tree) -> None:
    await add(run, "--org", "부산총판", "--level", "failure", "--wants", "messaging.*")

    listed = await run("channel", "list", "-o", "json")

    [one] = listed.json["items"]
    assert (one["unit_id"], one["least_level"], one["wants"], one["state"]) == (
        tree.busan.id,
        "failure",
        ["messaging.*"],
        "ok",
    )
    assert TOKEN not in listed.out
    async with db.transaction() as tx:
        assert TOKEN not in str(await audit.list_entries(tx, audit.Wanted(about=f"channel:{one['id']}")))


async def test_a_test_goes_through_the_channel_and_is_waited_for(office: Office, run: Inside) -> None:
    channel = await add(run)

    tried = await run("channel", "test", str(channel), "-o", "json")

    assert (tried.code, tried.json["state"]) == (0, "done")
    assert "ops" in office.texts()[0]


async def test_a_test_that_telegram_refuses_fails_and_says_why(office: Office, run: Inside) -> None:
    channel = await add(run)
    office.trouble(Kind.BLOCKED)

    tried = await run("channel", "test", str(channel), "-o", "json")

    assert (tried.code, tried.json["state"]) == (1, "failed")
    assert "not_delivered" in tried.err


async def test_without_a_server_a_test_says_so(run: Inside, tree: Tree) -> None:
    channel = await add(run)

    assert (await run("channel", "test", str(channel))).code == 6
    assert (await run("channel", "test", str(channel), "--no-wait", "-o", "json")).json["state"] == "enqueued"


async def test_a_removed_channel_is_gone_and_a_dry_run_removes_none(run: Inside, tree: Tree) -> None:
    channel = await add(run)

    tried = await run("channel", "remove", str(channel), "--dry-run")
    kept = (await run("channel", "list", "-o", "json")).json["items"]
    unasked = await run("channel", "remove", str(channel))
    done = await run("channel", "remove", str(channel), "--yes")

    assert [tried.code, unasked.code, done.code] == [0, 4, 0]
    assert len(kept) == 1
    assert (await run("channel", "list")).out == ""


async def test_a_key_the_servers_do_not_have_seals_nothing(run: Inside, tree: Tree) -> None:
    told = await run("channel", "add", "ops", "--chat", "4242", said=TOKEN)

    assert told.code == 4
    assert "no_secret_key" in told.err
    assert not (run.folder / "data" / "secret.key").exists()


async def test_what_is_no_token_is_refused_without_being_repeated(run: Inside, tree: Tree) -> None:
    told = await run("channel", "add", "ops", "--chat", "4242", said="hunter2\n", PABAL_SECRET_KEY=KEY)

    assert (told.code, "bad_token" in told.err) == (2, True)
    assert "hunter2" not in told.out + told.err


async def test_a_webhook_is_added_and_its_secret_is_printed_once(run: Inside, tree: Tree) -> None:
    made = await run("channel", "add", "hook", "--url", "https://example.com/hook", "-o", "json", PABAL_SECRET_KEY=KEY)
    number = str(made.json["id"])
    rotated = await run("channel", "rotate", number, "-o", "plain", PABAL_SECRET_KEY=KEY)
    listed = await run("channel", "list", "-o", "json")
    tried = await run("channel", "rotate", number, "--dry-run", "-o", "json", PABAL_SECRET_KEY=KEY)

    assert made.json["secret"].startswith("whsec_")
    assert rotated.out.startswith("whsec_")
    assert rotated.out.strip() != made.json["secret"]
    assert "whsec_" not in listed.out + tried.out
    assert listed.json["items"][0]["before_until"] is not None


async def test_a_mailbox_needs_no_token_and_one_must_say_where_it_leads(run: Inside, tree: Tree) -> None:
    made = await run("channel", "add", "mail", "--to", "kim@example.com", "-o", "json", PABAL_SECRET_KEY=KEY)
    neither = await run("channel", "add", "x", PABAL_SECRET_KEY=KEY)
    both = await run("channel", "add", "x", "--to", "a@b", "--url", "https://example.com", PABAL_SECRET_KEY=KEY)
    odd = await run("channel", "add", "x", "--to", "a b", PABAL_SECRET_KEY=KEY)

    assert (made.code, made.json["kind"], made.json["address"]) == (0, "email", "kim@example.com")
    assert [neither.code, both.code, odd.code] == [2, 2, 2]
    assert "--to: " in odd.err


async def test_what_was_missed_is_listed_and_sent_again(db: Database, run: Inside, tree: Tree) -> None:
    made = await run("channel", "add", "hook", "--url", "https://example.com/a", "-o", "json", PABAL_SECRET_KEY=KEY)
    number = str(made.json["id"])
    async with db.transaction() as tx:
        await attempts.insert_missed(tx, made.json["id"], Message("{}", notification_id=1), "it was stopped")

    listed = await run("channel", "deliveries", number, "-o", "json")
    delivery = listed.json["items"][0]["id"]
    tries = await run("channel", "deliveries", number, "--attempts", delivery, "-o", "json")
    odd = await run("channel", "replay", number)
    again = await run("channel", "replay", number, "--since", "-1h", "-o", "json")
    once = await run("channel", "replay", number, "--delivery", delivery)

    assert (listed.json["items"][0]["state"], tries.json["items"]) == ("failed", [])
    assert (odd.code, again.json["count"]) == (2, 1)
    assert "channel_delivery_on_its_way" in once.err
