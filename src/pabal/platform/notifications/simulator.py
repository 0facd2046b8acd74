"""A stand-in for Telegram's Bot API on a real socket: for people without a bot, for the demo and for tests.

`python -m pabal.platform.notifications.simulator 8443` serves getMe, sendMessage and sendDocument for any bot token.
GET /sent shows what arrived; POST /trouble makes a chat misbehave. See docs/platform/notifications.md.
"""

import asyncio
import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

import uvicorn

from pabal.platform.notifications.bot_api import BotApi


class Simulator:
    """`async with Simulator() as simulator:` serves on `simulator.url`; what arrived is in `simulator.api`."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self.api = BotApi()
        self._socket = socket.create_server((host, port))
        self._server = _Server(self.api)
        self._task: asyncio.Task[None] | None = None
        self.url = f"http://{host}:{self._socket.getsockname()[1]}"

    async def __aenter__(self) -> "Simulator":
        self._task = asyncio.create_task(self._server.serve(sockets=[self._socket]), name="telegram simulator")
        await self._server.is_up.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.asked.set()
        if self._task is not None:
            await self._task
        self._socket.close()

    async def run_until_stopped(self) -> None:
        if self._task is not None:
            await self._task


class _Server(uvicorn.Server):
    """Without an access log, whose lines would hold the tokens. Signals are the process's business."""

    def __init__(self, api: BotApi) -> None:
        app = cast("Any", api)
        super().__init__(
            uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=1)
        )
        self.is_up = asyncio.Event()
        self.asked = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()

    async def main_loop(self) -> None:
        """Until it is asked to end; uvicorn's own loop looks ten times a second."""
        await self.on_tick(0)
        await self.asked.wait()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


async def _main(port: int) -> None:
    async with Simulator(port=port) as simulator:
        sys.stdout.write(
            f"Telegram simulator: PABAL_TELEGRAM_URL={simulator.url}, what arrived: {simulator.url}/sent\n"
        )
        sys.stdout.flush()
        await simulator.run_until_stopped()


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]) if len(sys.argv) > 1 else 8443))
