"""`pabal tail`: facts as they were recorded, and as they are."""

import json
import threading
from datetime import UTC, datetime
from uuid import UUID

from pabal.base.database import Database
from pabal.cli.tail import show_line
from pabal.engine import facts
from tests.cli.inside import Inside
from tests.support.cli import Cli


async def record(db: Database, name: str, subject: str) -> None:
    async with db.transaction() as tx:
        await facts.record(tx, name, subject, {"n": 1})


async def test_the_last_facts_are_shown_in_the_order_they_happened(db: Database, run: Inside) -> None:
    for number in range(3):
        await record(db, "kettle.boiled", f"kettle:{number}")
    await record(db, "lamp.lit", "lamp:1")

    last = (await run("tail", "-n", "2", "--name", "kettle.*", "-o", "json")).json["items"]
    table = await run("tail")

    assert [fact["subject"] for fact in last] == ["kettle:1", "kettle:2"]
    assert "lamp.lit" in table.out
    assert (await run("tail", "--name", "no.such")).out == ""


def test_what_others_typed_moves_no_cursor_while_following() -> None:
    at = datetime(2026, 7, 3, tzinfo=UTC)
    fact = facts.Fact(1, UUID(int=1), "room.seen", "room:1", unit_id=None, at=at, data={"name": "방\x9b2J"})

    assert show_line(fact).endswith('room.seen  room:1  {"name": "방 2J"}')


async def test_following_goes_on_with_what_happens_until_it_is_stopped(db: Database, cli: Cli) -> None:
    await record(db, "kettle.boiled", "kettle:1")

    with cli.running("tail", "-f", "--name", "kettle.*", "-o", "ndjson") as watching:
        assert watching.process.stdout is not None
        # A ceiling for the two reads below: a killed process ends its output.
        giving_up = threading.Timer(30, watching.process.kill)
        giving_up.start()
        first = json.loads(watching.process.stdout.readline())
        await record(db, "lamp.lit", "lamp:1")
        await record(db, "kettle.boiled", "kettle:2")
        second = json.loads(watching.process.stdout.readline())
        giving_up.cancel()
        code = watching.stop(2)

    assert [first["subject"], second["subject"], code] == ["kettle:1", "kettle:2", 0]
