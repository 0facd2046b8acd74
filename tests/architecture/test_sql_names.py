"""SQL lives in the .sql beside its module, and every statement there has a reader (STYLE R3)."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.architecture.source import PROJECT, files, write

_NAME = re.compile(r"^--\s*name:\s*(\w+)", re.MULTILINE)
_LOOKS_LIKE_SQL = re.compile(
    r"""\s*(?:
        select\s+.*?\sfrom\s | select\s+[\w.]+\( | select\s+\d
      | insert\s+into\s | update\s+[\w."]+\s+(?:\w+\s+)?set\s | delete\s+from\s
      | with\s+(?:recursive\s+)?\w+\s+as\s+(?:(?:not\s+)?materialized\s+)?\(
      | (?:create|alter|drop)\s+(?:or\s+replace\s+)?(?:unlogged\s+)?(?:table|index|function|schema|view|database|role)\s
      | truncate\s+(?:table\s|\w+\.\w)
    )""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
# such a string begins behind a quote or a value in braces: what has none need not be parsed
_MAY_HOLD_SQL = re.compile(
    r"""["'}](?:\s|\\.)*(?:select|insert|update|delete|with|create|alter|drop|truncate)\b""", re.IGNORECASE | re.DOTALL
)
_MAY_USE = re.compile(r"\bSQL\s*\.")


@dataclass(frozen=True, slots=True)
class Use:
    """`SQL.name` in a module, or `queue.SQL.name`, where the owner is queue."""

    module: Path
    owner: str | None
    name: str
    line: int


def sql_faults(root: Path) -> list[str]:
    return [*_name_faults(root), *_string_faults(root)]


def test_statements_and_their_readers_agree():
    assert sql_faults(PROJECT) == []


MODULE = 'from pabal.base.sql import load\n\nSQL = load(__file__)\n\n"""select one from two"""\nused = SQL.list_jobs\n'


def test_a_module_and_its_statements_pass(tmp_path: Path):
    write(tmp_path, "src/pabal/queue.py", MODULE)
    write(tmp_path, "src/pabal/queue.sql", "-- name: list_jobs(kind)\nselect 1;\n-- name: count_jobs()$\nselect 2;\n")
    write(tmp_path, "src/pabal/sibling.py", "from pabal import queue\n\nused = queue.SQL.count_jobs\n")
    write(tmp_path, "src/pabal/migrations/0001_work.sql", "create table job ();\n")

    assert sql_faults(tmp_path) == []


def test_a_statement_nobody_uses_is_caught(tmp_path: Path):
    write(tmp_path, "src/pabal/queue.py", MODULE)
    write(tmp_path, "src/pabal/queue.sql", "-- name: list_jobs(kind)\nselect 1;\n\n-- name: forgotten!\nselect 2;\n")

    [fault] = sql_faults(tmp_path)

    assert "queue.sql" in fault
    assert "forgotten" in fault


def test_another_modules_statement_of_the_same_name_is_no_use(tmp_path: Path):
    write(tmp_path, "src/pabal/queue.py", MODULE)
    write(tmp_path, "src/pabal/queue.sql", "-- name: list_jobs(kind)\nselect 1;\n")
    write(tmp_path, "src/pabal/lanes.py", "from pabal.base.sql import load\n\nSQL = load(__file__)\n")
    write(tmp_path, "src/pabal/lanes.sql", "-- name: list_jobs(kind)\nselect 1;\n")

    [fault] = sql_faults(tmp_path)

    assert "lanes.sql" in fault


def test_a_name_without_a_statement_is_caught(tmp_path: Path):
    write(tmp_path, "src/pabal/queue.py", MODULE + "wrong = SQL.list_jbos\n")
    write(tmp_path, "src/pabal/queue.sql", "-- name: list_jobs(kind)\nselect 1;\n")

    [fault] = sql_faults(tmp_path)

    assert "queue.py:7" in fault
    assert "list_jbos" in fault


def test_a_sql_file_without_a_module_is_caught(tmp_path: Path):
    write(tmp_path, "src/pabal/lost.sql", "-- name: list_jobs(kind)\nselect 1;\n")

    [fault] = sql_faults(tmp_path)

    assert "lost.sql" in fault


@pytest.mark.parametrize(
    "text",
    [
        "select id from job",
        "SELECT\n  *\nFROM job WHERE id = $1",
        "select pg_notify('pabal', $1)",
        "insert into job values (1)",
        "update pabal.job set state = 'paused'",
        "update job j set state = 'paused'",
        "delete from job",
        "with due as (select 1) delete from due",
        "create table job (id int)",
        "drop schema pabal cascade",
        "truncate pabal.job",
    ],
)
@pytest.mark.parametrize("prefix", ["", "f"])
def test_sql_in_a_python_string_is_caught(tmp_path: Path, text: str, prefix: str):
    write(tmp_path, "src/pabal/queue.py", f'text = {prefix}"""{text}"""\n')

    [fault] = sql_faults(tmp_path)

    assert "queue.py:1" in fault


@pytest.mark.parametrize(
    "text",
    ["Select a role", "update the lock", "with care", "Create a schedule", "deleted from here", "insert", "selected"],
)
def test_plain_words_are_no_sql(tmp_path: Path, text: str):
    write(tmp_path, "src/pabal/queue.py", f"text = {text!r}\n")

    assert sql_faults(tmp_path) == []


def _name_faults(root: Path) -> Iterator[str]:
    statements = {path: _NAME.findall(path.read_text(encoding="utf-8")) for path in _named_files(root)}
    uses = [use for path in files(root, "*.py", folders=("src",)) for use in _uses(path)]
    read = {(_statements_of(use), use.name) for use in uses}
    for path, names in statements.items():
        if not path.with_suffix(".py").exists():
            yield f"{path.relative_to(root)}: no module of that name beside it"
            continue
        for name in names:
            if (path, name) not in read:
                yield f"{path.relative_to(root)}: nobody uses {name}"
    for use in uses:
        if use.name not in statements.get(_statements_of(use), []):
            yield f"{use.module.relative_to(root)}:{use.line}: there is no statement {use.name}"


def _named_files(root: Path) -> Iterator[Path]:
    return (path for path in files(root, "*.sql", folders=("src",)) if "migrations" not in path.parent.parts)


def _uses(path: Path) -> Iterator[Use]:
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)) if _MAY_USE.search(text) else ():
        match node:
            case ast.Attribute(value=ast.Name(id="SQL"), attr=name):
                yield Use(path, None, name, node.lineno)
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id=owner), attr="SQL"), attr=name):
                yield Use(path, owner, name, node.lineno)


def _statements_of(use: Use) -> Path:
    return use.module.with_name(f"{use.owner}.sql") if use.owner else use.module.with_suffix(".sql")


def _string_faults(root: Path) -> Iterator[str]:
    for path in files(root, "*.py", folders=("src",)):
        text = path.read_text(encoding="utf-8")
        for node in _strings(ast.parse(text)) if _MAY_HOLD_SQL.search(text) else ():
            if _LOOKS_LIKE_SQL.match(str(node.value)):
                yield f"{path.relative_to(root)}:{node.lineno}: SQL in a string"


def _strings(tree: ast.Module) -> Iterator[ast.Constant]:
    """All text in the code but what stands alone: docstrings and remarks."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node
