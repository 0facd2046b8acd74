"""The demo's phones: two simulated bots that connect to this very server. The third stays away."""

from contextlib import AbstractAsyncContextManager

from pabal.apps.messaging.demo.cast import AWAY, BOTS, ROOMS
from pabal.apps.messaging.simulator.bot import SimulatedBot
from pabal.apps.messaging.simulator.options import Options, Room
from pabal.platform.services import Services


def phones(services: Services) -> list[AbstractAsyncContextManager[object]]:
    return [_Phone(services, name) for name in BOTS if name != AWAY]


class _Phone:
    """Begins when it is entered: only then is it known where this server listens for bots."""

    def __init__(self, services: Services, name: str) -> None:
        self._services = services
        self._name = name
        self._bot: SimulatedBot | None = None

    async def __aenter__(self) -> "SimulatedBot | None":
        door = self._services.connections.doors.get("bots")
        if door is not None:
            rooms = tuple(Room(place.name, place.channel_id) for place in ROOMS if place.bot == self._name)
            self._bot = SimulatedBot(self._name, [door], Options(rooms=rooms))
            self._bot.start()
        return self._bot

    async def __aexit__(self, *_: object) -> None:
        if self._bot is not None:
            await self._bot.stop()
