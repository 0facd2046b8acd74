"""kill -9 at the worst moments, against the real server: no event has two effects, no fact is left out."""

import asyncio
import os

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.platform.broker import outgoing
from pabal.platform.broker.incoming import Intake
from pabal.platform.broker.line import Line
from pabal.platform.broker.outgoing import publish_once
from tests.platform.broker.other_side import HANDLERS, IMPATIENT, OtherSide, an_event, kept, poured, record
from tests.support.programs import ROOT, start
from tests.support.servers import until


@pytest.mark.req("E-11", "E-102")
async def test_what_a_killed_server_had_in_hand_is_finished_by_another(
    db: Database, line: Line, redis_url: str, other: OtherSide
):
    await publish_once(db, line, server="b")
    await record(db, 1, 2)
    await other.say(an_event(1))
    victim = start("tests.platform.broker.victim", db.url, redis_url, cwd=ROOT, env=os.environ)
    assert await asyncio.to_thread(victim.wait, 30) == -9
    assert (await poured(db), await other.pending(), len(await other.heard())) == (["evt-1"], 1, 2)
    await record(db, 3)

    await until(lambda: Intake(db, line, HANDLERS).take_once(IMPATIENT, wait=0.001))
    assert (await poured(db), await other.pending()) == (["evt-1"], 0)
    assert [(one.result, one.duplicates) for one in await kept(db)] == [("applied", 1)]

    assert await publish_once(db, line, server="b") == 0  # it is still the dead one's turn
    await clock.advance(db, outgoing.TURN)
    assert await publish_once(db, line, server="b") == 3
    heard = await other.heard()
    assert [one["data"]["number"] for one in heard] == [1, 2, 1, 2, 3]
    assert [one["data"]["number"] for one in {one["id"]: one for one in heard}.values()] == [1, 2, 3]
