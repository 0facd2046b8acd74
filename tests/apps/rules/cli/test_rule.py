"""`pabal rule`: rules are made, tried, run and looked at without a browser."""

import pytest

from tests.cli.inside import Inside
from tests.support.rules import RulesWorld

NEW = ("rule", "new", "주가", "--schedule", "*/5 * * * *", "--source", "offline_quote")


@pytest.mark.req("D-21")
async def test_a_rule_is_made_run_by_hand_and_looked_at(run: Inside, world: RulesWorld) -> None:
    payload, condition = '{"ticker": "AAPL", "price": 9}', '{"path": "price", "op": ">", "value": 5}'
    told = '{"type": "log", "config": {"template": "{price}"}}'
    more = ("--payload", payload, "--condition", condition, "--on-success", told, "--org", "해운대점", "--paused")
    made = await run(*NEW, *more, "-o", "json")
    asked = await run("rule", "run", "주가", "-o", "json")
    await world.drain()
    listed = await run("rule", "execution", "list", "--rule", "주가", "-o", "json")
    table = await run("rule", "execution", "show", asked.json["id"], "--lang", "ko")

    assert (made.code, made.json["is_active"], made.json["payload"]) == (0, False, {"ticker": "AAPL", "price": 9})
    assert made.json["on_success"] == [{"type": "log", "config": {"template": "{price}"}}]
    [row] = listed.json["items"]
    assert (row["id"], row["status"], row["met"]) == (asked.json["id"], "success", True)
    assert "성공" in table.out


async def test_a_dry_run_a_pause_and_an_end(run: Inside, world: RulesWorld) -> None:
    await run(*NEW, "--org", "해운대점")
    tried = await run("rule", "dry-run", "주가", "-o", "json")
    paused = await run("rule", "pause", "주가", "-m", "휴가", "-o", "json")
    again = await run("rule", "pause", "주가")
    resumed = await run("rule", "resume", "주가", "-o", "json")
    edited = await run("rule", "edit", "주가", "--timeout", "60", "-o", "json")
    gone = await run("rule", "delete", "주가", "--yes")
    missing = await run("rule", "show", "주가")

    assert (tried.json["is_dry"], paused.json["is_active"], resumed.json["is_active"]) == (True, False, True)
    assert again.code == 5
    assert edited.code == 0, edited.err
    assert edited.json["timeout_seconds"] == 60
    assert gone.code == 0, gone.err
    assert missing.code == 3
    assert "pabal rule list" in missing.err


async def test_what_is_no_json_is_said_with_the_next_command(run: Inside, world: RulesWorld) -> None:
    answer = await run(*NEW, "--payload", "AAPL")

    assert answer.code == 2
    assert "pabal rule new --help" in answer.err
