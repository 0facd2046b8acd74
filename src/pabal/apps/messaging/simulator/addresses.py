"""HOST:PORT and NAME=CHANNEL_ID, as people write them."""

from collections.abc import Iterable

from pabal.apps.messaging.errors import BadBotServer, BadSimulatedRoom
from pabal.apps.messaging.simulator.options import Room, Server


def read_servers(texts: Iterable[str]) -> list[Server]:
    """Each may also hold several, with commas between."""
    return [_read_server(one) for text in texts for one in text.split(",")]


def read_room(text: str) -> Room:
    name, _, channel_id = text.rpartition("=")
    if not name or not channel_id:
        raise BadSimulatedRoom(text[:100])
    return Room(name, channel_id)


def _read_server(text: str) -> Server:
    host, _, port = text.strip().rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or not 0 < int(port[:6]) < 65536:
        raise BadBotServer(text[:100])
    return host.strip("[]"), int(port)
