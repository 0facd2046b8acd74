"""Everything the checks look at: what the channel and the instances wrote down, the tables, and who was up when."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from chaos import history
from chaos.history import Line
from chaos.relay import words
from chaos.relay.ground import Laid
from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine.transitions import Transition

SQL = load(__file__)
# A process is gone a little before somebody sees it.
SEEN_LATE = 2.0
# Everybody comes to a server that has just started, and it has loaded nothing yet.
STARTING = 2.0
FOREVER = float("inf")
NOBODY_LISTENS = "ConnectError"


@dataclass(frozen=True, slots=True)
class Call:
    """One request to the webhook, and how it was answered. All requests with the same words are one webhook."""

    number: int
    text: str
    asked_at: float
    at: float
    slot: int | None
    fault: str = ""
    is_promised: bool = False
    address: str | None = None
    event_id: str | None = None
    seconds: float = 0.1

    @property
    def user(self) -> str:
        return words.user_of(self.text)

    @property
    def is_heard(self) -> bool:
        """Somebody may have read it."""
        return not self.fault.startswith(NOBODY_LISTENS)


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a callback address, as Kakao judged it."""

    at: float
    address: str
    text: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Bubble:
    """`asked` are the words it answers."""

    at: float
    user: str
    origin: str
    number: int
    asked: str
    text: str


@dataclass(frozen=True, slots=True)
class Got:
    """What an instance of this account was handed."""

    account: str
    uid: str
    text: str


@dataclass(frozen=True, slots=True)
class Sent:
    """What an instance of this account said, and whether it was taken: pending, deferred, or nothing."""

    account: str
    at: float
    uid: str
    text: str
    status: int | None
    delivery: str = ""
    is_repeat: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    id: int
    uid: str
    account: str
    text: str
    address: str | None
    state: str
    version: int
    reason: str | None
    created_at: float
    expires_at: float
    answered_at: float | None = None
    called_at: float | None = None
    detail: str | None = None
    handed_out: int = 1


@dataclass(frozen=True, slots=True)
class Reply:
    message_id: int
    text: str
    state: str
    detail: str | None = None
    ended_at: float | None = None


@dataclass(frozen=True, slots=True)
class Life:
    """A server from the moment it serves until somebody or something ended it, with the stretches it was stopped."""

    slot: int
    since: float
    until: float = FOREVER
    stops: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Hurt:
    """Something was done to a server or to the database."""

    since: float
    until: float
    what: str


@dataclass(slots=True)
class Evidence:
    """Moments are the machine's, which is the database's as well."""

    users: dict[str, str] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    bubbles: list[Bubble] = field(default_factory=list)
    got: list[Got] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    # instances that were sent away for good
    dead: list[str] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    transitions: dict[int, list[Transition]] = field(default_factory=dict)
    lives: list[Life] = field(default_factory=list)
    hurts: list[Hurt] = field(default_factory=list)
    open_jobs: int = 0

    def webhooks(self) -> dict[str, list[Call]]:
        """By their words."""
        found: dict[str, list[Call]] = defaultdict(list)
        for call in self.calls:
            found[call.text].append(call)
        return found

    def by_text(self) -> dict[str, list[Message]]:
        found: dict[str, list[Message]] = defaultdict(list)
        for message in self.messages:
            found[message.text].append(message)
        return found

    def shown(self) -> dict[str, list[Bubble]]:
        """By answer."""
        found: dict[str, list[Bubble]] = defaultdict(list)
        for bubble in self.bubbles:
            for one in words.list_answers(bubble.text):
                found[words.answer(one.asked, one.account, int(one.part))].append(bubble)
        return found

    def was_up(self, slot: int | None, since: float, until: float) -> bool:
        """This server, all the time, and a little longer: nobody sees at once that it is gone."""
        return any(
            life.slot == slot
            and life.since <= since
            and life.until > until + SEEN_LATE
            and not any(start < until + SEEN_LATE and since < end for start, end in life.stops)
            for life in self.lives
        )

    def was_hurt(self, since: float, until: float) -> bool:
        return any(one.since - SEEN_LATE < until and since < one.until + SEEN_LATE for one in self.hurts)


async def gather(folder: Path, url: str) -> Evidence:
    evidence = Evidence(users=Laid.read(folder).users)
    lines = history.read(folder / "history")
    evidence.lives, evidence.hurts = read_lives(lines), read_hurts(lines)
    slots = {line.data["number"]: line.data["slot"] for line in lines if line.what == "posted"}
    _read_channel(_read_lines(folder / "channel.jsonl"), slots, evidence)
    for path in sorted((folder / "instances").glob("*.jsonl")):
        _read_instance(path.stem.partition(".")[0], _read_lines(path), evidence)
    database = await Database.open(url, size=1)
    try:
        async with database.transaction() as tx:
            await _read_tables(tx, evidence)
    finally:
        await database.close()
    return evidence


