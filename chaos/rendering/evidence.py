"""Everything the checks look at: the tables, what nexrender wrote down itself, and what stood on the NAS."""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from chaos import history
from chaos.rendering.places import Places
from pabal.apps.rendering.files.copying import PART_ENDING
from pabal.apps.rendering.model.renders import LogLine
from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine.transitions import Transition

SQL = load(__file__)
FOREVER = float("inf")
_UID = re.compile(r"rq-(\d+)-a(\d+)")
_NAME = re.compile(r".*_(\d+)\.mp4")


@dataclass(frozen=True, slots=True)
class RenderRow:
    id: int
    state: str
    version: int
    attempt: int
    error_code: str | None
    error_message: str | None
    output_file_path: str | None
    output_size: int | None
    output_sha256: str | None
    recovery_count: int
    is_held: bool
    is_winding_down: bool


@dataclass(slots=True)
class MachineRender:
    """What one of nexrender's machines did. `state` is as in its journal, or died: with its process."""

    render_id: int
    attempt: int
    began: float
    until: float = FOREVER
    state: str = ""

    @property
    def is_lost(self) -> bool:
        return self.state in ("killed", "died")


@dataclass(frozen=True, slots=True)
class Film:
    size: int
    sha256: str


@dataclass(slots=True)
class Evidence:
    renders: list[RenderRow] = field(default_factory=list)
    # (render, attempt) → how it ended, and why
    attempts: dict[tuple[int, int], tuple[str | None, str | None]] = field(default_factory=dict)
    transitions: dict[int, list[Transition]] = field(default_factory=dict)
    rendered: list[MachineRender] = field(default_factory=list)
    # whole films as the machines wrote them, by (render, attempt)
    written: dict[tuple[int, int], list[Film]] = field(default_factory=lambda: defaultdict(list))
    # (render, attempt) → the faults that were made for it
    faults: dict[tuple[int, int], set[str]] = field(default_factory=lambda: defaultdict(set))
    # finished names on the NAS, at the end
    nas: dict[int, Film] = field(default_factory=dict)
    parts: list[str] = field(default_factory=list)
    # (render, size) of every finished name anybody could have opened
    seen: set[tuple[int, int]] = field(default_factory=set)
    asked: list[int] = field(default_factory=list)
    cancelled: list[int] = field(default_factory=list)
    open_jobs: int = 0
    # (render, attempt) → state, of what nexrender still has
    left: dict[tuple[int, int], str] = field(default_factory=dict)
    # what renders say of themselves, for whoever looks for a reason
    log: list[str] = field(default_factory=list)


async def gather(places: Places, url: str) -> Evidence:
    evidence = Evidence()
    for line in history.read(places.folder / "history"):
        match line.what:
            case "asked":
                evidence.asked.append(line.data["render"])
            case "cancelled":
                evidence.cancelled.append(line.data["render"])
            case "seen":
                evidence.seen.add((line.data["render"], line.data["size"]))
    read_journal(_read_lines(places.journal), evidence)
    _read_nas(places.nas, evidence)
    for job in json.loads(places.jobs.read_text(encoding="utf-8")):
        if (key := read_uid(job["uid"])) is not None:
            evidence.left[key] = job["state"]
    database = await Database.open(url, size=1)
    try:
        async with database.transaction() as tx:
            await _read_tables(tx, evidence)
    finally:
        await database.close()
    return evidence


def read_journal(lines: Iterable[dict[str, Any]], evidence: Evidence) -> None:
    """Renders that have no end when nexrender starts again died with it."""
    going: dict[int, MachineRender] = {}
    for line in lines:
        key = read_uid(line.get("uid", ""))
        match line["kind"]:
            case "farm_change" if line["what"] == "farm_started":
                for one in going.values():
                    # by then at the latest
                    one.until, one.state = line["at"], "died"
                going.clear()
            case "farm_change" if line["what"] == "fault" and key:
                evidence.faults[key].add(line["detail"])
            case "farm_change" if line["what"] in ("doubled", "forgotten") and key:
                evidence.faults[key].add(line["what"])
            case "render_began" if key:
                going[line["render"]] = MachineRender(*key, began=line["at"])
                evidence.rendered.append(going[line["render"]])
            case "render_ended" if line["render"] in going:
                one = going.pop(line["render"])
                one.until, one.state = line["at"], line["state"]
            case "copy_ended" if key:
                evidence.written[key].append(Film(line["size"], line["sha256"]))


def list_rendering(journal: Path) -> list[int]:
    """Numbers of the machines that are at a render now."""
    going: dict[int, int] = {}
    for line in _read_lines(journal):
        match line["kind"]:
            case "farm_change" if line["what"] == "farm_started":
                going.clear()
            case "render_began":
                going[line["render"]] = line["worker"]
            case "render_ended":
                going.pop(line["render"], None)
    return sorted(going.values())


def read_uid(uid: str) -> tuple[int, int] | None:
    found = _UID.fullmatch(uid)
    return (int(found[1]), int(found[2])) if found else None


def read_name(name: str) -> int | None:
    """Of which render a finished film is."""
    found = _NAME.fullmatch(name)
    return int(found[1]) if found else None


def _read_nas(nas: Path, evidence: Evidence) -> None:
    for path in nas.rglob("*"):
        if path.name.endswith(PART_ENDING):
            evidence.parts.append(path.name)
        elif (number := read_name(path.name)) is not None:
            content = path.read_bytes()
            evidence.nas[number] = Film(len(content), hashlib.sha256(content).hexdigest())


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    for text in path.read_text(encoding="utf-8").split("\n"):
        if text:
            line = json.loads(text)
            yield {**line, "at": datetime.fromisoformat(line["at"]).timestamp()}


async def _read_tables(tx: Tx, evidence: Evidence) -> None:
    evidence.renders = await tx.all(RenderRow, SQL.list_renders)
    for row in await tx.rows(SQL.list_attempts):
        evidence.attempts[row["render_id"], row["number"]] = (row["result"], row["reason"])
    made: dict[int, list[Transition]] = defaultdict(list)
    for one in await tx.all(Transition, SQL.list_transitions):
        made[one.subject].append(one)
    evidence.transitions = dict(made)
    evidence.open_jobs = await tx.value(SQL.count_jobs)
    evidence.log = [one.text for one in await tx.all(LogLine, SQL.list_lines)]
