"""A plan: what was asked for, what is proposed, what it may cost. Values and pure rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

from pabal.platform.actor import Actor

# Proposing and looking at one's own takes `plans`; everything else takes the rights of rules and workflows.
AREA = "plans"
RULES = "rules"
ABOUT = "plan"
LONGEST_REQUEST = 2000
LONGEST_REMARK = 1000
MOST_STEPS = 20
# of one asker, that are being drafted or wait for a decision
MOST_OPEN = 50
# a day's calls may be used up, and the next day's begin again
DRAFT_LIMIT = timedelta(hours=26)
# by the effects of steps
_MARKS = {"messages": "sends", "money": "costs", "files": "writes"}


class PlanState(StrEnum):
    """`drafting`: a language model writes it. `proposed`: it waits for a person. `approved`: it is a workflow."""

    DRAFTING = "drafting"
    PROPOSED = "proposed"
    APPROVED = "approved"
    REJECTED = "rejected"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


OPEN = (PlanState.DRAFTING, PlanState.PROPOSED)


class Door(StrEnum):
    CONSOLE = "console"
    CLI = "cli"
    REST = "rest"
    TELEGRAM = "telegram"


@dataclass(frozen=True, slots=True)
class Plan:
    id: int
    unit_id: int
    state: str
    version: int
    request: str
    door: str
    asked_by: str
    written_by: str
    yaml: str
    rights: Sequence[str]
    cost: Mapping[str, Any]
    examples: Sequence[Mapping[str, Any]]
    remark: str
    problem: str
    draft: int
    draft_at: datetime
    decided_by: str | None
    workflow_id: int | None
    run_id: int | None
    # the language model that its asker chose; empty: the one of the settings
    model: str
    created_at: datetime

    @property
    def about(self) -> str:
        return f"{ABOUT}:{self.id}"

    @property
    def reckoned(self) -> "PlanCost":
        return PlanCost(**self.cost) if self.cost else NO_COST

    @property
    def gives_up_at(self) -> datetime:
        return self.draft_at + DRAFT_LIMIT


@dataclass(frozen=True, slots=True)
class PlanAnswer:
    """What a language model said, and what was wrong with it."""

    plan_id: int
    number: int
    draft: int
    model: str
    tokens_in: int
    tokens_out: int
    cost: Decimal
    is_estimated: bool
    answer: str = field(repr=False)
    mistakes: Sequence[str]
    at: datetime


@dataclass(frozen=True, slots=True)
class PlanMeaning:
    """What a request means to a model of meanings; or why cases were recalled by their words alone."""

    model: str
    meaning: Sequence[float] | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What a model took for plans within some time."""

    model: str
    plans: int
    answers: int
    tokens_in: int
    tokens_out: int
    cost: Decimal
    is_estimated: bool


@dataclass(frozen=True, slots=True)
class PlanCost:
    """Before anything runs: `calls` is how often its kinds may be called at most, retries and items among it."""

    steps: int
    waits: int
    calls: int
    effects: Mapping[str, int]

    @property
    def risks(self) -> tuple[str, ...]:
        """As the inbox marks them."""
        return tuple(mark for effect, mark in _MARKS.items() if self.effects.get(effect))

    def as_data(self) -> dict[str, Any]:
        return {"steps": self.steps, "waits": self.waits, "calls": self.calls, "effects": dict(self.effects)}


NO_COST = PlanCost(0, 0, 0, {})


def door_of(actor: Actor) -> Door:
    """By what a history calls them."""
    if actor.origin == "telegram":
        return Door.TELEGRAM
    kinds = {"cli": Door.CLI, "token": Door.REST}
    return kinds.get(actor.name.partition(":")[0], Door.CONSOLE)
