"""Finished months of deliveries, in the file store. They hold everybody's sends: the house's alone."""

from dataclasses import dataclass

from pabal.apps.messaging.errors import ArchiveNotFound
from pabal.apps.messaging.model.deliveries import Archive
from pabal.apps.messaging.store import deliveries
from pabal.base.database import Tx
from pabal.platform import storage
from pabal.platform.actor import Actor, Right
from pabal.platform.storage import File
from pabal.platform.tenants import require_house, visible_to

AREA = "messaging"


@dataclass(frozen=True, slots=True)
class Month:
    archive: Archive
    file: File

    @property
    def name(self) -> str:
        """As clocks in Seoul have it: 2026-10."""
        return f"{self.archive.month:%Y-%m}"


async def list_months(tx: Tx, actor: Actor) -> list[Month]:
    """The newest first."""
    await require_house(tx, actor, Right.MANAGE, AREA)
    found = await deliveries.list_archives(tx)
    files = await storage.find_files(tx, await visible_to(tx, actor), [one.file_id for one in found])
    return [Month(one, files[one.file_id]) for one in reversed(found)]


async def get_month(tx: Tx, actor: Actor, name: str) -> Month:
    for month in await list_months(tx, actor):
        if month.name == name:
            return month
    raise ArchiveNotFound(name[:20])


async def may_see(tx: Tx, actor: Actor) -> bool:
    """For links: the pages themselves ask again."""
    return actor.may(Right.MANAGE, AREA) and (await visible_to(tx, actor)).units is None
