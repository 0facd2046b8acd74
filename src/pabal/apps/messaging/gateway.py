"""BotLine: the seam to a phone. What sending needs of a live connection to a bot, and nothing else."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol


class Receipt(Protocol):
    """What becomes of a part that is out of our hands."""

    async def wait(self, seconds: float | None) -> bool:
        """True: the phone has handled it. False: so many seconds are over. None waits for whatever comes.

        Raises BotGone when the connection ended first, NoReceipt when the phone did not answer in its time.
        """


class BotLine(Protocol):
    """Each call returns once the kernel has every byte, or raises BotGone, which says whether a byte may have left.

    One that is cancelled after its first byte goes on by itself, or the line is closed: no packet stays half written.
    """

    @property
    def epoch(self) -> int | None:
        """That of the route it took; a newer connection has a newer one."""

    def turn(self) -> AbstractAsyncContextManager[None]:
        """One part at a time, whoever sends: entered once everything before was handled, or its line is over."""

    async def send_text(self, room_name: str, channel_id: str, text: str) -> Receipt: ...

    async def send_images(
        self, channel_id: str, room_name: str, pictures: Sequence[bytes], extension: str, media_wait: int
    ) -> Receipt:
        """All pictures in one packet. `media_wait` in ms; 0: as the phone's own setting says."""
