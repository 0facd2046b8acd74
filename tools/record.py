"""What test runs leave behind in build/tests: which tests passed, and of which files. `make acceptance` counts by it.

There is one record for each state of the files. Runs of the same files add to the same record, so that the two parts of
the suite make one whole run; a run of a few tests never takes the place of a whole one.
"""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

PLACE = Path("build") / "tests"
PASSED = "passed"
# at any depth: what is made from other files, and what no test reads
_MADE = {"__pycache__", "node_modules", "vendor"}
_MADE_AT_THE_TOP = {"build", "dist", "data"}


@dataclass
class Record:
    """`known` are all tests there are, once a run has collected them; `outcomes` those that ran."""

    commit: str
    files: dict[str, str]
    ended_at: str = ""
    known: list[str] = field(default_factory=list)
    outcomes: dict[str, str] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        return bool(self.known) and self.outcomes.keys() >= set(self.known)

    @property
    def name(self) -> str:
        return hashlib.sha256(json.dumps(self.files, sort_keys=True).encode()).hexdigest()[:16]

    def passed(self, test: str) -> bool:
        return self.outcomes.get(test) == PASSED


def begin(root: Path) -> Record:
    """Of the files as they are now: what is changed during a run was not what was tested."""
    return Record(_find_commit(root), digest_files(root))


def keep(root: Path, run: Record) -> None:
    """Adds a run to the record of its files, and forgets what it replaces."""
    kept = _read(root / PLACE / f"{run.name}.json") or run
    kept.commit, kept.ended_at = run.commit, datetime.now(UTC).isoformat(timespec="seconds")
    kept.known = run.known or kept.known
    kept.outcomes = {**kept.outcomes, **run.outcomes}
    _write(root / PLACE / f"{kept.name}.json", kept)
    for path, other in _read_all(root):
        if other.name != kept.name and (kept.is_whole or not other.is_whole):
            path.unlink(missing_ok=True)


def find_last_whole(root: Path) -> Record | None:
    whole = [record for _, record in _read_all(root) if record.is_whole]
    return max(whole, key=lambda record: record.ended_at, default=None)


def list_changes(root: Path, record: Record) -> list[str]:
    """Files that are not what they were in that run: changed, new or gone."""
    now = digest_files(root)
    return sorted(path for path in now.keys() | record.files.keys() if now.get(path) != record.files.get(path))


def digest_files(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): _digest(path) for path in _list_files(root)}


def _list_files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        skipped = _MADE | (_MADE_AT_THE_TOP if Path(folder) == root else set())
        folders[:] = sorted(name for name in folders if name not in skipped and not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(names) if _counts(name))


def _counts(name: str) -> bool:
    return not name.startswith(".") and not name.endswith((".log", ".pyc"))


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError:  # a link to nowhere, or gone since we looked
        return "unreadable"


def _find_commit(root: Path) -> str:
    told = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=root, capture_output=True, text=True, check=False
    )
    return told.stdout.strip() or "no commit"


def _read_all(root: Path) -> Iterable[tuple[Path, Record]]:
    found = [(path, _read(path)) for path in (root / PLACE).glob("*.json")]
    return [(path, record) for path, record in found if record is not None]


def _read(path: Path) -> Record | None:
    try:
        return Record(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):  # not there, or of an earlier version of this file
        return None


def _write(path: Path, record: Record) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(f".{os.getpid()}")
    half.write_text(json.dumps(asdict(record)), encoding="utf-8")
    half.replace(path)
