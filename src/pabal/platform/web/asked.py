"""uvicorn as it is here: it begins and ends when it is asked to, and signals are the process's business."""

import asyncio
import socket
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import uvicorn

LOOK_SECONDS = 0.002


class AskedServer(uvicorn.Server):
    """`is_up` is set when it serves; set `asked` and it ends, after `timeout_graceful_shutdown` at the latest."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = asyncio.Event()
        self.asked = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()

    async def main_loop(self) -> None:
        """uvicorn's own looks ten times a second whether it should end."""
        await self.on_tick(0)
        await self.asked.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """uvicorn's own rests a tenth of a second before each look at whether anybody still waits for an answer."""
        for server in self.servers:
            server.close()
        for one in sockets or []:
            one.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        try:
            async with asyncio.timeout(self.config.timeout_graceful_shutdown):
                while self._is_needed():  # noqa: ASYNC110  # uvicorn tells nobody when they end
                    await asyncio.sleep(LOOK_SECONDS)
        except TimeoutError:
            for task in self.server_state.tasks:
                task.cancel()

    def _is_needed(self) -> bool:
        return not self.force_exit and bool(self.server_state.connections or self.server_state.tasks)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def quiet(app: Any, **options: Any) -> uvicorn.Config:
    """Without an access log, whose lines may hold tokens."""
    return uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", **options)
