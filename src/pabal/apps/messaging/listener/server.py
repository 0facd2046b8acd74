"""The TCP server for bots: accepts, pings, refuses under load, and stops without leaving anybody untold."""

import asyncio
import errno
import os
import resource
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pabal.apps.messaging.errors import BotPortTaken
from pabal.apps.messaging.listener.connection import Connection
from pabal.apps.messaging.listener.lines import Lines
from pabal.apps.messaging.listener.protocol import Keeper
from pabal.apps.messaging.listener.refusals import CROWDED, STOPPING, Refusal
from pabal.apps.messaging.listener.strangers import Strangers
from pabal.apps.messaging.listener.switchboard import ClientStatusManager, Switchboard
from pabal.base.clock import elapsed
from pabal.engine.loop import Loop

PORT = 1490
PORTS = 100
SWEEP_SECONDS = 1.0
PATIENCE = 5.0
BACKLOG = 1024  # all bots come at once when another server stops


@dataclass(frozen=True, slots=True)
class Load:
    active_bots: int
    total_connections: int
    memory_mb: float
    cpu_percent: float


@dataclass(frozen=True, slots=True)
class Limits:
    active_bots: int = 100
    memory_mb: float = 1024
    cpu_percent: float = 80
    strangers: int = 400
    strangers_of_address: int = 200
    ping_timeout: float = 60.0


class BotServer:
    """`host` and `port` to listen on; port 0 is any free one. `limits` are read anew at each use."""

    def __init__(
        self,
        keeper: Keeper,
        *,
        host: str,
        port: int = PORT,
        limits: Callable[[], Limits] = Limits,
        now: Callable[[], float] = elapsed,
    ) -> None:
        self._host, self._asked_port, self._limits, self._now = host, port, limits, now
        self.clients = ClientStatusManager(now, timeout=lambda: limits().ping_timeout)
        self._board = Switchboard(keeper, self.clients, self, now=now)
        self._cpu = CpuMeter()
        self._is_refusing = False
        self._roomy_until = -CPU_SECONDS
        self.refused = 0
        self._listener: asyncio.Server | None = None
        self.loop = Loop("bots", self.sweep, idle=SWEEP_SECONDS)

    async def start(self) -> None:
        """On its port, or on the next free one: servers of one machine are told apart by port, 1490, 1491 and so on."""
        last = self._asked_port and min(self._asked_port + PORTS, 65536) - 1
        for port in range(self._asked_port, last + 1):
            if await self._listen(port, is_last=port == last):
                break
        self._cpu.sample(self._now())
        self.loop.start()

    @property
    def host(self) -> str:
        return self._host

    @property
    def port(self) -> int:
        if self._listener is None or not self._listener.sockets:
            return self._asked_port
        return int(self._listener.sockets[0].getsockname()[1])

    @property
    def connections(self) -> list[Connection]:
        """All of them, also those that have not said who they are."""
        return list(self._board.connections)

    def find(self, bot_name: str) -> Connection | None:
        """The connection that holds the bot's route here."""
        return self._board.find(bot_name)

    @property
    def strangers(self) -> Strangers:
        """Those that nobody has approved."""
        return self._board.strangers

    def load(self) -> Load:
        return Load(
            active_bots=len({each.bot_name for each in self._board.connections if each.is_trusted and each.is_active}),
            total_connections=len(self._board.connections),
            memory_mb=memory_mb(),
            cpu_percent=self._cpu.percent(),
        )

    def refuse_new(self) -> None:
        """Those connected stay, and finish what they send."""
        self._is_refusing = True

    async def close(self) -> None:
        self.refuse_new()
        if self._listener is not None:
            self._listener.close()
        await self.loop.stop()
        for connection in self.connections:
            connection.tell_and_close(STOPPING)
        leaving = [asyncio.ensure_future(connection.finish()) for connection in self.connections]
        if leaving:
            await asyncio.wait(leaving, timeout=PATIENCE)
        for connection in self.connections:
            connection.cut()
        await asyncio.gather(*leaving)
        self._board.connections.clear()

    async def sweep(self) -> int:
        """One look at everybody. Nothing in it waits, so it is the same for one bot and for a thousand."""
        now = self._now()
        self._cpu.sample(now)
        for connection in self.connections:
            connection.look(now)
        self._board.sweep()
        return 0

    def let_in(self, connection: Connection) -> None:
        """Whoever it is: if that is one too many that nobody approved, the oldest of them goes."""
        if self._is_refusing:
            self._turn_away(connection, STOPPING)
            return
        limits = self._limits()
        excess = self.strangers.find_excess(
            connection.source, in_all=limits.strangers, of_source=limits.strangers_of_address
        )
        if excess is not None:
            self._turn_away(excess, CROWDED)

    def refuse(self, connection: Connection, *, is_approved: bool, name: str) -> Refusal | None:
        """An approved phone is the last to be refused: those that nobody approved go first."""
        if self._is_refusing:
            self.refused += 1
            return STOPPING
        is_here = any(each.is_trusted and each.is_active and each.bot_name == name for each in self._board.connections)
        found = refusal(self.load(), self._limits(), is_new_bot=is_approved and not is_here)
        if found is not None and found.reason != "bots" and is_approved and self._make_room(connection):
            return None
        self.refused += found is not None
        return found

    async def _listen(self, port: int, *, is_last: bool) -> bool:
        running = asyncio.get_running_loop()
        try:
            self._listener = await running.create_server(self._accept, self._host, port, backlog=BACKLOG)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and not is_last:
                return False
            if error.errno not in (errno.EADDRINUSE, errno.EACCES, errno.EADDRNOTAVAIL):
                raise
            raise BotPortTaken(f"{self._host}:{self._asked_port}: {error.strerror}") from error
        return True

    def _accept(self) -> Lines:
        return Connection(self._board).lines

    def _make_room(self, newcomer: Connection) -> bool:
        """What strangers took is given back by and by: while it is, nobody approved pays for it."""
        strangers = [each for each in self.strangers.list_all() if each is not newcomer and not each.is_expected]
        for each in strangers:
            self._turn_away(each, CROWDED)
        if strangers:
            self._roomy_until = self._now() + CPU_SECONDS
        return self._now() < self._roomy_until

    def _turn_away(self, connection: Connection, why: Refusal) -> None:
        """With a word, unless so many are being told that the telling itself takes room."""
        self.refused += 1
        connection.tell_and_close(why)
        if len(self._board.connections) > 2 * (self._limits().active_bots + self._limits().strangers):
            connection.lines.abort()


