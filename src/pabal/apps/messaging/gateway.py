"""BotLine: the seam to a phone. What sending needs of a live connection to a bot, and nothing else."""

from collections.abc import Sequence
from typing import Protocol


class BotLine(Protocol):
    """Each call returns once the kernel has every byte, or raises BotGone, which says whether a byte may have left.

    One that is cancelled after its first byte goes on by itself, or the line is closed: no packet stays half written.
    """

    @property
    def epoch(self) -> int | None:
        """That of the route it took; a newer connection has a newer one."""

    async def send_text(self, room_name: str, channel_id: str, text: str) -> None: ...

    async def send_images(
        self, channel_id: str, room_name: str, pictures: Sequence[bytes], extension: str, media_wait: int
    ) -> None:
        """All pictures in one packet. `media_wait` in ms; 0: as the phone's own setting says."""
