"""Events that come in by the broker and are no app's own: they go into the log, for whoever subscribes."""

import pytest

from pabal.base.database import Database
from pabal.platform import events
from pabal.platform.broker.incoming import Intake
from pabal.platform.broker.line import Line
from tests.platform.broker.other_side import HANDLERS, IMPATIENT, WISH, OtherSide, an_event, kept, poured
from tests.platform.events.conftest import tree
from tests.platform.events.shop import begin, consumer, drain, logged, taken
from tests.support.people import Tree
from tests.support.servers import until

__all__ = ["tree"]


@pytest.mark.req("D-30", "D-39", "D-82", "D-89")
async def test_what_a_stream_of_redis_tells_reaches_consumers_once(
    db: Database, line: Line, other: OtherSide, tree: Tree
):
    one = consumer()
    await begin(db, one)
    intake = Intake(db, line, HANDLERS, [one])
    paid, again = an_event(1, "orders.paid"), an_event(1, "orders.paid")
    for said in (paid, again, an_event(2), an_event(3, "orders paid"), an_event(4, "nobodys.word")):
        await other.say(said)
        await until(lambda: intake.take_once(WISH, wait=0.001))
    await drain(db, one)

    assert (await taken(db), await logged(db), await poured(db)) == (["evt-1"], ["evt-1"], ["evt-2"])
    ends = {event.id: (event.result, event.code, event.duplicates) for event in await kept(db)}
    assert ends == {
        "evt-1": ("applied", None, 1),
        "evt-2": ("applied", None, 0),
        "evt-3": ("refused", "event_unknown", 0),
        "evt-4": ("refused", "event_unknown", 0),
    }
    async with db.transaction() as tx:
        [event] = (await events.list_events(tx, events.Wanted())).items
    assert (event.unit_id, event.source, event.key) == (tree.hq.id, "broker", "cup:1")


@pytest.mark.req("D-82")
async def test_an_event_whose_server_died_before_the_acknowledgement_is_published_once(
    db: Database, line: Line, other: OtherSide, tree: Tree
):
    one = consumer()
    await begin(db, one)
    await other.say(an_event(1, "orders.paid"))
    message = await line.take(WISH, wait=1)
    assert message is not None
    first = Intake(db, line, HANDLERS, [one])
    first._held = message

    async def die() -> None:
        raise ConnectionError

    object.__setattr__(message, "ack", die)
    with pytest.raises(ConnectionError):
        await first.take_once(WISH, wait=0.001)
    second = Intake(db, line, HANDLERS, [one])
    await until(lambda: second.take_once(IMPATIENT, wait=0.001))
    await drain(db, one)

    assert (await taken(db), await other.pending()) == (["evt-1"], 0)
