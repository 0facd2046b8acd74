"""Everything the checks look at: what the stand-ins and the people wrote down, the tables, and what was hurt when."""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chaos import history
from chaos.history import Line
from chaos.relay.evidence import Hurt, read_hurts
from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine import ids

SQL = load(__file__)
# A connection that is cut is missed a little later, and a server's work is taken over after its time to live.
SEEN_LATE = 15.0


@dataclass(frozen=True, slots=True)
class Request:
    name: str
    state: str
    approval: str | None
    approval_state: str | None
    approvals: int = 1
    moves: int = 1
    approval_moves: int = 1


@dataclass(frozen=True, slots=True)
class Card:
    """A message with buttons in Telegram: about which approval, when it came, what it says in the end."""

    message: int
    approval: str
    at: float
    text: str
    is_edited: bool = True


@dataclass(frozen=True, slots=True)
class Hook:
    id: str
    at: float
    digest: str
    about: str
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Delivery:
    id: int
    kind: str
    approval: str
    result: str | None
    detail: str | None = None


@dataclass(slots=True)
class Evidence:
    # by id: the answer's status, None while there was none
    said: dict[str, int | None] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)
    effects: dict[tuple[str, str], int] = field(default_factory=dict)
    dead: list[str] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    # approval, what REST answered was its state
    decided: list[tuple[str, str]] = field(default_factory=list)
    presses: int = 0
    cards: list[Card] = field(default_factory=list)
    hooks: list[Hook] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    # id and digest of what was answered with 201; id, key and size of every row; what the store holds
    kept: dict[str, str] = field(default_factory=dict)
    files: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    objects: dict[str, int] = field(default_factory=dict)
    hurts: list[Hurt] = field(default_factory=list)
    cuts: int = 0

    def was_hurt(self, since: float, until: float) -> bool:
        return any(one.since < until and since - SEEN_LATE < one.until for one in self.hurts)


async def gather(folder: Path, url: str) -> Evidence:
    evidence = Evidence()
    read_history(history.read(folder / "history"), evidence)
    database = await Database.open(url, size=1)
    try:
        async with database.transaction() as tx:
            await _read_tables(tx, evidence)
    finally:
        await database.close()
    return evidence


def read_history(lines: list[Line], evidence: Evidence) -> None:
    evidence.hurts = read_hurts(lines)
    [began] = [line for line in lines if line.what == "began"]
    shift = began.data["host"] - began.at
    cards: dict[int, Card] = {}
    cut: dict[str, float] = {}
    for line in lines:
        at, data = line.at + shift, line.data
        match line.what:
            case "saying" | "said":
                evidence.said[data["id"]] = data.get("status")
                evidence.names[data["id"]] = data["name"]
            case "card" if data["data"]:
                which = data["data"][0].split(":")[1]
                cards[data["message"]] = Card(data["message"], which, at, data["text"], is_edited=False)
            case "edited" if data["message"] in cards:
                before = cards[data["message"]]
                cards[before.message] = Card(before.message, before.approval, before.at, data["text"])
            case "pressed":
                evidence.presses += 1
            case "decided":
                evidence.decided.append((data["id"], data["state"]))
            case "hook":
                evidence.hooks.append(_hook(data, at))
            case "kept":
                evidence.kept[data["id"]] = data["sha256"]
            case "object":
                evidence.objects[data["path"]] = data["size"]
            case "cut":
                cut[data["service"]] = at
                evidence.cuts += 1
            case "mended":
                evidence.hurts.append(Hurt(cut.pop(data["service"]), at, data["service"]))
    evidence.cards = list(cards.values())


def _hook(data: dict[str, Any], at: float) -> Hook:
    about = json.loads(data["text"])["data"].get("about") or ""
    return Hook(data["id"], at, data["digest"], approval_of(about), data["attempt"])


def approval_of(about: str) -> str:
    kind, _, number = about.partition(":")
    return ids.show("apr", int(number)) if kind == "approval" else ""


async def _read_tables(tx: Tx, evidence: Evidence) -> None:
    moves: dict[str, Counter[int]] = defaultdict(Counter)
    for row in await tx.rows(SQL.count_moves):
        moves[row["machine"]][row["subject"]] = row["moves"]
    for row in await tx.rows(SQL.list_requests):
        approval = None if row["approval_id"] is None else ids.show("apr", row["approval_id"])
        made = (moves["desk_request"][row["id"]], moves["approval"][row["approval_id"]])
        evidence.requests.append(
            Request(row["name"], row["state"], approval, row["approval_state"], row["approvals"], *made)
        )
    evidence.events = [row["id"] for row in await tx.rows(SQL.list_events)]
    evidence.effects = {(row["consumer"], row["event"]): row["times"] for row in await tx.rows(SQL.count_effects)}
    evidence.dead = [row["told"] for row in await tx.rows(SQL.list_dead)]
    evidence.deliveries = [
        Delivery(row["id"], row["kind"], approval_of(row["about"] or ""), row["result"], row["detail"])
        for row in await tx.rows(SQL.list_deliveries)
    ]
    evidence.files = {
        ids.show("file", row["id"]): (row["sha256"], row["key"], row["size"]) for row in await tx.rows(SQL.list_files)
    }
