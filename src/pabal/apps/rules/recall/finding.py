"""Finds cases as their description asks for them."""

from pabal.apps.rules.recall import store
from pabal.apps.rules.recall.errors import CaseNotFound
from pabal.apps.rules.recall.model import Case
from pabal.apps.rules.recall.resources import CaseFilter
from pabal.base.database import Tx
from pabal.engine.listing import Page
from pabal.platform.tenants import Scope


async def list_cases(
    tx: Tx, scope: Scope, wanted: CaseFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[Case]:
    return await store.list_cases(tx, scope, standings=wanted.standing, q=wanted.q, cursor=cursor, limit=limit)


async def find_case(tx: Tx, scope: Scope, text: str) -> Case:
    """By its number: requests are no names."""
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise CaseNotFound(text[:100])
    return await store.get_case(tx, scope, int(text))
