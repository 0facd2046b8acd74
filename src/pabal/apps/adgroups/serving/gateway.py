"""The way to the ad servers' Redis, and the part of a server that says whether it has the address."""

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from pabal.apps.adgroups.errors import BadServingAddress, ServingAway, ServingNeedsExtra
from pabal.apps.adgroups.serving import actions, store
from pabal.engine.life import Life
from pabal.engine.loop import Loop
from pabal.platform.services import Services

if TYPE_CHECKING:
    from pabal.apps.adgroups.serving.links import Link

LOOK_SECONDS = 10.0
SCHEMES = ("redis://", "rediss://", "unix://")


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
            await actions.announce(tx, is_wanted=bool(self._url))

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
                await actions.enqueue_rebuild(tx, by="engine")
        return 0

    def refuse_new(self) -> None:
        """It takes nothing in."""

    async def close(self) -> None:
        """It holds nothing open."""


def open_link(url: str) -> AbstractAsyncContextManager["Link"]:
    """Connects when it is used. Raises ServingNeedsExtra or BadServingAddress."""
    if not url.startswith(SCHEMES):
        raise BadServingAddress(url.partition("://")[0][:20])
    try:
        from pabal.apps.adgroups.serving.links import open_redis  # noqa: PLC0415 -- an extra that may be absent
    except ModuleNotFoundError as error:
        raise ServingNeedsExtra(str(error)) from error
    return open_redis(url)
