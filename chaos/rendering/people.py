"""Those who ask for renders, and change their minds: the dashboard of a run."""

import asyncio
import random

from chaos.history import History
from chaos.rendering.ground import COMPOSITION
from chaos.rendering.server import KEY
from chaos.worker import AWAY
from pabal.apps.rendering.actions import renders
from pabal.apps.rendering.actions.requesting import RenderRequest, request
from pabal.apps.rendering.errors import NothingToCancel
from pabal.base.database import Database
from pabal.engine.queue import Priority
from pabal.platform.actor import ENGINE
from pabal.platform.secrets import Vault

# Seconds between two requests: a little more than the slots can do.
PAUSES = (0.1, 0.6)
CANCELLED_SHARE = 0.2
CANCEL_AFTER = (0.0, 5.0)


class People:
    def __init__(self, database: Database, history: History, seed: int) -> None:
        self._database, self._history = database, history
        self._chance = random.Random(f"people {seed}")
        self._vault = Vault(KEY)
        self._cancelling: set[asyncio.Task[None]] = set()

    async def ask(self, most: int) -> None:
        """Until it is cancelled, or they have asked that often: faults take longer on a slow machine, and what is asked
        for meanwhile could not be rendered before the run gives up."""
        for number in range(1, most + 1):
            await asyncio.sleep(self._chance.uniform(*PAUSES))
            urgency = self._chance.choice((Priority.NORMAL, Priority.NORMAL, Priority.HIGH, Priority.LOW))
            changes_mind = self._chance.random() < CANCELLED_SHARE
            wait = self._chance.uniform(*CANCEL_AFTER)
            asked = await self._request(number, urgency)
            if asked is not None and changes_mind:
                self._cancelling.add(asyncio.create_task(self._cancel(asked, wait)))

    async def end(self) -> None:
        await asyncio.gather(*self._cancelling)

    async def _request(self, number: int, urgency: Priority) -> int | None:
        """None: the database was away. It may have been taken all the same."""
        wanted = RenderRequest(COMPOSITION, {"single_fields": {"pot": str(number)}}, priority=urgency, again=True)
        try:
            async with self._database.transaction() as tx:
                made = (await request(tx, ENGINE, self._vault, wanted, unit_id=1)).render.id
        except AWAY:
            return None
        self._history.write("asked", render=made)
        return made

    async def _cancel(self, render_id: int, wait: float) -> None:
        await asyncio.sleep(wait)
        try:
            async with self._database.transaction() as tx:
                await renders.cancel(tx, ENGINE, render_id)
        except (NothingToCancel, *AWAY):
            return
        self._history.write("cancelled", render=render_id)
