"""Everything the checks look at: the tables, what others said, who was up when, what the reconciler found."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from chaos import history
from chaos.history import Line
from pabal.apps.adgroups.machine import Subject, load_subjects
from pabal.base.database import Database
from pabal.base.sql import load
from pabal.engine.transitions import Transition

SQL = load(__file__)
# After a start, and after an outage: a loop that failed rests up to five seconds before it tries again.
STARTING, RECOVERING = 1.0, 6.0
Stretch = tuple[float, float]
LAST = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of an event from outside."""

    id: str
    result: str
    code: str | None
    duplicates: int


@dataclass(slots=True)
class Evidence:
    """Moments are the database's. `outages`: when no server or no database was up; `differences`: Redis's, by pass."""

    subjects: dict[int, Subject] = field(default_factory=dict)
    transitions: dict[int, list[Transition]] = field(default_factory=dict)
    timers: dict[int, dict[str, datetime]] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)
    outages: list[Stretch] = field(default_factory=list)
    differences: list[int] = field(default_factory=list)
    # how many seconds somebody may stay too long
    patience: float = 2.0
    ended_at: datetime = LAST

    def seconds_out(self, since: datetime, until: datetime) -> float:
        """For how long of this time nobody could have done anything."""
        start, end = since.timestamp(), until.timestamp()
        return sum(max(0.0, min(end, stop) - max(start, begin)) for begin, stop in self.outages)


async def gather(folder: Path, url: str, differences: list[int], patience: float) -> Evidence:
    lines = history.read(folder / "history")
    database = await Database.open(url, size=1)
    async with database.transaction() as tx:
        ids = [row["id"] for row in await tx.rows(SQL.list_subjects)]
        subjects = {one.id: one for one in await load_subjects(tx, ids)}
        transitions: dict[int, list[Transition]] = defaultdict(list)
        for one in await tx.all(Transition, SQL.list_transitions):
            transitions[one.subject].append(one)
        timers: dict[int, dict[str, datetime]] = defaultdict(dict)
        for row in await tx.rows(SQL.list_timers):
            timers[row["subject"]][row["event"]] = row["due_at"]
        taken = await tx.all(Taken, SQL.list_events)
        now = tx.now
    await database.close()
    said = [line.data["event"]["id"] for line in lines if line.what == "said"]
    return Evidence(subjects, transitions, timers, said, taken, find_outages(lines), differences, patience, now)


def find_outages(lines: Iterable[Line]) -> list[Stretch]:
    """On the database's clock, which was compared with the steady one once."""
    lines = list(lines)
    shift = next(line.data["database"] - line.at for line in lines if line.what == "clock")
    up, gone = set[int](), set[int]()
    changes: list[tuple[float, bool]] = []
    # how often it went down without having recovered yet
    downs, began = 0, lines[0].at
    for at, what, pid in sorted(_changes(lines)):
        match what:
            case "up" if pid not in gone:
                up.add(pid)
            case "up":
                """It was gone before it could do anything."""
            case "gone":
                gone.add(pid)
                up.discard(pid)
            case _:
                downs += 1 if what == "database down" else -1
        changes.append((at, bool(up) and not downs))
    outages, since = [], began
    was_up = False
    for at, is_up in [*changes, (lines[-1].at, True)]:
        if is_up and not was_up:
            outages.append((since + shift, at + shift))
        if was_up and not is_up:
            since = at
        was_up = is_up
    return outages


def _changes(lines: Iterable[Line]) -> Iterable[tuple[float, str, int]]:
    for line in lines:
        match line.what:
            case "serving":
                yield line.at + STARTING, "up", line.pid
            case "kill" | "gone" | "retire" | "hung":
                yield line.at, "gone", line.data["pid"]
            case "database down":
                yield line.at, line.what, 0
            case "database up":
                yield line.at + RECOVERING, line.what, 0
