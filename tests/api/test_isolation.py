"""A branch sees nothing of another branch and touches nothing of it, and who may only look changes nothing."""

import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from pabal.platform.actor import Role
from pabal.platform.web.openapi import operations_of, schema_of
from tests.support.things import Things, make_things
from tests.support.web import Web

# one's own things: every role may do this
OWN = {"mark_notifications_read", "set_preferences", "revoke_session", "make_telegram_code", "unlink_telegram"}
OWN |= {"undo_bulk"}
# belongs to the house and names nothing of anybody
HOUSE = {
    "get_machine",
    "list_subjects",
    "get_setting",
    "change_setting",
    "reset_setting",
    "silence_rule",
    "unsilence_rule",
}
# what is asked for is the right of the app that asks, of each: tests/platform/approvals
INBOX = {f"/api/v1/many/approvals/{verb}" for verb in ("approve", "reject", "undo")}
BODIES: dict[str, Any] = {
    "skip_occurrence": {},
    "keep_occurrence": {"fire_at": "2030-01-01T00:00:00Z"},
    "send_event": {"event": "acknowledge"},
    "acknowledge_alert": {},
    "decide_approval": {"verdict": "approve"},
    "silence_alert": {"until": "2030-01-01T00:00:00Z"},
    "unsilence_alert": {},
    "silence_rule": {"until": "2030-01-01T00:00:00Z"},
    "edit_channel": {"name": "taken over"},
    "edit_unit": {"name": "taken over"},
    "edit_user": {"name": "taken over"},
    "rotate_token": {},
    "rotate_channel_secret": {},
    "replay_channel": {"delivery": "dlv_01h2xcejqtf2n"},
    "make_link": {},
    "change_setting": {"value": "30d"},
    "resize_lane": {"width": 3},
    "prioritise_job": {"priority": "urgent"},
    "replay_event_consumer": {"since": "2026-01-01T00:00:00Z"},
    "discard_dead_letter": {},
    "start_workflow": {},
    "pause_workflow_run": {},
    "cancel_workflow_run": {"reason": "taken over"},
    "retry_workflow_run": {"step": "wait"},
    "skip_workflow_run": {"step": "wait", "reason": "taken over"},
    "run_workflow_again": {},
    "signal_workflow_run": {"event": "oven.cold"},
}


@pytest.fixture
async def things(web: Web) -> Things:
    return await make_things(web.db, web.app.services.files, web.app.services.vault, web.tree.gangnam)


async def test_every_look_up_of_anothers_thing_is_not_found(web: Web, things: Things):
    branch, owner = await web.as_("haeundae"), await web.as_("gangnam")
    tried = []

    for operation, method, path in _about_one(web, things):
        answer = await _send(branch, operation, method, path)
        tried.append((operation, answer.status_code))

    assert len(tried) > 35
    # a backup is the head office's, a session a person's; a branch's token is told so
    assert {one for one in tried if one[1] != 404} == {("check_backup", 403), ("revoke_session", 403)}
    assert (await owner.get(f"/api/v1/jobs/{things.job}")).json()["state"] == "ready"
    assert (await owner.get(f"/api/v1/channels/{things.channel}")).json()["name"] != "taken over"


async def test_the_owner_finds_them_all(web: Web, things: Things):
    """Else the test above would be about ids that nobody has."""
    owner = await web.as_("gangnam")

    found = {
        operation: (await _send(owner, operation, method, path)).status_code
        for operation, method, path in _about_one(web, things)
        if method == "GET"
    }

    missing = {operation for operation, status in found.items() if status == 404}
    assert missing <= {"get_server", "get_lane", "get_thumbnail", "get_approval", "get_event_consumer", "get_bulk"}


async def test_no_list_holds_anything_of_another_branch(web: Web, things: Things):
    branch, owner = await web.as_("haeundae"), await web.as_("gangnam")
    lists = [path for path, method, one in operations_of(schema_of(web.site)) if _is_list(path, method, one)]

    seen = {path: (await branch.get(path)).text for path in lists}
    own = {path: (await owner.get(path)).text for path in lists}

    assert len(lists) > 15
    leaks = [(path, mark) for path, text in seen.items() for mark in things.marks if mark in text]
    assert leaks == []
    assert sum(any(mark in text for mark in things.marks) for text in own.values()) >= 9


async def test_no_export_holds_anything_of_another_branch(web: Web, things: Things):
    branch = await web.as_("haeundae", Accept="text/csv")

    exports = [await branch.get(f"/api/v1/{name}") for name in ("audit", "jobs", "occurrences", "facts")]

    assert {answer.status_code for answer in exports} == {200}
    assert [mark for answer in exports for mark in things.marks if mark in answer.text] == []


async def test_a_unit_of_others_cannot_be_looked_into(web: Web, things: Things):
    branch = await web.as_("haeundae")

    answer = await branch.get(f"/api/v1/jobs?org={web.tree.gangnam.id}")

    assert (answer.status_code, answer.json()["code"]) == (404, "unit_not_found")


