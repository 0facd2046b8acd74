"""`pabal msg room`: claimed, edited, added, and limited."""

from pabal.base.database import Database
from tests.cli.inside import Inside
from tests.support.messaging import World, add_room


async def test_a_discovered_room_is_claimed_and_edited(db: Database, run: Inside, world: World) -> None:
    await add_room(db, None, "18200077", "새 방", bots=[world.bot_id])

    unclaimed = await run("msg", "room", "list", "--unclaimed", "-o", "json")
    tried = await run("msg", "room", "claim", "새 방", "--org", "해운대점", "--dry-run")
    claimed = await run("msg", "room", "claim", "18200077", "--org", "해운대점", "--kind", "test", "-o", "json")
    again = await run("msg", "room", "claim", "새 방", "--lang", "ko")
    edited = await run("msg", "room", "edit", "새 방", "--name", "광안 손님방", "--note", "주말만", "-o", "json")
    listed = await run("msg", "room", "list", "--kind", "test", "--org", "해운대점", "--lang", "ko")

    assert [one["name"] for one in unclaimed.json["items"]] == ["새 방"]
    assert (tried.code, claimed.json["unit_id"], claimed.json["room_type"]) == (0, world.tree.haeundae.id, "test")
    assert (again.code, "room_claimed" in again.err) == (5, True)
    assert (edited.json["name"], edited.json["note"], edited.json["room_type"]) == ("광안 손님방", "주말만", "test")
    assert "광안 손님방" in listed.out
    assert "테스트" in listed.out


async def test_a_room_is_added_by_hand_and_known_only_once(run: Inside, world: World) -> None:
    add = ("msg", "room", "add", "단골방", "--channel", "18200088", "--bot", "busan1", "--org", "해운대점")

    made = await run(*add, "-o", "json")
    again = await run(*add)
    unknown = await run("msg", "room", "add", "x", "--channel", "1", "--bot", "nobody")

    assert (made.json["channel_id"], [one["bot_name"] for one in made.json["bots"]]) == ("18200088", ["busan1"])
    assert (again.code, unknown.code) == (5, 3)
    assert "next  pabal msg bot list" in unknown.err


async def test_a_rooms_own_limits_are_set_and_taken_back(run: Inside, world: World) -> None:
    room = ("msg", "room", "limits", "해운대 손님방")

    own = await run(*room, "--min-gap", "90", "--messages-per-hour", "0", "-o", "json")
    back = await run(*room, "--min-gap", "default", "-o", "json")
    wrong = await run(*room, "--min-gap", "soon")

    rows = {one["name"]: one for one in own.json["rows"]}
    assert (rows["min_gap_seconds"]["seconds"], rows["min_gap_seconds"]["is_own"]) == (90.0, True)
    assert "messages_per_hour" not in rows
    assert {one["name"]: one["is_own"] for one in back.json["rows"]}["min_gap_seconds"] is False
    assert (wrong.code, "bad_room" in wrong.err) == (2, True)


async def test_a_name_that_two_rooms_have_asks_for_the_number(db: Database, run: Inside, world: World) -> None:
    await add_room(db, world.tree.haeundae, "18200099", "해운대 손님방", bots=[world.bot_id])

    unclear = await run("msg", "room", "show", "해운대 손님방")
    by_channel = await run("msg", "room", "show", "18200099", "-o", "json")

    assert (unclear.code, "name_ambiguous" in unclear.err) == (5, True)
    assert by_channel.json["channel_id"] == "18200099"


async def test_a_name_the_bot_has_already_needs_a_yes_and_a_bot_that_left_is_taken_out(
    db: Database, run: Inside, world: World
) -> None:
    add = ("msg", "room", "add", "해운대 손님방", "--channel", "18200088", "--bot", "busan1", "--org", "남포점")

    unsure = await run(*add)
    made = await run(*add, "--yes", "-o", "json")
    moved = await run("msg", "room", "edit", "18200088", "--org", "해운대점")
    removed = await run("msg", "room", "remove-bot", "18200088", "busan1", "-o", "json")
    freed = await run("msg", "room", "show", str(world.room_id), "-o", "json")

    assert (unsure.code, "room_name_repeated" in unsure.err) == (5, True)
    assert (moved.code, "room_name_repeated" in moved.err) == (5, True)
    assert [one["is_held"] for one in made.json["bots"]] == [True]
    assert (removed.json["bots"], [one["is_held"] for one in freed.json["bots"]]) == ([], [False])
