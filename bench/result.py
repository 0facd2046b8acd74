"""What a figure answers: its fields, its targets and whether they are reached, and the raw numbers of every round."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any


@dataclass(frozen=True)
class Target:
    """`field` must be at least, or at most, `bound`; a bound may depend on other fields."""

    field: str
    at_least: float | None = None
    at_most: float | None = None

    def is_reached(self, value: float) -> bool:
        return (self.at_least is None or value >= self.at_least) and (self.at_most is None or value <= self.at_most)

    def __str__(self) -> str:
        return f">= {self.at_least:g}" if self.at_least is not None else f"<= {self.at_most:g}"


@dataclass(frozen=True)
class Measured:
    fields: dict[str, float]
    targets: Sequence[Target]
    rounds: list[dict[str, Any]]
    sizes: Mapping[str, Any]
    notes: Sequence[str] = field(default_factory=tuple)


def as_json(name: str, measured: Measured, machine: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    targets = {
        target.field: {"must": str(target), "reached": target.is_reached(measured.fields[target.field])}
        for target in measured.targets
    }
    return {
        "name": name,
        **{name: _short(value) for name, value in measured.fields.items()},
        "reached": all(target["reached"] for target in targets.values()),
        "targets": targets,
        "sizes": dict(measured.sizes),
        "rounds": measured.rounds,
        "notes": list(measured.notes),
        "machine": dict(machine),
        "seconds": round(seconds, 1),
    }


def middle(rounds: Sequence[Mapping[str, Any]], name: str) -> float:
    return float(median(one[name] for one in rounds))


def middle_ratio(rounds: Sequence[Mapping[str, Any]], above: str, below: str) -> float:
    """Of the two sides of one round, which ran right after each other: a machine that slows down slows both."""
    return float(median(one[above] / one[below] for one in rounds))


def percentile(values: Sequence[float], part: float) -> float:
    """The smallest value that `part` of all are not above."""
    ordered = sorted(values)
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)]


def _short(value: float) -> float:
    return float(f"{value:.4g}") if abs(value) < 1000 else round(value)
