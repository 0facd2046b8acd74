"""Hot statements of events look things up by index, however the tables were filled when they were planned."""

import pytest

from pabal.base.database import Database
from pabal.platform.events import actions, delivery, log, places, reading
from tests.platform.events.shop import SQL
from tests.support.plans import list_lookups, list_scanned

TABLES = ("event", "event_done", "dead_letter")
HOT = [
    log.SQL.insert_events,
    log.SQL.find_by_id,
    reading.SQL.read_fresh,
    reading.SQL.read_on,
    reading.SQL.find_end,
    places.SQL.find_place,
    places.SQL.move_and_note,
    delivery.SQL.note_done,
    delivery.SQL.take_asked,
    actions.SQL.find_dead,
]


@pytest.mark.parametrize("is_full", [False, True], ids=["empty", "full"])
async def test_no_hot_statement_reads_a_table_from_end_to_end(db: Database, is_full: bool):
    async with db.transaction() as tx:
        if is_full:
            await tx.run(SQL.fill_events, rows=20_000)
            await tx.script(SQL.analyze.text)
        found = [scan for statement in HOT for scan in await list_scanned(tx, statement, TABLES)]
        walked = await list_lookups(tx, reading.SQL.read_on)

    # an empty small table may as well be scanned: it is planned again when it grows
    assert [scan for scan in found if is_full or scan[1] == "event"] == []
    assert "event_pkey" in walked
