"""The demo's Telegram: a bot of the stand-in, and its administrator linked, so that approvals come with buttons."""

from pabal.base.database import Tx
from pabal.base.sql import load as load_sql
from pabal.platform import auth, tenants
from pabal.platform.actor import ENGINE
from pabal.platform.notifications import actions, linking
from pabal.platform.notifications.gateway import URL
from pabal.platform.notifications.model import ChannelForm, Level
from pabal.platform.services import Services
from pabal.platform.tenants import Scope

SQL = load_sql(__file__)
NAME, LOGIN = "데모 텔레그램", "demo-hq"
BOT, PERSON = 700000001, 1001
GROUP = "-100700"
TOKEN = f"{BOT}:demo-only-the-stand-in-knows-it"


async def load(tx: Tx) -> None:
    """Nothing: a channel's token is sealed, which `after` can."""


async def after(services: Services) -> None:
    """Bears being repeated. Never where the real Telegram would be called."""
    if services.settings.telegram_url.rstrip("/") == URL:
        return
    async with services.database.transaction() as tx:
        found = [one for one in await auth.list_users(tx, Scope(None, None), words=LOGIN) if one.is_demo]
        if not found or await tx.value(SQL.has_channel, bot_id=BOT):
            return
        hq = await tenants.ensure_hq(tx)
        form = ChannelForm(NAME, GROUP, TOKEN, wants=("approvals.*", "rules.*"), least_level=Level.INFO)
        await actions.add_channel(tx, ENGINE, services.vault, form, unit_id=hq.id)
        code = (await linking.make_code(tx, found[0].actor())).code
        await linking.use_code(tx, code, telegram_id=PERSON, chat_id=str(PERSON), bot_id=BOT)


async def clear(tx: Tx) -> None:
    await tx.run(SQL.delete_channels, bot_id=BOT)
