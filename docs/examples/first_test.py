from datetime import timedelta

from pabal.base import clock
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.engine.schema import MIGRATIONS
from pabal.platform.slice import Slice
from pabal.testing import Parts, advance, assert_enqueued


async def three_mornings_three_notices(url: str, morning: Slice) -> None:
    db = await Database.open(url)
    await migrate(db, MIGRATIONS)
    await clock.make_movable(db)
    async with db.transaction() as tx:
        await morning.on_start(tx)

    await advance(Parts(db, kinds=morning.kinds), timedelta(days=3))

    await assert_enqueued(db, "morning.notice", room="부산", count=3)
    await db.close()
