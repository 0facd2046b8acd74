"""`pabal schedules`, run as people run it."""

from pabal.base.database import Database
from tests.support.cli import Cli
from tests.support.schedules import get, put


async def test_schedules_are_listed_with_what_they_say(db: Database, cli: Cli) -> None:
    first, second = await put(db, name="아침 공지"), await put(db, kind="test.other")

    page = cli("schedules", "list", "--limit", "1", "-o", "json").json
    rest = cli("schedules", "list", "--cursor", page["next_cursor"], "-o", "json").json
    korean = cli("schedules", "list", "--kind", "test.plain", "--lang", "ko")

    assert [one["id"] for one in page["items"]] == [f"sch_{first.id}"]
    assert [one["id"] for one in rest["items"]] == [f"sch_{second.id}"]
    assert page["items"][0]["recurrence"] == {"form": "daily", "times": ["09:00"]}
    assert "매일 09:00" in korean.out
    assert "○ 예약됨" in korean.out


async def test_a_pause_names_who_did_it_and_a_resume_goes_on(db: Database, cli: Cli) -> None:
    schedule = await put(db)

    looked = cli("schedules", "pause", f"sch_{schedule.id}", "--dry-run", "-o", "json").json
    assert (looked["state"], (await get(db, schedule.id)).is_paused) == ("active", False)
    paused = cli("schedules", "pause", f"sch_{schedule.id}", "-o", "json").json
    actor = (await get(db, schedule.id)).paused_by
    resumed = cli("schedules", "resume", str(schedule.id), "-o", "json").json

    assert (paused["state"], resumed["state"]) == ("paused", "active")
    assert actor is not None
    assert actor.startswith("cli:")


async def test_a_preview_shows_the_next_moments(db: Database, cli: Cli) -> None:
    schedule = await put(db)

    coming = cli("schedules", "preview", str(schedule.id), "--count", "3", "-o", "json").json["items"]

    assert len(coming) == 3
    assert all(one["wall"].endswith("09:00:00") for one in coming)


def test_a_schedule_that_is_not_there_ends_with_3(cli: Cli) -> None:
    told = cli("schedules", "pause", "sch_99")

    assert told.code == 3
    assert "pabal schedules list" in told.err
    assert cli("schedules", "preview", "sch_x").code == 2
