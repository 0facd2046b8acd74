"""Rules over REST, under the requirement's names."""

import asyncio
import csv
import io
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import httpx2
import pytest
from fastapi import FastAPI

from pabal.apps.rules.store.rules import get_rule
from pabal.base import clock
from pabal.base.database import Database
from pabal.base.settings import Settings, read_settings
from pabal.platform.actor import Role
from tests.support.rules import HOUSE, RulesWorld, make_rules
from tests.support.web import Web

SEED: dict[str, Any] = {
    "name": "Apple 주가 $200 돌파 알림",
    "schedule": "*/5 * * * *",
    "payload": {"ticker": "AAPL", "target": 200},
    "execution_script_path": "scripts/stock/check_price.py",
    "on_success": {"type": "telegram", "config": {"chat_id": "1"}},
    "on_failure": {"type": "log", "config": {}},
}


@pytest.fixture
def web_settings(web_settings: Settings) -> Settings:
    return web_settings.model_copy(update={"apps": "pabal.apps.rules"})


@pytest.fixture
async def world(web: Web) -> RulesWorld:
    return await make_rules(web.db, web.tree)


async def read_now(db: Database) -> datetime:
    async with db.transaction() as tx:
        return tx.now


async def make(client: httpx2.AsyncClient, **given: Any) -> dict[str, Any]:
    made = await client.post("/api/v1/rules", json={**SEED, **given})
    assert made.status_code == 201, made.text
    shown: dict[str, Any] = (await client.get(made.headers["location"])).json()
    return shown


@pytest.mark.req("D-61", "D-62", "D-63", "D-65", "D-66")
async def test_a_rule_is_shown_under_the_seeds_names(web: Web, world: RulesWorld):
    shown = await make(await web.as_("haeundae", Role.OPERATOR))

    named = ("name", "schedule", "payload", "execution_script_path")
    assert {name: shown[name] for name in named} == {name: SEED[name] for name in named}
    assert str(UUID(shown["id"])) == shown["id"]


@pytest.mark.req("D-67", "D-68")
async def test_a_single_callback_is_a_list_of_one(web: Web, world: RulesWorld):
    shown = await make(await web.as_("haeundae", Role.OPERATOR))

    assert (shown["on_success"], shown["on_failure"]) == ([SEED["on_success"]], [SEED["on_failure"]])


