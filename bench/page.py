"""Results as text: a summary for the terminal, docs/benchmarks.md for everybody."""

import re
from collections.abc import Sequence
from typing import Any

from bench.ground import ROOT

PAGE = ROOT / "docs" / "benchmarks.md"


def summary(result: dict[str, Any]) -> str:
    lines = [f"{result['name']}: {'reached' if result['reached'] else 'NOT REACHED'} in {result['seconds']:g} s"]
    for field, target in result["targets"].items():
        mark = "ok" if target["reached"] else "missed"
        lines.append(f"  {field} = {result[field]:g} (must be {target['must']}): {mark}")
    return "\n".join(lines)


def write(results: list[dict[str, Any]]) -> None:
    PAGE.write_text("\n".join([*_head(results[0]["machine"]), *(line for one in results for line in _part(one))]))


def write_one(result: dict[str, Any], order: Sequence[str]) -> None:
    """One figure measured by itself, in its place among the others. What somebody has written below it stays."""
    PAGE.write_text(with_part(PAGE.read_text(), result, order))


def with_part(text: str, result: dict[str, Any], order: Sequence[str]) -> str:
    head, *parts = re.split(r"(?m)^(?=## )", text)
    known = {part.partition("\n")[0].removeprefix("## "): part for part in parts}
    name = result["name"]
    _, mark, notes = known.get(name, "").partition("Sizes: ")
    lines = _part(result, [*notes.partition("\n")[2].strip().split("\n"), ""] if mark else None)
    machine = result["machine"]
    alone = f"Measured by itself, on {machine['cores']} cores ({machine['cpu']}), PostgreSQL {machine['postgres']}."
    known[name] = "\n".join([lines[0], "", alone, *lines[1:]]) + "\n"
    places = {each: place for place, each in enumerate(order)}
    return head + "".join(known[each] for each in sorted(known, key=lambda each: places[each]))


def _head(machine: dict[str, Any]) -> list[str]:
    return [
        "# Benchmarks",
        "",
        "Written by `make bench`; `python -m bench NAME --json` measures one again and prints all it saw.",
        "",
        f"Measured on {machine['cores']} cores ({machine['cpu']}), {machine['memory_gb']} GB, {machine['system']}, "
        f"PostgreSQL {machine['postgres']}, Python {machine['python']}. Commits are durable on every side, "
        "each side is one worker process, the history of outcomes is on, and figures are medians of rounds "
        "that alternate between the sides.",
        "",
    ]


def _part(result: dict[str, Any], written: list[str] | None = None) -> list[str]:
    rows = [f"| {name} | {_number(result[name])} | {_must(result, name)} |" for name in _fields(result)]
    sizes = ", ".join(f"{name} {value}" for name, value in result["sizes"].items())
    notes = written if written is not None else [line for note in result["notes"] for line in (note, "")]
    head = [f"## {result['name']}", "", "| figure | measured | must reach |", "|---|---|---|"]
    return [*head, *rows, "", f"Sizes: {sizes}.", "", *notes]


def _fields(result: dict[str, Any]) -> list[str]:
    known = {"reached", "seconds"}
    return [name for name, value in result.items() if isinstance(value, int | float) and name not in known]


def _must(result: dict[str, Any], name: str) -> str:
    target = result["targets"].get(name)
    return "" if target is None else f"{target['must']} {'✓' if target['reached'] else '✗ missed'}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"
