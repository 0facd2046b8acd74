"""Every endpoint from the other side: without a token, from another branch, by who may only look."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import httpx2
import pytest

from pabal.apps.messaging.actions import bulks
from pabal.apps.messaging.store.sending import Occurrence
from pabal.engine import ids
from pabal.platform.actor import Role
from pabal.platform.web.openapi import operations_of, schema_of
from tests.apps.messaging.api.house import KB, V1, House, build, kb_body, v1_body
from tests.apps.messaging.history import add_deliveries, add_parts, ended
from tests.support.web import Web

# what a body must hold beyond its example to be understood
BODIES: dict[str, Any] = {"keep_send": {"at": "2030-01-01T00:00:00Z"}}
# what holds everybody's is the head office's alone: test_archives.py
HOUSE = (f"{V1}/archives",)


@dataclass(frozen=True)
class Theirs:
    """One of each that belongs to Haeundae."""

    schedule: int
    template: int
    room: int
    bot: int
    device: int
    delivery: str
    image: str
    group: int
    bulk: int

    @property
    def by_noun(self) -> dict[str, Any]:
        return {
            "schedules": self.schedule,
            "templates": self.template,
            "rooms": self.room,
            "bots": self.bot,
            "devices": self.device,
            "deliveries": self.delivery,
            "images": self.image,
            "groups": self.group,
            "bulks": self.bulk,
        }


@pytest.fixture
async def theirs(house: House) -> Theirs:
    admin = await house.web.as_("haeundae")
    schedule = (await admin.post(f"{V1}/schedules", json=await v1_body(house, title="비밀 예약"))).json()
    template = (await admin.post(f"{V1}/templates", json={"name": "비밀 틀", "text": "비밀 글"})).json()
    due = datetime.fromisoformat(schedule["created_at"]) - timedelta(minutes=1)
    [delivery] = await add_deliveries(house.web.db, schedule["id"], [ended("missed", due, reason="bot_offline")])
    await add_parts(house.web.db, delivery, "planned")
    group = (await admin.post(f"{V1}/room-groups", json={"name": "비밀 그룹"})).json()
    body = await v1_body(house, title="비밀 단체", rooms=[house.room_id])
    many = (await admin.post(f"{V1}/schedules", json=body)).json()
    async with house.web.db.transaction() as tx:
        await bulks.miss(tx, Occurrence(many["id"], tx.now), "misfired", {})
    [bulk] = (await admin.get(f"{V1}/bulks")).json()["items"]
    return Theirs(
        schedule["id"],
        template["id"],
        house.room_id,
        house.bot_id,
        house.device_id,
        ids.show("dlv", delivery),
        house.file,
        group["id"],
        bulk["id"],
    )


@pytest.mark.req("A-154")
async def test_nobody_gets_in_without_a_token(web: Web, theirs: Theirs):
    nobody, stranger = await web.anybody(), await web.client({"Authorization": "Bearer pbl_nonsense"})

    answers = [await nobody.request(method, path, json=body) for _, method, path, body in _every(web, theirs)]
    answers.append(await stranger.get(KB))

    assert len(answers) > 60
    assert {(one.status_code, one.headers.get("WWW-Authenticate")) for one in answers} == {(401, "Bearer")}


@pytest.mark.req("A-106", "A-153")
async def test_another_branchs_things_are_not_there(web: Web, theirs: Theirs):
    branch, owner = await web.as_("gangnam"), await web.as_("haeundae")
    await build(web, "gangnam", bot="seoul1", channel=18200091)

    foreign, closed, missing, seen, own = {}, {}, [], {}, {}
    for operation, method, path, body in _every(web, theirs):
        if operation[1].startswith(HOUSE):
            closed[operation[0]] = {await _status(one, method, path, body) for one in (branch, owner)}
            continue
        if "{" in operation[1]:
            foreign[operation[0]] = await _status(branch, method, path, body)
        if method == "GET":
            answer = await owner.get(path)
            missing += [operation[0]] if answer.status_code >= 400 else []
            if "{" not in operation[1]:
                seen[path], own[path] = (await branch.get(path)).text, answer.text

    assert len(foreign) > 40
    assert {operation: status for operation, status in foreign.items() if status != 404} == {}
    assert closed == {"list_message_archives": {403}, "get_message_archive": {403}}
    # else this would be about ids that nobody has
    assert missing == []
    secrets = ("비밀", "busan1", "18200001", theirs.delivery)
    assert [(path, mark) for path, text in seen.items() for mark in secrets if mark in text] == []
    assert sum(any(mark in text for mark in secrets) for text in own.values()) >= 8
    assert (await owner.get(f"{KB}/{theirs.schedule}")).json()["status"] == "active"


@pytest.mark.req("A-12", "A-153")
async def test_who_may_only_look_changes_nothing(web: Web, theirs: Theirs):
    viewer = await web.as_("haeundae", Role.VIEWER)
    reader = await web.as_("haeundae", scopes=("messaging:read", "files:manage"))
    stranger = await web.as_("haeundae", scopes=("jobs:manage",))

    changed, looked, closed, hidden = {}, {}, {}, {}
    for operation, method, path, body in _every(web, theirs):
        if method == "GET":
            (closed if operation[1].startswith(HOUSE) else looked)[operation[0]] = await _status(
                viewer, method, path, body
            )
            hidden[operation[0]] = await _status(stranger, method, path, body)
        else:
            changed[operation[0]] = {await _status(one, method, path, body) for one in (viewer, reader)}

    assert len(changed) > 30
    assert {operation: statuses for operation, statuses in changed.items() if statuses != {403}} == {}
    assert (set(looked.values()), set(closed.values()), set(hidden.values())) == ({200}, {403}, {403})


@pytest.mark.req("A-106")
async def test_nothing_of_another_branch_can_be_named_in_a_body(house: House, theirs: Theirs):
    other = await build(house.web, "gangnam", bot="seoul1", channel=18200091)
    branch = await house.web.as_("gangnam")

    refused = [
        await branch.post(f"{V1}/schedules", json=await v1_body(house)),
        await branch.post(f"{V1}/schedules", json=await v1_body(other, bot_id=house.bot_id)),
        await branch.post(f"{V1}/schedules", json=await v1_body(other, images_1=[theirs.image])),
        await branch.post(f"{V1}/schedules", json=await v1_body(other, template_id=theirs.template)),
        await branch.post(f"{V1}/schedules", json=await v1_body(other, unit_id=house.web.tree.haeundae.id)),
        await branch.post(KB, json=await kb_body(house)),
        await branch.post(f"{V1}/templates", json={"name": "x", "images_1": [theirs.image]}),
    ]

    found = [[one["code"] for one in answer.json()["errors"]] for answer in refused]
    assert [answer.status_code for answer in refused] == [422] * 7
    assert [codes[0] for codes in found] == [
        *("room_not_found", "bot_not_found", "image_not_found", "template_not_found", "unit_not_found"),
        *("room_not_found", "image_not_found"),
    ]
    # which is also all that is said about them
    assert [name for answer in refused for name in ("busan1 손님방", "봄.png", "비밀") if name in answer.text] == []


async def test_what_is_taken_is_what_the_description_shows(web: Web, theirs: Theirs):
    """Every operation has a sentence and an example, and the example is understood."""
    admin = await web.as_("hq")

    said, codes = {}, {}
    for operation, method, path, body in _every(web, theirs):
        said[operation[0]] = operation[2]
        if body is not None:
            answer = await admin.request(method, path, json=body, headers={"Idempotency-Key": operation[0]})
            codes[operation[0]] = answer.json()["code"] if answer.status_code >= 400 else ""

    assert all(re.fullmatch(r"[A-Z][^\n]{10,150}", sentence) for sentence in said.values())
    assert [operation for operation, code in codes.items() if code in ("body_invalid", "unreadable")] == []


def _every(web: Web, theirs: Theirs) -> Iterator[tuple[tuple[str, str, str], str, str, Any]]:
    """((name, path, sentence), method, address, body), the deletions last: they would take the others their things."""
    found = [
        ((one["operationId"], path, one["summary"]), method, _fill(path, theirs), _body(one))
        for path, method, one in operations_of(schema_of(web.site))
        if path.startswith((KB, "/api/logs/", V1))
    ]
    return iter(sorted(found, key=lambda one: (one[1] == "DELETE", one[0])))


def _fill(path: str, theirs: Theirs) -> str:
    filled = re.sub(r"(\w+)/\{id\}", lambda found: f"{found[1]}/{theirs.by_noun[found[1]]}", path)
    return filled.replace("{month}", "2026-10").replace("{bot_id}", str(theirs.bot))


def _body(operation: dict[str, Any]) -> Any:
    content = operation.get("requestBody", {}).get("content", {})
    return BODIES.get(operation["operationId"], content.get("application/json", {}).get("example"))


async def _status(client: httpx2.AsyncClient, method: str, path: str, body: Any) -> int:
    options: dict[str, Any] = {"json": body} if body is not None else {}
    if path.endswith("/images") and method == "POST":
        options = {"files": {"file": ("a.png", b"x")}}
    return (await client.request(method, path, headers={"Idempotency-Key": f"{method} {path}"}, **options)).status_code
