"""Months of deliveries: those to be put away, those that are, and the old ones that may go."""

from dataclasses import asdict, dataclass
from datetime import date, datetime

from pabal.base.database import Tx
from pabal.base.sql import load

SQL = load(__file__)
# a month begins where the people of the house say it does
ZONE = "Asia/Seoul"


@dataclass(frozen=True, slots=True)
class Archive:
    """Holds its month as it was at `made_at`."""

    month: date
    file_id: int
    deliveries: int
    made_at: datetime


async def list_months(tx: Tx, until: datetime) -> list[date]:
    """Finished by then, and not archived."""
    return [row["month"] for row in await tx.rows(SQL.list_months, zone=ZONE, until=until)]


async def find_slice(tx: Tx, month: date, after: tuple[datetime, int] | None, most: int) -> list[tuple[datetime, int]]:
    """The next deliveries of the month, by moment and id."""
    after_at, after_id = (None, None) if after is None else after
    rows = await tx.rows(SQL.find_slice, month=month, zone=ZONE, after_at=after_at, after_id=after_id, most=most)
    return [(row["scheduled_at"], row["id"]) for row in rows]


async def insert_archive(tx: Tx, archive: Archive) -> bool:
    """False: another server was quicker."""
    made = await tx.run(SQL.insert_archive, **asdict(archive))
    return made == 1


async def list_archives(tx: Tx) -> list[Archive]:
    return await tx.all(Archive, SQL.list_archives)


async def delete_old(tx: Tx, before: datetime, most: int) -> list[int]:
    return [row["id"] for row in await tx.rows(SQL.delete_old, zone=ZONE, before=before, most=most)]
