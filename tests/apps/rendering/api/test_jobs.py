"""Render jobs over HTTP: asked for, shown under the requirements' names, cancelled, tried again."""

import csv
import io
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pabal.apps.rendering.model.renders import Reason
from pabal.apps.rendering.simulator.projects import make_project
from pabal.base import clock
from pabal.platform.actor import Role
from tests.support.studio import COMPOSITION, NAME, Studio, gfx, slot_id
from tests.support.web import Web

V1 = "/api/v1/render"
# B-65, and what the NAS path needs
COLUMNS = {
    *("id", "composition_id", "gfx_data", "cue_item_id", "status", "worker_id", "lock_expires_at", "nexrender_job_id"),
    *("progress", "started_at", "completed_at", "created_at", "updated_at", "output_file_path", "error_message"),
    *("duration_seconds", "recovery_count", "broadcast_date", "composition_name"),
}


async def ask(client: httpx2.AsyncClient, status: int = 201, **given: Any) -> Any:
    body = {"composition_id": COMPOSITION, "gfx_data": gfx(), **given}
    answer = await client.post(f"{V1}/jobs", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


@pytest.mark.req("B-64", "B-65", "B-66", "B-106")
async def test_a_job_is_asked_for_and_shown_under_the_requirements_names(web: Web, studio: Studio):
    client = await web.as_("haeundae", Role.OPERATOR)
    made = await client.post(
        f"{V1}/jobs", json={"composition_id": COMPOSITION, "gfx_data": gfx(), "cue_item_id": "3-12"}
    )
    shown = (await client.get(made.headers["Location"])).json()
    sheet = await client.get(f"{V1}/jobs", headers={"Accept": "text/csv"})

    assert (made.status_code, made.json()["is_new"]) == (201, True)
    assert set(shown) >= COLUMNS
    assert (shown["status"], shown["progress"], shown["gfx_data"], shown["cue_item_id"]) == (
        "pending",
        0,
        gfx(),
        "3-12",
    )
    assert (shown["composition_name"], shown["recovery_count"], shown["worker_id"]) == (NAME, 0, None)
    [row] = csv.DictReader(io.StringIO(sheet.text.lstrip("\ufeff")))
    assert set(row) == set(shown)
    assert (row["status"], row["cue_item_id"]) == ("pending", "3-12")


@pytest.mark.req("B-64", "B-65")
async def test_each_column_says_what_is_so_while_it_renders_and_when_it_has_ended(web: Web, studio: Studio):
    asked, done, bad = await studio.ask(), await studio.ask("LEE"), await studio.ask("PARK")
    await clock.advance(web.db, timedelta(seconds=40))
    working = await studio.submit(asked, 45)
    await clock.advance(web.db, timedelta(seconds=20))
    finished, failed = await studio.complete(done, number=2), await studio.fail(bad, number=3)
    client = await web.as_("haeundae", Role.VIEWER)

    rows = {one["id"]: one for one in (await client.get(f"{V1}/jobs")).json()["items"]}
    sheet = (await client.get(f"{V1}/jobs", headers={"Accept": "text/csv"})).text.lstrip("\ufeff")

    for one in (working, finished, failed):
        row = rows[one.id]
        assert (row["composition_id"], row["composition_name"], row["status"]) == (COMPOSITION, NAME, one.state)
        moments = ("lock_expires_at", "started_at", "completed_at", "created_at", "updated_at")
        assert [_moment(row[name]) for name in moments] == [getattr(one, name) for name in moments]
    at_work, ended = rows[working.id], rows[finished.id]
    assert (at_work["worker_id"], at_work["progress"], at_work["gfx_data"]) == (str(slot_id(1)), 45, gfx())
    assert (at_work["nexrender_job_id"], at_work["broadcast_date"]) == (f"rq-{asked.id}-a1", str(asked.broadcast_date))
    assert at_work["lock_expires_at"] > at_work["updated_at"] > at_work["created_at"]
    assert (ended["progress"], ended["worker_id"], ended["output_file_path"]) == (100, None, finished.output_file_path)
    assert ended["duration_seconds"] == finished.duration_seconds is not None
    assert (rows[failed.id]["error_message"], rows[failed.id]["output_file_path"]) == ("no answer from /mnt/nas", None)
    told = {int(one["id"]): one for one in csv.DictReader(io.StringIO(sheet))}
    assert (told[working.id]["worker_id"], told[working.id]["progress"]) == (str(slot_id(1)), "45")
    assert told[finished.id]["output_file_path"] == finished.output_file_path
    assert told[failed.id]["error_message"] == "no answer from /mnt/nas"


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


@pytest.mark.req("B-121")
async def test_the_names_of_the_schema_outside_are_addresses_that_answer(web: Web, studio: Studio):
    guide = (Path(__file__).parents[4] / "docs/apps/rendering.md").read_text(encoding="utf-8")
    [(base, named)] = re.findall(r"^\| database schema \|.*`(/api/v1/render/)\{([^}]+)\}`", guide, re.MULTILINE)
    client = await web.as_("hq")

    assert {name: (await client.get(base + name)).status_code for name in named.split(",")} == {
        "jobs": 200,
        "audit": 200,
        "mappings": 200,
    }


@pytest.mark.req("B-106")
async def test_nobody_asks_without_a_token_and_a_viewer_only_looks(web: Web, studio: Studio):
    body = {"composition_id": COMPOSITION, "gfx_data": gfx()}
    unknown = await (await web.anybody()).post(f"{V1}/jobs", json=body)
    viewer = await web.as_("haeundae", Role.VIEWER)
    refused = await viewer.post(f"{V1}/jobs", json=body)

    assert (unknown.status_code, refused.status_code) == (401, 403)
    assert (await viewer.get(f"{V1}/jobs")).json()["items"] == []


@pytest.mark.req("B-42")
async def test_a_dry_run_is_the_check_and_everything_wrong_is_said_at_once(web: Web, studio: Studio):
    client = await web.as_("haeundae", Role.OPERATOR)
    tried = await client.post(
        f"{V1}/jobs?dry_run=true",
        json={"composition_id": COMPOSITION, "gfx_data": gfx(single_fields={"pot": "1", "blinds": "2"})},
    )
    wrong = await client.post(
        f"{V1}/jobs?dry_run=true",
        json={"composition_id": COMPOSITION, "gfx_data": gfx("A NAME THAT IS MUCH TOO LONG", composition_name="Other")},
    )

    assert tried.status_code == 201
    assert [one["code"] for one in tried.json()["warnings"]] == ["field_unmapped"]
    assert (await client.get(f"{V1}/jobs")).json()["items"] == []
    assert wrong.status_code == 422
    assert wrong.json()["code"] == "render_refused"
    assert {one["code"] for one in wrong.json()["errors"]} == {"composition_differs", "text_too_long"}


async def test_a_dry_run_looks_at_everything_a_worker_looks_at_and_a_request_is_taken(web: Web, studio: Studio):
    client = await web.as_("haeundae", Role.OPERATOR)
    body = {"composition_id": COMPOSITION, "gfx_data": gfx("A NAME THAT IS MUCH TOO LONG")}
    good = {"composition_id": COMPOSITION, "gfx_data": gfx()}
    (studio.folder / "templates" / "chips.aep").write_bytes(make_project(["Another"]))
    (studio.folder / "nas" / "output").rmdir()
    (studio.folder / "nas").rmdir()

    wrong = await client.post(f"{V1}/jobs?dry_run=true", json=body)
    many = await client.post(f"{V1}/jobs/bulk?dry_run=true", json={"items": [good, {**good, "composition_id": "none"}]})
    asked = await client.post(f"{V1}/jobs", json=good)

    assert (wrong.status_code, many.status_code, asked.status_code) == (422, 422, 201)
    files = ["composition_not_in_template", "nas_unwritable"]
    assert [one["code"] for one in wrong.json()["errors"]] == [files[0], "text_too_long", files[1]]
    assert [one["pointer"].split("/")[1] for one in many.json()["errors"]] == ["0", "0", "1"]
    assert [one["code"] for one in many.json()["errors"]] == [*files, "composition_not_found"]


async def test_the_same_film_is_offered_unless_a_file_behind_it_was_replaced(web: Web, studio: Studio):
    client = await web.as_("haeundae", Role.OPERATOR)
    first = await ask(client)
    await studio.complete(await studio.see(first["id"]))
    items = {"items": [{"composition_id": COMPOSITION, "gfx_data": gfx()}]}

    offered = [await ask(client), (await client.post(f"{V1}/jobs/bulk", json=items)).json()["items"][0]]
    again = await ask(client, again=True)
    (studio.folder / "templates" / "chips.aep").write_bytes(make_project([NAME, "Another"]))
    other = await ask(client)

    assert [(one["is_new"], one["id"], one["job"]["status"]) for one in offered] == [
        (False, first["id"], "completed")
    ] * 2
    assert [one["is_new"] for one in (first, again, other)] == [True] * 3


async def test_many_are_taken_together_or_not_at_all(web: Web, studio: Studio):
    client = await web.as_("haeundae", Role.OPERATOR)
    good = [{"composition_id": COMPOSITION, "gfx_data": gfx(name)} for name in ("KIM", "LEE")]
    made = await client.post(f"{V1}/jobs/bulk", json={"items": good})
    bad = await client.post(f"{V1}/jobs/bulk", json={"items": [*good, {"composition_id": "none", "gfx_data": gfx()}]})

    assert [one["is_new"] for one in made.json()["items"]] == [True, True]
    assert bad.status_code == 422
    assert bad.json()["errors"][0]["pointer"] == "/2/composition_id"
    assert len((await client.get(f"{V1}/jobs")).json()["items"]) == 2


@pytest.mark.req("B-66")
async def test_a_job_is_cancelled_and_tried_again(web: Web, studio: Studio):
    client = await web.as_("haeundae", Role.OPERATOR)
    job = f"{V1}/jobs/{(await ask(client))['id']}"
    off = await client.post(f"{job}/cancel", json={"reason": "교체"})
    twice = await client.post(f"{job}/cancel", json={})
    on = await client.post(f"{job}/retry", json={})

    assert (off.json()["status"], off.json()["error_message"]) == ("cancelled", "교체")
    assert (twice.status_code, twice.json()["code"]) == (409, "render_ended")
    assert (on.json()["status"], on.json()["attempt"]) == ("pending", 2)


async def test_only_the_copy_is_made_again_and_only_where_there_is_a_file(web: Web, studio: Studio):
    client = await web.as_("haeundae", Role.OPERATOR)
    failed = await studio.fail(await studio.ask())
    empty = await studio.fail(await studio.ask(), Reason.TEMPLATE_MISSING, has_file=False)

    copied = await client.post(f"{V1}/jobs/{failed.id}/retry", json={"stage": "copy"})
    refused = await client.post(f"{V1}/jobs/{empty.id}/retry", json={"stage": "copy"})

    assert (copied.json()["status"], copied.json()["stage"], copied.json()["attempt"]) == ("pending", "copy", 2)
    assert (await studio.see(failed.id)).rendered_path is not None
    assert (refused.status_code, refused.json()["code"]) == (409, "render_has_no_file")


async def test_all_failed_of_a_reason_begin_again(web: Web, studio: Studio):
    client = await web.as_("haeundae", Role.OPERATOR)
    nas = [await studio.fail(await studio.ask()) for _ in range(2)]
    other = await studio.fail(await studio.ask(), Reason.TEMPLATE_MISSING, has_file=False)
    elsewhere = await studio.fail(await studio.ask(unit="gangnam"))

    body = {"error_code": "nas_unavailable", "stage": "copy"}
    tried = await client.post(f"{V1}/jobs/retry-failed?dry_run=true", json=body)
    done = await client.post(f"{V1}/jobs/retry-failed", json=body)

    assert tried.json() == done.json() == {"retried": 2, "ids": [one.id for one in nas]}
    assert [(await studio.see(one.id)).state for one in (*nas, other, elsewhere)] == ["pending"] * 2 + ["failed"] * 2


async def test_priority_and_on_air_moment_are_changed(web: Web, studio: Studio):
    client = await web.as_("haeundae", Role.OPERATOR)
    job = f"{V1}/jobs/{(await ask(client))['id']}"
    urgent = await client.post(f"{job}/priority", json={"priority": "urgent"})
    needed = await client.post(f"{job}/on-air", json={"on_air_at": "2080-01-01T00:00:00Z"})
    not_needed = await client.post(f"{job}/on-air", json={"on_air_at": None})

    assert urgent.json()["priority"] == "urgent"
    assert (needed.json()["on_air_at"], needed.json()["on_air"]) == ("2080-01-01T00:00:00Z", "safe")
    assert not_needed.json()["on_air_at"] is None


async def test_a_job_that_will_be_late_says_so(web: Web, studio: Studio):
    async with web.db.transaction() as tx:
        soon = tx.now + timedelta(seconds=20)
    job = await studio.ask(on_air_at=soon)

    shown = (await (await web.as_("haeundae")).get(f"{V1}/jobs/{job.id}")).json()

    # without a history a render is taken to need about two minutes
    assert (shown["on_air"], shown["eta"] > shown["on_air_at"]) == ("missed", True)


@pytest.mark.req("B-49")
async def test_progress_is_shown_as_it_was_noted(web: Web, studio: Studio):
    job = await studio.submit(await studio.ask(), 45)

    shown = (await (await web.as_("haeundae", Role.VIEWER)).get(f"{V1}/jobs/{job.id}")).json()

    assert (shown["status"], shown["progress"], shown["nexrender_state"]) == ("rendering", 45, "render:dorender")
    assert (shown["worker_id"], shown["worker_name"]) == (str(slot_id(1)), "Worker#1")


@pytest.mark.req("B-111")
async def test_every_change_of_state_is_in_the_audit_under_its_names(web: Web, studio: Studio):
    job = await studio.complete(await studio.ask())
    await studio.ask(unit="gangnam")
    client = await web.as_("haeundae", Role.VIEWER)
    rows = (await client.get(f"{V1}/jobs/{job.id}/audit")).json()["items"]
    sheet = await client.get(f"{V1}/audit", headers={"Accept": "text/csv"})

    assert [(one["status_from"], one["status_to"], one["changed_by"]) for one in rows] == [
        (None, "pending", "system"),
        ("pending", "preparing", "worker"),
        ("preparing", "rendering", "worker"),
        ("rendering", "uploading", "worker"),
        ("uploading", "completed", "worker"),
    ]
    assert {one["worker_id"] for one in rows} == {None, str(slot_id(1))}
    lines = list(csv.DictReader(io.StringIO(sheet.text.lstrip("\ufeff"))))
    names = {"id", "render_queue_id", "status_from", "status_to", "worker_id", "changed_at", "changed_by"}
    assert set(lines[0]) >= names
    assert {one["render_queue_id"] for one in lines} == {str(job.id)}
    assert len(lines) == len(rows)


@pytest.mark.req("B-104")
async def test_the_log_has_the_form_of_the_requirements(web: Web, studio: Studio):
    job = await studio.submit(await studio.ask())
    client = await web.as_("haeundae", Role.VIEWER)
    lines = (await client.get(f"{V1}/jobs/{job.id}/log")).json()["items"]
    text = await client.get(f"{V1}/jobs/{job.id}/log", headers={"Accept": "text/plain"})
    after = (await client.get(f"{V1}/jobs/{job.id}/log", params={"after": lines[-2]["id"]})).json()["items"]

    assert f"INFO | Worker#1 | Job#{job.id} | status: preparing → rendering" in lines[-1]["text"]
    assert text.text.splitlines() == [one["text"] for one in lines]
    assert after == lines[-1:]


async def test_what_was_sent_is_answered_without_a_secret(web: Web, studio: Studio):
    job = await studio.submit(await studio.ask())
    client = await web.as_("haeundae", Role.VIEWER)
    sent = await client.get(f"{V1}/jobs/{job.id}/nexrender")
    attempts = (await client.get(f"{V1}/jobs/{job.id}/attempts")).json()["items"]
    stages = (await client.get(f"{V1}/jobs/{job.id}/stages")).json()["items"]
    missing = await client.get(f"{V1}/jobs/{job.id}/nexrender", params={"attempt": 7})

    assert sent.json()["template"] == {"composition": NAME}
    assert attempts[0]["mapping_report"]["unmapped"] == ["Slot 3 - nickname"]
    assert [one["stage"] for one in stages] == ["prepare", "render"]
    assert missing.status_code == 404


@pytest.mark.req("B-120")
async def test_a_stuck_job_is_listed_and_released(web: Web, studio: Studio):
    stuck, well = await studio.submit(await studio.ask()), await studio.ask()
    await clock.advance(web.db, timedelta(minutes=6))
    client = await web.as_("haeundae", Role.OPERATOR)
    listed = (await client.get(f"{V1}/jobs/stuck")).json()["items"]
    released = (await client.post(f"{V1}/jobs/{stuck.id}/release", json={})).json()
    twice = await client.post(f"{V1}/jobs/{stuck.id}/release", json={})

    assert [one["id"] for one in listed] == [stuck.id]
    assert (released["status"], released["worker_id"], released["recovery_count"]) == ("pending", None, 1)
    assert (twice.status_code, twice.json()["code"]) == (409, "render_not_stuck")
    assert (await studio.see(well.id)).recovery_count == 0


async def test_another_unit_finds_nothing_of_it(web: Web, studio: Studio):
    job = await studio.complete(await studio.ask())
    other = await web.as_("gangnam")
    base = f"{V1}/jobs/{job.id}"

    found = [await other.get(f"{base}{path}") for path in ("", "/audit", "/attempts", "/stages", "/log", "/nexrender")]
    found += [await other.get(f"{base}/video"), await other.get(f"{base}/pictures/first")]
    for verb, body in (
        ("cancel", {}),
        ("retry", {}),
        ("priority", {"priority": "low"}),
        ("on-air", {}),
        ("release", {}),
    ):
        found.append(await other.post(f"{base}/{verb}", json=body))

    assert {one.status_code for one in found} == {404}
    for path in ("jobs", "audit", "jobs/stuck"):
        assert (await other.get(f"{V1}/{path}")).json()["items"] == []


async def test_a_check_names_what_is_wrong_with_data_and_files_and_makes_nothing(web: Web, studio: Studio) -> None:
    client = await web.as_("haeundae")
    good = await client.post(f"{V1}/jobs/check", json={"composition_id": COMPOSITION, "gfx_data": gfx()})
    (studio.folder / "templates" / "chips.aep").unlink()
    long = {"composition_id": COMPOSITION, "gfx_data": gfx("A NAME THAT IS MUCH TOO LONG")}
    bad = await client.post(f"{V1}/jobs/check", json=long)

    assert (good.status_code, good.json()["findings"]) == (200, [])
    assert [one["code"] for one in bad.json()["findings"]] == ["template_missing", "text_too_long"]
    assert (await client.get(f"{V1}/jobs")).json()["items"] == []
