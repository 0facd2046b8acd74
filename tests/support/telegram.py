"""A post office for tests: the Bot API's stand-in on a real socket, and everything that sends through it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from pabal.base.database import Database
from pabal.platform import notifications
from pabal.platform.actor import ENGINE
from pabal.platform.notifications import Channel, ChannelForm, Delivery, Level, Notice, Telegram, make_kinds
from pabal.platform.notifications.simulator import BotApi, Kind, Received, Simulator, Trouble
from pabal.platform.secrets import Vault
from pabal.platform.storage import Files
from pabal.platform.tenants import Unit
from pabal.testing import Parts, advance, drain

BOT = 700100200
TOKEN = f"{BOT}:AA-simulated-token-of-a-bot-wxyz"
OTHER_TOKEN = f"{BOT}:AA-the-token-after-the-rotation-1234"
CHAT = "4242"
VAULT = Vault("a key that only tests know")


@dataclass(frozen=True)
class Office:
    db: Database
    api: BotApi
    url: str
    files: Files
    parts: Parts

    async def add_channel(self, unit: Unit, *, chat: str = CHAT, **form: Any) -> Channel:
        given = {"name": f"chat {chat}", "chat_id": chat, "token": TOKEN, "least_level": Level.INFO, **form}
        async with self.db.transaction() as tx:
            return await notifications.add_channel(tx, ENGINE, VAULT, ChannelForm(**given), unit_id=unit.id)

    async def get_channel(self, channel: Channel) -> Channel:
        async with self.db.transaction() as tx:
            return await notifications.get_channel(tx, ENGINE, channel.id)

    async def notify(self, unit: Unit | None = None, **said: Any) -> int:
        async with self.db.transaction() as tx:
            return await notifications.notify(tx, notice(unit, **said))

    async def list_deliveries(self, channel: Channel) -> list[Delivery]:
        async with self.db.transaction() as tx:
            return await notifications.list_deliveries(tx, ENGINE, channel.id)

    async def run(self, *, over: timedelta = timedelta(0)) -> None:
        """Runs what is due, and with `over` what becomes due meanwhile, each on time."""
        await (advance(self.parts, over) if over else drain(self.parts))

    def trouble(self, kind: Kind, *, chat: str = CHAT, **how: Any) -> None:
        self.api.troubles[chat] = Trouble(kind, **how)

    def texts(self, chat: str = CHAT) -> list[str]:
        return self.api.texts(chat)

    def documents(self) -> list[Received]:
        return [one for one in self.api.received if one.document is not None]


@asynccontextmanager
async def open_office(db: Database, folder: Path) -> AsyncIterator[Office]:
    async with Simulator() as simulator:
        telegram = Telegram(simulator.url)
        files = Files(folder / "files")
        parts = Parts(db, make_kinds(telegram, VAULT, files, console_url="https://pabal.example"))
        yield Office(db, simulator.api, simulator.url, files, parts)
        await telegram.close()


def notice(unit: Unit | None = None, **said: Any) -> Notice:
    given = {"name": "messaging.delivery_failed", "title": ("A delivery failed", "발송 실패"), **said}
    return Notice(unit_id=None if unit is None else unit.id, **given)
