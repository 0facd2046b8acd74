"""Compositions and their mappings as a file that can be imported again."""

from pabal.apps.rendering.model import mapping_files
from pabal.apps.rendering.resources.compositions import FileFormat
from pabal.apps.rendering.store import compositions
from pabal.base.database import Tx
from pabal.platform.tenants import Scope

AT_ONCE = 200


async def write_file(tx: Tx, scope: Scope, format: FileFormat) -> str:
    found, cursor = [], None
    while True:
        page = await compositions.list_compositions(tx, scope, cursor=cursor, limit=AT_ONCE)
        found += page.items
        cursor = page.cursor
        if cursor is None:
            break
    mappings = await compositions.list_mappings(tx, [one.id for one in found])
    write = mapping_files.to_json if format == "json" else mapping_files.to_csv
    return write([one.composition for one in found], mappings)
