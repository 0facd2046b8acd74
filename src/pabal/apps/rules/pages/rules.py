"""The list of rules, one rule, and what a person does with it."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.rules.actions import rules as actions
from pabal.apps.rules.actions.checking import look_ahead
from pabal.apps.rules.labels import MISFIRES, OVERLAPS, REASONS, TRIGGERS
from pabal.apps.rules.lookups import list_labels
from pabal.apps.rules.model.rules import AREA, Rule, RuleState, Run
from pabal.apps.rules.pages.rule_summary import summarise
from pabal.apps.rules.resources.rules import RuleFilter
from pabal.apps.rules.scripts import probe_isolation
from pabal.apps.rules.store import rules as store
from pabal.apps.rules.store import runs
from pabal.apps.rules.store.runs import RunFilter
from pabal.base.database import Tx
from pabal.engine.listing import Page
from pabal.engine.recurrence import describe
from pabal.platform.actor import Right
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, turn
from pabal.platform.web.many import offer
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/rules", include_in_schema=False)
PAGE = 50
LAST = 20
TOPICS = "rule.*,rule_run.*"
# how far back the summary of what was missed looks
MISSED_WITHIN = timedelta(hours=24)


class RuleFilters(BaseModel):
    q: Word = ""
    state: Word = ""
    cursor: str = ""

    @property
    def is_set(self) -> bool:
        return bool(self.q or self.state)

    @property
    def wanted(self) -> RuleFilter | None:
        """None: broken ones are no filter of the list."""
        if self.state not in ("", RuleState.ACTIVE, RuleState.PAUSED):
            return None
        is_active = None if not self.state else self.state == RuleState.ACTIVE
        return RuleFilter(q=self.q or None, is_active=is_active)

    @property
    def states(self) -> tuple[RuleState, ...]:
        chosen = tuple(one for one in store.LIVING if one.value == self.state)
        return chosen or store.LIVING


@dataclass(frozen=True, slots=True)
class ListedRule:
    rule: Rule
    words: str
    last: Run | None
    path: list[str]


@router.get("")
async def show_list(visit: Visitor, filters: Annotated[RuleFilters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page = await _load_page(tx, visit, filters)
        lines = await _show_lines(tx, visit, page.items)
        missed = await runs.list_missed(tx, visit.scope, tx.now - MISSED_WITHIN)
    return await visit.show(
        "rules/rules.html",
        lines=lines,
        missed=missed,
        filters=filters,
        reasons=REASONS,
        pager=turn(visit, page.cursor),
        offer=offer(visit, "rules.rules", filters.wanted, total=None if page.cursor or filters.cursor else len(lines)),
        live_topics=TOPICS,
    )


@router.get("/by-number/{number}")
async def by_number(visit: Visitor, number: RowId) -> Response:
    """Where pages of the engine lead, which know a rule by its machine's number."""
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        rule = await store.get_numbered(tx, visit.scope, number)
    return visit.go(f"/rules/{rule.id}")


@router.get("/{rule_id}")
async def show(visit: Visitor, rule_id: UUID) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        rule = await store.get_rule(tx, visit.scope, rule_id)
        [line] = await _show_lines(tx, visit, [rule])
        last = await runs.list_runs(tx, visit.scope, RunFilter(rule_id), limit=LAST)
        ahead = look_ahead(rule, tx.now)
    return await visit.show(
        "rules/rule.html",
        line=line,
        rule=rule,
        ahead=ahead,
        summary=summarise(rule),
        isolation=await asyncio.to_thread(probe_isolation) if rule.execution_script_path else None,
        runs=last.items,
        reasons=REASONS,
        triggers=TRIGGERS,
        sources=list_labels(),
        misfires=MISFIRES,
        overlaps=OVERLAPS,
        live_topics=TOPICS,
    )


@router.post("/{rule_id}/pause")
async def pause(visit: Visitor, rule_id: UUID) -> Response:
    async with visit.change() as tx:
        done = await actions.pause_rule(tx, visit.actor, rule_id)
    return visit.go(f"/rules/{rule_id}", said=("{name} is paused.", "{name} 룰을 일시 중지했습니다."), name=done.name)


@router.post("/{rule_id}/resume")
async def resume(visit: Visitor, rule_id: UUID) -> Response:
    async with visit.change() as tx:
        done = await actions.resume_rule(tx, visit.actor, rule_id)
    return visit.go(f"/rules/{rule_id}", said=("{name} goes on.", "{name} 룰을 다시 켰습니다."), name=done.name)


@router.post("/{rule_id}/run")
async def run(visit: Visitor, rule_id: UUID) -> Response:
    async with visit.change() as tx:
        made = await actions.run_now(tx, visit.actor, rule_id)
    return visit.go(f"/rules/runs/{made.id}")


@router.post("/{rule_id}/dry-run")
async def dry_run(visit: Visitor, rule_id: UUID) -> Response:
    async with visit.change() as tx:
        made = await actions.dry_run(tx, visit.actor, rule_id)
    return visit.go(f"/rules/runs/{made.id}")


@router.post("/{rule_id}/delete")
async def delete(visit: Visitor, rule_id: UUID, reason: Annotated[Word, Form()] = "") -> Response:
    async with visit.change() as tx:
        done = await actions.delete_rule(tx, visit.actor, rule_id, reason=reason or None)
    return visit.go("/rules", said=("{name} is deleted.", "{name} 룰을 삭제했습니다."), name=done.name)


async def _load_page(tx: Tx, visit: Visit, filters: RuleFilters) -> Page[Rule]:
    return await read_page(
        lambda cursor: store.list_rules(tx, visit.scope, states=filters.states, q=filters.q, cursor=cursor, limit=PAGE),
        filters.cursor,
    )


async def _show_lines(tx: Tx, visit: Visit, found: list[Rule]) -> list[ListedRule]:
    tree = await load_tree(tx, visit.scope)
    last = await runs.load_last(tx, [one.number for one in found])
    return [
        ListedRule(one, describe(one.timing, visit.lang), last.get(one.number), tree.names(one.unit_id))
        for one in found
    ]
