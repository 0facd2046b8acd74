"""Draws a machine as a Mermaid state diagram."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Arrow:
    source: str
    target: str
    event: str
    guard: str | None
    timed: bool
    when: str | None = None

    def __str__(self) -> str:
        guard = f"[{self.guard}]" if self.guard else None
        label = " ".join(part for part in ("⏰" if self.timed else None, self.event, guard, self.when) if part)
        return f"{self.source} --> {self.target} : {label}"


def draw(arrows: Iterable[Arrow], *, initial: str, final: Iterable[str], current: str | None) -> str:
    lines = [f"[*] --> {initial}", *map(str, arrows), *(f"{state} --> [*]" for state in final)]
    if current is not None:
        lines += ["classDef current font-weight:bold,stroke-width:3px", f"class {current} current"]
    return "\n".join(["stateDiagram-v2", *(f"    {line}" for line in lines)]) + "\n"
