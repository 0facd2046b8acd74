"""The processes of a run: two servers, and the phones."""

import os
import random
import signal
import socket
import subprocess
from pathlib import Path

from chaos.crew import Crew, Member
from chaos.history import History
from chaos.messaging.bots import CONNECTED
from chaos.serving import serving_mark
from chaos.starting import Process
from pabal.base.clock import elapsed

SERVERS = 2
# Below those the kernel gives out by itself: a phone that calls a dead server must not be given its port.
PORTS = range(20_000, 30_000)


class BotCrew(Crew):
    def __init__(self, folder: Path, url: str, seed: int, history: History, *, bots: int) -> None:
        super().__init__(folder, url, seed, history, ttl=10.0)
        self._ports = find_ports(SERVERS)
        self._count = bots
        self._phones: Process | None = None
        self._numbers: dict[int, int] = {}

    @property
    def is_connected(self) -> bool:
        """Every phone was; what happens to it afterwards is the run."""
        return (self._folder / CONNECTED).exists()

    def at_work(self) -> list[Member]:
        """A slow machine must not see servers die before they serve, again and again; every third may."""
        return [one for one in super().at_work() if self._is_serving(one) or self._numbers[one.process.pid] % 3 == 0]

    def start_phones(self) -> None:
        ports = [str(port) for port in self._ports]
        self._phones = self._run(
            "messaging.bots", "--ports", *ports, "--count", str(self._count), "--seed", str(self._seed)
        )

    def calm_phones(self) -> None:
        """They make no more trouble."""
        if self._phones is not None:
            self._phones.send_signal(signal.SIGUSR1)

    def stop_phones(self) -> int | None:
        """How they ended; a witness that died is none."""
        if self._phones is None:
            return None
        self._phones.terminate()
        try:
            return self._phones.wait(20)
        except subprocess.TimeoutExpired:
            self._phones.kill()
            return self._phones.wait()

    def _start(self, slot: int) -> Member:
        self._starts += 1
        process = self._run("messaging.server", "--slot", str(slot), "--port", str(self._ports[slot]))
        self._numbers[process.pid] = self._starts
        self._history.write("started", pid=process.pid, slot=slot)
        return Member(slot, process, elapsed())

    def _is_serving(self, member: Member) -> bool:
        return serving_mark(self._folder, str(member.slot), member.process.pid).exists()


def find_ports(count: int) -> list[int]:
    """Far apart: a server whose port is taken tries those after it."""
    chance = random.Random(os.getpid())
    found: list[int] = []
    while len(found) < count:
        port = chance.choice(PORTS)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if all(abs(port - other) > 100 for other in found) and probe.connect_ex(("127.0.0.1", port)) != 0:
                found.append(port)
    return found
