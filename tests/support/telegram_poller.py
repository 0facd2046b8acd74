"""A server's poller to be killed by tests: python -m tests.support.telegram_poller DATABASE_URL TELEGRAM_URL FOLDER."""

import asyncio
import sys
from datetime import timedelta
from functools import partial
from pathlib import Path

from pabal.apps.adgroups.approvals import APPROVABLES
from pabal.base.database import Database
from pabal.engine import workers
from pabal.engine.kinds import Kinds
from pabal.engine.life import Life
from pabal.platform.approvals import Approvables, cards
from pabal.platform.notifications import Telegram
from pabal.platform.notifications.polling import Hear, Poller, hear_nothing
from tests.support.telegram import VAULT

KNOWN = {one.kind.name: one for one in APPROVABLES}


async def make_poller(
    db: Database,
    telegram: Telegram,
    folder: Path,
    *,
    wait: int = 0,
    approvables: Approvables = KNOWN,
    hear: Hear = hear_nothing,
) -> Poller:
    life = Life(db, Kinds(), locks=folder, meta={})
    async with db.transaction() as tx:
        life.worker = await workers.insert_worker(tx, host="tests", meta={}, ttl=timedelta(hours=9))
    press = partial(cards.press, approvables=approvables)
    return Poller(db, telegram, VAULT, life, press=press, hear=hear, wait=wait)


async def main(database_url: str, telegram_url: str, folder: str) -> None:
    database, telegram = await Database.open(database_url, size=2), Telegram(telegram_url)
    poller = await make_poller(database, telegram, Path(folder))
    await poller.poll_once()
    await telegram.close()
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
