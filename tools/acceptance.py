"""Says, per app, how many lines of docs/requirements are proven by tests marked `@pytest.mark.req("A-122")`.

A mark counts only if its test ran and passed in the last whole run (tools/record.py).
"""

import argparse
import json
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from os import environ, pathsep
from pathlib import Path

from tools.record import Record, find_last_whole, list_changes

PROJECT = Path(__file__).resolve().parents[1]
MOST_MARKS = 5  # a test that claims more proves none of them in particular
MOST_NAMES = 5

_TITLE = re.compile(r"^# \w+: acceptance list of seed (?P<letter>[A-Z])$", re.MULTILINE)
_ROW = re.compile(r"^\| (?P<letter>[A-Z])-(?P<number>\d+) \|(?:[^|]*\|){2} (?P<text>.*) \|$", re.MULTILINE)


class Refused(Exception):
    """The lists or the marks are not in order, so no count would mean anything."""


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Marked:
    """One collected test (one case of it, when it is parametrised) and the lines it claims."""

    test: str
    lines: tuple[str, ...]
    runs: bool


def main(arguments: list[str] | None = None) -> int:
    options = _parse(arguments)
    try:
        lists = read_lists(options.root / "docs" / "requirements")
        if options.app and options.app not in lists:
            raise Refused(f"there is no app {options.app}; there are {', '.join(lists)}")
        marked = collect(options.root)
    except Refused as error:
        print(error, file=sys.stderr)
        return 1

    wrong = list(faults(lists, marked))
    run = find_last_whole(options.root)
    for told in (*wrong, *doubts(options.root, run)):
        print(told, file=sys.stderr)
    sys.stderr.flush()
    wanted = lists if not options.app else {options.app: lists[options.app]}
    _show(wanted, proofs(marked, run), with_lines=options.list)
    return 1 if wrong or run is None else 0


def read_lists(folder: Path) -> dict[str, list[Line]]:
    """App name (the file's) → its numbered lines; the tables of contradictions have other letters and do not count."""
    return {path.stem: _read_list(path) for path in sorted(folder.glob("*.md")) if path.stem != "README"}


def collect(root: Path) -> list[Marked]:
    """Lets pytest itself find the tests, so that marks on parameters, classes and modules count as pytest sees them."""
    with tempfile.TemporaryDirectory() as scratch:
        target = Path(scratch) / "marks.json"
        command = [sys.executable, "-m", "pytest", "tests", "--collect-only", "-q", f"--rootdir={root}"]
        done = subprocess.run(
            [*command, "-p", "tools.acceptance_plugin", f"--marks-to={target}"],
            cwd=root,
            env={**environ, "PYTHONPATH": pathsep.join(filter(None, [str(PROJECT), environ.get("PYTHONPATH")]))},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 5):  # 5: there are no tests yet
            raise Refused(f"pytest could not collect the tests:\n{done.stdout}{done.stderr}")
        found = json.loads(target.read_text(encoding="utf-8"))
    return [Marked(one["test"], tuple(one["lines"]), one["runs"]) for one in found]


def faults(lists: dict[str, list[Line]], marked: list[Marked]) -> Iterator[str]:
    known = {line.name for lines in lists.values() for line in lines}
    for one in marked:
        for name in one.lines:
            if name not in known:
                yield f"{one.test}: its mark names {name}, which is no line of docs/requirements"
        if (count := len(one.lines)) > MOST_MARKS:
            yield f"{one.test}: {count} marks on one test, at most {MOST_MARKS}; parametrise it over them or split it"


def doubts(root: Path, run: Record | None) -> Iterator[str]:
    """Why the count may not be that of the files as they are."""
    if run is None:
        yield "No whole run of the tests is on record, so nothing is proven: run `make test`."
    elif changes := list_changes(root, run):
        names = ", ".join([*changes[:MOST_NAMES], *["…"][: len(changes) > MOST_NAMES]])
        yield (
            f"The last whole run ({run.ended_at}, {run.commit}) was of other files; "
            f"{len(changes)} differ since: {names}. `make test` brings the count up to date."
        )


def proofs(marked: list[Marked], run: Record | None) -> dict[str, list[str]]:
    """Line → the tests that prove it: those that ran and passed. Expected to fail and skipped is neither."""
    found: dict[str, list[str]] = {}
    for one in marked if run is not None else ():
        for name in one.lines if one.runs and run.passed(one.test) else ():
            found.setdefault(name, []).append(one.test)
    return found


def _read_list(path: Path) -> list[Line]:
    content = path.read_text(encoding="utf-8")
    title = _TITLE.search(content)
    if title is None:
        raise Refused(f"{path.name}: no title '# name: acceptance list of seed X'")
    rows = [row for row in _ROW.finditer(content) if row["letter"] == title["letter"]]
    numbers = [int(row["number"]) for row in rows]
    if not rows or numbers != list(range(1, len(rows) + 1)):
        raise Refused(f"{path.name}: its lines are not numbered 1, 2, 3 … without gaps")
    return [Line(f"{row['letter']}-{row['number']}", row["text"]) for row in rows]


def _show(lists: dict[str, list[Line]], proven: dict[str, list[str]], *, with_lines: bool) -> None:
    for app, lines in lists.items():
        for line in lines if with_lines else ():
            print(f"{line.name}  {', '.join(proven.get(line.name, [])) or f'not proven: {line.text}'}")
        print(f"{app}: {sum(line.name in proven for line in lines)} of {len(lines)}")


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make acceptance", description=__doc__)
    parser.add_argument("--app", help="only this one: messaging, rendering, relay, rules, adgroups")
    parser.add_argument("--list", action="store_true", help="every line with the tests that prove it")
    parser.add_argument("--root", type=Path, default=PROJECT, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `… --list | head` ends quietly
    sys.exit(main())
