"""Conditions are data: a path into what was answered, a comparison, a value; all or any of several.

Nothing is evaluated as code, and nothing that may be answered makes a comparison raise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pabal.base.errors import Invalid

DEEPEST, MOST = 5, 50
ORDERED = ("<", "<=", ">", ">=")
COMPARISONS = ("==", "!=", *ORDERED, "contains", "exists")
_FIELDS = {"path", "op", "value", "value_from"}


class BadCondition(Invalid, code="bad_condition"):
    """A condition is {"path", "op", "value"}: op is ==, !=, <, <=, >, >=, contains or exists. Several stand in a list
    under all or any."""


@dataclass(frozen=True, slots=True)
class ConditionCheck:
    """One comparison and what came of it. `found` is None where the path leads nowhere."""

    path: str
    op: str
    wanted: Any
    found: Any
    met: bool

    def as_data(self) -> dict[str, Any]:
        return {"path": self.path, "op": self.op, "wanted": self.wanted, "found": self.found, "met": self.met}


@dataclass(frozen=True, slots=True)
class ConditionResult:
    met: bool
    checks: tuple[ConditionCheck, ...]


def check(condition: Any) -> None:
    """Raises BadCondition with what is wrong."""
    left = [MOST]
    _check(condition, 1, left)


def judge(condition: Mapping[str, Any], data: Any, payload: Mapping[str, Any]) -> ConditionResult:
    """Of a condition that was checked. `value_from` names a value of the payload."""
    found: list[ConditionCheck] = []
    met = _judge(condition, data, payload, found)
    return ConditionResult(met, tuple(found))


def look_up(data: Any, path: str) -> Any:
    """`quote.price`, `items.0.title`. None where it leads nowhere."""
    at = data
    for step in path.split("."):
        if isinstance(at, Mapping):
            at = at.get(step)
        elif isinstance(at, Sequence) and not isinstance(at, str) and step.isascii() and step.isdigit():
            at = at[int(step)] if len(step) < 10 and int(step) < len(at) else None
        else:
            return None
    return at


def compare(found: Any, op: str, wanted: Any) -> bool:
    """What cannot be compared does not meet the condition; `!=` alone is met by it."""
    match op:
        case "exists":
            return (found is not None) == (wanted is not False)
        case "==":
            return _is_same(found, wanted)
        case "!=":
            return not _is_same(found, wanted)
        case "contains":
            return _contains(found, wanted)
        case _:
            return _is_ordered(found, op, wanted)


def _check(condition: Any, depth: int, left: list[int]) -> None:
    left[0] -= 1
    if not isinstance(condition, Mapping) or depth > DEEPEST or left[0] < 0:
        raise BadCondition(f"an object, {DEEPEST} deep and {MOST} in all at most")
    group = [name for name in ("all", "any") if name in condition]
    if group:
        inner = condition[group[0]]
        if len(condition) != 1 or not isinstance(inner, list) or not inner:
            raise BadCondition(f"{group[0]} holds a list of conditions, and stands alone")
        for one in inner:
            _check(one, depth + 1, left)
        return
    _check_comparison(condition)


def _check_comparison(condition: Mapping[str, Any]) -> None:
    odd = set(condition) - _FIELDS
    path, op = condition.get("path"), condition.get("op")
    if odd or not isinstance(path, str) or not path or len(path) > 200:
        raise BadCondition(", ".join(sorted(odd)) or "path")
    if op not in COMPARISONS:
        raise BadCondition(f"op {str(op)[:20]}")
    if "value" in condition and "value_from" in condition:
        raise BadCondition("value or value_from, not both")
    if op != "exists" and "value" not in condition and not isinstance(condition.get("value_from"), str):
        raise BadCondition("value")


def _judge(condition: Mapping[str, Any], data: Any, payload: Mapping[str, Any], found: list[ConditionCheck]) -> bool:
    # every comparison is looked at, so that a reader sees all of them
    if "all" in condition:
        answers = [_judge(one, data, payload, found) for one in condition["all"]]
        return all(answers)
    if "any" in condition:
        answers = [_judge(one, data, payload, found) for one in condition["any"]]
        return any(answers)
    path, op = condition["path"], condition["op"]
    wanted = look_up(payload, condition["value_from"]) if "value_from" in condition else condition.get("value")
    at = look_up(data, path)
    met = compare(at, op, wanted)
    found.append(ConditionCheck(path, op, wanted, at, met))
    return met


def _is_same(found: Any, wanted: Any) -> bool:
    """True is no number here."""
    return isinstance(found, bool) == isinstance(wanted, bool) and bool(found == wanted)


def _contains(found: Any, wanted: Any) -> bool:
    if isinstance(found, str):
        return isinstance(wanted, str) and wanted in found
    return isinstance(found, list | dict) and any(_is_same(one, wanted) for one in found)


def _is_ordered(found: Any, op: str, wanted: Any) -> bool:
    are_numbers = _is_number(found) and _is_number(wanted)
    if not are_numbers and not (isinstance(found, str) and isinstance(wanted, str)):
        return False
    match op:
        case "<":
            return bool(found < wanted)
        case "<=":
            return bool(found <= wanted)
        case ">":
            return bool(found > wanted)
        case _:
            return bool(found >= wanted)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
