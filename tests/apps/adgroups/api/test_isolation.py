"""Every endpoint from the other side: without a token, from another branch, by who may only look."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from pabal.apps.adgroups.legacy import shadow
from pabal.base import clock
from pabal.engine import ids
from pabal.platform import storage
from pabal.platform.actor import Role
from pabal.platform.web.openapi import operations_of, schema_of
from tests.apps.adgroups.api.house import DAY, V1, House, build
from tests.support.people import person
from tests.support.web import Web

# what holds everybody's is the head office's alone
CLOSED = {
    *("describe_serving", "check_serving", "rebuild_serving"),
    *("switch_off_calculator", "set_state_flag"),  # its example is of the whole house
}
DESCRIBED: list[tuple[str, str, dict[str, Any]]] = []
CSV = "id,campaign,start_at,end_at\nAG1,비밀 옛 캠페인,2035-01-01T00:00:00,2035-02-01T00:00:00\n"


@dataclass(frozen=True)
class Theirs:
    """One of each that belongs to Haeundae."""

    group: str
    campaign: str
    creative: int
    mismatch: int
    run: int
    file: str
    code: str

    def fill(self, path: str) -> str:
        for noun, known in (("campaigns", self.campaign), ("mismatches", self.mismatch), ("runs", self.run)):
            path = path.replace(f"/{noun}/{{id}}", f"/{noun}/{known}")
        named = {"{id}": self.group, "{event}": "DAILY_END", "{creative}": str(self.creative), "{kind}": "ID"}
        for name, known in named.items():
            path = path.replace(name, str(known))
        return f"{path}?ad_group={self.group}" if path.endswith("/flags/ID") else path

    @property
    def secrets(self) -> tuple[str, ...]:
        return "비밀", "haeundae", self.group, self.campaign, self.code

    def bodies(self, house: House) -> dict[str, Any]:
        """What a body must name that is there, beyond its example."""
        return {
            "create_ad_group": house.body(),
            "send_ad_group_event": {"event": "PAUSE"},
            "move_delayed_event": {"to": (house.now + 9 * DAY).isoformat()},
            "plan_migration": {"source": "csv", "file": self.file},
            "set_ad_group_inventory": {"codes": [self.code]},
            "add_inventory": {"code": "new-1", "name": "새 화면"},
            "create_campaign": {"name": "새 캠페인", "start_at": house.now.isoformat()},
        }


@pytest.fixture
async def theirs(house: House) -> Theirs:
    """It runs and was paused by hand, which the calculator does not know: so there is a difference, too."""
    hours = {day: [["00:00", "12:00"], ["12:30", "24:00"]] for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")}
    asked = {"name": "비밀 광고", "start_at": house.now.isoformat(), "dayparts": hours}
    path = await house.make("COMPLETE_SETUP", "APPROVE", **asked)
    paused = await house.make("COMPLETE_SETUP", "APPROVE", name="비밀 중지", start_at=house.now.isoformat())
    await clock.advance(house.web.db, DAY / 24)
    await house.fire()
    await house.admin.post(f"{paused}/events", json={"event": "PAUSE"})
    await shadow.compare_all(house.web.db)
    [mismatch] = (await house.admin.get(f"{V1}/legacy/mismatches")).json()["items"]
    file = await upload(house.web, CSV)
    run = await house.admin.post(f"{V1}/legacy/runs", json={"source": "csv", "file": file})
    [creative] = (await house.admin.get(f"{path}/creatives")).json()["items"]
    await house.admin.put(f"{V1}/legacy/flags", json={"kind": "ID", "ad_group": path.rpartition("/")[2]})
    group = path.rpartition("/")[2]
    return Theirs(group, house.campaign, creative["id"], mismatch["id"], run.json()["id"], file, house.code)


async def test_nobody_gets_in_without_a_token(house: House):
    nobody, anything = await house.web.anybody(), Theirs("adg_0000000000001", house.campaign, 1, 1, 1, "", house.code)

    answers = [await nobody.request(method, path, json=body) for _, method, path, body in _every(house, anything)]

    assert len(answers) > 45
    assert {(one.status_code, one.headers.get("WWW-Authenticate")) for one in answers} == {(401, "Bearer")}


async def test_another_branchs_things_are_not_there(house: House, theirs: Theirs):
    other = await build(house.web, "gangnam", code="seoul-1")

    foreign, closed, missing, seen, own = {}, {}, [], {}, {}
    for (name, path), method, address, body in _every(house, theirs):
        if name in CLOSED:
            closed[name] = [await _status(one, method, address, body) for one in (other.admin, house.admin)]
            continue
        if "{" in path:
            foreign[name] = await _status(other.admin, method, address, body)
        if method == "GET":
            answer = await house.admin.get(address)
            missing += [name] if answer.status_code >= 400 else []
            if "{" not in path:
                seen[path], own[path] = (await other.admin.get(address)).text, answer.text

    assert len(foreign) > 25
    assert {name: status for name, status in foreign.items() if status != 404} == {}
    assert set(closed) == CLOSED
    assert {status for both in closed.values() for status in both} == {403}
    # else this would be about ids that nobody has
    assert missing == []
    assert [(path, mark) for path, text in seen.items() for mark in theirs.secrets if mark in text] == []
    assert sum(any(mark in text for mark in theirs.secrets) for text in own.values()) >= 7
    assert (await house.admin.get(f"{V1}/{theirs.group}")).json()["status"] == "RUNNING"


async def test_who_may_only_look_changes_nothing(house: House, theirs: Theirs):
    viewer = await house.web.as_("haeundae", Role.VIEWER)
    reader = await house.web.as_("haeundae", scopes=("adgroups:read", "files:manage"))
    stranger = await house.web.as_("haeundae", scopes=("jobs:manage", "messaging:manage"))

    changed, looked, hidden = {}, {}, {}
    for (name, _), method, address, body in _every(house, theirs):
        if method == "GET":
            looked[name] = await _status(viewer, method, address, body)
            hidden[name] = await _status(stranger, method, address, body)
        else:
            changed[name] = {await _status(one, method, address, body) for one in (viewer, reader)}

    assert len(changed) > 20
    assert {name: statuses for name, statuses in changed.items() if statuses != {403}} == {}
    assert {name for name, status in looked.items() if status != 200} == {"describe_serving"}
    assert {name for name, status in hidden.items() if status != 403} == set()


async def test_nothing_of_another_branch_can_be_named_in_a_body(house: House, theirs: Theirs):
    other = await build(house.web, "gangnam", code="seoul-1")
    path = await other.make()

    refused = [
        await other.admin.post(V1, json=other.body(campaign=theirs.campaign)),
        await other.admin.patch(path, json={"campaign": theirs.campaign}),
        await other.admin.put(f"{path}/inventory", json={"codes": [theirs.code]}),
        await other.admin.put(f"{V1}/legacy/flags", json={"kind": "ID", "ad_group": theirs.group}),
        await other.admin.put(f"{V1}/legacy/flags", json={"kind": "CAMPAIGN", "campaign": theirs.campaign}),
        await other.admin.post(f"{V1}/legacy/runs", json={"source": "csv", "file": theirs.file}),
        await other.admin.post(f"{V1}/legacy/runs", json={"source": "table"}),
        await other.admin.get(f"{V1}?campaign={theirs.campaign}"),
    ]

    assert [(answer.status_code, answer.json().get("code")) for answer in refused] == [
        (404, "campaign_not_found"),
        (404, "campaign_not_found"),
        (404, "inventory_not_found"),
        (404, "ad_group_not_found"),
        (404, "campaign_not_found"),
        (404, "file_not_found"),
        (403, "head_office_only"),
        (200, None),
    ]
    assert refused[-1].json()["items"] == []
    assert [mark for answer in refused for mark in ("비밀", "haeundae") if mark in answer.text] == []


async def test_what_is_taken_is_what_the_description_shows(house: House, theirs: Theirs):
    """Every operation has a sentence and an example, and the example is understood."""
    hq = await house.web.as_("hq")
    described = {one["operationId"]: one for _, _, one in _operations(house.web)}

    codes = {}
    for (name, _), method, address, _ in _every(house, theirs):
        content = described[name].get("requestBody", {}).get("content", {}).get("application/json")
        if content is not None:
            answer = await hq.request(method, address, json=content["example"])
            codes[name] = answer.json()["code"] if answer.status_code >= 400 else ""

    assert len(codes) >= 14
    assert [name for name, code in codes.items() if code in ("body_invalid", "unreadable")] == []
    sentences = {name: one["summary"] for name, one in described.items()}
    assert {name: said for name, said in sentences.items() if not re.fullmatch(r"[A-Z][^\n]{10,150}", said)} == {}


async def upload(web: Web, text: str, unit: str = "haeundae") -> str:
    async def chunks() -> Any:
        yield text.encode()

    services, owner = web.app.services, web.unit(unit)
    given = storage.Upload(chunks(), "old.csv", owner.id, area="adgroups")
    made = await storage.accept_file(services.database, services.files, person(owner), given, max_bytes=10**6)
    return ids.show("file", made.id)


def _operations(web: Web) -> list[tuple[str, str, dict[str, Any]]]:
    """They depend on the code only, and take a second to describe: once for all tests here."""
    if not DESCRIBED:
        DESCRIBED.extend(one for one in operations_of(schema_of(web.site)) if one[0].startswith(V1))
    return DESCRIBED


def _every(house: House, theirs: Theirs) -> Iterator[tuple[tuple[str, str], str, str, Any]]:
    """((name, path), method, address, body), the deletions last: they would take the others their things."""
    bodies = theirs.bodies(house)
    found = [
        ((one["operationId"], path), method, theirs.fill(path), bodies.get(one["operationId"], _example(one)))
        for path, method, one in _operations(house.web)
    ]
    return iter(sorted(found, key=lambda one: (one[1] == "DELETE", one[0])))


def _example(operation: dict[str, Any]) -> Any:
    return operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")


async def _status(client: httpx2.AsyncClient, method: str, path: str, body: Any) -> int:
    options: dict[str, Any] = {"json": body} if body is not None else {}
    return (await client.request(method, path, headers={"Idempotency-Key": f"{method} {path}"}, **options)).status_code
