"""Which approved plan a new one is most like, and what is different. Pure."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from pabal.apps.rules.plans.model import Plan
from pabal.apps.rules.recall.model import list_grams

# below that two requests only share some words that everybody uses
LEAST_LIKENESS = 0.2
_AROUND = 1


@dataclass(frozen=True, slots=True)
class DiffLine:
    """`sign` is +, - or nothing."""

    sign: str
    text: str


@dataclass(frozen=True, slots=True)
class Compared:
    plan: Plan
    likeness: float
    lines: Sequence[DiffLine]


def compare(plan: Plan, approved: Sequence[Plan]) -> Compared | None:
    """With the most similar one, the newest of those that are equally so."""
    grams = set(list_grams(plan.request))
    scored = [(_likeness(grams, set(list_grams(one.request))), one.id, one) for one in approved if one.yaml]
    if not scored or not plan.yaml:
        return None
    likeness, _, nearest = max(scored)
    return Compared(nearest, likeness, diff(nearest.yaml, plan.yaml)) if likeness >= LEAST_LIKENESS else None


def diff(before: str, after: str) -> list[DiffLine]:
    """Line by line, without the names that only say which plan it is."""
    old, new = (text.splitlines()[1:] for text in (before, after))
    lines = difflib.unified_diff(old, new, lineterm="", n=_AROUND)
    return [DiffLine(line[0].strip(), line[1:]) for line in list(lines)[2:] if not line.startswith("@@")]


def _likeness(some: set[int], others: set[int]) -> float:
    together = len(some | others)
    return len(some & others) / together if together else 0.0
