"""Events in, against a real server: one effect each, whatever comes, however often, whoever dies."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from pabal.base.database import ConnectionFailure, Database, Tx
from pabal.base.errors import Unavailable
from pabal.platform.actor import Actor
from pabal.platform.broker import Event, EventNotApplied
from pabal.platform.broker.incoming import Intake
from pabal.platform.broker.line import Line, open_line
from pabal.platform.broker.model import MOST_BYTES
from tests.platform.broker.other_side import HANDLERS, IMPATIENT, WISH, OtherSide, an_event, kept, pour, poured
from tests.support.servers import until

Take = Callable[..., Awaitable[int]]


@pytest.fixture
def take(db: Database, line: Line) -> Take:
    async def all_there_is() -> int:
        count = 0
        while await Intake(db, line, HANDLERS).take_once(WISH, wait=0.001):
            count += 1
        return count

    return all_there_is


@pytest.mark.req("E-11", "E-12", "E-102")
async def test_an_event_has_one_effect_however_often_it_comes(db: Database, other: OtherSide, take: Take):
    await other.say(an_event(1))  # before anybody listened
    await take()
    for again in (an_event(1), an_event(2, name="TEST.Pour"), an_event(1, data={"other": "words"})):
        await other.say(again)

    assert await take() == 3
    assert await poured(db) == ["evt-1", "evt-2"]
    assert [(one.id, one.result, one.duplicates, one.data) for one in await kept(db)] == [
        ("evt-2", "applied", 0, {"number": 2}),
        ("evt-1", "applied", 2, {"number": 1}),
    ]
    assert [one.id for one in await kept(db, result="duplicate")] == ["evt-1"]
    assert await other.pending() == 0


async def test_what_cannot_be_an_event_is_refused_kept_and_never_comes_again(
    db: Database, other: OtherSide, take: Take
):
    await other.say("pause it, please", field="data")
    await other.say(b"\0\xff", field="anything")
    await other.say("")
    await other.say("x" * (MOST_BYTES + 1))
    await other.say({"id": "no-name"})
    await other.say(an_event(3, name="test.spill"))
    await other.say(an_event(4))

    assert await take() == 7
    found = await kept(db, result="refused")
    assert [one.code for one in found] == ["event_unknown"] + 5 * ["event_unreadable"]
    assert [one.id for one in found][:2] == ["evt-3", "no-name"]
    assert all(one.id.startswith("unreadable:pabal.events:") and one.raw is not None for one in found[2:])
    assert (await poured(db), await other.pending(), await take()) == (["evt-4"], 0, 0)


async def test_what_the_handler_refuses_is_kept_with_code_and_report_and_changes_nothing(
    db: Database, line: Line, other: OtherSide
):
    async def refuse(tx: Tx, actor: Actor, event: Event) -> None:
        await pour(tx, actor, event)
        raise EventNotApplied("the cup is full", why="cup_full", report={"level": 1.0})

    await other.say(an_event(1))
    await Intake(db, line, {"test.pour": refuse}).take_once(WISH)

    [one] = await kept(db)
    assert (one.result, one.code, one.report) == ("refused", "cup_full", {"level": 1.0})
    assert "the cup is full" in str(one.reason)
    assert (await poured(db), await other.pending()) == ([], 0)


@pytest.mark.parametrize("error", [RuntimeError("the kettle \0 is gone"), Unavailable("cold")])
async def test_what_nobody_foresaw_is_tried_three_times_then_kept_as_failed(
    db: Database, line: Line, other: OtherSide, error: Exception
):
    async def fail(tx: Tx, actor: Actor, event: Event) -> None:
        await pour(tx, actor, event)
        raise error

    await other.say(an_event(1))
    seen = []
    for _ in range(3):
        await until(lambda: Intake(db, line, {"test.pour": fail}).take_once(IMPATIENT, wait=0.001))
        seen.append(((await kept(db))[0].result, (await kept(db))[0].tries, await other.pending()))

    assert seen == [("retrying", 1, 1), ("retrying", 2, 1), ("failed", 3, 0)]
    assert await poured(db) == []


async def test_one_that_failed_before_is_applied_when_it_comes_again(db: Database, line: Line, other: OtherSide):
    async def fail(tx: Tx, actor: Actor, event: Event) -> None:
        raise RuntimeError("not now")

    await other.say(an_event(1))
    await Intake(db, line, {"test.pour": fail}).take_once(IMPATIENT)
    await until(lambda: Intake(db, line, HANDLERS).take_once(IMPATIENT, wait=0.001))

    [one] = await kept(db)
    assert (one.result, one.code, one.reason, await poured(db)) == ("applied", None, None, ["evt-1"])


async def test_a_lost_database_is_not_the_events_fault_and_none_overtakes_it(
    db: Database, line: Line, other: OtherSide
):
    times = iter([ConnectionResetError, ConnectionResetError])

    async def lose(tx: Tx, actor: Actor, event: Event) -> None:
        error = next(times, None)
        if error is not None:
            raise error
        await pour(tx, actor, event)

    await other.say(an_event(1))
    await other.say(an_event(2))
    intake = Intake(db, line, {"test.pour": lose})
    for _ in range(2):
        with pytest.raises(ConnectionFailure):
            await intake.take_once(WISH)
    assert (await kept(db), await other.pending()) == ([], 1)

    assert [await intake.take_once(WISH) for _ in range(2)] == [1, 1]
    assert (await poured(db), await other.pending()) == (["evt-1", "evt-2"], 0)


async def test_two_servers_at_the_same_event_give_it_one_effect(db: Database, redis_url: str, other: OtherSide):
    for _ in range(6):
        await other.say(an_event(1))
    lines = [open_line(redis_url) for _ in range(3)]

    await asyncio.gather(*(Intake(db, line, HANDLERS).take_once(WISH) for line in lines for _ in range(2)))

    assert (await poured(db), (await kept(db))[0].duplicates, await other.pending()) == (["evt-1"], 5, 0)
    for line in lines:
        await line.close()
