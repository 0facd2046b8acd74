"""Workflows by REST: saved, started, seen, stopped; every mistake with its line; nobody else's are there."""

from pabal.platform.actor import Role
from tests.support.web import Web

HELLO = """name: hello
steps:
  - name: ask
    kind: platform.approval
    input: {title: 인사할까요}
  - name: tell
    kind: platform.notify
    input: {title: 안녕하세요}
"""
BASE = "/api/v1"


async def test_a_workflow_is_saved_started_and_its_run_says_what_each_step_waits_for(web: Web) -> None:
    operator = await web.as_("haeundae", Role.OPERATOR)

    saved = await operator.post(f"{BASE}/workflows", json={"yaml": HELLO})
    number = saved.json()["id"]
    started = await operator.post(f"{BASE}/workflows/{number}/start", json={})
    run = (await operator.get(f"{BASE}/workflow-runs/{started.json()['id']}")).json()

    assert saved.status_code == 201
    assert (saved.json()["name"], saved.json()["version"]) == ("hello", 1)
    assert started.status_code == 202
    assert [(one["name"], one["state"], one["why"]) for one in run["steps"]] == [
        ("ask", "ready", "slot"),
        ("tell", "planned", "needs"),
    ]
    assert run["next"] == ["tell"]


async def test_what_is_exported_is_imported_as_the_same_version(web: Web) -> None:
    operator = await web.as_("haeundae", Role.OPERATOR)
    saved = (await operator.post(f"{BASE}/workflows", json={"yaml": HELLO})).json()

    again = (await operator.post(f"{BASE}/workflows", json={"yaml": saved["yaml"]})).json()
    changed = (await operator.post(f"{BASE}/workflows", json={"yaml": HELLO.replace("안녕", "또 안녕")})).json()

    assert (again["id"], again["version"]) == (saved["id"], 1)
    assert (changed["id"], changed["version"]) == (saved["id"], 2)


async def test_every_mistake_is_answered_with_its_code_and_its_line_in_the_readers_language(web: Web) -> None:
    operator = await web.as_("haeundae", Role.OPERATOR)
    wrong = HELLO.replace("platform.notify", "platform.shout").replace("title: 인사할까요", "titel: 인사할까요")

    refused = await operator.post(f"{BASE}/workflows", json={"yaml": wrong}, headers={"Accept-Language": "ko"})

    assert refused.status_code == 422
    faults = {one["code"]: one["detail"] for one in refused.json()["errors"]}
    assert faults.keys() == {"missing_value", "unknown_value", "unknown_kind"}
    assert faults["unknown_kind"] == "7줄: platform.shout 단계 종류가 없습니다."


async def test_another_unit_finds_nothing_and_a_viewer_starts_nothing(web: Web) -> None:
    operator = await web.as_("haeundae", Role.OPERATOR)
    number = (await operator.post(f"{BASE}/workflows", json={"yaml": HELLO})).json()["id"]
    run = (await operator.post(f"{BASE}/workflows/{number}/start", json={})).json()["id"]
    stranger, viewer = await web.as_("seoul", Role.ADMIN), await web.as_("haeundae", Role.VIEWER)

    listed = (await stranger.get(f"{BASE}/workflows")).json()["items"]
    runs = (await stranger.get(f"{BASE}/workflow-runs")).json()["items"]
    refused = await viewer.post(f"{BASE}/workflows/{number}/start", json={})
    elsewhere = [
        (await stranger.get(f"{BASE}/workflow-runs/{run}")).status_code,
        (await stranger.post(f"{BASE}/workflow-runs/{run}/cancel", json={"reason": "x"})).status_code,
    ]

    assert listed == runs == []
    assert refused.status_code == 403
    assert elsewhere == [404, 404]


async def test_a_workflow_for_administrators_is_not_there_for_operators(web: Web) -> None:
    admin, operator = await web.as_("haeundae", Role.ADMIN), await web.as_("haeundae", Role.OPERATOR)
    number = (await admin.post(f"{BASE}/workflows", json={"yaml": f"seen_by: admin\n{HELLO}"})).json()["id"]

    seen = await admin.get(f"{BASE}/workflows/{number}")
    hidden = await operator.get(f"{BASE}/workflows/{number}")

    assert (seen.status_code, hidden.status_code) == (200, 404)
