"""A server that runs work says whether it has the address of the ad servers' Redis."""

from pabal.apps.adgroups.errors import ServingAway
from pabal.apps.adgroups.serving import plan, store
from pabal.apps.adgroups.serving.opening import open_link
from pabal.engine.life import Life
from pabal.engine.loop import Loop
from pabal.platform.services import Services

LOOK_SECONDS = 10.0


def make_gateways(services: Services, life: Life) -> "list[ServingGateway]":
    return [ServingGateway(services)]


class ServingGateway:
    """Facts are collected for jobs only while somebody could run them. Each job connects by itself."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._url = services.settings.serving_url
        self.loops = [Loop("serving", self.look_once, idle=LOOK_SECONDS)] if self._url else []

    async def start(self) -> None:
        if self._url:
            open_link(self._url)  # what is not installed is said now, not by each job
        async with self._services.database.transaction() as tx:
            await plan.announce(tx, is_wanted=bool(self._url))

    async def look_once(self) -> int:
        """A Redis that lost everything is filled at once: the next check may be minutes away."""
        try:
            async with open_link(self._url) as link:
                if await link.is_written():
                    return 0
        except ServingAway:
            # whoever has something to write says so
            return 0
        async with self._services.database.transaction() as tx:
            if (await store.find_rebuilt(tx)) is not None:
                await plan.enqueue_rebuild(tx, by="engine")
        return 0

    def refuse_new(self) -> None:
        """It takes nothing in."""

    async def close(self) -> None:
        """It holds nothing open."""