def read_lives(lines: Iterable[Line]) -> list[Life]:
    lines = list(lines)
    shift = _shift(lines)
    found: dict[int, Life] = {}
    gone: set[int] = set()
    for line in lines:
        at, pid = line.at + shift, line.data.get("pid", 0)
        match line.what:
            case "serving" if line.pid not in gone:
                found[line.pid] = Life(line.data["slot"], at + STARTING)
            case "kill" | "gone" | "retire" | "hung":
                gone.add(pid)
                if pid in found and found[pid].until == FOREVER:
                    found[pid] = _changed(found[pid], until=at)
            case "stop" if pid in found:
                found[pid] = _changed(found[pid], stops=(*found[pid].stops, (at, FOREVER)))
            case "continue" if pid in found:
                *before, (start, _) = found[pid].stops
                found[pid] = _changed(found[pid], stops=(*before, (start, at + SEEN_LATE)))
    return list(found.values())


def _changed(life: Life, *, until: float | None = None, stops: tuple[tuple[float, float], ...] | None = None) -> Life:
    return Life(life.slot, life.since, until or life.until, life.stops if stops is None else stops)


def read_hurts(lines: Iterable[Line]) -> list[Hurt]:
    lines = list(lines)
    shift = _shift(lines)
    found: list[Hurt] = []
    down: float | None = None
    for line in lines:
        at = line.at + shift
        match line.what:
            case "kill" | "gone" | "retire" | "hung" | "backends terminated":
                found.append(Hurt(at, at, line.what))
            case "stop":
                found.append(Hurt(at, at + line.data["seconds"], line.what))
            case "database down":
                down = at
            case "database up" if down is not None:
                found.append(Hurt(down, at, "database"))
                down = None
    return found if down is None else [*found, Hurt(down, FOREVER, "database")]


def _shift(lines: list[Line]) -> float:
    """From the steady clock to that of the machine."""
    [began] = [line for line in lines if line.what == "began"]
    shift: float = began.data["host"] - began.at
    return shift


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    # Not splitlines(): a text may hold separators that only Python takes for line ends.
    for text in path.read_text(encoding="utf-8").split("\n"):
        if text:
            line = json.loads(text)
            yield {**line, "at": datetime.fromisoformat(line["at"]).timestamp()}


def _read_channel(lines: Iterable[dict[str, Any]], slots: dict[int, int], evidence: Evidence) -> None:
    asked: dict[int, tuple[float, str]] = {}
    for line in lines:
        match line["kind"]:
            case "skill_asked":
                asked[line["number"]] = (line["at"], line["text"])
            case "skill_call":
                evidence.calls.append(_call(line, asked[line["number"]][0], slots.get(line["number"])))
            case "callback_use":
                text = asked[line["number"]][1] if line["number"] in asked else ""
                evidence.uses.append(Use(line["at"], line["token"], text, line["outcome"]))
            case "shown_bubble":
                text = asked[line["number"]][1]
                shown = (line["user"], line["origin"], line["number"], text, line["text"])
                evidence.bubbles.append(Bubble(line["at"], *shown))


def _call(line: dict[str, Any], asked_at: float, slot: int | None) -> Call:
    said = line["response"] if isinstance(line["response"], dict) else {}
    url, event = line["callback_url"], line["payload"]["userRequest"].get("eventId")
    return Call(
        line["number"], line["text"], asked_at, line["at"], slot, line["fault"],
        is_promised=not line["fault"] and said.get("useCallback") is True, address=url and url.rpartition("/")[2],
        event_id=event, seconds=line["seconds"],
    )  # fmt: skip


def _read_instance(account: str, lines: Iterable[dict[str, Any]], evidence: Evidence) -> None:
    for line in lines:
        match line["kind"]:
            case "message_received":
                evidence.got.append(Got(account, line["id"], line["text"]))
            case "reply_sent":
                body = line["body"] if isinstance(line["body"], dict) else {}
                text = line["response"]["template"]["outputs"][0]["simpleText"]["text"]
                said = (
                    line["message_id"],
                    text,
                    line["status"],
                    body.get("delivery", ""),
                    body.get("repeated") is True,
                )
                evidence.sent.append(Sent(account, line["at"], *said))
            case "connection_change" if line["state"] in ("dead", "gave_up"):
                evidence.dead.append(f"{account}: {line['state']} {line['detail']}")


async def _read_tables(tx: Tx, evidence: Evidence) -> None:
    for row in await tx.rows(SQL.list_messages):
        url = row["callback_url"]
        evidence.messages.append(
            Message(
                row["id"], row["uid"], row["account"], row["text"], url and url.rpartition("/")[2], row["state"],
                row["version"], row["end_reason"], row["created_at"], row["expires_at"], row["answered_at"],
                row["called_at"], row["end_detail"], row["handed_out"],
            )
        )  # fmt: skip
    for row in await tx.rows(SQL.list_replies):
        evidence.replies.append(Reply(row["message_id"], row["text"], row["state"], row["detail"], row["ended_at"]))
    made: dict[int, list[Transition]] = defaultdict(list)
    for one in await tx.all(Transition, SQL.list_transitions):
        made[one.subject].append(one)
    evidence.transitions = dict(made)
    evidence.open_jobs = await tx.value(SQL.count_jobs)
