"""Everything the checker looks at: what the phones wrote down, what the tables say, and one clock for both."""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chaos import history
from chaos.history import Line
from pabal.apps.messaging.model.deliveries import SEND
from pabal.base.database import Database, Tx
from pabal.base.sql import load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Arrival:
    """`connection` numbers the connections of its bot."""

    bot: str
    at: float
    parts: tuple[str, ...]
    channel: str
    connection: int


@dataclass(frozen=True, slots=True)
class Cut:
    """The end of a connection, as the phone saw it."""

    bot: str
    at: float
    connection: int


@dataclass(frozen=True, slots=True)
class Part:
    """`content` is the text, or the picture's digest. Moments are the phones'."""

    no: int
    content: str
    state: str
    resent: int
    began_at: float | None
    written_at: float | None


@dataclass(slots=True)
class Delivery:
    """Its moments are the database's."""

    id: int
    state: str
    reason: str | None
    scheduled_at: float
    started_at: float | None
    attempts: int
    deferred_by: str | None
    # when its job was committed, and the job: so its turn comes
    turn: tuple[float, int]
    ends: int = 1
    parts: list[Part] = field(default_factory=list)
    # what its attempts ended with, except the last
    waits: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Occurrence:
    """One schedule, which is due once. `decision` and `end` are the engine's ledger."""

    schedule: int
    schedule_state: str
    bot: str
    channel: str
    late_policy: str
    decision: str | None
    end: str | None
    deliveries: list[Delivery] = field(default_factory=list)


@dataclass(slots=True)
class Evidence:
    occurrences: list[Occurrence] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    # what phones could not read, apart from what they cut themselves
    unreadable: list[str] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    open: int = 0
    real: "Clock" = field(default_factory=lambda: Clock([]))

    def deliveries(self) -> list[tuple[Occurrence, Delivery]]:
        return [(one, delivery) for one in self.occurrences for delivery in one.deliveries]

    def received(self) -> dict[tuple[str, str], list[Arrival]]:
        """By bot and content."""
        found: dict[tuple[str, str], list[Arrival]] = defaultdict(list)
        for arrival in self.arrivals:
            for content in arrival.parts:
                found[arrival.bot, content].append(arrival)
        return found


class Clock:
    """From the database's moved clock to that of the machine, which the phones have."""

    def __init__(self, moves: list[tuple[float, float]]) -> None:
        """Each: when on the machine, and by how much the clock was ahead from then on."""
        self._moves = [(float("-inf"), 0.0), *moves]

    def read(self, moment: float) -> float:
        """A moment that was jumped over is that of the jump."""
        ends = [at for at, _ in self._moves[1:]] + [float("inf")]
        for (start, shift), end in zip(self._moves, ends, strict=True):
            # A transaction that began before a move may end after it.
            if moment - shift <= end + 0.5:
                return max(start, moment - shift)
        return moment


async def gather(folder: Path, url: str) -> Evidence:
    evidence = Evidence()
    lines = history.read(folder / "history")
    evidence.real = Clock([(line.data["host"], line.data["shift"]) for line in lines if line.what == "moved"])
    evidence.starts = _starts(lines)
    for path in sorted((folder / "bots").glob("*.jsonl")):
        _read_witness(path, evidence)
    database = await Database.open(url, size=2)
    try:
        async with database.transaction() as tx:
            await _read_tables(tx, evidence)
    finally:
        await database.close()
    return evidence


def _starts(lines: list[Line]) -> list[float]:
    """When servers were built, on the machine's clock."""
    [began] = [line for line in lines if line.what == "began"]
    return [began.data["host"] + line.at - began.at for line in lines if line.what == "built"]


def _read_witness(path: Path, evidence: Evidence) -> None:
    bot, connection = path.stem, 0
    # Not splitlines(): a text may hold separators that only Python takes for line ends.
    for line in (json.loads(text) for text in path.read_text(encoding="utf-8").split("\n") if text):
        match line["what"]:
            case "received":
                parts = tuple(line["parts"])
                evidence.arrivals.append(Arrival(bot, line["at"], parts, line["channel"], connection))
            case "lost":
                evidence.cuts.append(Cut(bot, line["at"], connection))
                connection += 1
            case "ignored" if not line["message"].startswith("cut:"):
                evidence.unreadable.append(f"{bot}: {line['message']}")


async def _read_tables(tx: Tx, evidence: Evidence) -> None:
    pictures = {row["id"]: row["sha256"] for row in await tx.rows(SQL.list_pictures)}
    ends = {row["subject"]: row["ends"] for row in await tx.rows(SQL.list_ends)}
    found: dict[int, Occurrence] = {}
    by_id: dict[int, Delivery] = {}
    contents: dict[int, dict[str, Any]] = {}
    for row in await tx.rows(SQL.list_deliveries):
        given = (row["schedule_id"], row["schedule_state"], row["bot"], row["channel"], row["late_policy"])
        one = found.setdefault(row["schedule_id"], Occurrence(*given, row["decision"], row["end"]))
        if row["id"] is not None and row["id"] not in by_id:
            by_id[row["id"]] = Delivery(
                row["id"], row["state"], row["reason"], row["scheduled_at"], row["started_at"], row["attempts"],
                row["deferred_by"], (row["enqueued_at"] or 0.0, row["job_id"] or 0), ends.get(row["id"], 0),
            )  # fmt: skip
            contents[row["id"]] = row["content"]
            one.deliveries.append(by_id[row["id"]])
    for row in await tx.rows(SQL.list_parts):
        by_id[row["delivery_id"]].parts.append(_part(dict(row), contents[row["delivery_id"]], pictures, evidence.real))
    for row in await tx.rows(SQL.list_waits, kind=SEND):
        if row["delivery_id"] in by_id:
            by_id[row["delivery_id"]].waits.append(row["result"])
    evidence.occurrences = list(found.values())
    evidence.counts = {f"{row['name']} {row['label']}": row["count"] for row in await tx.rows(SQL.list_prevented)}
    evidence.open = await tx.value(SQL.count_places)


def _part(row: dict[str, Any], content: dict[str, Any], pictures: dict[int, str], real: Clock) -> Part:
    is_text = row["component"] == "text"
    what = content["text"] if is_text else pictures[content[row["component"]][row["from_image"]]["file_id"]]
    moments = [None if row[name] is None else real.read(row[name]) for name in ("began_at", "written_at")]
    return Part(row["no"], what, row["state"], row["resent"], *moments)
