"""For a script's author, without a server: check a repository, try a script, begin a repository."""

import asyncio
import shutil
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pabal.apps.rules.scripts import environments, repository
from pabal.apps.rules.scripts.errors import ScriptUnusable
from pabal.apps.rules.scripts.inspecting import inspect_text
from pabal.apps.rules.scripts.judging import refuse
from pabal.apps.rules.scripts.line import Answer, OnLine
from pabal.apps.rules.scripts.model import Allows, Limits, ScriptInfo, ScriptResult, ScriptRun
from pabal.apps.rules.scripts.running import forget_run, run_script

_TEMPLATE = Path(__file__).with_name("template")


def check_repository(folder: Path, scripts: tuple[str, ...] = ()) -> list[ScriptInfo]:
    """Of the scripts that are named; of none named, every Python file that speaks of pabal_rules, tests apart."""
    snapshot = repository.take_snapshot(folder)
    named = [repository.check_path(script) for script in scripts] or list(_find_scripts(snapshot))
    return [inspect_text(script, repository.read_script(snapshot, script)) for script in named]


def _find_scripts(snapshot: repository.Snapshot) -> Iterator[str]:
    for path in sorted({*snapshot.blobs, *snapshot.dirty}):
        if path.endswith(".py") and snapshot.has(path) and not Path(path).name.startswith(("test_", "conftest")):
            text = repository.read_script(snapshot, path)
            if "pabal_rules" in text and "@" in text:
                yield path


@dataclass(frozen=True)
class Trial:
    """What to try: always a dry run, so what it would send is shown and not sent."""

    repository: Path
    script: str
    function: str | None = None
    payload: Mapping[str, Any] | None = None
    memory: Any = None
    limits: Limits = field(default_factory=Limits)
    allows: Allows = field(default_factory=Allows)
    # where files that it makes are put, under their names; None: they are only named
    keep: Path | None = None


async def try_script(trial: Trial, *, on_line: OnLine, cache: Path, answer: Answer | None = None) -> ScriptResult:
    """As a server would run it. Packages are prepared first, since nobody waits for a moment of a schedule here."""
    run = ScriptRun(
        run_id=f"try-{uuid.uuid4()}",
        repository=trial.repository,
        script=trial.script,
        function=trial.function,
        payload=trial.payload or {},
        context={"rule_name": trial.script, "attempt": 1, "dry_run": True, "memory": trial.memory, "zone": "UTC"},
        limits=trial.limits,
        allows=trial.allows,
        cache=cache,
    )
    try:
        await environments.prepare_environment(trial.repository, None, trial.script, cache=cache)
        result = await run_script(run, on_line=on_line, stop=asyncio.Event(), answer=answer)
        return _keep(result, trial.keep)
    except ScriptUnusable as unusable:
        return refuse(unusable)
    finally:
        await forget_run(run)


def _keep(result: ScriptResult, folder: Path | None) -> ScriptResult:
    if folder is None:
        return result
    folder.mkdir(parents=True, exist_ok=True)
    kept = tuple(replace(one, path=shutil.copyfile(one.path, folder / one.name)) for one in result.artifacts)
    return replace(result, artifacts=kept)


def begin_repository(folder: Path) -> list[Path]:
    """Writes an example to begin with: a script, its test, a README. Nothing that is there is changed."""
    made = []
    for source in sorted(_TEMPLATE.rglob("*")):
        if source.is_dir() or "__pycache__" in source.parts:
            continue
        target = folder / source.relative_to(_TEMPLATE).with_name(source.name.removesuffix(".txt"))
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            made.append(target)
    if not (folder / ".git").exists():
        repository.begin(folder)
    return made
