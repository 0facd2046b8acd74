"""Conditions of a move, each with a name and the values it compared: a guard that can say more than no. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pabal.engine.machine import Refusal

Values = Mapping[str, Any]
Test = Callable[[Any, datetime], tuple[bool, Values]]


@dataclass(frozen=True, slots=True)
class Condition:
    """`name` is a code; the sentence is made from it and the values."""

    name: str
    test: Test


@dataclass(frozen=True, slots=True)
class Checked:
    name: str
    holds: bool
    values: Values


class Guard:
    """Refuses with the first condition that does not hold; `report` says of every one whether it does."""

    def __init__(self, name: str, *conditions: Condition) -> None:
        self.__name__ = name
        self.conditions = conditions

    def __call__(self, subject: Any, now: datetime) -> Refusal | None:
        for condition in self.conditions:
            holds, values = condition.test(subject, now)
            if not holds:
                return Refusal(condition.name, values)
        return None

    def report(self, subject: Any, now: datetime) -> Sequence[Checked]:
        return [Checked(one.name, *one.test(subject, now)) for one in self.conditions]
