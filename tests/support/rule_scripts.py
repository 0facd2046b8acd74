"""A user's Git repository with scripts, and what their runs told."""

import asyncio
import os
import subprocess
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from pabal.apps.rules.scripts import (
    Allows,
    Containment,
    Isolation,
    Limits,
    ScriptResult,
    ScriptRun,
    probe_isolation,
    run_script,
)

UNCONTAINED = Isolation(Containment.NONE, ("not here", "여기서는 아닙니다"))
HEAD = "from pabal_rules import rule\n\n"


class Repository:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        person = ("-c", "user.name=Owner", "-c", "user.email=owner@example.org")
        command = ["git", *person, *arguments]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        clean |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(command, cwd=self.folder, env=clean, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text))
        return file

    def commit(self, **files: str) -> str:
        """Keys are names of Python files without their ending."""
        for name, text in files.items():
            self.write(f"{name}.py", text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "Change")
        return self.git("rev-parse", "HEAD")

    def commit_body(self, body: str, *, name: str = "check") -> str:
        """A script with one rule of its own name."""
        lines = "\n".join(f"    {line}" for line in dedent(body).strip().splitlines())
        head = f'{HEAD}@rule("{name}")\nasync def check(payload, context):\n'
        return self.commit(**{name: f"{head}{lines}\n"})


class Runs:
    """Runs scripts of one repository, one after the other or side by side."""

    def __init__(self, repository: Repository, cache: Path, isolation: Isolation) -> None:
        self.repository, self.cache, self.isolation = repository, cache, isolation
        self.lines: list[tuple[str, str]] = []
        self.stop = asyncio.Event()

    def order(self, script: str = "check.py", **given: Any) -> ScriptRun:
        limits = Limits(**{"seconds": 60.0, **given.pop("limits", {})})
        return ScriptRun(
            run_id=given.pop("run_id", None) or str(uuid.uuid4()),
            repository=self.repository.folder,
            script=script,
            function=given.pop("function", None),
            payload=given.pop("payload", {}),
            context=given.pop("context", {}),
            limits=limits,
            allows=Allows(**given.pop("allows", {})),
            cache=self.cache,
            isolation=self.isolation,
            **given,
        )

    async def run(
        self,
        script: str = "check.py",
        *,
        on_line: Callable[[str, str], Any] | None = None,
        answer: Callable[[str, Mapping[str, Any]], Any] | None = None,
        **given: Any,
    ) -> ScriptResult:
        async def take(stream: str, line: str) -> None:
            self.lines.append((stream, line))
            if on_line is not None:
                on_line(stream, line)

        return await run_script(self.order(script, **given), on_line=take, stop=self.stop, answer=answer)


def need_isolation() -> Isolation:
    isolation = probe_isolation()
    if not isolation.is_full:
        pytest.skip(isolation.reason[0])
    return isolation


def list_marked(run_id: str) -> list[int]:
    """Processes that were started for a run, whoever started them and wherever they went."""
    mark = f"PABAL_RUN={run_id}".encode()
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if mark in Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                found.append(int(name))
        except OSError:
            continue
    return found
