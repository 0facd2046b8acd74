"""Who may see an image: whoever sees its file, or a schedule, template or delivery that shows it."""

from pabal.apps.messaging.model import content, deliveries, schedules
from pabal.apps.messaging.store.templates import list_readable
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.platform.storage import File, FileNotFound, get_file
from pabal.platform.storage.store import list_uses
from pabal.platform.tenants import Scope

SQL = load(__file__)
EVERYTHING = Scope(None, None)


async def get_picture_file(tx: Tx, scope: Scope, file_id: int) -> File:
    """A superior's image in a branch's schedule, or in a template from above, is not the branch's file; it is shown."""
    try:
        return await get_file(tx, scope, file_id)
    except FileNotFound:
        if not await _is_shown(tx, scope, await list_uses(tx, file_id)):
            raise
        return await get_file(tx, EVERYTHING, file_id)


async def _is_shown(tx: Tx, scope: Scope, uses: list[str]) -> bool:
    if not uses:
        return False
    ids: dict[str, list[int]] = {}
    for use in uses:
        kind, _, number = use.rpartition(":")
        if number.isdigit():
            ids.setdefault(kind, []).append(int(number))
    return bool(
        await tx.value(
            SQL.shows_one,
            schedule_ids=ids.get(schedules.ABOUT, []),
            template_ids=ids.get(content.ABOUT, []),
            delivery_ids=ids.get(deliveries.ABOUT, []),
            units=scope.listed,
            template_units=await list_readable(tx, scope),
        )
    )
