"""`pabal msg bot`: devices are decided about, bots excluded and brought back, and a secret is told nobody."""

from pabal.base.database import Database
from pabal.platform import audit
from tests.cli.inside import Inside
from tests.support.messaging import World, add_bot, connect_two

KEY = "a key that only tests know"
SECRET = "hunter2-hunter2"


async def test_a_device_is_approved_revoked_blocked_and_let_in_again(db: Database, run: Inside, world: World) -> None:
    _, device = await add_bot(db, world.tree.haeundae, "busan2", state="pending")

    waiting = await run("msg", "bot", "list", "-o", "json")
    tried = await run("msg", "bot", "approve", "busan2", "--dry-run", "-o", "json")
    states = [
        (await run("msg", "bot", verb, str(device), "-o", "json")).json["state"]
        for verb in ("deny", "approve", "revoke", "block", "unblock")
    ]
    refused = await run("msg", "bot", "unblock", str(device), "--lang", "ko")
    shown = await run("msg", "bot", "show", "busan2", "--lang", "ko")

    assert {one["name"]: one["pending"] for one in waiting.json["items"]} == {"busan1": 0, "busan2": 1}
    assert tried.json["state"] == "approved"
    assert states == ["denied", "approved", "revoked", "blocked", "pending"]
    assert (refused.code, "다음  pabal msg bot list" in refused.err) == (5, True)
    assert "승인 대기" in shown.out


async def test_a_phone_in_reserve_is_given_the_bot(db: Database, run: Inside, world: World) -> None:
    _, spare, _ = await connect_two(db, world.tree.haeundae, "busan3")

    shown = await run("msg", "bot", "show", "busan3", "--lang", "ko")
    given = await run("msg", "bot", "choose", str(spare), "-o", "json")

    assert "예비" in shown.out
    assert (given.code, given.json["role"]) == (0, "reserve")


async def test_a_bot_is_excluded_with_a_reason_and_brought_back(run: Inside, world: World) -> None:
    excluded = await run("msg", "bot", "exclude", "busan1", "-m", "수리 중", "-o", "json")
    again = await run("msg", "bot", "exclude", "busan1", "-m", "수리 중")
    included = await run("msg", "bot", "include", "busan1", "-o", "json")
    edited = await run("msg", "bot", "edit", "busan1", "--images", "group", "-o", "json")

    assert (excluded.json["state"], excluded.json["excluded_reason"]) == ("excluded", "수리 중")
    assert (again.code, included.json["state"], edited.json["image_mode"]) == (5, "offline", "group")


async def test_a_secret_comes_from_stdin_and_is_told_nobody(db: Database, run: Inside, world: World) -> None:
    unkeyed = await run("msg", "bot", "secret", "busan1", said=f"{SECRET}\nsalt\n")
    short = await run("msg", "bot", "secret", "busan1", said="short\n", PABAL_SECRET_KEY=KEY)
    done = await run("msg", "bot", "secret", "busan1", "-o", "json", said=f"{SECRET}\nsalt\n", PABAL_SECRET_KEY=KEY)
    removed = await run("msg", "bot", "secret", "busan1", "--remove", "-o", "json", PABAL_SECRET_KEY=KEY)

    assert [unkeyed.code, short.code] == [4, 2]
    assert (done.json["has_secret"], removed.json["has_secret"]) == (True, False)
    assert "hunter2" not in done.out + done.err
    async with db.transaction() as tx:
        assert "hunter2" not in str(await audit.list_entries(tx, audit.Wanted(about=f"bot:{world.bot_id}")))
