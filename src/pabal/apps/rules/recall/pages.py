"""Remembered cases in the console: what a language model is shown, and what people decided about it."""

from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict

from pabal.apps.rules.recall import actions, store
from pabal.apps.rules.recall.model import AREA, Case, CaseKind, Standing
from pabal.apps.rules.recall.resources import KINDS
from pabal.apps.rules.recall.telling import tell_recall
from pabal.base.database import Tx
from pabal.platform import approvals
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair, put
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, back_to, turn
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

HERE = "/rules/cases"
PAGE = 30
FROM_PLAN: Pair = ("plan {n}", "계획 {n}번")
Back = Annotated[str, Form()]

router = APIRouter(prefix=HERE, include_in_schema=False)


class CaseFilters(BaseModel):
    model_config = ConfigDict(frozen=True)

    q: Word = ""
    kind: Word = ""
    standing: Word = ""
    cursor: str = ""

    @property
    def is_set(self) -> bool:
        return bool(self.q or self.kind or self.standing)


@router.get("")
async def show_list(visit: Visitor, filters: Annotated[CaseFilters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    kinds = [filters.kind] if filters.kind in set(CaseKind) else []
    standings = [filters.standing] if filters.standing in set(Standing) else []
    async with visit.read() as tx:
        page = await read_page(
            lambda cursor: store.list_cases(
                tx, visit.scope, kinds=kinds, standings=standings, q=filters.q, cursor=cursor, limit=PAGE
            ),
            filters.cursor,
        )
        tree = await load_tree(tx, visit.scope)
        recall = await tell_recall(tx)
        authors = {case.created_by: await _name(tx, visit, case) for case in page.items}
    return await visit.show(
        "rules/cases.html",
        lines=[(case, tree.names(case.unit_id)) for case in page.items],
        kinds=KINDS,
        standings=[str(one) for one in Standing],
        filters=filters,
        recall=recall,
        authors=authors,
        pager=turn(visit, page.cursor),
    )


async def _name(tx: Tx, visit: Visit, case: Case) -> Pair:
    """Who taught it; a plan's own is named with its plan."""
    if case.plan_id is not None:
        return put("en", FROM_PLAN, n=case.plan_id), put("ko", FROM_PLAN, n=case.plan_id)
    return await approvals.name_actor(tx, visit.actor, case.created_by)


@router.post("/{case_id}/pin")
async def pin(visit: Visitor, case_id: RowId, back: Back = HERE) -> Response:
    async with visit.change() as tx:
        await actions.pin_case(tx, visit.actor, case_id)
    return visit.go(back_to(back, HERE), said=("Pinned.", "고정했습니다."))


@router.post("/{case_id}/ban")
async def ban(visit: Visitor, case_id: RowId, back: Back = HERE) -> Response:
    async with visit.change() as tx:
        await actions.ban_case(tx, visit.actor, case_id)
    return visit.go(back_to(back, HERE), said=("It is not used any more.", "이제 쓰지 않습니다."))


@router.post("/{case_id}/reset")
async def reset(visit: Visitor, case_id: RowId, back: Back = HERE) -> Response:
    async with visit.change() as tx:
        await actions.reset_case(tx, visit.actor, case_id)
    return visit.go(back_to(back, HERE), said=("It is used as others are.", "다른 사례처럼 씁니다."))


@router.post("/{case_id}/forget")
async def forget(visit: Visitor, case_id: RowId) -> Response:
    async with visit.change() as tx:
        await actions.forget_case(tx, visit.actor, case_id)
    return visit.go(HERE, said=("Forgotten.", "지웠습니다."))
