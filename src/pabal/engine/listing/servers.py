"""The servers there are: whether they beat, what they can do, how much they run, whether they drain."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.workers import TTL

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class ServerSeen:
    """One life of one process. `heard_seconds`: how long ago it last beat."""

    id: int
    host: str
    started_at: datetime
    meta: dict[str, Any]
    is_alive: bool
    drain_at: datetime | None
    running: int
    routes: int
    heard_seconds: float

    @property
    def state(self) -> str:
        """ok, silent, draining, or drained: nothing runs there any more."""
        if not self.is_alive:
            return "silent"
        if self.drain_at is None:
            return "ok"
        return "draining" if self.running else "drained"

    @property
    def roles(self) -> list[str]:
        return list(self.meta.get("roles", []))

    @property
    def kinds(self) -> list[str]:
        return list(self.meta.get("kinds", []))

    @property
    def labels(self) -> list[str]:
        return list(self.meta.get("labels", []))

    @property
    def version(self) -> str | None:
        version: str | None = self.meta.get("version")
        return version

    @property
    def slots(self) -> int | None:
        """How many handlers it runs side by side; None when it does not say, or runs none."""
        slots: int | None = self.meta.get("slots")
        return slots

    @property
    def load(self) -> float | None:
        """How much of its slots is taken; over 1 when it has claimed ahead."""
        return self.running / self.slots if self.slots else None

    def uptime(self, now: datetime) -> timedelta:
        return max(now - self.started_at, timedelta(0))


async def list_servers(tx: Tx, *, ttl: timedelta = TTL) -> list[ServerSeen]:
    return await tx.all(ServerSeen, SQL.list_servers, ttl=ttl)
