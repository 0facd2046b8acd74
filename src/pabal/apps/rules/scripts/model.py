"""What is run, within which limits, and what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from pabal.platform.language.pairs import Pair


class ScriptReason(StrEnum):
    """Why a run did not give a value."""

    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    MEMORY = "memory"
    CRASHED = "crashed"
    RAISED = "raised"
    BAD_RETURN = "bad_return"
    SCRIPT_MISSING = "script_missing"
    FUNCTION_MISSING = "function_missing"
    METADATA_BROKEN = "metadata_broken"
    ENVIRONMENT_NOT_READY = "environment_not_ready"
    GIT_FAILED = "git_failed"
    OUTPUT_TOO_LARGE = "output_too_large"
    LOST = "lost"


class Containment(StrEnum):
    FULL = "full"
    NONE = "none"


@dataclass(frozen=True)
class Isolation:
    """Whether scripts can be kept from network and files on this machine, and if not, why not."""

    level: Containment
    reason: Pair
    program: str | None = None

    @property
    def is_full(self) -> bool:
        return self.level is Containment.FULL


@dataclass(frozen=True)
class Limits:
    seconds: float = 60.0
    memory_mb: int = 512
    output_kb: int = 256
    # of everything in the scratch folder together, artifacts among it
    artifact_mb: int = 100


@dataclass(frozen=True)
class Allows:
    """What a script may reach besides its own folder; held only where isolation is full."""

    network: bool = False
    files: tuple[str, ...] = ()
    write: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for path in (*self.files, *self.write):
            if not path.startswith("/") or ".." in path.split("/") or not path.strip("/"):
                raise ValueError(f"a folder that a script may reach has its whole path, and is not all: {path!r}")


@dataclass(frozen=True)
class ScriptRun:
    run_id: str
    repository: Path
    script: str
    function: str | None
    payload: Mapping[str, Any]
    context: Mapping[str, Any]
    limits: Limits = field(default_factory=Limits)
    allows: Allows = field(default_factory=Allows)
    # where exports, environments and scratch folders are: a folder of the server's own, the same for all runs
    cache: Path = field(kw_only=True)
    # None: what the folder holds now, uncommitted files too. A commit: exactly that one, such as fetch_commit gave.
    commit: str | None = None
    # None: what the probe said
    isolation: Isolation | None = None


@dataclass(frozen=True)
class ArtifactFile:
    name: str
    path: Path
    media_type: str
    size: int


@dataclass(frozen=True)
class ScriptResult:
    """`ok` is False without a reason where the function itself returned `"success": False`."""

    ok: bool
    reason: ScriptReason | None
    message: str
    value: Any | None = None
    exit_code: int | None = None
    commit: str | None = None
    # uncommitted files that were used, with their SHA-256; "deleted" for a committed one that is gone from the folder
    dirty: Mapping[str, str] = field(default_factory=dict)
    # what the script asked to be sent. After a real run it is the caller's to send, after a dry run to be shown.
    captured: tuple[Mapping[str, Any], ...] = ()
    artifacts: tuple[ArtifactFile, ...] = ()
    log_tail: str = ""


@dataclass(frozen=True)
class Mistake:
    """Something that a person must correct in a script, with its line."""

    line: int
    code: str
    text: Pair


@dataclass(frozen=True)
class ScriptInfo:
    script: str
    names: tuple[str, ...]
    dependencies: tuple[str, ...]
    requires_python: str | None
    mistakes: tuple[Mistake, ...]


@dataclass(frozen=True)
class Environment:
    """The interpreter a script is started with. The plain one has no packages besides the standard library."""

    python: Path
    folder: Path | None
    packages: tuple[str, ...] = ()
