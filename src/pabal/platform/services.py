"""Services: what handlers, loops, pages and endpoints of this process get; main builds it once."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.engine.headstart import HeadStart


class Connections:
    def __init__(self) -> None:
        self._by_route: dict[str, object] = {}
        # Where this process really listens, by gateway: its port may have been taken, or any was asked for.
        self.doors: dict[str, tuple[str, int]] = {}

    def put(self, route: str, connection: object) -> None:
        """The newest counts."""
        self._by_route[route] = connection

    def drop(self, route: str, connection: object) -> None:
        """Only if it is still the one: a newer connection stays."""
        if self._by_route.get(route) is connection:
            del self._by_route[route]

    def find(self, route: str) -> object | None:
        return self._by_route.get(route)

    def __len__(self) -> int:
        return len(self._by_route)


if TYPE_CHECKING:
    from pabal.platform.notifications import Mailer, Telegram, Webhooks
    from pabal.platform.secrets import Vault
    from pabal.platform.storage import Files
    from pabal.platform.workflows import SliceStep


@dataclass(frozen=True)
class Services:
    """`database` is the engine's. What people and programs ask for over the web has connections of its own, so that
    neither waits for the other: `pages` to look, `changes` to change, `identity` to find out who is asking. `kept` is
    what apps have one of in this process, by name. `head_start`: for work begun in the commit that asks for it. `steps`
    are what a workflow may do, of all apps."""

    settings: Settings
    database: Database
    pages: Database
    vault: "Vault"
    files: "Files"
    telegram: "Telegram"
    connections: Connections = field(default_factory=Connections)
    kept: dict[str, object] = field(default_factory=dict)
    head_start: HeadStart = field(default_factory=HeadStart)
    changes: Database = field(kw_only=True)
    identity: Database = field(kw_only=True)
    webhooks: "Webhooks" = field(kw_only=True, default_factory=lambda: _ways_out()[0])
    mailer: "Mailer" = field(kw_only=True, default_factory=lambda: _ways_out()[1])
    steps: "tuple[SliceStep, ...]" = field(kw_only=True, default=())


def _ways_out() -> "tuple[Webhooks, Mailer]":
    """Those of a process that was told of none: public addresses only, and no mail server."""
    from pabal.platform.notifications import Mailer, Webhooks  # noqa: PLC0415 -- notifications know services

    return Webhooks(), Mailer(None)
