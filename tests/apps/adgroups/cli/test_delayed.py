"""`pabal ad delayed`: what waits, under the seed's names; fired, moved, taken out."""

import json

import pytest

from pabal.engine import ids
from tests.apps.adgroups.cli.conftest import World
from tests.cli.inside import Inside


@pytest.mark.req("E-59")
async def test_all_that_waits_is_exported_under_the_seeds_names(run: Inside, world: World) -> None:
    lines = await run("ad", "delayed", "export")
    table = await run("ad", "delayed", "export", "-o", "csv")

    first, *rest = [json.loads(line) for line in lines.out.splitlines()]
    assert first["key"] == "adgroup:delayed:events"
    assert first["member"] == {"adGroupId": ids.show("adg", world.soon.id), "event": "START"}
    assert first["score"] == world.soon.schedule.start_at.timestamp()
    assert {one["member"]["event"] for one in rest} == {"EXPIRE"}
    assert [line.split(",")[1:3] for line in table.out.splitlines()] == [
        ["adGroupId", "event"],
        *([one["member"]["adGroupId"], one["member"]["event"]] for one in (first, *rest)),
    ]


async def test_they_are_moved_and_taken_out_by_hand_but_an_end_must_stay(run: Inside, world: World) -> None:
    moved = await run("ad", "delayed", "move", "곧", "EXPIRE", "+30d", "-o", "json")
    past = await run("ad", "delayed", "move", "곧", "expire", "-1d")
    held = await run("ad", "delayed", "cancel", "곧", "start", "-o", "json")
    kept = await run("ad", "delayed", "cancel", "곧", "expire", "--lang", "ko")
    listed = await run("ad", "delayed", "list", "--event", "start", "-o", "json")

    assert (moved.code, past.code, held.code, kept.code) == (0, 2, 0, 5)
    assert "cannot_move_there" in past.err
    assert (held.json["is_held"], held.json["next_event"]) == (True, "EXPIRE")
    assert held.json["next_at"] == moved.json["end_at"]
    assert "끝나야 합니다" in kept.err
    assert listed.json["items"] == []


async def test_firing_one_by_hand_asks_its_guard(run: Inside, world: World) -> None:
    early = await run("ad", "delayed", "fire", "곧", "START")
    missing = await run("ad", "delayed", "fire", "초안", "START")
    await run("ad", "delayed", "move", "곧", "start", "+0s")
    fired = await run("ad", "delayed", "fire", "곧", "START", "-o", "json")

    assert (early.code, missing.code, fired.code) == (5, 3, 0)
    assert "< start" in early.err
    assert fired.json["status"] == "RUNNING"
