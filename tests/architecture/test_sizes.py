"""The tail is cut (STYLE R1): what is longer says why, beside itself."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source import CODE, PROJECT, files, write
from tools.shape import list_statements

FUNCTION_LINES = 40
FILE_LINES = 450
PARAMETERS = 6

_FREE = {"self", "cls", "tx"}
_REASON = re.compile(r"#\s*long:\s*\S+")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def oversized(root: Path) -> list[str]:
    return [fault for path in files(root, "*.py", folders=CODE) for fault in _oversized_in(path, root)]


def test_nothing_is_too_long_without_a_reason():
    assert oversized(PROJECT) == []


@pytest.mark.parametrize("folder", CODE)
def test_a_function_of_41_lines_is_caught(tmp_path: Path, folder: str):
    write(tmp_path, f"{folder}/sample.py", _function(lines=41))

    [fault] = oversized(tmp_path)

    assert "sample.py:1" in fault
    assert "41 lines" in fault


def test_a_function_of_40_lines_is_fine(tmp_path: Path):
    write(tmp_path, "src/sample.py", _function(lines=40))

    assert oversized(tmp_path) == []


@pytest.mark.parametrize(
    ("above", "beside", "inside"),
    [
        ("# long: one branch per state, as the table has them\n", "", ""),
        ("", "  # long: one branch per state", ""),
        ("", "", "    # long: one branch per state\n"),
    ],
)
def test_a_reason_excuses_a_long_function(tmp_path: Path, above: str, beside: str, inside: str):
    body = "".join(f"    x{n} = {n}\n" for n in range(50))
    write(tmp_path, "src/sample.py", f"{above}def f():{beside}\n{inside}{body}")

    assert oversized(tmp_path) == []


def test_an_empty_reason_excuses_nothing(tmp_path: Path):
    write(tmp_path, "src/sample.py", "# long:\n" + _function(lines=41))

    assert len(oversized(tmp_path)) == 1


def test_a_reason_belongs_to_one_function_only(tmp_path: Path):
    write(tmp_path, "src/sample.py", "# long: a table\n" + _function(lines=41) + "\n\n" + _function(lines=41, name="g"))

    [fault] = oversized(tmp_path)

    assert " g " in fault


def test_seven_parameters_are_caught_and_self_and_tx_do_not_count(tmp_path: Path):
    write(tmp_path, "src/fine.py", "async def f(self, tx, a, b, c, *, d, e, f): ...\n")
    write(tmp_path, "src/wide.py", "async def f(tx, a, b, c, *, d, e, f, g): ...\n")

    [fault] = oversized(tmp_path)

    assert "wide.py:1" in fault
    assert "7 parameters" in fault


def test_a_file_of_451_lines_is_caught_unless_it_says_why(tmp_path: Path):
    write(tmp_path, "src/long.py", "x = 1\n" * 451)
    write(tmp_path, "src/excused.py", '"""A table."""\n# long: one row per code\n' + "x = 1\n" * 451)

    [fault] = oversized(tmp_path)

    assert "long.py" in fault
    assert "451 lines" in fault


def _oversized_in(path: Path, root: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    where = path.relative_to(root)
    if len(lines) > FILE_LINES and not _has_reason(lines[:10]):
        yield f"{where}: {len(lines)} lines, at most {FILE_LINES}"
    for node in list_statements(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _oversized_function(node, lines, where)


def _oversized_function(node: Function, lines: list[str], where: Path) -> Iterator[str]:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    # The line above, the head, and the first three lines of the body.
    if _has_reason(lines[max(first - 2, 0) : node.body[0].lineno + 2]):
        return
    length = (node.end_lineno or node.lineno) - node.lineno + 1
    if length > FUNCTION_LINES:
        yield f"{where}:{node.lineno}: {node.name} has {length} lines, at most {FUNCTION_LINES}"
    parameters = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs) if a.arg not in _FREE]
    if len(parameters) > PARAMETERS:
        yield f"{where}:{node.lineno}: {node.name} has {len(parameters)} parameters, at most {PARAMETERS}"


def _has_reason(lines: list[str]) -> bool:
    return any(_REASON.search(line) for line in lines)


def _function(*, lines: int, name: str = "f") -> str:
    return f"def {name}():\n" + "".join(f"    x{n} = {n}\n" for n in range(lines - 1))
