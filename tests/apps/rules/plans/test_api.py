"""Plans over REST: what an agent outside may do with a token that can propose, and that it can do nothing else."""

from pathlib import Path
from typing import Any

import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform import events
from pabal.platform.actor import Role
from pabal.platform.web.openapi import operations_of, schema_of
from pabal.platform.workflows import CONSUMER
from tests.support.planning import NEWS, NOTICE, PlansWorld
from tests.support.web import SECRET, Web

AGENT = ("plans:write",)
ASKS = """\
name: ask_agent
steps:
  - {name: ask, kind: platform.publish, input: {name: agent.asked, key: "7", data: {question: 오늘 매출}}}
  - {name: answer, wait: {event: agent.answered, key: "7"}}
  - {name: tell, kind: platform.notify, input: {title: {text: "에이전트: {steps.answer.data.said}"}}}
output: {said: {from: steps.answer.data.said}}
"""


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps="pabal.apps.rules", secret_key=SECRET)


@pytest.fixture
def world(web: Web, tmp_path: Path) -> PlansWorld:
    return PlansWorld(web.db, web.tree, tmp_path)


@pytest.mark.req("D-43")
async def test_an_agent_proposes_with_its_own_token_and_a_person_lets_it_run(web: Web, world: PlansWorld):
    agent = await web.as_("haeundae", Role.OPERATOR, scopes=AGENT)
    person = await web.as_("haeundae", Role.OPERATOR)

    made = await agent.post("/api/v1/plans", json={"request": "인사해 줘", "yaml": NOTICE})
    assert made.status_code == 201, made.text
    plan = made.json()
    assert (plan["state"], plan["door"], plan["effects"]) == ("proposed", "rest", {"messages": 1})

    [asked] = (await person.get("/api/v1/approvals")).json()["items"]
    own = await agent.post(f"/api/v1/approvals/{asked['id']}/decision", json={"verdict": "approve"})
    assert own.status_code == 403
    done = await person.post(f"/api/v1/approvals/{asked['id']}/decision", json={"verdict": "approve"})
    assert done.status_code == 200, done.text
    await world.drain()

    seen = (await agent.get(f"/api/v1/plans/{plan['id']}")).json()
    assert (seen["state"], seen["run_id"] is not None) == ("approved", True)
    assert (await agent.get(f"/api/v1/workflow-runs/{seen['run_id']}")).status_code == 403


async def test_a_no_to_a_plan_needs_its_reason(web: Web, world: PlansWorld):
    person = await web.as_("haeundae", Role.OPERATOR)
    plan = (await person.post("/api/v1/plans", json={"request": "인사해 줘", "yaml": NOTICE})).json()
    [asked] = (await person.get("/api/v1/approvals")).json()["items"]
    here = f"/api/v1/approvals/{asked['id']}/decision"

    silent = await person.post(here, json={"verdict": "reject"})
    still = (await person.get(f"/api/v1/plans/{plan['id']}")).json()["state"]
    done = await person.post(here, json={"verdict": "reject", "reason": "다음 주에"})

    assert (silent.status_code, silent.json()["code"], still) == (422, "reason_needed", "proposed")
    assert (done.status_code, done.json()["reason"]) == (200, "다음 주에")


async def test_an_agent_is_told_every_mistake_at_once(web: Web):
    agent = await web.as_("haeundae", Role.OPERATOR, scopes=AGENT)
    wrong = NOTICE.replace("notify", "shout") + "shell: rm\n"

    answer = await agent.post("/api/v1/plans", json={"request": "소리쳐 줘", "yaml": wrong})

    assert answer.status_code == 422
    told = " ".join(one["detail"] for one in answer.json()["errors"])
    assert "no field shell" in told


async def test_an_agent_sees_its_own_plans_and_nobody_elses(web: Web):
    agent = await web.as_("haeundae", Role.OPERATOR, scopes=AGENT)
    person = await web.as_("haeundae", Role.OPERATOR)
    other = (await person.post("/api/v1/plans", json={"request": NEWS})).json()
    own = (await agent.post("/api/v1/plans", json={"request": "인사해 줘"})).json()

    listed = (await agent.get("/api/v1/plans")).json()["items"]

    assert [one["id"] for one in listed] == [own["id"]]
    assert (await agent.get(f"/api/v1/plans/{other['id']}")).status_code == 404
    for path in ("withdraw", "redo"):
        assert (await agent.post(f"/api/v1/plans/{other['id']}/{path}", json={})).status_code == 404
    edited = await agent.patch(f"/api/v1/plans/{own['id']}", json={"yaml": NOTICE})
    assert edited.status_code == 403
    assert (await agent.post(f"/api/v1/plans/{own['id']}/withdraw")).status_code == 200
    stranger = await web.as_("gangnam", Role.ADMIN)
    assert (await stranger.get(f"/api/v1/plans/{other['id']}")).status_code == 404


