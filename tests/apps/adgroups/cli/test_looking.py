"""`pabal ad explain|forecast|history|at`."""

from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database
from tests.apps.adgroups.cli.conftest import World
from tests.cli.inside import Inside


async def test_each_event_is_explained_with_the_values_compared_also_for_another_moment(
    run: Inside, world: World
) -> None:
    now = await run("ad", "explain", "곧", "-o", "json")
    then = await run("ad", "explain", "곧", "--at", "+2d", "-o", "json")

    before, after = ({one["event"]: one for one in done.json["items"]} for done in (now, then))
    assert len(before) == 10
    assert (before["START"]["is_allowed"], after["START"]["is_allowed"]) == (False, True)
    assert before["START"]["refusal"] == "has_begun"
    assert before["START"]["checked"][0]["values"]["start_at"] == world.soon.schedule.start_at.isoformat()
    assert after["START"]["target"] == "RUNNING"
    assert (before["PAUSE"]["is_extension"], before["DELETE"]["is_extension"]) == (True, False)


async def test_the_forecast_is_its_life_from_here(run: Inside, world: World) -> None:
    told = await run("ad", "forecast", "곧", "--days", "30", "-o", "json")

    assert [(one["status"], one["by"]) for one in told.json["items"]] == [
        ("APPROVED", None),
        ("RUNNING", "START"),
        ("EXPIRED", "EXPIRE"),
    ]


@pytest.mark.req("E-94")
async def test_the_state_at_a_moment_is_what_the_history_says(run: Inside, world: World, db: Database) -> None:
    await clock.advance(db, timedelta(hours=3))
    await run("ad", "send", "resume", "멈춤")

    then = await run("ad", "at", "-2h", "멈춤", "초안", "-o", "json")
    earlier = await run("ad", "at", "-4h", "멈춤", "-o", "json")
    everything = await run("ad", "at", "+0s", "-o", "json")

    assert [one["status"] for one in then.json["items"]] == ["PAUSED", "DRAFT"]
    assert [one["status"] for one in earlier.json["items"]] == [None]
    assert {one["name"]: one["status"] for one in everything.json["items"]}["멈춤"] == "RUNNING"


async def test_a_life_is_simulated_also_after_an_event_that_nobody_sent(run: Inside, world: World) -> None:
    now = await run("ad", "simulate", "송출", "-o", "json")
    paused = await run("ad", "simulate", "송출", "--after", "PAUSE", "-o", "json")
    refused = await run("ad", "simulate", "송출", "--after", "approve")

    assert [one["status"] for one in now.json["items"]][-1] == "EXPIRED"
    assert [(one["status"], one["by"]) for one in paused.json["items"]] == [("PAUSED", "PAUSE"), ("EXPIRED", "EXPIRE")]
    assert (refused.code, "event_refused" in refused.err) == (5, True)


async def test_a_history_can_be_read_up_to_a_moment(run: Inside, world: World) -> None:
    early = await run("ad", "history", "송출", "--at", "-1000d", "-o", "json")
    late = await run("ad", "history", "송출", "--at", "+1h", "-o", "json")

    assert (early.json["items"], early.json["status"]) == ([], None)
    assert late.json["status"] == late.json["items"][-1]["target"]
