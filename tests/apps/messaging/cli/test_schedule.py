"""`pabal msg schedule`: looking, and the verbs; each is audited under the name of who sat at the machine."""

import csv
import getpass
import io
from datetime import datetime, timedelta

from pabal.base.database import Database
from pabal.engine import queue
from pabal.platform import audit
from tests.apps.messaging.history import add_deliveries, ended
from tests.cli.inside import Inside
from tests.support.messaging import World, add_room, add_schedule


async def test_schedules_are_listed_for_people_and_for_programs(run: Inside, world: World) -> None:
    number = await add_schedule(world)
    await add_schedule(world, title="둘째", room_id=world.test_room_id)

    table = await run("msg", "schedule", "list", "--lang", "ko")
    page = await run("msg", "schedule", "list", "--limit", "1", "-o", "json")
    rest = await run("msg", "schedule", "list", "--cursor", page.json["next_cursor"], "-o", "ndjson")
    lines = await run("msg", "schedule", "list", "--room", "시험방", "-o", "csv")
    none = await run("msg", "schedule", "list", "--state", "error", "--lang", "ko")

    assert "제목" in table.out.splitlines()[0]
    assert "○ 예약됨" in table.out
    assert [one["id"] for one in page.json["items"]] == [number]
    assert '"title": "둘째"' in rest.out
    assert [row["title"] for row in csv.DictReader(io.StringIO(lines.out))] == ["둘째"]
    assert (none.out, "아직 예약한 메시지가 없습니다" in none.err) == ("", True)


async def test_a_moment_is_skipped_and_kept_on_the_schedules_wall_clock(run: Inside, world: World) -> None:
    number = str(await add_schedule(world))
    first = (await run("msg", "schedule", "show", number, "-o", "json")).json["next_send_at"]

    tried = await run("msg", "schedule", "skip", number, "--dry-run", "-o", "json")
    skipped = await run("msg", "schedule", "skip", "아침 인사", "-o", "json")
    kept = await run("msg", "schedule", "keep", number, "--at", _wall(first), "-o", "json")

    next_day = (datetime.fromisoformat(first) + timedelta(days=1)).isoformat().replace("+00:00", "Z")
    assert (tried.json["at"], skipped.json["at"], skipped.json["next_send_at"]) == (first, first, next_day)
    assert kept.json["next_send_at"] == first


async def test_a_send_now_asks_first_and_is_audited(db: Database, run: Inside, world: World) -> None:
    number = await add_schedule(world)

    unasked = await run("msg", "schedule", "send-now", str(number))
    tried = await run("msg", "schedule", "send-now", str(number), "--dry-run")
    async with db.transaction() as tx:
        before = await queue.find_open(tx, about=f"message_schedule:{number}")
    sent = await run("msg", "schedule", "send-now", str(number), "--yes", "-o", "json")

    async with db.transaction() as tx:
        jobs = await queue.find_open(tx, about=f"message_schedule:{number}")
        entries = await audit.list_entries(tx, audit.Wanted(action="messaging.send_schedule_now"))
    assert [unasked.code, tried.code, sent.code] == [4, 0, 0]
    assert (before, len(jobs)) == ([], 1)
    assert [(one.actor, one.origin) for one in entries] == [(f"cli:{getpass.getuser()}", "cli")]


async def test_a_test_goes_to_the_only_test_room_or_to_the_one_named(db: Database, run: Inside, world: World) -> None:
    number = str(await add_schedule(world))

    alone = await run("msg", "schedule", "test", number, "-o", "json")
    other = await add_room(db, world.tree.haeundae, "18200009", "시험방 2", bots=[world.bot_id], room_type="test")
    unclear = await run("msg", "schedule", "test", number)
    named = await run("msg", "schedule", "test", number, "--room", str(other), "-o", "json")
    real = await run("msg", "schedule", "test", number, "--room", "해운대 손님방")

    assert (alone.json["room_name"], alone.json["cause"], named.json["room_name"]) == ("시험방", "test", "시험방 2")
    assert (unclear.code, real.code) == (5, 2)
    assert "not_a_test_room" in real.err


async def test_what_is_deleted_is_gone_and_purged_with_its_log(run: Inside, world: World) -> None:
    number = await add_schedule(world)
    await add_deliveries(world.db, number, [ended("sent", await _now(world.db) - timedelta(hours=1))])

    logs = await run("msg", "schedule", "logs", str(number), "-o", "json")
    unasked = await run("msg", "schedule", "delete", str(number))
    tried = await run("msg", "schedule", "delete", str(number), "--dry-run")
    done = await run("msg", "schedule", "delete", str(number), "--purge", "--yes")
    gone = await run("msg", "schedule", "show", str(number), "--lang", "ko")

    assert [one["state"] for one in logs.json["items"]] == ["sent"]
    assert [unasked.code, tried.code, done.code, gone.code] == [4, 0, 0, 3]
    assert "다음  pabal msg schedule list" in gone.err
    assert (await run("msg", "delivery", "list", "-o", "json")).json["items"] == []


def _wall(moment: str) -> str:
    """As somebody in Seoul would write it, without a zone."""
    return (datetime.fromisoformat(moment) + timedelta(hours=9)).replace(tzinfo=None).isoformat()


async def _now(db: Database) -> datetime:
    async with db.transaction() as tx:
        return tx.now


async def test_many_are_paused_at_once_by_name_or_by_a_filter_and_taken_back(run: Inside, world: World) -> None:
    first, second = [str(await add_schedule(world, title=title)) for title in ("하나", "둘")]

    neither = await run("msg", "schedule", "many", "pause", "--yes")
    unasked = await run("msg", "schedule", "many", "pause", first, second)
    looked = await run("msg", "schedule", "many", "pause", "--all", "--state", "active", "--dry-run", "-o", "json")
    paused = await run("msg", "schedule", "many", "pause", "--all", "--find", "하나", "--yes", "-o", "json")
    rest = await run("msg", "schedule", "many", "pause", first, second, "--yes", "-o", "json")
    table = await run("bulk", "show", paused.json["id"], "--lang", "ko")
    undone = await run("bulk", "undo", rest.json["id"], "-o", "json")

    assert (neither.code != 0, unasked.code) == (True, 4)
    assert (looked.json["state"], looked.json["total"], looked.json["id"]) == ("preview", 2, None)
    assert (paused.json["done"], paused.json["results"][0]["title"]) == (1, "하나")
    assert (rest.json["done"], rest.json["refused"]) == (1, 1)
    assert "하나" in table.out
    assert (undone.json["verb"], undone.json["done"]) == ("resume", 1)
    states = (await run("msg", "schedule", "list", "-o", "json")).json["items"]
    assert {one["title"]: one["state"] for one in states} == {"하나": "inactive", "둘": "active"}