@pytest.mark.req("D-35")
async def test_an_agent_takes_part_through_events_in_a_plan_that_a_person_approved(web: Web, world: PlansWorld):
    """It proposes with one token; with another it hears what is asked and answers."""
    async with web.db.transaction() as tx:
        await events.begin(tx, CONSUMER)
    proposing = await web.as_("haeundae", Role.OPERATOR, scopes=AGENT)
    speaking = await web.as_("haeundae", Role.OPERATOR, scopes=("events:write",))
    boss = await web.person("haeundae", Role.OPERATOR)
    made = (await proposing.post("/api/v1/plans", json={"request": "매출을 물어봐 줘", "yaml": ASKS})).json()
    plan = await world.decide(boss.actor(), await world.look_at(made["id"]))

    [heard] = (await speaking.get("/api/v1/event-log", params={"name": "agent.asked"})).json()["items"]
    said = {"name": "agent.answered", "key": heard["key"], "data": {"said": "120만 원"}}
    answered = await speaking.post("/api/v1/events", json=said, headers={"Idempotency-Key": "1"})
    assert answered.status_code == 201, answered.text
    await events.deliver_once(web.db, CONSUMER)
    await world.drain()

    run = await world.run_of(plan)
    assert (run.state, run.output) == ("done", {"said": "120만 원"})


@pytest.mark.req("D-13")
async def test_a_token_that_may_only_propose_chooses_no_model(web: Web, world: PlansWorld):
    agent = await web.as_("haeundae", Role.ADMIN, scopes=AGENT)

    dear = await agent.post("/api/v1/plans", json={"request": NEWS, "model": "the-dearest"})
    plain = await agent.post("/api/v1/plans", json={"request": NEWS})

    assert (dear.status_code, plain.status_code, plain.json()["model"]) == (403, 201, "")


async def test_no_other_door_opens_to_a_token_that_may_propose(web: Web, world: PlansWorld):
    agent = await web.as_("haeundae", Role.ADMIN, scopes=AGENT)
    opened = set()

    for path, method, one in operations_of(schema_of(web.site)):
        sent = {"json": _example(one)} if method != "GET" else {}
        answer = await agent.request(method, _fill(path), headers={"Idempotency-Key": one["operationId"]}, **sent)
        assert answer.status_code < 500, (path, answer.text)
        if answer.status_code < 300:
            opened.add(one["operationId"])
    pages = {path: (await agent.get(path)).status_code for path in PAGES}

    # who one is, and one's own bulks, of which there are none
    assert opened - {"request_plan"} == {"list_plans", "get_me", "list_bulks"}
    assert {path for path, status in pages.items() if status == 200} == {"/rules/plans"}


# the front page shows each only what their scopes open: tests/stories/test_what_a_scope_opens.py
PAGES = (
    *("/approvals", "/workflows", "/workflows/new", "/jobs", "/schedules", "/machines", "/facts", "/events"),
    *("/rules", "/rules/runs", "/rules/cases", "/rules/heartbeats", "/rules/sources", "/rules/plans", "/rules/new"),
    *("/people", "/people/tokens", "/settings", "/audit", "/alerts", "/notifications", "/servers", "/backup"),
)


def _fill(path: str) -> str:
    known = {"{name}": "plan", "{key}": "rules.llm", "{delivery}": "dlv_01h2xcejqtf2n"}
    for hole, value in known.items():
        path = path.replace(hole, value)
    parts = [path_id(before) if part.startswith("{") else part for before, part in _pairs(path.split("/"))]
    return "/".join(parts)


def _pairs(parts: list[str]) -> list[tuple[str, str]]:
    return list(zip(["", *parts], parts, strict=False))


def path_id(before: str) -> str:
    """As each kind of row is known; whether there is one is not asked of who may not ask."""
    long = {"jobs": "job", "approvals": "apr", "alerts": "alr", "files": "file", "servers": "wrk", "sessions": "ses"}
    long |= {"schedules": "sch", "occurrences": "occ", "bulks": "blk", "log": "evt", "letters": "dlt"}
    if before in long:
        return f"{long[before]}_01h2xcejqtf2n"
    uuids = ("rules", "rule-executions")
    return "0b6b1d4e-5f0a-4c3e-9a51-2f1f0d8f7c11" if before in uuids else "1"


def _example(operation: dict[str, Any]) -> Any:
    content = operation.get("requestBody", {}).get("content", {})
    return next((one.get("example", {}) for one in content.values()), {})
