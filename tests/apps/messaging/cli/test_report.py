"""`pabal msg report`: how it went, in all and by what."""

from datetime import timedelta

from pabal.base.database import Database
from tests.apps.messaging.history import add_deliveries, ended
from tests.cli.inside import Inside
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

    assert (day.json["processed"], day.json["sent"], day.json["success_rate"]) == (2, 1, 50.0)
    assert day.json["counters"]["processed_count"] == 3
    assert "성공률(%)" in week.out
    assert [(one["name"], one["processed"]) for one in rooms.json["items"]] == [("해운대 손님방", 3)]
    assert [(one["reason"], one["deliveries"]) for one in reasons.json["items"]] == [("bot_offline", 1)]
