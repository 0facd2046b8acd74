"""The pages' way to the database: direct, or through a pooler that keeps nothing from one transaction to the next."""

from pabal.base.database import Database, DatabaseError, DatabaseUnavailable, Row
from pabal.base.errors import Invalid
from pabal.base.pools import Purpose
from pabal.base.sql import load

SQL = load(__file__)


class PagesAddressUnfit(Invalid, code="pages_address_unfit"):
    """PABAL_PAGES_URL cannot be used. It must lead to the same database as PABAL_DATABASE_URL, not to a copy or a
    replica, directly or through a pooler in session or transaction mode. Correct it, or leave it empty."""


async def open_pages(direct: Database, pages_url: str | None, *, size: int) -> Database:
    """Through `pages_url` if there is one; otherwise as `direct`."""
    if pages_url is None:
        return await direct.open_beside(Purpose.PAGES, size=size)
    try:
        pages = await Database.open(pages_url, purpose=Purpose.PAGES, size=size, is_pooled=True)
    except DatabaseUnavailable as error:
        raise DatabaseUnavailable(f"PABAL_PAGES_URL: {error.detail}") from error
    try:
        is_same = await _identify(pages) == await _identify(direct)
    except DatabaseError as error:
        pages.terminate()
        raise PagesAddressUnfit(str(error)) from error
    if not is_same:
        pages.terminate()
        raise PagesAddressUnfit("it leads to another database")
    return pages


async def _identify(database: Database) -> Row:
    [row] = await database.rows(SQL.read_identity)
    return row
