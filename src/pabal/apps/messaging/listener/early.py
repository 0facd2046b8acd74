"""What a phone says before it says who it is: after an outage it sends first what it heard meanwhile."""

from pabal.apps.messaging.listener.wire import Packet

MOST_MESSAGES = 2000
MOST_BYTES = 4 * 1024 * 1024


class Early:
    """Kept in order until the handshake, within bounds."""

    __slots__ = ("_bytes", "_packets")

    def __init__(self) -> None:
        self._packets: list[Packet] = []
        self._bytes = 0

    def keep(self, packet: Packet, size: int) -> bool:
        """False when it is too much; then nothing is kept any more."""
        self._packets.append(packet)
        self._bytes += size
        if len(self._packets) <= MOST_MESSAGES and self._bytes <= MOST_BYTES:
            return True
        self.take()
        return False

    def take(self) -> list[Packet]:
        packets, self._packets, self._bytes = self._packets, [], 0
        return packets
