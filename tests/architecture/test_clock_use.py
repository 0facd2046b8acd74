"""One clock, and it is given (STYLE R10)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source import PROJECT, files, write

CLOCK = "src/pabal/base/clock.py"
SQL_CLOCKS = {
    "src/pabal/base/migrations/0001_clock.sql",  # defines pabal.now(), pabal.moment() and pabal.real_now()
    "src/pabal/base/clock.sql",  # replaces their bodies when the clock is to be moved
    "src/pabal/base/migrations.sql",  # the ledger is older than pabal.now(), which a migration makes
}

_READS_CLOCK = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time", "time.time_ns"}
# any of them is written with one of these words: what has none need not be parsed
_MAY_READ_CLOCK = re.compile(r"\bdate(?:time)?\s*\.\s*(?:utc)?(?:now|today)\b|\btime\s*\.\s*time|\bfrom\s+time\b")
_SQL_CLOCK = re.compile(
    r"(?<!pabal\.)\bnow\s*\(|\b(?:clock|statement|transaction)_timestamp\s*\(|\b(?:current|local)_?(?:timestamp|date|time)\b",
    re.IGNORECASE,
)
_SQL_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


def clock_faults(root: Path) -> list[str]:
    return [*_python_faults(root), *_sql_faults(root)]


def test_only_the_clock_reads_the_time():
    assert clock_faults(PROJECT) == []


@pytest.mark.parametrize(
    "code",
    [
        "from datetime import UTC, datetime\nat = datetime.now(UTC)",
        "import datetime\nat = datetime.datetime.now(datetime.UTC)",
        "from datetime import datetime\nmake = datetime.utcnow",
        "from datetime import date\non = date.today()",
        "import time\nat = time.time()",
        "from time import time\nat = time()",
    ],
)
def test_a_module_that_asks_the_machine_is_caught(tmp_path: Path, code: str):
    write(tmp_path, "src/pabal/engine/queue.py", code)

    [fault] = clock_faults(tmp_path)

    assert "src/pabal/engine/queue.py" in fault


@pytest.mark.parametrize(
    "statement",
    [
        "select * from job where due_at <= now()",
        "select * from job where due_at <= pg_catalog.NOW ()",
        "insert into job (at) values (current_timestamp)",
        "select clock_timestamp()",
        "create table t (at timestamptz default transaction_timestamp())",
    ],
)
def test_a_statement_with_a_clock_of_its_own_is_caught(tmp_path: Path, statement: str):
    write(tmp_path, "src/pabal/engine/queue.sql", f"-- name: x()\n{statement};\n")

    [fault] = clock_faults(tmp_path)

    assert "src/pabal/engine/queue.sql:2" in fault


def test_the_clock_itself_and_its_users_are_fine(tmp_path: Path):
    write(tmp_path, CLOCK, "import time\nat = time.time()\n")
    write(tmp_path, "src/pabal/base/clock.sql", "select now() + shift from pabal.clock_shift;\n")
    write(tmp_path, "src/pabal/engine/queue.py", "import time\nfor_waiting = time.monotonic()\n")
    users = "-- now() would not move\nselect pabal.now(), pabal.real_now(), pabal.moment();\n"
    write(tmp_path, "src/pabal/engine/queue.sql", users)

    assert clock_faults(tmp_path) == []


def _python_faults(root: Path) -> Iterator[str]:
    for path in files(root, "*.py", folders=("src",)):
        where = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        if where == CLOCK or not _MAY_READ_CLOCK.search(text):
            continue
        for node in ast.walk(ast.parse(text)):
            if _reads_clock(node):
                yield f"{where}:{node.lineno}: asks this machine for the time"


def _reads_clock(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id=owner) | ast.Attribute(attr=owner), attr=name):
            return f"{owner}.{name}" in _READS_CLOCK
        case ast.ImportFrom(module="time", names=names):
            return any(f"time.{name.name}" in _READS_CLOCK for name in names)
    return False


def _sql_faults(root: Path) -> Iterator[str]:
    for path in files(root, "*.sql", folders=("src",)):
        where = path.relative_to(root).as_posix()
        if where in SQL_CLOCKS:
            continue
        text = _SQL_COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), path.read_text(encoding="utf-8"))
        for found in _SQL_CLOCK.finditer(text):
            yield f"{where}:{text.count(chr(10), 0, found.start()) + 1}: {found[0]} instead of pabal.now()"
