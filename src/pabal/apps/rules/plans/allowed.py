"""Which kinds of steps a plan may be made of, whose rights it takes, and what it may cost. Pure."""

from collections import Counter
from dataclasses import replace

from pabal.apps.rules.plans.model import PlanCost
from pabal.engine.workflows.model import MOST_ITEMS, FlowStep, Workflow
from pabal.engine.workflows.step_kinds import StepKind, StepKinds
from pabal.platform.actor import EVERYTHING, Actor, Right


def may_propose(actor: Actor, right: str) -> bool:
    """What their role could do. A token's own scopes do not count: proposing does nothing, and whoever approves must
    be allowed all of it."""
    return may(replace(actor, scopes=(EVERYTHING,)), right)


def may(actor: Actor, right: str) -> bool:
    """`messaging:write`"""
    area, _, word = right.partition(":")
    return actor.may(Right[word.upper()], area)


def list_allowed(kinds: StepKinds, actor: Actor) -> StepKinds:
    """Those that this asker's plans may be made of; what declares no right is nobody's."""
    return StepKinds(kind for kind in kinds if kind.right and may_propose(actor, kind.right))


def list_used(workflow: Workflow, kinds: StepKinds) -> list[StepKind]:
    """Every kind that it names, compensations among them."""
    named = [step.kind for step in workflow.steps if step.kind]
    named += [step.compensate.kind for step in workflow.steps if step.compensate is not None]
    return [kind for kind in map(kinds.find, dict.fromkeys(named)) if kind is not None]


def reckon(workflow: Workflow, kinds: StepKinds) -> PlanCost:
    effects: Counter[str] = Counter()
    for step in workflow.steps:
        kind = kinds.find(step.kind) if step.kind else None
        for effect in sorted(kind.effects) if kind is not None else ():
            effects[effect.value] += 1
    acting = [step for step in workflow.steps if step.kind]
    return PlanCost(len(acting), len(workflow.steps) - len(acting), sum(map(_most_calls, acting)), dict(effects))


def _most_calls(step: FlowStep) -> int:
    items = 1 if step.for_each is None else len(step.for_each) if isinstance(step.for_each, list) else MOST_ITEMS
    return items * (1 + step.retries)
