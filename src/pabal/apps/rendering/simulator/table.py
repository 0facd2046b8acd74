"""nexrender's jobs as its server 1.38.0 keeps them: a list that is only appended to, found from its end, and no lease.

A uid posted twice is two rows. Pickup takes the first queued row, but changes the newest row of its uid: so the first
one stays queued, is handed out again by every pickup, and nothing behind it is reached.
"""

import json
import random
import secrets
from enum import StrEnum
from pathlib import Path
from typing import Any

from pabal.apps.rendering.simulator.journal import moment

Job = dict[str, Any]
_LAYERED = ("image", "audio", "video")


class JobRefused(Exception):
    """What nexrender answers as 400: the first line of a stack trace."""


class PickupOrder(StrEnum):
    FIFO = "fifo"
    NEWEST_FIRST = "newest-first"
    PRIORITY = "priority"
    RANDOM = "random"


class JobTable:
    """`path` is the database file. What is not saved is lost when the server starts again."""

    def __init__(self, path: Path | None = None, *, order: PickupOrder = PickupOrder.FIFO, seed: int = 1) -> None:
        self.rows: list[Job] = []
        self._path, self._order, self._random = path, order, random.Random(seed)
        self._saved = "[]"
        if path is not None and path.exists():
            self._saved = path.read_text(encoding="utf-8") or "[]"
        self.load()

    def load(self) -> None:
        self.rows = json.loads(self._saved)

    def save(self) -> None:
        """As nexrender does it: in place, after the answer was given."""
        self._saved = json.dumps(self.rows, ensure_ascii=False)
        if self._path is not None:
            self._path.write_text(self._saved, encoding="utf-8")

    def insert(self, job: Job) -> None:
        self.rows.append(job)

    def find(self, uid: str) -> Job | None:
        place = self._index(uid)
        return None if place is None else self.rows[place]

    def update(self, uid: str, fields: Job) -> Job | None:
        place = self._index(uid)
        if place is None:
            return None
        self.rows[place] = {**self.rows[place], **fields, "updatedAt": show_now()}
        return self.rows[place]

    def put(self, uid: str, fields: Job) -> Job | None:
        """A PUT: merged with what is there, and checked. None: there is no such job, and the fields are a whole one."""
        merged = {**(self.find(uid) or {}), **fields}
        check_job(merged)
        return self.update(uid, merged)

    def remove(self, uid: str) -> None:
        """One row, the newest."""
        place = self._index(uid)
        if place is not None:
            del self.rows[place]

    def pick_up(self, executor: str) -> Job | None:
        queued = [job for job in self.rows if job["state"] == "queued"]
        if not queued:
            return None
        uid = self._choose(queued)["uid"]
        return self.update(uid, {"state": "picked", "executor": executor})

    def _choose(self, queued: list[Job]) -> Job:
        match self._order:
            case PickupOrder.RANDOM:
                return self._random.choice(queued)
            case PickupOrder.NEWEST_FIRST:
                return queued[-1]
            case PickupOrder.PRIORITY:
                return max(queued, key=_read_priority)
        return queued[0]

    def _index(self, uid: str) -> int | None:
        for place in range(len(self.rows) - 1, -1, -1):
            if str(self.rows[place]["uid"]) == uid:
                return place
        return None


def create_job(given: Any, creator: str) -> Job:
    """With nexrender's defaults; a state that was given does not count."""
    fields = given if isinstance(given, dict) else {}
    now = show_now()
    return {
        "uid": secrets.token_urlsafe(16)[:21],
        "type": "default",
        "output": "",
        "tags": "",
        "priority": 0,
        "timings": {},
        "template": {"src": "", "composition": "", "continueOnMissing": False, "imageSequence": False},
        "assets": [],
        "actions": {"prerender": [], "postrender": []},
        **fields,
        "state": "queued",
        "creator": creator,
        "updatedAt": now,
        "createdAt": now,
    }


def show_status(job: Job) -> Job:
    """nexrender's light status."""
    error = job.get("error")
    return {
        "uid": job["uid"],
        "state": job["state"],
        "type": job.get("type"),
        "tags": job.get("tags") or None,
        "renderProgress": job.get("renderProgress") or 0,
        "error": ("\n\n".join(map(str, error)) if isinstance(error, list) else error) or None,
        **{name: job.get(name) or None for name in ("createdAt", "updatedAt", "startedAt", "finishedAt", "errorAt")},
        **({"jobCreator": job["creator"]} if "creator" in job else {}),
        "jobExecutor": job.get("executor") or None,
        "timings": job.get("timings"),
    }


def check_job(job: Job) -> None:
    _require(job.get("uid"), "job must have uid")
    _require(job.get("state"), "job must have state")
    template = job.get("template")
    _require(template, "job must have template object defined")
    _require(_field(template, "src"), "job must have template.src defined")
    _require(_field(template, "composition"), "job must have template.composition defined")
    assets = job.get("assets")
    if not isinstance(assets, list):
        raise JobRefused("TypeError: job.assets.map is not a function")
    for asset in assets:
        _check_asset(asset)
    _check_actions(job.get("actions"))


def _check_asset(asset: Any) -> None:
    _require(asset, "job asset should not be empty")
    kind = _field(asset, "type")
    _require(kind, "job asset must have type defined")
    has_layer = _field(asset, "layerName") or _field(asset, "layerIndex")
    if kind in _LAYERED:
        _require(_field(asset, "src"), f"job asset[{kind}] must have src defined")
        _require(has_layer, f"job asset[{kind}/video] must have either layerName or layerIndex defined")
    elif kind == "data":
        _require(has_layer, f"job asset[{kind}] must have either layerName or layerIndex defined")
        has_value = "value" in asset or _field(asset, "expression")
        _require(has_value, f"job asset[{kind}] must have value and/or expression defined")
        _require(_field(asset, "property"), f"job asset[{kind}] must have property defined")
    elif kind in ("script", "static"):
        _require(_field(asset, "src"), f"job asset[{kind}] must have src defined")
    else:
        _require(False, f"unknown job asset type: {kind}")


def _check_actions(actions: Any) -> None:
    """A list, as some clients send it, has neither phase: it is taken, and nothing is ever done about it."""
    if not actions and actions not in ([], {}):
        raise JobRefused("AssertionError [ERR_ASSERTION]: The expression evaluated to a falsy value:")
    for phase in ("prerender", "postrender"):
        found = _field(actions, phase) or []
        for action in found if isinstance(found, list) else [found]:
            _require(action, "job action must be defined")
            _require(_field(action, "module"), "job action must have module defined")


def _field(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, dict) else None


def _require(is_so: Any, text: str) -> None:
    if not is_so and is_so not in ([], {}):  # to JavaScript, these are true
        raise JobRefused(f"AssertionError [ERR_ASSERTION]: {text}")


def _read_priority(job: Job) -> float:
    try:
        return float(job.get("priority") or 0)
    except (TypeError, ValueError):
        return 0.0


def show_now() -> str:
    return moment().isoformat(timespec="milliseconds").replace("+00:00", "Z")
