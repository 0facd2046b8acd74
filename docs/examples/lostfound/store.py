"""The table of items: the only code that touches it."""

from dataclasses import dataclass
from datetime import datetime

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.platform.tenants import Scope

SQL = load(__file__)
LAST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Item:
    id: int
    unit_id: int
    what: str
    found_at: datetime
    fetched_at: datetime | None

    @property
    def state(self) -> str:
        return "waiting" if self.fetched_at is None else "fetched"


async def list_items(tx: Tx, scope: Scope, *, before: int = LAST, limit: int = 50) -> list[Item]:
    return await tx.all(Item, SQL.list_items, units=scope.listed, before=before, most=limit)


async def list_waiting(tx: Tx, scope: Scope, until: datetime, *, limit: int = 100) -> list[Item]:
    return await tx.all(Item, SQL.list_waiting, units=scope.listed, until=until, most=limit)
