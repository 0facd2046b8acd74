"""The seam to the room that runs scripts: what a run hands over, and what comes back. Nothing else knows that room."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pabal.apps.rules.model.rules import RunReason


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """`context` is what a script may know of its run: its rule, its moment, what a source answered."""

    run_id: str
    script: str
    payload: dict[str, Any] = field(repr=False)
    context: dict[str, Any] = field(repr=False)
    seconds: int


@dataclass(frozen=True, slots=True)
class ScriptEnd:
    """`value` is what the script answered: what conditions and templates look into."""

    ok: bool
    reason: RunReason | None
    message: str
    value: Any = field(default=None, repr=False)
    exit_code: int | None = None
    commit: str | None = None
    is_dirty: bool = False
    log: str = field(default="", repr=False)
    artifact_path: str | None = None


class Scripts(Protocol):
    async def run(self, call: ScriptCall, *, on_line: Callable[[str], None], stop: asyncio.Event) -> ScriptEnd: ...


class NoScripts:
    """Of a server without a repository: a rule with a script fails, and says why."""

    async def run(self, call: ScriptCall, *, on_line: Callable[[str], None], stop: asyncio.Event) -> ScriptEnd:
        return ScriptEnd(False, RunReason.SCRIPTS_OFF, "This server runs no scripts: no repository is set.")


def make_scripts(repository: str) -> Scripts:
    folder = Path(repository) if repository else None
    if folder is None or not folder.is_dir():
        return NoScripts()
    return NoScripts()
