"""The kinds of messaging, as a server is given them."""

from pathlib import Path

import pytest

from pabal.apps.messaging.slice import make_kinds
from pabal.base.database import Database
from pabal.engine import routes
from pabal.engine.exchange import Capacity, Exchange
from tests.support.botline import Desk, make_services, send_now
from tests.support.messaging import add_bot, add_room, add_schedule, make_world

BOTS = 12


@pytest.mark.req("A-121")
async def test_one_claim_takes_at_most_ten_sends_and_the_next_goes_on(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    desk = await Desk.open(world)
    for number in range(BOTS):
        name = f"bot{number}"
        bot_id, _ = await add_bot(db, world.tree.haeundae, name)
        room_id = await add_room(db, world.tree.haeundae, name, name, bots=[bot_id])
        await send_now(db, await add_schedule(world, bot_id=bot_id, room_id=room_id, bot_name=name))
        async with db.transaction() as tx:
            await routes.hold_route(tx, f"bot:{name}", worker=desk.worker)
    exchange = Exchange(db, make_kinds(make_services(db, world.files)))
    room = Capacity(0, 0, lambda _kind: False, routed=100)

    taken = [len((await exchange.run(desk.worker, [], room))[1]) for _ in range(2)]

    assert taken == [10, 2]
