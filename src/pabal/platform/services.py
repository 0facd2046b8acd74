"""Services: what handlers, loops, pages and endpoints of this process get; main builds it once."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform.connections import Connections

if TYPE_CHECKING:
    from pabal.platform.notifications import Telegram
    from pabal.platform.secrets import Vault
    from pabal.platform.storage import Files


@dataclass(frozen=True)
class Services:
    """`database` is the engine's. What people and programs ask for over the web has connections of its own, so that
    neither waits for the other: `pages` to look, `changes` to change, `identity` to find out who is asking."""

    settings: Settings
    database: Database
    pages: Database
    vault: "Vault"
    files: "Files"
    telegram: "Telegram"
    connections: Connections = field(default_factory=Connections)
    changes: Database = field(kw_only=True)
    identity: Database = field(kw_only=True)
