"""Every endpoint and page from the other side: without a token, from another branch, by who may only look."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from pabal.apps.rendering.actions.requesting import RenderRequest, request
from pabal.apps.rendering.model.compositions import Composition, FieldMapping
from pabal.apps.rendering.store import slots
from pabal.platform.actor import ENGINE, Role
from pabal.platform.web.openapi import operations_of, schema_of
from tests.support.pages import read, visitor
from tests.support.studio import Studio, draw_film, slot_id
from tests.support.web import Web

V1 = "/api/v1/render"
SECRET_LAYOUT = Composition("hidden-layout", "비밀 자막", "hidden.aep")
GFX = {"composition_name": SECRET_LAYOUT.name, "slots": [], "single_fields": {"pot": "비밀 금액"}}
MARKS = ("비밀", SECRET_LAYOUT.id, "3-12-hidden")
# it only says what a render would be
LOOKS = {"test_composition"}
# what holds everybody's is the head office's alone
HOUSE = {f"{verb}_render_worker" for verb in ("pause", "resume", "drain", "look", "allow")} | {
    "set_hours_render_worker"
}


@dataclass(frozen=True)
class Theirs:
    """Of Haeundae: a film that is done, a render that failed, and one that the slot holds, which spares their
    composition."""

    done: int
    failed: int
    held: int

    @property
    def by_noun(self) -> dict[str, Any]:
        return {"jobs": self.done, "workers": slot_id(1), "compositions": SECRET_LAYOUT.id}


@pytest.fixture
async def theirs(web: Web, studio: Studio) -> Theirs:
    owner = (await web.person("haeundae", Role.ADMIN)).actor()
    await studio.put(SECRET_LAYOUT, (FieldMapping(SECRET_LAYOUT.id, "Single - pot", "비밀 레이어"),), actor=owner)
    wanted = RenderRequest(SECRET_LAYOUT.id, GFX, "3-12-hidden", again=True)
    unit_id = web.tree.haeundae.id
    made = [await studio.act(lambda tx: request(tx, ENGINE, studio.vault, wanted, unit_id=unit_id)) for _ in range(2)]
    done = await studio.complete(made[0].render, film=draw_film(), number=2)
    failed = await studio.fail(await studio.ask(), has_file=False)
    held = await studio.submit(made[1].render)
    async with web.db.transaction() as tx:
        await slots.note_failure(tx, slot_id(1), SECRET_LAYOUT.id, reason="비밀", render_id=done.id, most=1)
    return Theirs(done.id, failed.id, held.id)


async def test_nobody_gets_in_without_a_token(web: Web, theirs: Theirs) -> None:
    nobody = await web.anybody()

    answers = [await nobody.request(method, path, json=body) for _, method, path, body in _every(web, theirs)]

    assert len(answers) > 35
    assert {(one.status_code, one.headers.get("WWW-Authenticate")) for one in answers} == {(401, "Bearer")}


async def test_another_branchs_things_are_not_there(web: Web, theirs: Theirs) -> None:
    branch, owner = await web.as_("gangnam"), await web.as_("haeundae")

    foreign, missing, seen, own = {}, [], {}, {}
    for (name, address), method, path, body in _every(web, theirs):
        if "{" in address:
            foreign[name] = (await _send(branch, method, path, body)).status_code
        if method == "GET":
            answer = await owner.get(path)
            missing += [name] if answer.status_code >= 400 else []
            other = await branch.get(path)
            # whoever is told that it is not there reads what they asked for
            seen[name], own[name] = other.text if other.status_code < 400 else "", answer.text

    assert len(foreign) > 20
    told = {name: status for name, status in foreign.items() if status != 404}
    assert told == {**dict.fromkeys(HOUSE, 403), "get_render_worker": 200}
    # else this would be about ids that nobody has; places are the head office's
    assert missing == ["examine_render_paths"]
    assert [(name, mark) for name, text in seen.items() for mark in MARKS if mark in text] == []
    assert sum(any(mark in text for mark in MARKS) for text in own.values()) >= 10


async def test_no_page_shows_anything_of_another_branch(web: Web, theirs: Theirs) -> None:
    pages = ("/render", "/render?view=board", "/render/new", "/render/workers", "/render/workers/stuck")
    pages += (
        "/render/templates",
        "/render/mapping/export.csv",
        "/render/statistics",
        "/",
        f"/render/bulk?id={theirs.held}",
    )
    branch, owner = await visitor(web, "gangnam"), await visitor(web, "haeundae")

    seen = {page: await read(branch, page) for page in pages}
    own = {page: await read(owner, page) for page in pages}

    assert [(page, mark) for page, text in seen.items() for mark in MARKS if mark in text] == []
    assert sum(any(mark in text for mark in MARKS) for text in own.values()) >= 7


async def test_what_is_done_to_all_leaves_another_branchs_alone(web: Web, studio: Studio, theirs: Theirs) -> None:
    async with web.db.transaction() as tx:
        await tx.script(
            f"update rendering.render set lock_expires_at = pabal.now() - interval '1 hour' where id = {theirs.held}"
        )
    branch = await visitor(web, "gangnam")

    retried = await branch.post(f"{V1}/jobs/retry-failed", json={}, headers={"Idempotency-Key": "x"})
    pages = [await branch.post(path) for path in ("/render/retry-failed", "/render/workers/stuck/release")]

    assert (retried.json(), {one.status_code for one in pages}) == ({"retried": 0, "ids": []}, {303})
    assert [(await studio.see(one)).state for one in (theirs.failed, theirs.held)] == ["failed", "rendering"]


async def test_who_may_only_look_changes_nothing(web: Web, theirs: Theirs) -> None:
    viewer = await web.as_("haeundae", Role.VIEWER)
    reader = await web.as_("haeundae", scopes=("rendering:read",))
    stranger = await web.as_("haeundae", scopes=("jobs:manage",))

    changed, looked, hidden = {}, {}, set()
    for (name, _), method, path, body in _every(web, theirs):
        if method == "GET":
            looked[name] = (await _send(viewer, method, path, body)).status_code
        elif name not in LOOKS:
            changed[name] = {(await _send(one, method, path, body)).status_code for one in (viewer, reader)}
        hidden.add((await _send(stranger, method, path, body)).status_code)

    assert len(changed) > 15
    assert {name: statuses for name, statuses in changed.items() if statuses != {403}} == {}
    assert {name: status for name, status in looked.items() if status != 200} == {"examine_render_paths": 403}
    assert hidden == {403}


def _every(web: Web, theirs: Theirs) -> Iterator[tuple[tuple[str, str], str, str, Any]]:
    """((name, path), method, address, body)."""
    for path, method, one in operations_of(schema_of(web.site)):
        if path.startswith(V1):
            filled = re.sub(r"(\w+)/\{id\}", lambda found: f"{found[1]}/{theirs.by_noun[found[1]]}", path)
            content = one.get("requestBody", {}).get("content", {})
            body = content.get("application/json", {}).get("example")
            yield (one["operationId"], path), method, filled.replace("{which}", "first"), body


async def _send(client: httpx2.AsyncClient, method: str, path: str, body: Any) -> httpx2.Response:
    given = {} if body is None else {"json": body}
    return await client.request(method, path, headers={"Idempotency-Key": f"{method} {path}"}, **given)