CPU_SECONDS = 30.0

_STATM = Path("/proc/self/statm")
_MEGABYTE = 1024 * 1024


class CpuMeter:
    """Of this process, over the last 30 s: 100 is one core. A younger process is counted as if it had idled before."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float]] = deque()

    def sample(self, now: float, used: float | None = None) -> None:
        self._samples.append((now, time.process_time() if used is None else used))
        while len(self._samples) > 2 and self._samples[1][0] <= now - CPU_SECONDS:
            self._samples.popleft()

    def percent(self) -> float:
        if not self._samples:
            return 0.0
        (began, before), (now, after) = self._samples[0], self._samples[-1]
        return 100 * (after - before) / max(now - began, CPU_SECONDS)


def memory_mb() -> float:
    try:
        resident = int(_STATM.read_text(encoding="ascii").split()[1])
    except OSError:
        # No /proc: the most it ever had, in kB, is the nearest thing.
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return resident * os.sysconf("SC_PAGE_SIZE") / _MEGABYTE


def refusal(load: Load, limits: Limits, *, is_new_bot: bool = True) -> Refusal | None:
    """`is_new_bot` False: nobody approved it yet, or it is here already and only replaces itself."""
    if is_new_bot and load.active_bots > limits.active_bots:
        return _too_much("bots", f"{load.active_bots}", f"{limits.active_bots}")
    if load.memory_mb > limits.memory_mb:
        return _too_much("memory", f"{load.memory_mb:.0f} MB", f"{limits.memory_mb:.0f} MB")
    if load.cpu_percent > limits.cpu_percent:
        return _too_much("cpu", f"{load.cpu_percent:.0f} %", f"{limits.cpu_percent:.0f} %")
    return None


def _too_much(what: str, has: str, most: str) -> Refusal:
    return Refusal(
        what,
        (
            f"This server is full ({what} {has}, limit {most}); try another server or later.",
            f"서버가 가득 찼습니다({what} {has}, 한도 {most}). 다른 서버에 연결하거나 나중에 다시 시도하세요.",
        ),
    )
