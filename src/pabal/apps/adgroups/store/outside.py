"""Ad groups by the names other systems have for them."""

from pabal.base.database import Tx
from pabal.base.sql import load

SQL = load(__file__)


async def find_legacy(tx: Tx, legacy_id: str) -> int | None:
    found: int | None = await tx.value(SQL.find_legacy, legacy_id=legacy_id)
    return found
