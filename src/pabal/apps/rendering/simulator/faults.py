"""How a simulated nexrender misbehaves: faults that strike requests and renders, given at the start or at run time."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from pabal.base.errors import Invalid


class BadFault(Invalid, code="bad_render_fault"):
    """Not a fault the simulated nexrender knows."""


class FaultKind(StrEnum):
    DOUBLE = "double"  # a POST makes two rows of one uid
    FORGET = "forget"  # a POST is answered 200 and the job is gone: the server died before it wrote its file
    SLOW = "slow"  # the request is handled, and answered after `value` seconds
    NO_ANSWER = "no_answer"  # the request is handled, then the connection is closed
    HANG = "hang"  # progress stops at `value` per cent until somebody releases it
    FAIL = "fail"  # the render ends in error with `text`, at `value` per cent
    MISSING_COMPOSITION = "missing_composition"
    MISSING_TEMPLATE = "missing_template"
    LATE_COPY = "late_copy"  # `value` seconds pass before the copy of a job that was deleted while it rendered
    NO_FILE = "no_file"  # finished, and nothing was written
    SHORT_FILE = "short_file"  # a real video below 100 KB
    BROKEN_FILE = "broken_file"  # the first half of a video
    WRONG_SIZE = "wrong_size"  # a video of another width and height


REQUEST_FAULTS = (FaultKind.SLOW, FaultKind.NO_ANSWER)
OUTPUT_FAULTS = (FaultKind.NO_FILE, FaultKind.SHORT_FILE, FaultKind.BROKEN_FILE, FaultKind.WRONG_SIZE)
_NEEDS_VALUE = (FaultKind.SLOW, FaultKind.HANG, FaultKind.LATE_COPY)
_MOST_SECONDS = 86_400.0


@dataclass
class Fault:
    """`match` is a pattern for the job's uid or composition, or for `POST /api/v1/jobs` where requests are struck.
    `times` None: as long as the simulator lives."""

    kind: FaultKind
    value: float = 0.0
    text: str = "Error: simulated failure"
    match: str = "*"
    times: int | None = 1

    def show(self) -> dict[str, Any]:
        return {**vars(self), "kind": self.kind.value}


class FaultList:
    """Faults in the order they were given; the first that matches strikes."""

    def __init__(self, faults: tuple[Fault, ...] = ()) -> None:
        self.waiting = list(faults)

    def add(self, fault: Fault) -> None:
        self.waiting.append(fault)

    def clear(self) -> None:
        self.waiting.clear()

    def take(self, kind: FaultKind, *names: str) -> Fault | None:
        for fault in self.waiting:
            if fault.kind is kind and any(fnmatchcase(name, fault.match) for name in names):
                self._use(fault)
                return fault
        return None

    def _use(self, fault: Fault) -> None:
        if fault.times is not None:
            fault.times -= 1
            if fault.times <= 0:
                self.waiting.remove(fault)


def read_fault(fields: Any) -> Fault:
    """From the JSON of the control endpoint."""
    if not isinstance(fields, Mapping) or set(fields) - {"kind", "value", "text", "match", "times"}:
        raise BadFault("an object with kind, value, text, match, times")
    times = fields.get("times", 1)
    if times is not None and (not isinstance(times, int) or isinstance(times, bool) or times < 1):
        raise BadFault(f"times: {times!r}")
    if not all(isinstance(fields.get(name, ""), str) for name in ("text", "match")):
        raise BadFault("text and match are strings")
    given = {name: fields[name] for name in ("text", "match") if name in fields}
    kind = _read_kind(fields.get("kind"))
    return Fault(kind, _read_value(kind, fields.get("value")), times=times, **given)


def parse_fault(text: str) -> Fault:
    """From the command line, `KIND[:VALUE][@MATCH]`; it strikes every time."""
    head, _, match = text.partition("@")
    name, _, argument = head.partition(":")
    kind = _read_kind(name)
    if kind is FaultKind.FAIL:
        return Fault(kind, text=argument or Fault.text, match=match or "*", times=None)
    return Fault(kind, _read_value(kind, argument or None), match=match or "*", times=None)


def _read_kind(name: object) -> FaultKind:
    try:
        return FaultKind(str(name))
    except ValueError:
        raise BadFault(f"{name}; one of {', '.join(FaultKind)}") from None


def _read_value(kind: FaultKind, value: object) -> float:
    if value is None and kind not in _NEEDS_VALUE:
        return 0.0
    try:
        number = float(str(value))
    except ValueError:
        raise BadFault(f"{kind}: {value!r} is no number") from None
    if not 0 <= number <= (100 if kind in (FaultKind.HANG, FaultKind.FAIL) else _MOST_SECONDS):
        raise BadFault(f"{kind}: {value} is out of range")
    return number
