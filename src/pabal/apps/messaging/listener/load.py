"""How much this process carries, and when that is too much for another bot."""

import os
import resource
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from pabal.apps.messaging.listener.refusals import Refusal

CPU_SECONDS = 30.0

_STATM = Path("/proc/self/statm")
_MEGABYTE = 1024 * 1024


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
    strangers: int = 200
    strangers_of_address: int = 100
    ping_timeout: float = 60.0


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
