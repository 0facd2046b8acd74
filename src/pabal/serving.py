"""Serving: a socket that listens, and uvicorn on it."""

import asyncio
import socket
from contextlib import suppress

from fastapi import FastAPI

from pabal.base.errors import Unavailable
from pabal.platform.web.asked import AskedServer
from pabal.platform.web.live import close_streams
from pabal.platform.web.proxies import trusts
from pabal.protocol import ConnectionLimits, LimitedConfig, LimitedProtocol, OpenConnections

TRIES = 100
STOP_SECONDS = 5
TICK_SECONDS = 1


class NoPort(Unavailable, code="no_port"):
    """No port to listen on could be had. Choose another with PABAL_PORT or --port."""


def listen(host: str, port: int) -> socket.socket:
    """On this port, or on the next free one; port 0 means any."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    last = port if port == 0 else min(port + TRIES, 65535)
    for number in range(port, last + 1):
        # named as TCP: asyncio otherwise leaves Nagle on, and each answer on a kept connection waits 40 ms
        found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host, number))
            # Two may bind one port; only one may listen.
            found.listen(2048)
        except OSError as error:
            found.close()
            reason = error
            continue
        found.setblocking(False)
        return found
    raise NoPort(f"{host} {port} to {last}: {reason}")


class WebServer(AskedServer):
    """The web server on a socket that listens already."""

    def __init__(
        self,
        app: FastAPI,
        listening: socket.socket,
        *,
        trusted_proxies: str = "",
        limits: ConnectionLimits | None = None,
    ) -> None:
        limits = limits or ConnectionLimits()
        config = LimitedConfig(
            app,
            http=LimitedProtocol,
            ws="none",
            timeout_keep_alive=limits.idle,
            # platform/web/proxies.py reads them
            proxy_headers=False,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
        config.open_connections = OpenConnections(limits, trusts(trusted_proxies))
        super().__init__(config)
        self._app = app
        self._socket = listening
        self._settled = asyncio.Event()
        self._ended = asyncio.Event()
        host, port = listening.getsockname()[:2]
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{port}"

    async def run_until_stopped(self) -> None:
        try:
            await self.serve(sockets=[self._socket])
        finally:
            self._settled.set()
            self._ended.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._settled.set()

    async def main_loop(self) -> None:
        """A tick renews the Date of answers."""
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                async with asyncio.timeout(TICK_SECONDS):
                    await self.asked.wait()

    async def wait_until_started(self) -> None:
        """Or until it failed to."""
        await self._settled.wait()

    async def stop(self) -> None:
        # open streams first: uvicorn waits for connections, and those would not end by themselves
        close_streams(self._app)
        self.should_exit = True
        self.asked.set()
        if self.started:
            await self._ended.wait()
        self._socket.close()
