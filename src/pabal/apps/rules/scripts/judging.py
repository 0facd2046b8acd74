"""What became of a run: from the supervisor's verdict and what the script told, one result with a reason."""

import json
import signal
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pabal.apps.rules.scripts.errors import REASONS, ScriptUnusable
from pabal.apps.rules.scripts.line import ScriptReport
from pabal.apps.rules.scripts.model import ArtifactFile, ScriptReason, ScriptResult, ScriptRun

LARGEST_VALUE = 256 * 1024

_ENDS: dict[str, ScriptReason] = {
    "timeout": ScriptReason.TIMEOUT,
    "memory": ScriptReason.MEMORY,
    "folder": ScriptReason.OUTPUT_TOO_LARGE,
    "stopped": ScriptReason.CANCELLED,
    "server_gone": ScriptReason.LOST,
    "lease": ScriptReason.LOST,
    "broken": ScriptReason.LOST,
}


@dataclass(frozen=True)
class Verdict:
    """The supervisor's last word: `exit` with a code, a limit, or `broken` with the reason."""

    end: str
    fact: str = ""

    @classmethod
    def read(cls, told: bytes) -> "Verdict":
        """Nothing was told by a supervisor that was killed."""
        end, _, fact = told.decode(errors="replace").partition(" ")
        return cls(end, fact) if end == "exit" or end in _ENDS else cls("broken", "killed")

    @property
    def code(self) -> int | None:
        return int(self.fact) if self.end == "exit" else None


def refuse(unusable: ScriptUnusable, **known: Any) -> ScriptResult:
    return ScriptResult(ok=False, reason=unusable.reason, message=_say(unusable.reason, unusable.fact), **known)


def judge(run: ScriptRun, verdict: Verdict, said: ScriptReport, *, artifacts: Path) -> ScriptResult:
    """What was reached first counts: a limit, then what the function did, then how its process ended."""
    kept: dict[str, Any] = {
        "captured": tuple(said.sends),
        "artifacts": _find_artifacts(artifacts, said),
        "exit_code": verdict.code,
    }
    if said.is_too_much:
        return _failed(ScriptReason.OUTPUT_TOO_LARGE, "messages, files or one message", kept)
    if verdict.end in _ENDS and said.end is None:
        return _failed(_ENDS[verdict.end], _fact(run, verdict), kept)
    match said.end:
        case {"raised": str(error), "line": int(line)}:
            return _failed(ScriptReason.RAISED, f"{error} ({run.script}, line {line})", kept)
        case {"raised": str(error)}:
            return _failed(ScriptReason.RAISED, error, kept)
        case {"missing": list(names)}:
            return _failed(ScriptReason.FUNCTION_MISSING, _tell_names(run, names), kept)
        case {"bad_return": str(why)}:
            return _failed(ScriptReason.BAD_RETURN, why, kept)
        case {"value": dict(value)}:
            return _succeeded(value, kept)
    return _failed(ScriptReason.CRASHED, _show_code(verdict.code), kept)


def _succeeded(value: dict[str, Any], kept: dict[str, Any]) -> ScriptResult:
    size = len(json.dumps(value).encode())
    if size > LARGEST_VALUE:
        return _failed(
            ScriptReason.OUTPUT_TOO_LARGE, f"the value has {size // 1024} KB of {LARGEST_VALUE // 1024}", kept
        )
    is_good = value.get("success", True) is True
    return ScriptResult(ok=is_good, reason=None, message=str(value.get("message", "")), value=value, **kept)


def _failed(reason: ScriptReason, fact: str, kept: dict[str, Any]) -> ScriptResult:
    return ScriptResult(ok=False, reason=reason, message=_say(reason, fact), **kept)


def _say(reason: ScriptReason, fact: str) -> str:
    sentence = REASONS[reason][0]
    return f"{sentence} ({fact})" if fact else sentence


def _fact(run: ScriptRun, verdict: Verdict) -> str:
    limits = run.limits
    facts = {
        "timeout": f"{limits.seconds:g} s",
        "memory": f"{limits.memory_mb} MB",
        "folder": f"{limits.artifact_mb} MB",
    }
    return facts.get(verdict.end, verdict.fact)


def _tell_names(run: ScriptRun, names: list[Any]) -> str:
    there = ", ".join(map(str, names)) or "none"
    wanted = "one of several must be named" if run.function is None and names else run.function or "any"
    return f"{wanted}; registered: {there}"[:500]


def _show_code(code: Any) -> str:
    if not isinstance(code, int):
        return ""
    number = -code if code < 0 else code - 128
    with suppress(ValueError):
        if number > 0:
            return signal.Signals(number).name
    return f"exit code {code}"


def _find_artifacts(folder: Path, said: ScriptReport) -> tuple[ArtifactFile, ...]:
    """Only plain files that are really there: nothing is running any more that could change them."""
    found = []
    for about in said.artifacts:
        path = folder / Path(about["file"]).name
        with suppress(OSError):
            seen = path.lstat()
            if stat.S_ISREG(seen.st_mode):
                name = Path(about["name"].replace("\0", "")).name[:200] or path.name
                found.append(ArtifactFile(name, path, about["media_type"][:200], seen.st_size))
    return tuple(found)
