"""`pabal broker`: how the broker stands and what came in."""

from pabal.base.database import Database
from pabal.platform.broker import store
from pabal.platform.broker.incoming import SQL
from tests.cli.inside import Inside
from tests.support.people import Tree


async def test_the_lines_and_the_events_are_told_to_people_and_to_programs(
    db: Database, run: Inside, tree: Tree
) -> None:
    nothing = await run("broker", "status", "--lang", "ko")
    async with db.transaction() as tx:
        await store.note_line(tx, "server-1:7", "in", error=None, pending=2)
        await tx.value(SQL.insert_unreadable, id="e1", raw="?", code="event_unreadable", reason="no", now=tx.now)
        await tx.value(SQL.insert_event, id="e2", name="adgroup.PAUSE", subject="adg_1", data={}, now=tx.now)

    status = await run("broker", "status", PABAL_BROKER_URL="redis://127.0.0.1:1")
    told = (await run("broker", "status", "-o", "json")).json
    page = (await run("broker", "events", "--limit", "1", "-o", "json")).json
    rest = await run("broker", "events", "--cursor", page["next_cursor"], "--lang", "ko")
    refused = (await run("broker", "events", "--result", "refused", "-o", "json")).json["items"]

    assert "브로커에 연결하려 한 서버가 없습니다" in nothing.err
    assert "server-1:7" in status.out
    assert "events in" in status.out
    assert (told["is_set"], told["is_connected"], told["pending"], len(told["lines"])) == (False, True, 2, 1)
    assert [one["id"] for one in page["items"]] == ["e2"]
    assert "! 거부" in rest.out
    assert [one["code"] for one in refused] == ["event_unreadable"]
