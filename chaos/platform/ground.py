"""What a run begins with: a unit, people who are linked in Telegram, a program's token, a group and a webhook."""

import json
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

from pabal.base.database import Database
from pabal.platform import auth, notifications, tenants
from pabal.platform.actor import ENGINE, Role
from pabal.platform.auth import NewToken, NewUser
from pabal.platform.notifications import ChannelForm, Level, linking
from pabal.platform.secrets import Vault
from pabal.platform.tenants import Level as UnitLevel

KEY = "a key for one run only"
# a chat of one person: a group would be written to twenty times a minute at most
BOT, GROUP = 700100200, "4242"
BOT_TOKEN = f"{BOT}:AA-simulated-token-of-a-bot-wxyz"
PEOPLE = (501, 502, 503)


@dataclass(frozen=True)
class Laid:
    token: str
    unit_id: int

    def write(self, folder: Path) -> None:
        (folder / "ground.json").write_text(json.dumps(asdict(self)))

    @classmethod
    def read(cls, folder: Path) -> "Laid":
        return cls(**json.loads((folder / "ground.json").read_text()))


async def lay(database: Database, webhook_url: str) -> Laid:
    vault = Vault(KEY)
    async with database.transaction() as tx:
        hq = await tenants.ensure_hq(tx)
        unit = await tenants.add_unit(tx, ENGINE, parent_id=hq.id, level=UnitLevel.BRANCH, name="Survival")
        for number in PEOPLE:
            login = f"person{number}"
            user = await auth.add_user(tx, ENGINE, NewUser(login, login, unit.id, Role.ADMIN))
            await tx.run(linking.SQL.insert_link, user_id=user.id, telegram_id=number, now=tx.now)
        day = tx.now + timedelta(days=1)
        made = await auth.make_token(tx, ENGINE, NewToken("program", unit.id, Role.ADMIN, ("*:manage",), day))
        for form in (
            ChannelForm("group", GROUP, BOT_TOKEN, lang="en", least_level=Level.INFO, wants=("approvals.*",)),
            ChannelForm("hook", kind="webhook", address=webhook_url, least_level=Level.INFO, wants=("approvals.*",)),
        ):
            await notifications.add_channel(tx, ENGINE, vault, form, unit_id=unit.id)
    return Laid(made.secret, unit.id)
