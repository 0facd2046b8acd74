"""`pabal relay conv` and `pabal relay msg`: users by their keys, messages with all that happened to them."""

from tests.cli.inside import Inside
from tests.support.relay import RelayWorld, add_account


async def test_a_user_is_let_in_moved_blocked_and_unblocked(run: Inside, world: RelayWorld) -> None:
    asking = await add_account(world.db, world.tree.haeundae.id, "묻는 계정", asks_owner=True)
    await world.pair("lee", asking)

    waiting = (await run("relay", "conv", "list", "--state", "pending", "-o", "json")).json["items"]
    done = [
        await run("relay", "conv", *line, "-o", "json")
        for line in (
            ("approve", "b0ts:lee"),
            ("move", "b0ts:lee", "비서", "-m", "휴가"),
            ("block", str(waiting[0]["id"]), "--yes"),
            ("unblock", "b0ts:lee"),
        )
    ]

    assert [one["conversation_key"] for one in waiting] == ["b0ts:lee"]
    assert [(one.json["state"], one.json["account_name"]) for one in done] == [
        ("PAIRED", "묻는 계정"),
        ("PAIRED", "비서"),
        ("BLOCKED", None),
        ("UNPAIRED", None),
    ]


async def test_what_ends_a_pairing_asks_first(run: Inside, world: RelayWorld) -> None:
    asked = await run("relay", "conv", "unpair", "b0ts:kim")
    rejected = await run("relay", "conv", "reject", "b0ts:kim")
    unknown = await run("relay", "conv", "show", "b0ts:nobody")

    assert asked.code == 4
    assert (rejected.code, "pabal relay conv show" in rejected.err) == (5, True)
    assert (unknown.code, "pabal relay conv list" in unknown.err) == (3, True)
    assert (await run("relay", "conv", "show", "b0ts:kim", "-o", "json")).json["state"] == "PAIRED"


async def test_a_message_is_shown_with_its_steps_and_answers(run: Inside, world: RelayWorld) -> None:
    await world.say("날씨 어때?")
    [handed] = await world.read()
    await world.reply(handed.letter.uid, "맑아요")

    table = await run("relay", "msg", "show", str(handed.letter.uid), "--lang", "ko")
    program = await run("relay", "msg", "show", str(handed.letter.uid), "-o", "json")
    unknown = await run("relay", "msg", "show", "nonsense")

    for word in ("날씨 어때?", "맑아요", "받음", "대기", "전달됨"):
        assert word in table.out
    assert [one["event"] for one in program.json["steps"]] == ["begin", "hand_out"]
    assert "bot-api.kakao.com" not in table.out + program.out
    assert (unknown.code, "pabal relay msg list" in unknown.err) == (3, True)


async def test_messages_are_listed_by_state_account_and_conversation(run: Inside, world: RelayWorld) -> None:
    await world.say("하나")
    await world.pair("lee")
    await world.say("둘", "lee")
    await world.read(room=1)

    async def found(*options: str) -> list[str]:
        listed = (await run("relay", "msg", "list", *options, "-o", "json")).json["items"]
        return [one["normalized"]["text"] for one in listed]

    assert await found() == ["둘", "하나"]
    assert await found("--state", "delivered") == ["하나"]
    assert await found("--state", "queued", "--account", "비서") == ["둘"]
    assert await found("--conv", "b0ts:kim") == ["하나"]
    assert await found("--find", "둘", "--since", "-1h") == ["둘"]


async def test_a_message_is_replayed_to_an_account_by_its_name(run: Inside, world: RelayWorld) -> None:
    await add_account(world.db, world.tree.haeundae.id, "시험 비서")
    await world.say("날씨 어때?")
    original = str((await world.newest()).uid)

    tried = await run("relay", "msg", "replay", original, "시험 비서", "--dry-run", "-o", "json")
    listed = (await run("relay", "msg", "list", "-o", "json")).json["items"]
    done = await run("relay", "msg", "replay", original, "시험 비서", "-o", "json")
    table = await run("relay", "msg", "list", "--lang", "ko")
    refused = await run("relay", "msg", "replay", original, "없는 비서")

    assert (tried.json["replay_of"], len(listed)) == (original, 1)
    assert (done.json["replay_of"], done.json["account_name"], done.json["status"]) == (original, "시험 비서", "QUEUED")
    assert "재실행한 메시지" in table.out
    assert (refused.code, "pabal relay account list" in refused.err) == (3, True)
