"""The demo's phones: two simulated bots that connect to this very server, and one that nobody has let in yet."""

from contextlib import AbstractAsyncContextManager

from pabal.apps.messaging.demo.cast import AWAY, BOTS, ROOMS, STRANGER, UNCLAIMED
from pabal.apps.messaging.simulator.bot import SimulatedBot
from pabal.apps.messaging.simulator.options import Options, Room
from pabal.platform.services import Services


def make_phones(services: Services) -> list[AbstractAsyncContextManager[object]]:
    return [_Phone(services, name) for name in (*BOTS, STRANGER) if name != AWAY]


class _Phone:
    """Begins when it is entered: only then is it known where this server listens for bots."""

    def __init__(self, services: Services, name: str) -> None:
        self._services = services
        self._name = name
        self._bot: SimulatedBot | None = None

    async def __aenter__(self) -> "SimulatedBot | None":
        door = self._services.connections.doors.get("bots")
        if door is not None:
            rooms = tuple(
                Room(place.name, place.channel_id) for place in (*ROOMS, UNCLAIMED) if place.bot == self._name
            )
            self._bot = SimulatedBot(self._name, [door], Options(rooms=rooms))
            self._bot.start()
        return self._bot

    async def __aexit__(self, *_: object) -> None:
        if self._bot is not None:
            await self._bot.stop()
