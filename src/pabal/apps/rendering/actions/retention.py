"""What is older than it is kept for goes: rows only, never a film on the NAS."""

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.store import renders
from pabal.base.database import Database
from pabal.platform import settings


async def forget_once(database: Database) -> int:
    async with database.transaction() as tx:
        return await renders.delete_ended(tx, tx.now - await settings.value(tx, own.KEEP))
