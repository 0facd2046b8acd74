"""Everything the checks look at: the tables, the files in the store, and which processes were there when."""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from chaos import history
from chaos.rules.ground import ENDED
from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine.transitions import Transition

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class RunRow:
    id: str
    number: int
    rule_id: int
    scheduled_at: datetime
    state: str
    version: int
    reason: str | None
    attempt: int
    count: int
    artifacts: list[dict[str, Any]]
    has_script: bool


@dataclass(frozen=True, slots=True)
class Moment:
    rule_id: int
    fire_at: datetime
    decision: str
    end: str | None
    count: int


@dataclass(frozen=True, slots=True)
class StoredFile:
    """`found` is the SHA-256 of what lies in the store; None: nothing does."""

    id: int
    key: str
    size: int
    sha256: str
    uses: list[str]
    found: str | None = None


@dataclass(slots=True)
class Seen:
    """A process of a run. `until` is when it was seen to be gone; None: it was there at the end."""

    run: str
    server: int | None
    since: float
    until: float | None = None


@dataclass(slots=True)
class Evidence:
    runs: list[RunRow] = field(default_factory=list)
    transitions: dict[int, list[Transition]] = field(default_factory=dict)
    moments: list[Moment] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    files: list[StoredFile] = field(default_factory=list)
    processes: list[Seen] = field(default_factory=list)
    # server → when it was killed, ended by itself, or stopped for longer than its lease
    lost: dict[int, float] = field(default_factory=dict)
    open_jobs: int = 0


async def gather(folder: Path, url: str) -> Evidence:
    evidence = Evidence()
    read_history(history.read(folder / "history"), evidence)
    database = await Database.open(url, size=1)
    try:
        async with database.transaction() as tx:
            await _read_tables(tx, folder / "files", evidence)
    finally:
        await database.close()
    return evidence


def read_history(lines: list[history.Line], evidence: Evidence) -> None:
    there: dict[tuple[int, str], Seen] = {}
    for line in lines:
        match line.what:
            case "process":
                seen = Seen(line.data["run"], line.data["server"], line.at)
                there[line.data["process"], line.data["birth"]] = seen
                evidence.processes.append(seen)
            case "process gone":
                there.pop((line.data["process"], line.data["birth"])).until = line.at
            case "kill" | "gone" | "stop":
                evidence.lost.setdefault(line.data["pid"], line.at)


async def _read_tables(tx: Tx, files: Path, evidence: Evidence) -> None:
    evidence.runs = await tx.all(RunRow, SQL.list_runs)
    for one in await tx.all(Transition, SQL.list_transitions):
        evidence.transitions.setdefault(one.subject, []).append(one)
    evidence.moments = await tx.all(Moment, SQL.list_moments)
    evidence.events = [row["id"] for row in await tx.rows(SQL.list_events, name=ENDED)]
    for row in await tx.rows(SQL.list_files):
        path = files / row["key"]
        found = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
        evidence.files.append(StoredFile(**row, found=found))
    evidence.open_jobs = await tx.value(SQL.count_jobs)
