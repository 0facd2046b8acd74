"""`pabal ad send|explain|forecast|simulate|history|at`: who takes an event moves, who cannot is named with why."""

from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.platform.resources import plain
from tests.apps.adgroups.cli.conftest import World
from tests.cli.inside import Inside


@pytest.mark.req("E-09")
async def test_of_many_those_that_can_take_it_do_and_the_others_say_why_not(run: Inside, world: World) -> None:
    sent = await run("ad", "send", "PAUSE", "송출", "초안", "-m", "점검", "-o", "json")
    told = await run("ad", "history", "송출", "-o", "json")

    by_name = {one["name"]: one for one in sent.json["items"]}
    assert sent.code == 5
    assert "event_refused" in sent.err
    assert (by_name["송출"]["before"], by_name["송출"]["status"]) == ("RUNNING", "PAUSED")
    assert (by_name["초안"]["status"], by_name["초안"]["result"]) == ("DRAFT", "refused")
    assert by_name["초안"]["detail"] == "in this state there is no such move"
    last = told.json["items"][0]
    assert (last["event"], last["target"], last["reason"]) == ("PAUSE", "PAUSED", "점검")
    assert last["actor"].startswith("cli:")


@pytest.mark.req("E-48")
async def test_a_guard_that_refuses_names_each_of_its_conditions(run: Inside, world: World) -> None:
    refused = await run("ad", "send", "complete_setup", "초안", "-o", "json")
    shown = await run("ad", "send", "complete_setup", "초안", "--lang", "ko")

    [row] = refused.json["items"]
    assert [(one["code"], one["holds"]) for one in row["report"]] == [
        ("may_do_it", True),
        ("has_creatives", False),
        ("has_inventory", False),
    ]
    assert "소재가 없음" in shown.out


async def test_a_deletion_asks_first(run: Inside, world: World) -> None:
    unasked = await run("ad", "send", "delete", "초안")
    deleted = await run("ad", "send", "delete", "초안", "--yes", "-o", "json")

    assert (unasked.code, deleted.code) == (4, 0)
    assert deleted.json["items"][0]["status"] == "DELETED"


async def test_each_event_is_explained_with_the_values_compared_also_for_another_moment(
    run: Inside, world: World
) -> None:
    now = await run("ad", "explain", "곧", "-o", "json")
    then = await run("ad", "explain", "곧", "--at", "+2d", "-o", "json")

    before, after = ({one["event"]: one for one in done.json["events"]} for done in (now, then))
    assert len(before) == 10
    assert (before["START"]["allowed"], after["START"]["allowed"]) == (False, True)
    assert before["START"]["code"] == "has_begun"
    assert before["START"]["report"][0]["values"]["start_at"] == plain(world.soon.schedule.start_at)
    assert after["START"]["target"] == "RUNNING"
    assert (before["PAUSE"]["is_extension"], before["DELETE"]["is_extension"]) == (True, False)


async def test_the_forecast_is_its_life_from_here(run: Inside, world: World) -> None:
    told = await run("ad", "forecast", "곧", "--days", "30", "-o", "json")

    assert [(one["status"], one["event"]) for one in told.json["items"]] == [
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
    assert [(one["status"], one["event"]) for one in paused.json["items"]] == [
        ("PAUSED", "PAUSE"),
        ("EXPIRED", "EXPIRE"),
    ]
    assert (refused.code, "event_refused" in refused.err) == (5, True)


async def test_a_history_can_be_read_up_to_a_moment(run: Inside, world: World) -> None:
    early = await run("ad", "history", "송출", "--at", "-1000d", "-o", "json")
    late = await run("ad", "history", "송출", "--at", "+1h", "-o", "json")

    assert (early.json["items"], early.json["status"]) == ([], None)
    assert late.json["status"] == late.json["items"][0]["target"]
