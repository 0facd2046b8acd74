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
    """`database` is for changes and the engine, `pages` for lists: its connections plan each statement anew."""

    settings: Settings
    database: Database
    pages: Database
    vault: "Vault"
    files: "Files"
    telegram: "Telegram"
    connections: Connections = field(default_factory=Connections)
