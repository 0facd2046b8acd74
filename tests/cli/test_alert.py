"""`pabal alert`: what is wrong is listed, taken care of, and silenced for planned work."""

import pytest

from pabal.base.database import Database
from pabal.engine import ids
from pabal.platform.alerts import Alert
from tests.cli.inside import Inside
from tests.platform.alerts.house import House
from tests.support.people import Tree


@pytest.fixture
async def alert(db: Database, tree: Tree) -> Alert:
    return await House(db).fire()


def shown(alert: Alert) -> str:
    return ids.show("alr", alert.id)


async def test_open_alerts_are_listed_with_their_values(run: Inside, alert: Alert) -> None:
    listed = (await run("alert", "list", "-o", "json")).json["items"]
    table = await run("alert", "list", "--rule", "test.too_high", "--lang", "ko")

    assert [(one["id"], one["state"], one["value"]) for one in listed] == [(shown(alert), "firing", 99.0)]
    assert "✕ 발생" in table.out
    assert "실패" in table.out
    assert (await run("alert", "list", "--rule", "engine.stuck_work", "-o", "json")).json["items"] == []


async def test_an_alert_is_acknowledged_with_a_note(run: Inside, alert: Alert) -> None:
    done = (await run("alert", "ack", shown(alert), "-m", "on it", "-o", "json")).json
    [entry] = (await run("audit", "list", "--action", "alerts.*", "-o", "json")).json["items"]

    assert (done["state"], done["note"], done["said_by"][:4]) == ("acknowledged", "on it", "cli:")
    assert (entry["about"], entry["origin"]) == (f"alert:{alert.id}", "cli")


async def test_a_silence_ends_when_it_says_and_can_be_taken_back(run: Inside, alert: Alert) -> None:
    silenced = (await run("alert", "silence", shown(alert), "--until", "+2h", "-o", "json")).json
    loud = (await run("alert", "unsilence", shown(alert), "-o", "json")).json

    assert (silenced["state"], loud["state"]) == ("silenced", "firing")
    assert silenced["silenced_until"] > silenced["seen_at"]


async def test_a_whole_rule_is_silenced_for_planned_work(run: Inside, tree: Tree) -> None:
    done = (await run("alert", "silence", "engine.stuck_work", "--until", "+30m", "-m", "move", "-o", "json")).json
    rules = {one["name"]: one for one in (await run("alert", "rules", "-o", "json")).json["items"]}
    back = (await run("alert", "unsilence", "engine.stuck_work", "-o", "json")).json

    assert (done["name"], done["note"]) == ("engine.stuck_work", "move")
    assert (rules["engine.stuck_work"]["state"], rules["engine.clock_skew"]["state"]) == ("silenced", "ok")
    assert (back["state"], back["silenced_until"]) == ("ok", None)


async def test_a_dry_run_leaves_it_firing(run: Inside, alert: Alert) -> None:
    tried = await run("alert", "ack", shown(alert), "--dry-run", "-o", "json")

    assert tried.json["state"] == "acknowledged"
    assert (await run("alert", "list", "-o", "json")).json["items"][0]["state"] == "firing"


async def test_what_is_not_there_or_not_possible_is_named(run: Inside, alert: Alert) -> None:
    unknown = await run("alert", "ack", "alr_0000000000001")
    rule = await run("alert", "silence", "no.such")
    wrong = await run("alert", "ack", "7")
    far = await run("alert", "silence", shown(alert), "--until", "+90d", "--lang", "ko")
    loud = await run("alert", "unsilence", shown(alert))

    assert [unknown.code, rule.code, wrong.code, far.code] == [3, 3, 2, 2]
    assert "pabal alert rules" in rule.err
    assert "30일" in far.err
    assert loud.code in (2, 5)
