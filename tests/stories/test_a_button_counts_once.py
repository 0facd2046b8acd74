"""A server dies between taking a press from Telegram and its commit, or right after: it is decided exactly once."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from pabal.apps.adgroups.machine import AD_GROUP
from pabal.base.database import Database
from pabal.base.killpoints import EXIT_CODE
from pabal.engine import routes, transitions
from pabal.platform import auth
from pabal.platform.actor import ENGINE, Role
from pabal.platform.auth import NewUser
from pabal.platform.notifications import Telegram, linking
from pabal.platform.notifications.polling import route_of
from pabal.platform.notifications.simulator import Simulator
from pabal.platform.storage import Files
from pabal.testing import Parts
from tests.platform.approvals.asked import all_of, last, open_ready, shown
from tests.support.people import person, plant
from tests.support.telegram import BOT, VAULT, Office, make_kinds
from tests.support.telegram_poller import make_poller

KIM = 501


@pytest.mark.parametrize("point", ["telegram.heard", "telegram.applied", "telegram.committed"])
async def test_a_press_is_decided_once_wherever_its_server_dies(db: Database, tmp_path: Path, point: str):
    async with Simulator() as simulator:
        telegram = Telegram(simulator.url)
        files = Files(tmp_path / "files")
        office = Office(db, simulator.api, simulator.url, files, Parts(db, make_kinds(telegram, VAULT, files)))
        tree = await plant(db)
        await office.add_channel(tree.haeundae, chat="-1009")
        async with db.transaction() as tx:
            kim = await auth.add_user(tx, ENGINE, NewUser("kim", "kim", tree.haeundae.id, Role.ADMIN))
            code = (await linking.make_code(tx, kim.actor())).code
            await linking.use_code(tx, code, telegram_id=KIM, chat_id=str(KIM), bot_id=BOT)
        group = await open_ready(db, person(tree.haeundae, number=90))
        data = f"apr:{shown(await last(db))}:y"
        simulator.api.press(bot_id=BOT, from_id=KIM, chat_id=str(KIM), message_id=1, data=data)

        assert await _die(db.url, simulator.url, tmp_path, point) == EXIT_CODE
        decided_before = len(await all_of(db, "approved"))
        async with db.transaction() as tx:
            # its life is over: whoever finds that frees the bot
            left = await routes.find_route(tx, route_of(BOT))
            assert left is not None
            await routes.release_route(tx, left)
        second = await make_poller(db, telegram, tmp_path)
        await second.poll_once()
        await second.poll_once()
        await telegram.close()

        async with db.transaction() as tx:
            moves = [one.event for one in await transitions.history(tx, AD_GROUP, group)]
    assert decided_before == (1 if point == "telegram.committed" else 0)
    assert moves.count("approve") == 1
    assert [one.decided_by for one in await all_of(db, "approved")] == [f"user:{kim.id}"]
    assert simulator.api.updates[BOT] == []


async def _die(database_url: str, telegram_url: str, folder: Path, point: str) -> int:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.support.telegram_poller", database_url, telegram_url, str(folder)),
        env={**os.environ, "PABAL_KILL_POINT": point},
    )
    async with asyncio.timeout(30):
        return await process.wait()
