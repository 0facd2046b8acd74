"""A server that runs work says whether it has the address of the ad servers' Redis."""

from pabal.apps.adgroups.serving import plan
from pabal.apps.adgroups.serving.opening import open_link
from pabal.engine.life import Life
from pabal.engine.loop import Loop
from pabal.platform.services import Services


def make_gateways(services: Services, life: Life) -> "list[ServingGateway]":
    return [ServingGateway(services)]


class ServingGateway:
    """Facts are collected for jobs only while somebody could run them. Each job connects by itself."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.loops: list[Loop] = []

    async def start(self) -> None:
        url = self._services.settings.serving_url
        if url:
            open_link(url)  # what is not installed is said now, not by each job
        async with self._services.database.transaction() as tx:
            await plan.announce(tx, is_wanted=bool(url))

    def refuse_new(self) -> None:
        """It takes nothing in."""

    async def close(self) -> None:
        """It holds nothing open."""
