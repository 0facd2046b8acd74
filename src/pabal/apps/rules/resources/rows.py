"""What the lists and reports of rules load, as their descriptions ask for it."""

from typing import TYPE_CHECKING

from pabal.apps.rules.model.rules import Rule, RuleState, Run
from pabal.apps.rules.store import rules, runs
from pabal.apps.rules.store.runs import RunFilter
from pabal.base.database import Tx
from pabal.engine.listing import Page
from pabal.platform.tenants import Scope

if TYPE_CHECKING:
    from pabal.apps.rules.resources.rules import RuleFilter
    from pabal.apps.rules.resources.runs import ExecutionFilter


async def list_rules(
    tx: Tx, scope: Scope, wanted: "RuleFilter", *, cursor: str | None = None, limit: int = 50
) -> Page[Rule]:
    return await rules.list_rules(tx, scope, states=_states(wanted), q=wanted.q, cursor=cursor, limit=limit)


async def count_rules(tx: Tx, scope: Scope, wanted: "RuleFilter") -> int:
    return await rules.count_rules(tx, scope, states=_states(wanted), q=wanted.q)


def _states(wanted: "RuleFilter") -> tuple[RuleState, ...]:
    if wanted.is_active is None:
        return rules.LIVING
    return (RuleState.ACTIVE,) if wanted.is_active else (RuleState.PAUSED,)


async def list_runs(
    tx: Tx, scope: Scope, wanted: "ExecutionFilter", *, cursor: str | None = None, limit: int = 50
) -> Page[Run]:
    states = None if wanted.status is None else [wanted.status.value]
    asked = RunFilter(wanted.rule_id, states, wanted.reason, since=wanted.since, until=wanted.until)
    return await runs.list_runs(tx, scope, asked, cursor=cursor, limit=limit)