@pytest.mark.req("D-64", "D-69", "D-70")
async def test_a_rule_says_since_when_it_is_there_whether_it_is_active_and_when_it_runs_next(
    web: Web, world: RulesWorld
):
    client = await web.as_("haeundae", Role.OPERATOR)
    before = await read_now(web.db)

    shown, paused = await make(client), await make(client, is_active=False)

    made_at, next_at = (datetime.fromisoformat(shown[name]) for name in ("created_at", "next_run_at"))
    assert before <= made_at <= await read_now(web.db)
    assert next_at == before.replace(minute=before.minute // 5 * 5, second=0, microsecond=0) + timedelta(minutes=5)
    assert (shown["is_active"], paused["is_active"]) == (True, False)
    assert paused["next_run_at"] == shown["next_run_at"]
    await world.advance(minutes=5)
    ran = (await client.get("/api/v1/rule-executions")).json()["items"]
    assert [one["rule_id"] for one in ran] == [shown["id"]]


@pytest.mark.req("D-21", "D-46")
async def test_a_rule_is_made_changed_and_deleted(web: Web, world: RulesWorld):
    client = await web.as_("haeundae", Role.OPERATOR)
    rule = f"/api/v1/rules/{(await make(client))['id']}"

    changed = await client.patch(rule, json={"name": "다른 이름", "is_active": False})
    kept = (await client.get(rule)).json()
    gone = await client.delete(rule)
    after = await client.get(rule)

    assert changed.status_code == 200
    assert (kept["name"], kept["is_active"], kept["schedule"]) == ("다른 이름", False, SEED["schedule"])
    assert (gone.status_code, after.status_code) == (204, 404)
    assert (await client.get("/api/v1/rules")).json()["items"] == []


@pytest.mark.req("D-21")
async def test_every_word_of_a_rule_is_kept_as_it_was_made_and_as_it_was_changed(web: Web, world: RulesWorld):
    client = await web.as_("haeundae", Role.OPERATOR)
    condition = {"path": "price", "op": ">=", "value": 200}
    more = {"condition": condition, "source": "offline_quote", "zone": "UTC", "misfire": "skip", "overlap": "queue"}
    numbers = {"timeout_seconds": 60, "max_attempts": 2, "retry_seconds": 45, "cooldown_seconds": 600}
    given = {**SEED, **more, **numbers}
    changed = {
        "name": "환율",
        "schedule": "0 9 * * *",
        "payload": {"ticker": "KRW"},
        "zone": "Asia/Tokyo",
        "condition": {**condition, "op": "<"},
        "execution_script_path": "scripts/fx.py",
        "source": "quote",
        "on_success": [{"type": "log", "config": {"template": "{price}"}}],
        "on_failure": [],
        "misfire": "run_once",
        "overlap": "allow",
        **{name: number + 15 for name, number in numbers.items() if name != "max_attempts"},
        "max_attempts": 3,
    }

    made = await make(client, **given)
    await client.patch(f"/api/v1/rules/{made['id']}", json=changed)

    kept = (await client.get(f"/api/v1/rules/{made['id']}")).json()
    [listed] = (await client.get("/api/v1/rules")).json()["items"]
    lists = {"on_success": [SEED["on_success"]], "on_failure": [SEED["on_failure"]]}
    assert {name: made[name] for name in given} == {**given, **lists}
    assert {name: kept[name] for name in changed} == changed
    assert listed == kept


@pytest.mark.req("D-46")
@pytest.mark.parametrize(("price", "is_met"), [(201, True), (199, False)])
async def test_at_the_period_its_owner_chose_the_action_is_done_where_the_condition_holds(
    web: Web, world: RulesWorld, price: int, is_met: bool
):
    client = await web.as_("haeundae", Role.OPERATOR)
    asked = {
        "name": "주가",
        "schedule": "*/10 * * * *",
        "source": "offline_quote",
        "payload": {"ticker": "AAPL", "price": price},
        "condition": {"path": "price", "op": ">", "value": 200},
        "on_success": [
            {"type": "log", "config": {"template": "{ticker} {price}"}},
            {"type": "event", "config": {"name": "price.above"}, "when": "condition"},
        ],
    }
    made = await client.post("/api/v1/rules", json=asked)

    await world.advance(minutes=29)

    runs = (await client.get("/api/v1/rule-executions", params={"rule_id": made.json()["id"]})).json()["items"]
    moments = [datetime.fromisoformat(one["scheduled_at"]) for one in runs]
    assert [(one.minute, one.second) for one in moments] == [(40, 0), (30, 0)]
    assert [one["met"] for one in runs] == [is_met] * 2
    # the newest first; what stays so is not told again, unless it is asked for each time it holds
    every_time = ("event", "price.above", True) if is_met else ("event", "", False)
    told = [(await client.get(f"/api/v1/rule-executions/{one['id']}")).json()["captured"] for one in runs]
    assert [[(one["type"], one["text"], one["is_due"]) for one in each] for each in told] == [
        [("log", "", False), every_time],
        [("log", "AAPL 201", True) if is_met else ("log", "", False), every_time],
    ]


@pytest.mark.req("D-71", "D-72", "D-73", "D-74", "D-75")
async def test_executions_are_listed_under_the_seeds_names_and_as_csv(web: Web, world: RulesWorld):
    good, bad = await world.rule("good"), await world.rule("bad", source="offline_quote", payload={})
    # they run late, so that the moment they began is another than the one they stand for
    await clock.advance(web.db, timedelta(minutes=7))
    before = await read_now(web.db)
    await world.drain()
    client = await web.as_("haeundae", Role.VIEWER)

    listed = (await client.get("/api/v1/rule-executions", params={"rule_id": str(good.id)})).json()
    exported = await client.get("/api/v1/rule-executions", headers={"Accept": "text/csv"})

    [run] = listed["items"]
    assert (run["rule_id"], run["status"], run["reason"]) == (str(good.id), "success", None)
    assert str(UUID(run["id"])) == run["id"]
    assert before <= datetime.fromisoformat(run["executed_at"]) <= await read_now(web.db)
    assert run["log_summary"] == "AAPL 512.5 USD"
    assert run["artifact_path"] is None
    rows = {row["rule_id"]: row for row in csv.DictReader(io.StringIO(exported.text.removeprefix("\ufeff")))}
    shown = {name: rows[str(good.id)][name] for name in ("id", "status", "log_summary", "artifact_path")}
    assert shown == {"id": run["id"], "status": "success", "log_summary": "AAPL 512.5 USD", "artifact_path": ""}
    assert rows[str(bad.id)]["status"] == "failure"


@pytest.mark.req("D-80", "D-88")
async def test_rules_are_kept_in_the_postgresql_that_the_address_of_a_hosted_one_names(
    web: Web, world: RulesWorld, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("PABAL_DATABASE_URL", raising=False)
    monkeypatch.setenv("SUPABASE_DB_URL", web.db.url)
    made = await make(await web.as_("haeundae", Role.OPERATOR))

    hosted = await Database.open(read_settings().database_url, size=1)
    async with hosted.transaction() as tx:
        kept = await get_rule(tx, HOUSE, UUID(made["id"]))
    await hosted.close()

    assert (kept.name, kept.schedule, kept.payload) == (SEED["name"], SEED["schedule"], SEED["payload"])


@pytest.mark.req("D-23", "D-56", "D-60", "D-79")
async def test_ticks_at_once_run_what_is_due_once_and_move_it_on(web: Web, world: RulesWorld):
    rule = await world.rule()
    first = rule.next_run_at
    assert first is not None
    await clock.advance(web.db, timedelta(minutes=5))
    client = await web.as_("haeundae", Role.OPERATOR)

    answers = await asyncio.gather(*(client.post("/api/v1/tick") for _ in range(2)))
    await world.drain()

    assert isinstance(web.site, FastAPI)
    assert [one.status_code for one in answers] == [200, 200]
    assert sum(one.json()["processed"] for one in answers) == 1
    assert len(await world.runs(rule)) == 1
    assert (await world.look(rule)).next_run_at == first + timedelta(minutes=5)


async def test_everything_that_is_wrong_is_said_beside_its_field(web: Web, world: RulesWorld):
    client = await web.as_("haeundae", Role.OPERATOR)
    bad = {"name": "x", "schedule": "99 * * * *", "condition": {"op": "=~"}, "on_success": {"type": "shout"}}

    answer = await client.post("/api/v1/rules", json=bad)

    assert answer.status_code == 422
    assert {one["pointer"] for one in answer.json()["errors"]} == {"/schedule", "/condition", "/on_success", "/source"}


@pytest.mark.parametrize("path", ["/etc/passwd.py", "../x.py", "a/../../x.py", "a.sh", "a\\b.py"])
async def test_a_script_outside_the_repository_is_refused(web: Web, world: RulesWorld, path: str):
    client = await web.as_("haeundae", Role.OPERATOR)

    answer = await client.post("/api/v1/rules", json={**SEED, "execution_script_path": path})

    assert answer.status_code == 422
    assert [one["pointer"] for one in answer.json()["errors"]] == ["/execution_script_path"]


async def test_a_stranger_sees_and_touches_nothing(web: Web, world: RulesWorld):
    rule = await world.rule()
    await world.advance(minutes=5)
    [run] = await world.runs(rule)
    stranger = await web.as_("nampo", Role.ADMIN)

    for method, path in (
        ("GET", f"rules/{rule.id}"),
        ("PATCH", f"rules/{rule.id}"),
        ("DELETE", f"rules/{rule.id}"),
        ("POST", f"rules/{rule.id}/run"),
        ("GET", f"rule-executions/{run.id}"),
        ("POST", f"rule-executions/{run.id}/cancel"),
    ):
        body = {"json": {}} if method in ("PATCH", "POST") and not path.endswith("/run") else {}
        assert (await stranger.request(method, f"/api/v1/{path}", **body)).status_code == 404, path
    assert (await stranger.get("/api/v1/rules")).json()["items"] == []
    assert (await stranger.get("/api/v1/rule-executions")).json()["items"] == []


async def test_a_run_now_answers_where_its_run_is(web: Web, world: RulesWorld):
    rule = await world.rule()
    client = await web.as_("haeundae", Role.OPERATOR)

    asked = await client.post(f"/api/v1/rules/{rule.id}/run")
    await world.drain()
    found = (await client.get(asked.headers["location"])).json()

    assert (asked.status_code, asked.json()["status"], asked.json()["reason"]) == (202, "running", "waiting")
    assert (found["id"], found["status"], found["trigger"]) == (asked.json()["id"], "success", "manual")


async def test_many_executions_are_cancelled_where_their_list_is_and_by_the_older_path_too(web: Web):
    admin = await web.as_()
    body = {"ids": ["018f6e7a-0000-7000-8000-000000000001"]}

    answers = [await admin.post(f"/api/v1/many/{word}/cancel", json=body) for word in ("rule-executions", "executions")]
    described = (await admin.get("/openapi.json")).json()["paths"]

    assert [(one.status_code, one.json()["refused"], one.json()["noun"]) for one in answers] == [
        (200, 1, "rules.executions")
    ] * 2
    assert ("/api/v1/many/rule-executions/cancel" in described, "/api/v1/many/executions/cancel" in described) == (
        True,
        False,
    )
