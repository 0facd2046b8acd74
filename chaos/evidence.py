"""Everything the checker looks at: the histories of all processes and the tables, on one clock."""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chaos import history
from chaos.history import Line
from pabal.base.clock import elapsed
from pabal.base.database import Database, Row, Tx
from pabal.base.sql import load

SQL = load(__file__)
AttemptKey = tuple[int, int]


@dataclass(slots=True)
class Attempt:
    """An attempt as its handler saw it. `ended` is None when it was killed, `how` is end or cut."""

    job: int
    token: int
    kind: str
    pid: int
    worker: int
    start: float
    data: dict[str, Any]
    ended: float | None = None
    how: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """An attempt as the tables have it; moments are on the histories' clock."""

    job: int
    token: int
    final: bool
    result: str
    worker: int | None
    started: float | None
    ended: float
    reason: str | None


@dataclass(frozen=True, slots=True)
class Body:
    id: int
    kind: str
    queue: str
    lane: str | None
    args: dict[str, Any]
    max_failures: int
    max_recoveries: int
    created: float


@dataclass(slots=True)
class Evidence:
    ttl: float
    lines: list[Line]
    bodies: dict[int, Body] = field(default_factory=dict)
    outcomes: dict[AttemptKey, Outcome] = field(default_factory=dict)
    by_job: dict[int, list[Outcome]] = field(default_factory=lambda: defaultdict(list))
    attempts: dict[AttemptKey, Attempt] = field(default_factory=dict)
    recorded: list[Row] = field(default_factory=list)
    given_up: list[Row] = field(default_factory=list)
    effects: dict[int, int] = field(default_factory=dict)
    held: list[Row] = field(default_factory=list)
    starts: list[Row] = field(default_factory=list)
    stale: list[Row] = field(default_factory=list)
    places: dict[int, str] = field(default_factory=dict)

    def said(self, *what: str) -> list[Line]:
        return [line for line in self.lines if line.what in what]

    def final(self, job: int) -> Outcome | None:
        return next((outcome for outcome in self.by_job[job] if outcome.final), None)

    def valid_until(self, attempt: Attempt) -> float | None:
        """Until when the attempt held its job; None when it had lost it before it even began (a zombie)."""
        outcome = self.outcomes.get((attempt.job, attempt.token))
        if outcome is None:
            return attempt.ended
        # The lease was taken away no earlier than the moment of the transaction that did it.
        if attempt.start >= outcome.ended:
            return None
        return outcome.ended if attempt.ended is None else min(attempt.ended, outcome.ended)

    def outages(self, *, and_after: float) -> list[tuple[float, float]]:
        """From each stop of the database until it is back, and so many seconds more."""
        found, down = [], None
        for line in self.said("database down", "database up"):
            if line.what == "database down":
                down = line.at
            elif down is not None:
                found.append((down, line.at + and_after))
                down = None
        return found


async def gather(folder: Path, url: str, *, ttl: float) -> Evidence:
    evidence = Evidence(ttl, history.read(folder / "history"))
    evidence.attempts = _attempts(evidence.lines)
    database = await Database.open(url, size=2)
    try:
        async with database.transaction() as tx:
            await _read_tables(tx, evidence)
    finally:
        await database.close()
    return evidence


async def _read_tables(tx: Tx, evidence: Evidence) -> None:
    behind = await tx.value(SQL.read_seconds) - elapsed()
    for row in await tx.rows(SQL.list_bodies):
        values = {**row, "created": row["created"] - behind}
        evidence.bodies[row["id"]] = Body(**values)
    for row in await tx.rows(SQL.list_outcomes):
        started = None if row["started_at"] is None else row["started_at"] - behind
        outcome = Outcome(
            row["id"], row["token"], row["final"], row["result"], row["worker"], started,
            row["ended_at"] - behind, row["reason"],
        )  # fmt: skip
        evidence.outcomes[outcome.job, outcome.token] = outcome
        evidence.by_job[outcome.job].append(outcome)
    evidence.recorded = await tx.rows(SQL.list_recorded)
    evidence.given_up = await tx.rows(SQL.list_given_up)
    evidence.effects = {row["job"]: row["effects"] for row in await tx.rows(SQL.count_effects)}
    evidence.held = await tx.rows(SQL.list_held)
    evidence.starts = await tx.rows(SQL.list_starts)
    evidence.stale = await tx.rows(SQL.list_stale)
    evidence.places = {row["id"]: row["place"] for row in await tx.rows(SQL.list_places)}


def _attempts(lines: list[Line]) -> dict[AttemptKey, Attempt]:
    attempts: dict[AttemptKey, Attempt] = {}
    for line in lines:
        if line.what == "start":
            data = dict(line.data)
            job, token = data.pop("job"), data.pop("token")
            attempts[job, token] = Attempt(job, token, data.pop("kind"), line.pid, data.pop("worker"), line.at, data)
        elif line.what in ("end", "cut"):
            attempt = attempts[line.data["job"], line.data["token"]]
            attempt.ended, attempt.how = line.at, line.what
    return attempts
