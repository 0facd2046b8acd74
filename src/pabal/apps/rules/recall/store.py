"""The only code that touches the tables of recall."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pabal.apps.rules.recall.errors import CaseNotFound
from pabal.apps.rules.recall.model import MOST_CANDIDATES, Case, CaseKind, Wanted
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.platform.tenants import Scope

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Near:
    """`shared` is the weight of what the case has of the request, `trust` what its runs leave of it."""

    id: int
    shared: float
    trust: float


async def insert_case(  # long: a row
    tx: Tx,
    unit_id: int,
    *,
    request: str,
    answer: str,
    grams: Sequence[int],
    created_by: str,
    kind: CaseKind = CaseKind.SCRIPT,
) -> int:
    """The number of the same case where there is one."""
    found: int | None = await tx.value(SQL.find_same, unit_id=unit_id, request=request, answer=answer)
    if found is not None:
        return found
    made: int = await tx.value(
        SQL.insert_case,
        unit_id=unit_id,
        kind=kind.value,
        request=request,
        answer=answer,
        grams=list(grams),
        created_by=created_by,
    )
    await tx.run(SQL.count_in, grams=list(grams))
    return made


async def delete_case(tx: Tx, case_id: int) -> None:
    grams = await tx.value(SQL.delete_case, id=case_id)
    await tx.run(SQL.count_out, grams=grams)


async def count_run(tx: Tx, case_id: int, plan_id: int, *, is_good: bool) -> None:
    await tx.run(SQL.count_run, id=case_id, plan_id=plan_id, is_good=is_good)


async def find_of_plan(tx: Tx, plan_id: int) -> int | None:
    found: int | None = await tx.value(SQL.find_of_plan, plan_id=plan_id)
    return found


async def is_forgotten(tx: Tx, plan_id: int) -> bool:
    """Whether somebody let the case of this plan go."""
    found: bool = await tx.value(SQL.is_forgotten, plan_id=plan_id)
    return found


async def set_standing(tx: Tx, case_id: int, standing: str) -> None:
    await tx.run(SQL.set_standing, id=case_id, standing=standing)


async def count_grams(tx: Tx, grams: Sequence[int]) -> Mapping[int, int]:
    """In how many cases each occurs; those in none are left out."""
    return {row["gram"]: row["cases"] for row in await tx.rows(SQL.count_grams, grams=list(grams))}


async def list_nearest(tx: Tx, scope: Scope, wanted: Wanted, limit: int, kind: CaseKind) -> list[Near]:
    """Pinned ones first, then by what they share. Banned ones and those out of sight are not looked at."""
    return await tx.all(
        Near,
        SQL.list_nearest,
        known=list(wanted.known),
        rarest=list(wanted.rarest),
        grams=list(wanted.grams),
        weights=list(wanted.weights),
        kind=kind.value,
        units=scope.listed,
        candidates=MOST_CANDIDATES,
        most=limit,
    )


async def load_cases(tx: Tx, ids: Sequence[int]) -> list[Case]:
    return await tx.all(Case, SQL.load_cases, ids=list(ids))


async def get_case(tx: Tx, scope: Scope, case_id: int) -> Case:
    found = await load_cases(tx, [case_id])
    if not found or not scope.holds(found[0].unit_id):
        raise CaseNotFound(str(case_id))
    return found[0]


async def hold_case(tx: Tx, case_id: int) -> Case | None:
    return await tx.one(Case, SQL.hold_case, id=case_id)


async def list_cases(  # long: what one may ask a list for
    tx: Tx,
    scope: Scope,
    *,
    kinds: Sequence[str] = (),
    standings: Sequence[str] = (),
    q: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Case]:
    """The newest first."""
    found = await tx.all(
        Case,
        SQL.list_cases,
        units=scope.listed,
        kinds=list(kinds) or None,
        standings=list(standings) or None,
        q=q or None,
        before=paging.LAST if cursor is None else paging.read_cursor(cursor, int)[0],
        most=paging.one_more(limit),
    )
    return paging.cut(found, limit, lambda one: paging.show_cursor(one.id))
