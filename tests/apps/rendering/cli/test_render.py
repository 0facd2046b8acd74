"""`pabal render`: jobs asked for, watched, cancelled and tried again; workers, mappings, stuck jobs, statistics."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.rendering.samples import sample_csv
from pabal.base import clock
from tests.cli.inside import Inside
from tests.support.studio import COMPOSITION, NAME, Studio, gfx, slot_id


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "gfx.json"
    path.write_text(json.dumps(gfx()), encoding="utf-8")
    return str(path)


async def test_a_job_is_asked_for_shown_cancelled_and_tried_again(run: Inside, studio: Studio, data: str) -> None:
    tried = await run(
        "render", "job", "new", COMPOSITION, "--data", data, "--org", "해운대점", "--dry-run", "-o", "json"
    )
    made = await run("render", "job", "new", COMPOSITION, "--data", data, "--org", "해운대점", "-o", "json")
    number = str(made.json["id"])
    listed = await run("render", "job", "list", "-o", "json")
    off = await run("render", "job", "cancel", number, "-m", "교체", "-o", "json")
    on = await run("render", "job", "retry", number, "-o", "json")
    first = await run("render", "job", "prioritize", number, "urgent", "-o", "json")
    needed = await run("render", "job", "on-air", number, "--at", "+2h", "-o", "json")
    shown = await run("render", "job", "show", f"job_{number}", "--lang", "ko")

    assert (tried.code, made.code, made.json["is_new"]) == (0, 0, True), made.err
    assert [one["id"] for one in listed.json["items"]] == [int(number)]
    assert listed.json["items"][0]["gfx_data"] == gfx()
    assert (off.json["status"], on.json["status"], on.json["attempt"]) == ("cancelled", "pending", 2)
    assert (first.json["priority"], needed.json["on_air"]) == ("urgent", "safe")
    assert NAME in shown.out
    assert "긴급" in shown.out


async def test_without_the_servers_key_jobs_are_shown_without_their_data(
    run: Inside, studio: Studio, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = await studio.ask()
    monkeypatch.delenv("PABAL_SECRET_KEY")
    listed = await run("render", "job", "list", "-o", "json")
    shown = await run("render", "job", "show", str(job.id), "-o", "json")
    off = await run("render", "job", "cancel", str(job.id), "-o", "json")
    made = await run("render", "job", "new", COMPOSITION, "--data", data, "--org", "해운대점")

    assert [(one["id"], one["gfx_data"]) for one in listed.json["items"]] == [(job.id, None)]
    assert (shown.json["id"], shown.json["gfx_data"], shown.json["status"]) == (job.id, None, "pending")
    assert off.json["status"] == "cancelled"
    assert "no_secret_key" in made.err


async def test_a_dry_run_looks_at_the_files_too(run: Inside, studio: Studio, data: str) -> None:
    (studio.folder / "templates" / "chips.aep").unlink()
    refused = await run("render", "job", "new", COMPOSITION, "--data", data, "--org", "해운대점", "--dry-run")

    assert refused.code == 2
    assert "chips.aep" in refused.err
    assert (await run("render", "job", "list", "-o", "json")).json["items"] == []


async def test_what_cannot_be_rendered_is_refused_with_everything_that_is_wrong(
    run: Inside, studio: Studio, tmp_path: Path
) -> None:
    path = tmp_path / "long.json"
    path.write_text(json.dumps(gfx("A NAME THAT IS MUCH TOO LONG", composition_name="Other")), encoding="utf-8")
    refused = await run("render", "job", "new", COMPOSITION, "--data", str(path))
    missing = await run("render", "job", "new", COMPOSITION, "--data", str(tmp_path / "none.json"))

    assert refused.code == 2
    assert "18" in refused.err
    assert "Other" in refused.err
    assert "cannot_read_file" in missing.err


async def test_only_the_copy_is_made_again(run: Inside, studio: Studio) -> None:
    failed = await studio.fail(await studio.ask())
    one = await run("render", "job", "retry", str(failed.id), "--stage", "copy", "-o", "json")
    again = await studio.fail(await studio.ask())
    many = await run("render", "job", "retry-failed", "--reason", "nas_unavailable", "--stage", "copy", "-o", "json")

    assert (one.json["stage"], one.json["status"]) == ("copy", "pending")
    assert many.json["ids"] == [again.id]


async def test_a_watch_ends_with_the_job_and_tells_by_its_code_how(run: Inside, studio: Studio) -> None:
    done, failed = await studio.complete(await studio.ask()), await studio.fail(await studio.ask())
    good = await run("render", "job", "watch", str(done.id), "--lang", "ko")
    bad = await run("render", "job", "watch", str(failed.id))

    assert (good.code, bad.code) == (0, 1)
    assert f"{done.id} {NAME}   ██████████ 100%   완료" in good.out
    assert "no answer from /mnt/nas" in bad.out


@pytest.mark.req("B-104")
async def test_the_log_and_the_audit_are_printed(run: Inside, studio: Studio) -> None:
    job = await studio.submit(await studio.ask())
    log = await run("render", "job", "log", str(job.id))
    audit = await run("render", "job", "audit", "--job", str(job.id), "-o", "json")

    assert f"INFO | Worker#1 | Job#{job.id} | status: pending → preparing" in log.out
    assert [one["status_to"] for one in audit.json["items"]] == ["rendering", "preparing", "pending"]


async def test_workers_are_named_and_changed(run: Inside, studio: Studio) -> None:
    paused = await run("render", "worker", "pause", "Worker#2", "-m", "수리", "-o", "json")
    hours = await run("render", "worker", "hours", str(slot_id(2)), "1-5 09:00-18:00", "-o", "json")
    always = await run("render", "worker", "hours", "worker#2", "always", "-o", "json")
    unknown = await run("render", "worker", "drain", "Worker#9")
    listed = await run("render", "worker", "list", "--lang", "ko")

    assert (paused.json["state"], hours.json["hours"]["days"], always.json["hours"]) == (
        "paused",
        [1, 2, 3, 4, 5],
        None,
    )
    assert (unknown.code, "pabal render worker list" in unknown.err) == (3, True)
    assert "일시정지" in listed.out


async def test_mappings_come_from_a_file_are_checked_and_tried(run: Inside, studio: Studio, tmp_path: Path) -> None:
    good, bad = tmp_path / "samples.csv", tmp_path / "bad.csv"
    good.write_text(sample_csv(), encoding="utf-8")
    bad.write_text("composition_id,field_name,layer_name\nnone,what,\n", encoding="utf-8")
    checked = await run("render", "mapping", "check", str(good))
    before = await run("render", "composition", "list", "-o", "json")
    wrong = await run("render", "mapping", "check", str(bad))
    made = await run("render", "mapping", "import", str(good), "-o", "json")
    tried = await run("render", "mapping", "test", COMPOSITION, "-o", "json")
    out = await run("render", "mapping", "export", "--format", "json")
    cleared = await run("render", "mapping", "clear-cache")

    assert (checked.code, len(before.json["items"]), wrong.code) == (0, 1, 2)
    assert (made.json["compositions"], made.json["mappings"]) == (26, 84)
    assert tried.code == 0, tried.err
    assert (tried.json["is_sample"], tried.json["findings"]) == (True, [])
    assert len(json.loads(out.out)["compositions"]) == 26
    assert cleared.code == 0


@pytest.mark.req("B-120")
async def test_stuck_jobs_are_listed_and_released(run: Inside, studio: Studio) -> None:
    job = await studio.submit(await studio.ask())
    none = await run("render", "stuck")
    await clock.advance(studio.db, timedelta(minutes=6))
    listed = await run("render", "stuck", "-o", "json")
    refused = await run("render", "stuck", "--release")
    released = await run("render", "stuck", "--release", "--yes", "-o", "json")

    assert "Nothing is stuck." in none.out + none.err
    assert [one["id"] for one in listed.json["items"]] == [job.id]
    # nobody is asked where there is no terminal
    assert refused.code != 0
    assert [(one["status"], one["recovery_count"]) for one in released.json["items"]] == [("pending", 1)]


async def test_statistics_are_told(run: Inside, studio: Studio) -> None:
    await studio.complete(await studio.ask())
    found = await run("render", "stats", "-o", "json")
    table = await run("render", "stats", "--lang", "ko")

    assert (found.json["completed"], found.json["success_rate"], found.json["active_workers"]) == (1, 100, 2)
    assert NAME in table.out
