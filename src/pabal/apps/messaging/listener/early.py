"""What a phone says before it says who it is: after an outage it sends first what it heard meanwhile."""

import sys

from pabal.apps.messaging.listener.strangers import KEPT_OF_ONE, Strangers


class Early:
    """Lines as they came, in order, until the handshake. What is beyond the bounds is dropped; the phone is not."""

    __slots__ = ("_bytes", "_lines", "_source", "_strangers")

    def __init__(self, strangers: Strangers, source: str) -> None:
        self._strangers, self._source = strangers, source
        self._lines: list[bytes] = []
        self._bytes = 0

    def keep(self, line: bytes) -> bool:
        """False when it was dropped."""
        size = sys.getsizeof(line)
        if self._bytes + size > KEPT_OF_ONE or not self._strangers.keep(self._source, size):
            return False
        self._lines.append(line)
        self._bytes += size
        return True

    def take(self) -> list[bytes]:
        """And gives the room back."""
        self._strangers.give_back(self._source, self._bytes)
        lines, self._lines, self._bytes = self._lines, [], 0
        return lines
