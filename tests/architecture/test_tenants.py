"""What one may see has one door (STYLE R18): statements take the list of units it answers, and compare nothing else."""

import re
from pathlib import Path

from tests.architecture.source import PROJECT, files, write

_STATEMENT = re.compile(r"^--\s*name:", re.MULTILINE)
_ASSIGNED = re.compile(r"\bset\b[^;]*?\bunit_id\s*=\s*(?::unit_id|excluded\.unit_id)", re.IGNORECASE)
_COMPARED = re.compile(r"\bunit_id\s*(?:=|<>|!=|<=|>=|<|>|\bin\b|\bis\s+(?:not\s+)?distinct\b)", re.IGNORECASE)
_FROM_THE_DOOR = re.compile(r"unit_id\s*(?:=\s*any\s*\(:units|[<>]=\s*u\.id)", re.IGNORECASE)
_REASON = "-- unit: "


def unit_faults(root: Path) -> list[str]:
    """Comparisons of unit_id that do not come from the list of units; a reason beside them lets one pass."""
    faults = []
    for path in files(root, "*.sql", folders=("src",)):
        if "migrations" in path.parts:
            continue
        for statement in _STATEMENT.split(path.read_text(encoding="utf-8"))[1:]:
            rest = _FROM_THE_DOOR.sub("", _ASSIGNED.sub("", statement))
            if _COMPARED.search(rest) and _REASON not in statement:
                faults.append(f"{path.relative_to(root)}: {statement.split('(')[0].strip()}")
    return faults


def test_units_are_compared_with_what_the_one_door_answers():
    assert unit_faults(PROJECT) == []


def test_a_second_door_is_caught(tmp_path: Path):
    write(tmp_path, "src/pabal/x.sql", "-- name: list_mine(unit_id)\nselect 1 from t where unit_id = :unit_id;\n")

    assert unit_faults(tmp_path) == ["src/pabal/x.sql: list_mine"]


def test_the_list_of_the_door_and_a_reason_pass(tmp_path: Path):
    write(
        tmp_path,
        "src/pabal/x.sql",
        "-- name: list_all(units)\n"
        "select 1 from t where :units::bigint[] is null or t.unit_id = any(:units::bigint[]);\n"
        "-- name: last_one(unit_id)\n-- unit: asked by the engine itself\nselect 1 from t where unit_id = :unit_id;\n"
        "-- name: move(unit_id)\nupdate t set unit_id = :unit_id where id = 1;\n",
    )

    assert unit_faults(tmp_path) == []
