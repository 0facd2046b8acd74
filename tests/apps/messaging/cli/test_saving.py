"""`pabal msg schedule new` and `edit`: tried without a trace, saved with its images, refused option by option."""

import getpass
import re
from pathlib import Path

import pytest
from PIL import Image

from pabal.apps.messaging.store.schedules import list_schedules
from pabal.base.database import Database
from pabal.platform import audit
from pabal.platform.tenants import Scope
from tests.cli.inside import Inside
from tests.support.messaging import World, add_schedule

ROOM = "해운대 손님방"


def draw(folder: Path, *names: str) -> list[str]:
    for name in names:
        Image.new("RGB", (8, 6), (len(name), 80, 160)).save(folder / name)
    return [str(folder / name) for name in names]


async def count(db: Database) -> tuple[int, int]:
    """Schedules there are, and what the audit says was done here."""
    async with db.transaction() as tx:
        found = await list_schedules(tx, Scope(None, None))
        done = await audit.list_entries(tx, audit.Wanted(actor=f"cli:{getpass.getuser()}"))
    return len(found.items), len(done)


def list_files(folder: Path) -> set[Path]:
    return {path for path in (folder / "data/files").rglob("*") if path.is_file()}


async def test_a_dry_run_shows_what_would_come_of_it_and_leaves_nothing(
    db: Database, run: Inside, world: World, tmp_path: Path
) -> None:
    notice = tmp_path / "공지.txt"
    notice.write_text("오늘 공지\n둘째 줄\n", encoding="utf-8")
    images = draw(tmp_path, "a.jpg", "b.jpg")
    stored = list_files(run.folder)
    asked = ("msg", "schedule", "new", "--room", ROOM, "--text", f"@{notice}", "--images1", *images, "--daily", "09:00")

    korean = await run(*asked, "--dry-run", "--lang", "ko")
    whole = await run(*asked, "--dry-run", "-o", "json")

    assert korean.code == 0, korean.err
    assert re.search(
        r"^  다음 발송   \S+\(.\) 09:00 KST · \S+\(.\) 09:00 · \S+\(.\) 09:00 …$", korean.out, re.MULTILINE
    )
    assert re.search(r"^  제한        간격 30초 충족, 하루 0/50회, ", korean.out, re.MULTILINE)
    assert "  경고        봇 'busan1'" in korean.out
    assert korean.err.splitlines() == [
        "점검 완료, 저장하지 않음 (--dry-run)",
        "저장하려면 --dry-run 없이 다시 실행하세요.",
    ]
    assert [one["component"] for one in whole.json["bubbles"]] == ["text", "images_1", "images_1"]
    assert len(whole.json["upcoming"]) == 5
    assert await count(db) == (0, 0)
    assert list_files(run.folder) == stored


@pytest.mark.req("A-112")
async def test_a_schedule_is_made_edited_and_ended_while_its_bot_is_away(
    db: Database, run: Inside, world: World, tmp_path: Path
) -> None:
    [first, second] = draw(tmp_path, "a.png", "b.png")
    new = ("--text", "여러 줄\n인사", "--images2", first, second, "--weekly", "월,thu 9:05", "--until", "2099-12-31")

    made = await run("msg", "schedule", "new", "--room", "18200001", *new, "-o", "json")
    number = str(made.json["id"])
    edited = await run("msg", "schedule", "edit", number, "--text", "", "--late-policy", "send_late", "-o", "json")
    paused = await run("msg", "schedule", "pause", number, "-o", "json")
    resumed = await run("msg", "schedule", "resume", number, "-o", "json")
    deleted = await run("msg", "schedule", "delete", number, "--yes")

    assert made.code == 0, made.err
    shown = made.json
    assert (shown["title"], shown["schedule_weekdays"], shown["schedule_time"]) == (
        "여러 줄",
        ["monday", "thursday"],
        "09:05:00",
    )
    assert ([one["name"] for one in shown["images_2"]], shown["bot_name"]) == (["a.png", "b.png"], "busan1")
    assert shown["created_by"].startswith("cli:")
    assert shown["valid_until"] == "2099-12-31T14:59:59Z"
    assert (edited.json["text"], edited.json["images_2"], edited.json["late_policy"]) == (
        None,
        shown["images_2"],
        "send_late",
    )
    assert (paused.json["state"], resumed.json["state"], deleted.code) == ("inactive", "active", 0)
    assert (await count(db))[0] == 0
    assert (await count(db))[1] > 0


async def test_a_refusal_names_the_options_in_the_readers_language(db: Database, run: Inside, world: World) -> None:
    refused = await run("msg", "schedule", "new", "--room", ROOM, "--daily", "09:00", "--lang", "ko")
    unruly = await run("msg", "schedule", "new", "--room", ROOM, "--text", "x", "--daily", "09:00", "--at", "+2h")
    nowhere = await run("msg", "schedule", "new", "--room", "어디", "--text", "x", "--daily", "09:00", "-o", "json")
    unread = await run("msg", "schedule", "new", "--room", ROOM, "--images1", "/nowhere/x.png", "--daily", "09:00")

    assert (refused.code, unruly.code, nowhere.code, unread.code) == (2, 2, 3, 2)
    assert "schedule_refused" in refused.err
    assert "--text: 보낼 것이 없습니다." in refused.err
    assert "bad_when" in unruly.err
    assert '"next": "pabal msg room list"' in nowhere.err
    assert "bad_file" in unread.err
    assert await count(db) == (0, 0)


async def test_away_from_a_server_nothing_is_put_where_it_could_not_be_found(run: Inside, world: World) -> None:
    away = await run(
        *("msg", "schedule", "new", "--room", ROOM, "--text", "x", "--daily", "09:00"), PABAL_DATA_DIR="/nowhere/data"
    )

    assert (away.code, "no_server_folder" in away.err) == (4, True)


async def test_an_edit_that_names_one_thing_leaves_the_others(run: Inside, world: World) -> None:
    number = str(await add_schedule(world))

    before = (await run("msg", "schedule", "show", number, "-o", "json")).json
    after = (await run("msg", "schedule", "edit", number, "--title", "저녁 인사", "-o", "json")).json
    tried = await run("msg", "schedule", "edit", number, "--daily", "21:00", "--dry-run", "-o", "json")

    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"title", "version", "updated_at"}
    assert tried.json["upcoming"][0]["at"].endswith("T12:00:00Z")
    assert (await run("msg", "schedule", "show", number, "-o", "json")).json["schedule_time"] == before["schedule_time"]