async def test_naming_another_branchs_thing_in_a_body_does_not_reach_it(web: Web, things: Things):
    branch, owner = await web.as_("haeundae"), await web.as_("gangnam")

    jobs = await branch.post("/api/v1/bulk", json={"resource": "jobs", "action": "cancel", "ids": [things.job]})
    filtered = await branch.post("/api/v1/bulk", json={"resource": "jobs", "action": "cancel", "filter": {}})
    paused = await branch.post(
        "/api/v1/bulk", json={"resource": "schedules", "action": "pause", "ids": [things.schedule]}
    )
    below = {"parent_id": web.tree.gangnam.id, "level": "branch", "name": "x"}
    unit = await branch.post("/api/v1/units", json=below)
    user = await branch.post(
        "/api/v1/users", json={"login": "x1", "name": "x", "unit_id": web.tree.gangnam.id, "role": "viewer"}
    )

    assert [one.json()["results"][0]["result"] for one in (jobs, paused)] == ["not_found", "not_found"]
    assert filtered.json()["results"] == []
    assert (unit.status_code, user.status_code) == (404, 404)
    assert (await owner.get(f"/api/v1/jobs/{things.job}")).json()["state"] == "ready"
    assert (await owner.get(f"/api/v1/schedules/{things.schedule}")).json()["state"] == "active"


@pytest.mark.parametrize(
    ("role", "scopes"),
    [(Role.VIEWER, ("*:manage",)), (Role.ADMIN, ("*:read",))],
    ids=["a viewer", "a token that may only read"],
)
async def test_who_may_only_look_changes_nothing(web: Web, things: Things, role: Role, scopes: tuple[str, ...]):
    viewer = await web.as_("gangnam", role, scopes=scopes)
    changing = [
        (one["operationId"], method, _fill(path, things), _example(one))
        for path, method, one in operations_of(schema_of(web.site))
        if method != "GET" and one["operationId"] not in OWN and path not in INBOX
    ]

    answers = {}
    for operation, method, path, example in changing:
        body = BODIES.get(operation, example)
        options: dict[str, Any] = {"headers": {"Idempotency-Key": operation}}
        if operation == "upload_file":
            options["files"] = {"file": ("a.txt", b"x")}
        elif body is not None:
            options["json"] = body
        answers[operation] = (await viewer.request(method, path, **options)).status_code

    assert len(answers) > 35
    assert {operation: status for operation, status in answers.items() if status != 403} == {}


async def test_nobody_ends_anothers_session(web: Web):
    one = await web.as_("gangnam", Role.VIEWER, by="session")
    other = await web.as_("haeundae", Role.ADMIN, by="session")
    [session] = (await one.get("/api/v1/sessions")).json()["items"]

    answer = await other.delete(f"/api/v1/sessions/{session['id']}")

    assert (answer.status_code, answer.json()["code"]) == (404, "session_not_found")
    assert (await one.get("/api/v1/me")).status_code == 200


async def test_nobody_gets_in_anywhere(web: Web, things: Things):
    nobody, stranger = await web.anybody(), await web.client({"Authorization": "Bearer pbl_nonsense"})

    statuses = set()
    for path, method, one in operations_of(schema_of(web.site)):
        for client in (nobody, stranger):
            answer = await client.request(method, _fill(path, things), json=_example(one))
            statuses.add((answer.status_code, answer.headers.get("WWW-Authenticate")))

    assert statuses == {(401, "Bearer")}


def _about_one(web: Web, things: Things) -> Iterator[tuple[str, str, str]]:
    """Every operation on one thing that has an owner, about the one of `things`."""
    for path, method, one in operations_of(schema_of(web.site)):
        if "{" in path and one["operationId"] not in HOUSE:
            yield one["operationId"], method, _fill(path, things)


def _fill(path: str, things: Things) -> str:
    ids = {
        "jobs": things.job,
        "schedules": things.schedule,
        "occurrences": things.occurrence,
        "why": things.job,
        "subjects": things.alert_number,
        "facts": things.fact,
        "alerts": things.alert,
        # no app that asks is loaded here: tests/platform/approvals/test_faces.py
        "approvals": "apr_01h2xcejqtf2n",
        "channels": things.channel,
        "users": things.user,
        "tokens": things.token,
        "units": things.unit,
        "files": things.file,
        "log": things.event,
        "letters": things.dead_letter,
        "servers": "wrk_01h2xcejqtf2n",
        "sessions": "ses_01h2xcejqtf2n",
        "backups": 1,
        # a bulk is of whoever did it: tests/apps/messaging/api/test_many.py
        "bulks": "blk_01h2xcejqtf2n",
        "workflows": things.workflow,
        "runs": things.workflow_run,
    }
    named = path.replace("machines/{name}", "machines/alert").replace("{name}", "engine.stuck_work")
    named = named.replace("{key}", "notifications.keep").replace("{delivery}", things.delivery)
    return re.sub(r"(\w+)/\{id\}", lambda found: f"{found[1]}/{ids[found[1]]}", named)


async def _send(client: httpx2.AsyncClient, operation: str, method: str, path: str) -> httpx2.Response:
    return await client.request(
        method, path, json=BODIES.get(operation), params=_params(operation), headers={"Idempotency-Key": operation}
    )


def _params(operation: str) -> dict[str, str]:
    return {"at": "2026-01-01T00:00:00Z"} if operation == "get_state_at" else {}


def _is_list(path: str, method: str, one: dict[str, Any]) -> bool:
    return (
        method == "GET"
        and "{" not in path
        and one["operationId"] not in ("follow_facts", "list_backups", "list_sessions")
    )


def _example(one: dict[str, Any]) -> Any:
    return one.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
