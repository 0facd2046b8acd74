"""Workers and the path doctor over HTTP."""

import pytest

from pabal.apps.rendering.store import slots
from pabal.platform.actor import Role
from tests.support.studio import COMPOSITION, Studio, slot_id
from tests.support.web import Web

V1 = "/api/v1/render"


async def test_a_worker_is_paused_resumed_drained_and_given_hours(web: Web, studio: Studio) -> None:
    client, path = await web.as_("hq"), f"{V1}/workers/{slot_id(1)}"
    paused = await client.post(f"{path}/pause", json={"reason": "AE 업데이트"})
    twice = await client.post(f"{path}/pause", json={})
    resumed = await client.post(f"{path}/resume")
    drained = await client.post(f"{path}/drain")
    hours = {"days": [1, 2], "begins": "09:00", "ends": "18:00", "zone": "Asia/Seoul"}
    given = await client.post(f"{path}/hours", json={"hours": hours})
    bad = await client.post(f"{path}/hours", json={"hours": {**hours, "zone": "Nowhere/None"}})
    looked = await client.post(f"{path}/look")

    assert (paused.json()["state"], paused.json()["paused_reason"]) == ("paused", "AE 업데이트")
    assert (twice.status_code, twice.json()["code"]) == (409, "render_slot_state")
    assert (resumed.json()["state"], drained.json()["state"]) == ("idle", "drained")
    assert given.json()["hours"] == hours
    assert (bad.status_code, bad.json()["code"]) == (422, "bad_slot_hours")
    assert looked.status_code == 200


@pytest.mark.req("B-120")
async def test_the_job_of_a_worker_is_released(web: Web, studio: Studio) -> None:
    job = await studio.submit(await studio.ask())
    client, path = await web.as_("hq"), f"{V1}/workers/{slot_id(1)}"
    busy = (await client.get(path)).json()
    freed = await client.post(f"{path}/release")
    empty = await client.post(f"{path}/release")

    assert (busy["state"], busy["current_job_id"]) == ("busy", job.id)
    assert (freed.json()["state"], freed.json()["current_job_id"]) == ("idle", None)
    assert (await studio.see(job.id)).state == "pending"
    assert empty.json()["code"] == "render_not_stuck"


@pytest.mark.req("B-115")
async def test_health_of_one_worker_stands_at_the_top_level(web: Web, studio: Studio) -> None:
    job, client = await studio.submit(await studio.ask()), await web.anybody()
    async with web.db.transaction() as tx:
        await slots.note_poll(tx, [slot_id(1)], next_at=tx.now, empties=0)
        name = (await slots.get_slot(tx, slot_id(1))).name

    every = (await client.get("/health")).json()
    by_id, by_name = [await client.get("/health", params={"worker": one}) for one in (str(slot_id(1)), name)]
    idle = (await client.get("/health", params={"worker": str(slot_id(2))})).json()
    nobody = await client.get("/health", params={"worker": "Worker#99"})

    assert "worker_id" not in every
    assert {one["worker_id"] for one in every["workers"]} == {str(slot_id(1)), str(slot_id(2))}
    shown = by_id.json()
    assert (by_id.status_code, shown["worker_id"], shown["status"]) == (200, str(slot_id(1)), "busy")
    assert (shown["current_job_id"], shown["job_count_completed"], shown["database"]) == (job.id, 0, "ok")
    assert shown["uptime_seconds"] >= 0
    assert shown["last_poll"]
    assert {**by_name.json(), "uptime_seconds": 0} == {**shown, "uptime_seconds": 0}
    assert (idle["status"], idle["current_job_id"], idle["last_poll"]) == ("idle", None, None)
    assert (nobody.status_code, nobody.json()["status"]) == (404, "worker_unknown")


async def test_a_skipped_template_is_given_back(web: Web, studio: Studio) -> None:
    async with web.db.transaction() as tx:
        await slots.note_failure(tx, slot_id(1), COMPOSITION, reason="nexrender_error", render_id=1, most=1)
    client, path = await web.as_("hq"), f"{V1}/workers/{slot_id(1)}"
    skips = (await client.get(path)).json()["paused_templates"]
    allowed = await client.post(f"{path}/allow", json={"composition_id": COMPOSITION})

    assert [(one["composition_id"], one["failures"], one["last_reason"]) for one in skips] == [
        (COMPOSITION, 1, "nexrender_error")
    ]
    assert allowed.json()["paused_templates"] == []


async def test_a_branch_sees_states_and_changes_nothing(web: Web, studio: Studio) -> None:
    await studio.submit(await studio.ask(unit="gangnam"))
    branch = await web.as_("haeundae")
    [first, _] = (await branch.get(f"{V1}/workers")).json()["items"]

    assert (first["state"], first["current_job_id"], first["host"]) == ("busy", None, None)
    for verb in ("pause", "drain", "resume", "look"):
        assert (await branch.post(f"{V1}/workers/{slot_id(1)}/{verb}", json={})).status_code == 403
    assert (await branch.post(f"{V1}/workers/{slot_id(1)}/release")).status_code == 404


async def test_a_branch_sees_which_of_its_templates_a_worker_skips_and_not_whose_job_failed(
    web: Web, studio: Studio
) -> None:
    """The composition is the head office's: everybody renders it."""
    job = await studio.ask()
    async with web.db.transaction() as tx:
        await slots.note_failure(tx, slot_id(1), COMPOSITION, reason="nexrender_error", render_id=job.id, most=1)

    seen = {}
    for unit in ("hq", "haeundae", "gangnam"):
        [skipped] = (await (await web.as_(unit)).get(f"{V1}/workers/{slot_id(1)}")).json()["paused_templates"]
        seen[unit] = skipped["last_render_id"]

    assert seen == {"hq": job.id, "haeundae": job.id, "gangnam": None}


async def test_the_path_doctor_looks_only_at_places_of_this_server(web: Web, studio: Studio) -> None:
    places = (await (await web.as_("hq")).get(f"{V1}/paths")).json()["items"]
    nas = next(one for one in places if one["unc"])
    template = places[-1]

    assert (nas["server"], nas["unc"]) == (str(studio.folder / "nas" / "output"), "\\\\NAS\\broadcast\\output")
    assert (nas["exists"], nas["readable"], nas["writable"], nas["problem"]) == (True, True, True, None)
    assert (template["server"], template["problem"]) == (str(studio.folder / "templates" / "chips.aep"), None)
    for unit, role in (("haeundae", Role.ADMIN), ("hq", Role.OPERATOR)):
        assert (await (await web.as_(unit, role)).get(f"{V1}/paths")).status_code == 403
    assert (await (await web.as_("hq")).get(f"{V1}/paths", params={"path": "/etc"})).status_code == 400
