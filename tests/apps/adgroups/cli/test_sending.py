"""`pabal ad send`: who takes it moves, who cannot is named with why."""

import pytest

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
    assert (by_name["초안"]["status"], by_name["초안"]["is_done"]) == ("DRAFT", False)
    assert by_name["초안"]["why"] == "in this state there is no such move"
    last = told.json["items"][-1]
    assert (last["event"], last["target"], last["reason"]) == ("PAUSE", "PAUSED", "점검")
    assert last["actor"].startswith("cli:")


@pytest.mark.req("E-48")
async def test_a_guard_that_refuses_names_each_of_its_conditions(run: Inside, world: World) -> None:
    refused = await run("ad", "send", "complete_setup", "초안", "-o", "json")
    shown = await run("ad", "send", "complete_setup", "초안", "--lang", "ko")

    [row] = refused.json["items"]
    assert [(one["condition"], one["holds"]) for one in row["checked"]] == [
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
