"""`pabal ad migration|flag|mismatch`: from calculated to stored, by commands."""

from pathlib import Path

import pytest

from tests.apps.adgroups.cli.conftest import World
from tests.cli.inside import Inside

CSV = """id,name,campaign,start_at,end_at,ready_at,ready_confirmed_at,status,creatives,inventory
a1,하나,옛 캠페인,2026-01-01T00:00:00,2041-01-01T00:00:00,2025-12-01T00:00:00,2025-12-02T00:00:00,RUNNING,,main
a2,둘,옛 캠페인,2026-01-01T00:00:00,2041-01-01T00:00:00,,,RUNNING,,
a3,셋,옛 캠페인,2041-01-01T00:00:00,2040-01-01T00:00:00,,,,,
"""


@pytest.fixture
def old(run: Inside) -> Path:
    """A file of old ad groups, in the folder of a server that has files."""
    (run.folder / "data" / "files").mkdir()
    file = run.folder / "old.csv"
    file.write_text(CSV, encoding="utf-8")
    return file


@pytest.mark.req("E-103")
async def test_a_migration_is_planned_looked_at_done_reported_and_taken_back(
    run: Inside, world: World, old: Path
) -> None:
    planned = await run("ad", "migration", "check", str(old), "--org", "부산총판", "-o", "json")
    number = str(planned.json["id"])
    suspicious = await run("ad", "migration", "rows", number, "--only", "suspicious", "-o", "json")
    before = await run("ad", "list", "-o", "json")
    done = await run("ad", "migration", "run", number, "--here", "-o", "json")
    after = await run("ad", "list", "--source", "calculator", "-o", "json")
    reported = await run("ad", "migration", "report", number, "--to", str(run.folder / "report.csv"))
    again = await run("ad", "migration", "report", number, "--to", str(run.folder / "report.csv"))
    back = await run("ad", "migration", "rollback", number, "--here", "--yes", "-o", "json")

    assert (planned.json["state"], planned.json["states"], planned.json["refusals"]) == (
        "planned",
        {"RUNNING": 2},
        {"end_before_start": 1},
    )
    assert [(one["legacy_id"], one["marks"]) for one in suspicious.json["items"]] == [("a2", ["running_unconfirmed"])]
    assert len(before.json["items"]) == 4
    assert (done.json["state"], done.json["counts"]) == ("done", {"made": 2, "refused": 1})
    assert {one["legacy_id"]: one["status"] for one in after.json["items"]} == {"a1": "RUNNING", "a2": "RUNNING"}
    assert (reported.code, again.code) == (0, 2)
    assert "a3" in (run.folder / "report.csv").read_text(encoding="utf-8")
    assert (back.json["state"], back.json["counts"]["removed"]) == ("rolled_back", 2)
    assert (await run("ad", "list", "-o", "json")).json["items"] == before.json["items"]


async def test_without_a_source_or_the_servers_files_nothing_is_planned(run: Inside, world: World) -> None:
    neither = await run("ad", "migration", "check")
    (run.folder / "old.csv").touch()
    elsewhere = await run("ad", "migration", "check", str(run.folder / "old.csv"), "--lang", "ko")
    (run.folder / "data" / "files").mkdir()
    unreadable = await run("ad", "migration", "check", "nowhere.csv")
    no_table = await run("ad", "migration", "check", "--table")
    listed = await run("ad", "migration", "status", "-o", "json")

    assert [one.code for one in (neither, elsewhere, unreadable, no_table)] == [2, 4, 2, 3]
    assert "서버의 파일이 여기에 없습니다" in elsewhere.err
    assert listed.json["items"] == []


async def test_a_server_is_left_to_do_it_and_a_plan_can_be_discarded(run: Inside, world: World, old: Path) -> None:
    for _ in range(2):
        await run("ad", "migration", "check", str(old), "--org", "부산총판")

    started = await run("ad", "migration", "run", "1", "--mode", "batches", "-o", "json")
    waiting = await run("jobs", "list", "-o", "json")
    discarded = await run("ad", "migration", "discard", "2")
    listed = await run("ad", "migration", "status", "-o", "json")
    resumed = await run("ad", "migration", "resume", "1", "--here", "-o", "json")

    assert (started.json["state"], started.json["mode"], discarded.code) == ("running", "BATCHES", 0)
    assert [one["kind"] for one in waiting.json["items"]] == ["adgroups.migrate"]
    assert [one["id"] for one in listed.json["items"]] == [1]
    assert resumed.json["state"] == "done"


@pytest.mark.req("E-92")
async def test_flags_say_whose_state_is_shown(run: Inside, world: World) -> None:
    off = await run("ad", "flag", "set", "id", "멈춤", "--off", "-o", "json")
    shown = await run("ad", "show", "멈춤", "-o", "json")
    await run("ad", "flag", "set", "percent", "30")
    listed = await run("ad", "flag", "list", "-o", "json")
    cleared = await run("ad", "flag", "clear", "id", "멈춤", "-o", "json")
    unknown = await run("ad", "flag", "clear", "campaign", "세일")
    bad = await run("ad", "flag", "set", "percent", "many")
    only = await run("ad", "flag", "machine-only", "--yes", "-o", "json")

    assert (off.json["changed"], cleared.json["changed"], only.json["changed"]) == (1, 1, 0)
    assert (shown.json["source"], shown.json["status"], shown.json["stored_status"]) == (
        "calculator",
        "RUNNING",
        "PAUSED",
    )
    assert {(one["kind"], one["is_on"]) for one in listed.json["items"]} == {("ID", False), ("PERCENT", True)}
    assert listed.json["sources"] == {"machine": 3, "calculator": 1}
    assert (unknown.code, bad.code) == (3, 2)


async def test_mismatches_are_compared_listed_with_their_cause_and_decided(run: Inside, world: World) -> None:
    tried = await run("ad", "mismatch", "compare", "--dry-run", "-o", "json")
    nothing = await run("ad", "mismatch", "list", "-o", "json")
    compared = await run("ad", "mismatch", "compare", "-o", "json")
    listed = await run("ad", "mismatch", "list", "--cause", "paused_by_hand", "-o", "json")
    [paused] = listed.json["items"]
    decided = await run("ad", "mismatch", "decide", str(paused["id"]), "calculator", "-o", "json")
    people = await run("ad", "mismatch", "list", "--lang", "ko", COLUMNS="200")

    assert {one["name"]: one["cause"] for one in tried.json["items"]} == {
        "멈춤": "paused_by_hand",
        "초안": "never_approved",
    }
    assert nothing.json["items"] == []
    assert (compared.json["compared"], compared.json["differing"]) == (4, 2)
    assert (paused["name"], paused["calculated"], paused["stored"]) == ("멈춤", "RUNNING", "PAUSED")
    assert (decided.json["decision"], decided.json["source"]) == ("calculator", "calculator")
    assert "계산기를 유지" in people.out
