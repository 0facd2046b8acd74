"""`pabal msg report`: how it went, in all and by what."""

import gzip
import json
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.base.database import Database
from tests.apps.messaging.archived import put_away
from tests.apps.messaging.history import add_deliveries, ended
from tests.cli.inside import Inside
from tests.support.botline import make_services
from tests.support.messaging import World, add_schedule


async def test_a_report_counts_days_and_can_be_cut_by_room_and_reason(db: Database, run: Inside, world: World) -> None:
    async with db.transaction() as tx:
        now = tx.now
    rows = [
        ended("sent", now - timedelta(hours=1)),
        ended("missed", now - timedelta(hours=2), reason="bot_offline"),
        ended("sent", now - timedelta(days=3)),
    ]
    await add_deliveries(db, await add_schedule(world), rows)

    day = await run("msg", "report", "--days", "1", "-o", "json")
    week = await run("msg", "report", "--lang", "ko")
    rooms = await run("msg", "report", "--by", "room", "-o", "json")
    reasons = await run("msg", "report", "--by", "reason", "-o", "json")

    totals = day.json["totals"]
    assert (totals["processed"], totals["sent"], totals["success_rate"]) == (2, 1, 50.0)
    assert day.json["counters"]["processed_count"] == 3
    assert "성공률(%)" in week.out
    assert [(one["name"], one["totals"]["processed"]) for one in rooms.json["items"]] == [("해운대 손님방", 3)]
    assert [(one["reason"], one["deliveries"]) for one in reasons.json["items"]] == [("bot_offline", 1)]


@pytest.mark.req("A-177")
async def test_a_month_is_listed_and_copied_once(run: Inside, db: Database, world: World, tmp_path: Path) -> None:
    newest, older = await put_away(make_services(db, world.files), await add_schedule(world), months=2)
    target = tmp_path / "month.gz"

    listed = await run("msg", "archive", "list", "-o", "json")
    got = await run("msg", "archive", "get", older, "--to", str(target), "-o", "json")
    content = target.read_bytes()
    again = await run("msg", "archive", "get", newest, "--to", str(target), "--lang", "ko")

    assert [(one["month"], one["deliveries"]) for one in listed.json["items"]] == [(newest, 1), (older, 1)]
    assert (got.json["to"], got.json["size"]) == (str(target), len(content))
    [row] = [json.loads(line) for line in gzip.decompress(content).splitlines()]
    assert row["scheduled_at"].startswith(older)
    assert (again.code, "이미 있는 파일은 덮어쓰지 않습니다" in again.err) == (2, True)
    assert target.read_bytes() == content


async def test_what_is_not_there_is_named_and_leaves_no_file(
    run: Inside, db: Database, world: World, tmp_path: Path
) -> None:
    empty = await run("msg", "archive", "list", "--lang", "ko")
    [month] = await put_away(make_services(db, world.files), await add_schedule(world))
    target, elsewhere = tmp_path / "x.gz", tmp_path / "elsewhere"

    unknown = await run("msg", "archive", "get", "1999-01", "--to", str(target))
    away = await run("msg", "archive", "get", month, "--to", str(target), PABAL_DATA_DIR=str(elsewhere))
    for file in (tmp_path / "data" / "files" / "kept").rglob("file_*"):
        file.unlink()
    lost = await run("msg", "archive", "get", month, "--to", str(target))

    assert "매월 3일 04:30(서울)에 보관합니다" in empty.err
    assert (unknown.code, "next  pabal msg archive list" in unknown.err) == (3, True)
    assert (away.code, "files_not_here" in away.err, elsewhere.exists()) == (4, True, False)
    assert (lost.code, "content_missing" in lost.err) == (6, True)
    assert not target.exists()
