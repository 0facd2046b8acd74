"""What is kept of events and lines, and for how long."""

from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.platform.actor import ENGINE
from pabal.platform.broker import BadPatterns, BadResult, BadStream, describe, list_events, store
from pabal.platform.broker.incoming import SQL
from pabal.platform.broker.settings import check_stream, read_patterns
from pabal.platform.broker.watching import FAILED
from tests.platform.broker.other_side import kept


async def test_events_are_forgotten_after_their_time_and_lines_after_a_minute(db: Database):
    async with db.transaction() as tx:
        await tx.value(SQL.insert_event, id="old", name="x", subject="", data={}, now=tx.now)
        await store.note_line(tx, "gone:1", "in", error=None)
    await clock.advance(db, timedelta(days=89))
    async with db.transaction() as tx:
        given = {"id": "new", "name": "x", "subject": "", "data": {}, "most": 1, "reason": "odd"}
        await tx.value(SQL.count_failure, **given, now=tx.now)
        assert await tx.value(SQL.count_failure, **given, now=tx.now) == "failed"
        assert (await describe(tx, ENGINE)).is_connected is None
        assert await FAILED.read(tx) == 1
    await clock.advance(db, timedelta(days=2))

    assert await store.forget_once(db) == 0

    assert [one.id for one in await kept(db)] == ["new"]
    async with db.transaction() as tx:
        assert await FAILED.read(tx) == 0
        with pytest.raises(BadResult):
            await list_events(tx, ENGINE, result="odd")


def test_what_goes_out_and_where_to_is_checked_when_it_is_set():
    assert read_patterns("adgroup.*, adgroups.rescheduled,*") == ("adgroup.*", "adgroups.rescheduled", "*")
    assert read_patterns(" ") == ()
    for text in ("AdGroup.*", "a.*.b", "%", "a b"):
        with pytest.raises(BadPatterns):
            read_patterns(text)
    for name in ("", "a b", "x" * 201):
        with pytest.raises(BadStream):
            check_stream(name)
