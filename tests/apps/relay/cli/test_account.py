"""`pabal relay account`: a token is printed once, and accounts are found by their exact names."""

from tests.cli.inside import Inside
from tests.support.relay import RelayWorld, add_account


async def test_a_new_account_prints_its_token_once(run: Inside, world: RelayWorld) -> None:
    made = await run("relay", "account", "new", "새 비서", "--org", "해운대점", "--limit", "90", "--ask-owner")
    shown = await run("relay", "account", "show", "새 비서", "-o", "json")
    table = await run("relay", "account", "show", "새 비서", "--lang", "ko")

    token = next(line.split()[1] for line in made.out.splitlines() if line.startswith("TOKEN"))
    assert (len(token), "shown only now" in made.err) == (64, True)
    assert (shown.json["rate_limit_per_minute"], shown.json["asks_owner"]) == (90, True)
    assert "token" not in shown.json
    assert token not in shown.out + table.out
    assert "쉬는 중" in table.out


async def test_plain_output_is_the_token_alone_and_a_try_shows_none(run: Inside, world: RelayWorld) -> None:
    plain = await run("relay", "account", "new", "하나", "-o", "plain")
    tried = await run("relay", "account", "rotate", "하나", "--dry-run", "-o", "json")
    rotated = await run("relay", "account", "rotate", "하나", "--overlap", "0s", "-o", "json")

    assert len(plain.out.strip()) == 64
    assert (tried.code, "token" in tried.json) == (0, False)
    assert (len(rotated.json["token"]), rotated.json["old_token_until"]) == (64, None)


async def test_an_account_is_switched_off_and_on(run: Inside, world: RelayWorld) -> None:
    off = await run("relay", "account", "disable", "비서", "-m", "점검", "-o", "json")
    again = await run("relay", "account", "disable", "비서")
    on = await run("relay", "account", "enable", str(world.account.account.id), "-o", "json")

    assert (off.json["state"], on.json["disabled_at"]) == ("disabled", None)
    assert again.code == 5
    assert "pabal relay account enable ACCOUNT" in again.err


async def test_only_what_is_said_is_changed(run: Inside, world: RelayWorld) -> None:
    first = await run("relay", "account", "edit", "비서", "--ask-owner", "-o", "json")
    second = await run("relay", "account", "edit", "비서", "--limit", "5", "--org", "남포점", "-o", "json")
    third = await run("relay", "account", "edit", "비서", "--no-ask-owner", "-o", "json")

    assert [(one.json["asks_owner"], one.json["rate_limit_per_minute"]) for one in (first, second, third)] == [
        (True, 60),
        (True, 5),
        (False, 5),
    ]
    assert second.json["unit_id"] == world.tree.nampo.id


async def test_a_name_that_two_have_is_not_guessed(run: Inside, world: RelayWorld) -> None:
    second = await add_account(world.db, world.tree.nampo.id, "비서", openclaw_user_id="nampo")

    ambiguous = await run("relay", "account", "show", "비서")
    part = await run("relay", "account", "show", "비")
    by_user = await run("relay", "account", "show", "nampo", "-o", "json")

    assert (ambiguous.code, str(second.account.id) in ambiguous.err) == (5, True)
    assert (part.code, "pabal relay account list" in part.err) == (3, True)
    assert by_user.json["id"] == str(second.account.id)
