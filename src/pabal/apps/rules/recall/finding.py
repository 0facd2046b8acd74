"""Finds cases as their description asks for them."""

from pathlib import Path

from pabal.apps.rules.recall import actions, store
from pabal.apps.rules.recall.errors import BadCase, CaseNotFound
from pabal.apps.rules.recall.model import Case, CaseKind, Recalled
from pabal.apps.rules.recall.resources import CaseFilter
from pabal.base.database import Tx
from pabal.engine.listing import Page
from pabal.platform.tenants import Scope


async def list_cases(
    tx: Tx, scope: Scope, wanted: CaseFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[Case] | Page[Recalled]:
    """By a request the nearest, the best first and whole; otherwise the newest first."""
    if wanted.near:
        kind = wanted.kind or CaseKind.SCRIPT
        return Page(await actions.find_nearest(tx, scope, wanted.near, kind=kind), None)
    kinds = [wanted.kind.value] if wanted.kind else []
    return await store.list_cases(
        tx, scope, kinds=kinds, standings=wanted.standing, q=wanted.q, cursor=cursor, limit=limit
    )


async def find_case(tx: Tx, scope: Scope, text: str) -> Case:
    """By its number: requests are no names."""
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise CaseNotFound(text[:100])
    return await store.get_case(tx, scope, int(text))


async def read_answer(tx: Tx, scope: Scope, text: str) -> str:
    """`@FILE` is what the file says."""
    if not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadCase(f"{text[1:200]}: {error}"[:300]) from error
