"""Everything the checker looks at: the histories of all processes and the tables, on one clock."""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

from chaos import history
from chaos.history import Line
from chaos.listening import NAMES
from pabal.base.clock import elapsed
from pabal.base.database import Database, Row, Tx
from pabal.base.sql import load

SQL = load(__file__)
AttemptKey = tuple[int, int]


@dataclass(slots=True)
class Attempt:
    """An attempt as its handler saw it. `ended` is None when it was killed, `how` is end or cut.

    `pid` is the process it ran in, `server` the one that started it: another one for a child. `told` is why it had to
    stop; `steps` are the moments at which it saved where it was.
    """

    job: int
    token: int
    kind: str
    pid: int
    worker: int
    start: float
    data: dict[str, Any]
    ended: float | None = None
    how: str | None = None
    told: str | None = None
    steps: list[float] = field(default_factory=list)

    @property
    def server(self) -> int:
        server: int = self.data.get("server", self.pid)
        return server


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
    priority: int = 2
    deadline: float | None = None
    records_end: bool = False


@dataclass
class Evidence:
    """All moments are on the histories' clock; `behind` is by how much the database's differs."""

    ttl: float
    lines: list[Line]
    behind: float = 0.0
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
    facts: list[Row] = field(default_factory=list)
    heard: list[Row] = field(default_factory=list)
    aside: list[Row] = field(default_factory=list)
    occurrences: list[Row] = field(default_factory=list)

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

    def is_witnessed(self, attempt: Attempt) -> bool:
        """Its own file says when it ended; otherwise only the database knows until when it held its job."""
        outcome = self.outcomes.get((attempt.job, attempt.token))
        return attempt.ended is not None and (outcome is None or attempt.ended <= outcome.ended)

    def was_hurt(self, pid: int, start: float, end: float) -> bool:
        """Whether this process was killed, asleep, or asked to stop at some time between the two."""
        return any(start < until and end > since for since, until in self.harm.get(pid, ()))

    @cached_property
    def committed(self) -> dict[int, float]:
        """When each job was there for sure, by its producer's file."""
        return {job: line.at for line in self.said("committed") for _, job in line.data["jobs"]}

    @cached_property
    def claimed(self) -> dict[AttemptKey, float]:
        """When its server had each attempt in its hands."""
        return {(job, token): line.at for line in self.said("claimed") for job, token, _ in line.data["jobs"]}

    @cached_property
    def ready_at(self) -> dict[AttemptKey, float]:
        """The turn in the queue that each attempt had when it was claimed, by the database's clock."""
        return {(job, token): at for line in self.said("claimed") for job, token, at in line.data["jobs"]}

    @cached_property
    def holding(self) -> dict[int, float]:
        """When its server knew that it holds a route, for each epoch."""
        return {line.data["epoch"]: line.at for line in self.said("held")}

    @cached_property
    def hearing(self) -> dict[tuple[int, str], list[float]]:
        """When each process heard that there is something on a route."""
        found: dict[tuple[int, str], list[float]] = defaultdict(list)
        for line in self.said("heard"):
            found[line.pid, line.data["route"]].append(line.at)
        return found

    @cached_property
    def _lags(self) -> dict[int, list[tuple[float, float]]]:
        found: dict[int, list[tuple[float, float]]] = defaultdict(list)
        for line in self.said("lag"):
            found[line.pid].append((line.at, line.data["seconds"]))
        return found

    def lag(self, pid: int, start: float, end: float) -> float:
        """For how long in all the loop of this process was kept from its turn between the two."""
        spans = ((max(at - seconds, start), min(at, end)) for at, seconds in self._lags.get(pid, ()))
        return sum(max(until - since, 0.0) for since, until in spans)

    @cached_property
    def sleeps(self) -> dict[int, list[tuple[float, float]]]:
        """For each process, from when until when it was stopped."""
        found: dict[int, list[tuple[float, float]]] = defaultdict(list)
        for line in self.said("stop", "continue"):
            spans = found[line.data["pid"]]
            if line.what == "stop":
                spans.append((line.at, inf))
            elif spans:
                spans[-1] = (spans[-1][0], line.at)
        return found

    @cached_property
    def harm(self) -> dict[int, list[tuple[float, float]]]:
        """For each process, when it could not do what it should: from a stop until it goes on, from a kill for ever."""
        found: dict[int, list[tuple[float, float]]] = defaultdict(list)
        lived: set[int] = set()
        for line in self.said("stop", "continue", "kill", "retire", "gone", "life"):
            spans = found[line.data.get("pid", line.pid)]
            if line.what == "life":
                # Another life: the one before had lapsed, for whatever reason.
                spans += [(line.at - self.ttl, line.at + self.ttl)] if line.pid in lived else []
                lived.add(line.pid)
            elif line.what == "continue" and spans:
                spans[-1] = (spans[-1][0], line.at)
            elif line.what != "continue":
                spans.append((line.at, inf))
        return found

    def put_off(self, due: float, since: float, *, and_after: float) -> float:
        """A moment that something was due by, moved on by each outage of the database that came in between."""
        for down, up in self.outages(and_after=0.0):
            if since < up and due > down:
                due = max(due, up + and_after)
        return due

    def after_service(self, moment: float, seconds: float) -> float:
        """When, after this moment, two servers and the database had been there for so long, with pauses or without."""
        for since, until in self.service:
            had = until - max(since, moment)
            if had >= seconds:
                return max(since, moment) + seconds
            seconds -= max(had, 0.0)
        return inf

    @cached_property
    def service(self) -> list[tuple[float, float]]:
        """From when until when there were two servers with a life, awake and not told to stop, and a database."""
        found: list[tuple[float, float]] = []
        there: set[int] = set()
        is_up, since = True, inf
        for line in self.said("life", "stop", "kill", "retire", "gone", "database down", "database up"):
            is_up = line.what == "database up" if line.what.startswith("database") else is_up
            pid = line.data.get("pid", line.pid)
            there = there | {pid} if line.what == "life" and line.data["worker"] else there - {pid}
            is_served = is_up and len(there) >= 2
            if is_served and since == inf:
                since = line.at
            elif not is_served and since < inf:
                found, since = [*found, (since, line.at)], inf
        return [*found, (since, inf)] if since < inf else found

    def is_away(self, start: float, end: float) -> bool:
        """Whether the database was away at some time between the two."""
        return any(start < up and end > down for down, up in self.outages(and_after=0.0))

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


async def _compare_clocks(tx: Tx) -> float:
    """By how much the database's clock is ahead; the quickest of some answers tells best."""
    found = []
    for _ in range(10):
        asked = elapsed()
        seconds = await tx.value(SQL.read_seconds)
        found.append((elapsed() - asked, seconds - (asked + elapsed()) / 2))
    return min(found)[1]


async def _read_tables(tx: Tx, evidence: Evidence) -> None:
    behind = evidence.behind = await _compare_clocks(tx)
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
    evidence.facts = await tx.rows(SQL.list_facts, names=list(NAMES))
    evidence.heard = await tx.rows(SQL.list_heard)
    evidence.aside = await tx.rows(SQL.list_aside)
    evidence.occurrences = await tx.rows(SQL.list_occurrences, behind=behind)
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
            attempt.ended, attempt.how, attempt.told = line.at, line.what, line.data.get("stop")
        elif line.what == "saved":
            attempts[line.data["job"], line.data["token"]].steps.append(line.at)
    return attempts
