"""The seam to the room that runs scripts: what a run hands over, and what comes back. Nothing else knows that room."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pabal.apps.rules import scripts
from pabal.apps.rules.artifacts import FoundFile, Shelf
from pabal.apps.rules.model.rules import RunReason
from pabal.apps.rules.permissions import ScriptCeiling
from pabal.apps.rules.scripts import Allows, Limits, ScriptReason, ScriptResult, ScriptRun, ScriptUnusable
from pabal.apps.rules.store.rules import NamedScript
from pabal.base.clock import elapsed
from pabal.base.errors import PabalError
from pabal.base.telemetry import declare, emit

Answer = Callable[[str, Mapping[str, Any]], Awaitable[Any]]
SCRIPTS_OFF = "This server runs no scripts: no repository is set."
SAID_NO = "The script said that it failed."
NOT_ALLOWED = "The rule asks for more than this server allows its scripts."
NO_FOLDER = "A folder that the script may reach is not there."
# between two questions to the repository's remote for packages of scripts that are fetched, in seconds
FETCH_EVERY = 60.0
# each has its own name here too, but for a run that was lost with its server
_OTHERWISE = {ScriptReason.LOST: RunReason.INTERRUPTED}
_REASONS: Mapping[ScriptReason, RunReason] = {one: _OTHERWISE.get(one) or RunReason(one.value) for one in ScriptReason}

declare("rules.script_unprepared", "Scripts whose packages could not be prepared", labels=("reason",), level=30)


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """`context` is what a script may know of its run: its rule, its moment, what a source answered. `answer` reads a
    source that it asks for."""

    run_id: str
    script: str
    unit_id: int
    payload: dict[str, Any] = field(repr=False)
    context: dict[str, Any] = field(repr=False)
    seconds: float
    answer: Answer | None = None
    # None: the only one, or the one that is called like its file
    function: str | None = None
    is_fetched: bool = False
    allows: Allows = field(default_factory=Allows)


@dataclass(frozen=True, slots=True)
class ScriptEnd:
    """`value` is what the script answered: what conditions and templates look into. `sends` is what it asked to be
    sent, `artifacts` are its files in the store, `dirty` the uncommitted files that ran."""

    ok: bool
    reason: RunReason | None
    message: str
    value: Any = field(default=None, repr=False)
    exit_code: int | None = None
    commit: str | None = None
    dirty: Mapping[str, str] = field(default_factory=dict)
    log: str = field(default="", repr=False)
    artifacts: Sequence[dict[str, Any]] = ()
    sends: Sequence[Mapping[str, Any]] = field(default=(), repr=False)


class Scripts(Protocol):
    async def run(self, call: ScriptCall, *, on_line: Callable[[str], None], stop: asyncio.Event) -> ScriptEnd: ...


class NoScripts:
    """Of a server without a repository: a rule with a script fails, and says why."""

    async def run(self, call: ScriptCall, *, on_line: Callable[[str], None], stop: asyncio.Event) -> ScriptEnd:
        return ScriptEnd(False, RunReason.SCRIPTS_OFF, SCRIPTS_OFF)


class RepositoryScripts:
    """Scripts of the folder that is mounted for this server, as it is at that moment, or as its remote has it."""

    def __init__(self, folder: Path, cache: Path, shelf: Shelf, ceiling: ScriptCeiling) -> None:
        self._folder, self._cache, self._shelf, self._ceiling = folder, cache, shelf, ceiling
        self._told: dict[NamedScript, str] = {}
        # the newest commit that was fetched, and when
        self._fetched: tuple[str, float] | None = None

    async def run(self, call: ScriptCall, *, on_line: Callable[[str], None], stop: asyncio.Event) -> ScriptEnd:
        refused = await asyncio.to_thread(_refuse, self._ceiling, call.allows)
        if refused is not None:
            return ScriptEnd(False, RunReason.NOT_ALLOWED, refused)
        began = elapsed()
        try:
            commit = await self._fetch(call.seconds) if call.is_fetched else None
        except ScriptUnusable as unusable:
            return _read_end(scripts.refuse(unusable), [])
        run = self._order(call, commit, max(1.0, call.seconds - (elapsed() - began)))

        async def take(_stream: str, line: str) -> None:
            on_line(line)

        try:
            result = await scripts.run_script(run, on_line=take, stop=stop, answer=call.answer)
            return await self._keep(call, result)
        finally:
            await scripts.forget_run(run)

    async def prepare(self, named: Sequence[NamedScript]) -> None:
        """Packages of these scripts, so that no run waits for them. What fails is told once, and tried again."""
        for one in named:
            try:
                commit = await self._find_fetched() if one.is_fetched else None
                await scripts.prepare_environment(self._folder, commit, one.script, cache=self._cache)
                self._told.pop(one, None)
            except ScriptUnusable as error:
                if self._told.get(one) != error.fact:
                    emit("rules.script_unprepared", script=one.script, reason=error.reason.value, fact=error.fact)
                self._told[one] = error.fact

    async def tidy(self, running: Sequence[str]) -> None:
        await asyncio.to_thread(scripts.tidy_cache, self._cache, running=set(running))

    def _order(self, call: ScriptCall, commit: str | None, seconds: float) -> ScriptRun:
        return ScriptRun(
            run_id=call.run_id,
            repository=self._folder,
            script=call.script,
            function=call.function,
            payload=call.payload,
            context=call.context,
            limits=Limits(seconds=seconds),
            allows=call.allows,
            cache=self._cache,
            commit=commit,
        )

    async def _fetch(self, seconds: float) -> str:
        commit = await asyncio.to_thread(scripts.fetch_commit, self._folder, seconds=seconds)
        self._fetched = (commit, elapsed())
        return commit

    async def _find_fetched(self) -> str:
        """What a run would most likely use; the remote is asked seldom enough to be no burden to it."""
        if self._fetched is None or elapsed() - self._fetched[1] > FETCH_EVERY:
            return await self._fetch(FETCH_EVERY)
        return self._fetched[0]

    async def _keep(self, call: ScriptCall, result: ScriptResult) -> ScriptEnd:
        found = [FoundFile(one.name, one.path, one.media_type) for one in result.artifacts]
        try:
            return _read_end(result, await self._shelf.keep(call.unit_id, found))
        except PabalError as error:
            return ScriptEnd(False, RunReason.FILES_NOT_KEPT, str(error), commit=result.commit, dirty=result.dirty)


def _refuse(ceiling: ScriptCeiling, allows: Allows) -> str | None:
    """Why a rule's script is not begun; its rights may have been wider when the rule was saved."""
    refused = ceiling.list_refused(allows)
    if refused:
        return f"{NOT_ALLOWED} ({', '.join(refused)})"
    missing = [one for one in (*allows.files, *allows.write) if not Path(one).is_dir()]
    return f"{NO_FOLDER} ({', '.join(missing)})" if missing else None


def _read_end(result: ScriptResult, artifacts: Sequence[dict[str, Any]]) -> ScriptEnd:
    reason = None if result.reason is None else _REASONS[result.reason]
    if not result.ok and reason is None:
        reason = RunReason.SCRIPT_FAILED
    return ScriptEnd(
        result.ok,
        reason,
        result.message or ("" if result.ok else SAID_NO),
        result.value,
        exit_code=result.exit_code,
        commit=result.commit,
        dirty=result.dirty,
        artifacts=artifacts,
        sends=[one for one in result.captured if one["kind"] == "notify"],
    )
