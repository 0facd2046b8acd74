"""Runs one script: chooses what to start, watches over it through the supervisor, and says what became of it."""

import asyncio
import hashlib
import os
import shutil
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pabal_rules
from pabal.apps.rules.outside.supervised import (
    PATIENCE_SECONDS,
    Supervised,
    SupervisorOrder,
    compile_supervisor,
    find_plain_python,
    open_pipe,
    supervise,
)
from pabal.apps.rules.scripts import environments, metadata, repository
from pabal.apps.rules.scripts.errors import ScriptUnusable
from pabal.apps.rules.scripts.isolation import (
    ARTIFACTS,
    CODE,
    PACKAGE,
    WORK,
    Folders,
    enclose,
    probe_isolation,
)
from pabal.apps.rules.scripts.judging import Verdict, judge, refuse
from pabal.apps.rules.scripts.line import Answer, OnLine, ScriptChannel, ScriptOutput, pump
from pabal.apps.rules.scripts.model import Environment, Isolation, ScriptReason, ScriptResult, ScriptRun


@dataclass(frozen=True)
class RunPlan:
    """Everything that was decided before a process is started."""

    run: ScriptRun
    snapshot: repository.Snapshot
    environment: Environment
    isolation: Isolation
    folders: Folders
    scratch: Path


async def run_script(
    run: ScriptRun, *, on_line: OnLine, stop: asyncio.Event, answer: Answer | None = None
) -> ScriptResult:
    """Never raises for what a script does. Its scratch folder stays, for the artifacts, until `forget_run`."""
    known: dict[str, Any] = {}
    try:
        plan = await asyncio.to_thread(_plan, run, known)
    except ScriptUnusable as unusable:
        return refuse(unusable, **known)
    output = ScriptOutput(on_line, run.limits.output_kb * 1024)
    async with _started(plan) as script:
        verdict = await script.follow(output, stop, answer)
    result = judge(plan.run, verdict, script.channel.said, artifacts=plan.folders.artifacts)
    return replace(result, log_tail=output.show_tail(), **known)


async def forget_run(run: ScriptRun) -> None:
    """Once its artifacts are kept elsewhere."""
    await asyncio.to_thread(shutil.rmtree, _scratch_of(run), ignore_errors=True)


def _scratch_of(run: ScriptRun) -> Path:
    name = "".join(letter for letter in run.run_id if letter.isalnum() or letter in "-_")
    if not name:
        raise ValueError("a run has an id")
    return run.cache / "scratch" / name


def _plan(run: ScriptRun, known: dict[str, Any]) -> RunPlan:
    script = repository.check_path(run.script)
    snapshot = repository.take_snapshot(run.repository, run.commit)
    known.update(commit=snapshot.commit, dirty=dict(snapshot.dirty))
    cache = run.cache
    if not snapshot.has(script):
        raise ScriptUnusable(ScriptReason.SCRIPT_MISSING, script)
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    code = repository.export(snapshot, cache / "exports")
    needed = metadata.read((code / script).read_bytes(), lock=_lock_beside(code / script))
    environment = environments.find(needed, cache, find_plain_python())
    isolation = run.isolation or probe_isolation()
    scratch = _scratch_of(run)
    folders = _make_folders(scratch, code, _link_package(cache), is_enclosed=isolation.is_full)
    return RunPlan(replace(run, script=script), snapshot, environment, isolation, folders, scratch)


def _lock_beside(script: Path) -> bytes | None:
    lock = script.with_name(f"{script.name}.lock")
    return lock.read_bytes() if lock.is_file() else None


def _link_package(cache: Path) -> Path:
    """Our small package in a folder where nothing else is: on the script's path, the server's packages are not."""
    real = Path(pabal_rules.__file__).parent
    version = hashlib.sha256(os.fsencode(real)).hexdigest()[:12]
    link = cache / "package" / version / real.name
    if not link.is_symlink():
        link.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):  # a run beside this one was quicker
            link.symlink_to(real)
    return link


def _make_folders(scratch: Path, code: Path, package: Path, *, is_enclosed: bool) -> Folders:
    shutil.rmtree(scratch, ignore_errors=True)  # an earlier attempt of the same run
    folders = Folders(
        code=code if is_enclosed else scratch / "code",
        work=scratch / "work",
        temporary=scratch / "tmp",
        memory=scratch / "shm",
        artifacts=scratch / "artifacts",
        package=package,
    )
    for folder in (folders.work, folders.temporary, folders.memory, folders.artifacts):
        folder.mkdir(mode=0o700, parents=True)
    if not is_enclosed:
        # Nothing keeps this script from writing there, and the export is of other runs too.
        shutil.copytree(code, folders.code, symlinks=True)
    return folders


class RunningScript:
    """A script under its supervisor, and the four ways to hear of it."""

    def __init__(self, supervised: Supervised, channel: ScriptChannel, output_pipes: list[Any]) -> None:
        self._supervised, self.channel, self._pipes = supervised, channel, output_pipes

    async def follow(self, output: ScriptOutput, stop: asyncio.Event, answer: Answer | None) -> Verdict:
        """To its verdict, with everything that was written before it."""
        reading = [asyncio.create_task(pump(reader, name, output)) for name, (reader, _) in self._named_pipes()]
        hearing = asyncio.create_task(self._hear(output, answer))
        beating = asyncio.create_task(self._supervised.beat())
        stopping = asyncio.create_task(self._stop_when(stop))
        tasks = [*reading, hearing, beating, stopping]
        try:
            verdict = await self._read_verdict(reading)
            await asyncio.wait([*reading, hearing], timeout=PATIENCE_SECONDS)
            for task in reading:
                if task.done():
                    task.result()
            return verdict
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    def _named_pipes(self) -> list[tuple[str, Any]]:
        return list(zip(("out", "err"), self._pipes, strict=True))

    async def _read_verdict(self, reading: "list[asyncio.Task[None]]") -> Verdict:
        """Of a caller that cannot take a line, the run must not go on unheard."""
        verdict = asyncio.create_task(self._supervised.read_verdict())
        waited: set[asyncio.Task[Any]] = {verdict, *reading}
        try:
            while not verdict.done():
                done, waited = await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            told = verdict.result()
        finally:
            verdict.cancel()
            await asyncio.wait([verdict])
        return Verdict.read(told)

    async def _hear(self, output: ScriptOutput, answer: Answer | None) -> None:
        await self.channel.listen(output, answer)
        if self.channel.said.is_too_much:
            self._supervised.stop()

    async def _stop_when(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._supervised.stop()


@asynccontextmanager
async def _started(plan: RunPlan) -> AsyncIterator[RunningScript]:
    ours, theirs = socket.socketpair()
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    channel, pipes = await ScriptChannel.open(ours), [await open_pipe(out), await open_pipe(err)]
    order = _order(plan, (out_end, err_end, theirs.fileno()))
    async with AsyncExitStack() as ends:
        ends.push_async_callback(_close, channel, [transport for _, transport in pipes])
        with ExitStack() as handed_on:
            handed_on.callback(os.close, out_end)
            handed_on.callback(os.close, err_end)
            handed_on.callback(theirs.close)
            program = compile_supervisor(plan.run.cache)
            supervised = await ends.enter_async_context(supervise(order, mark=plan.run.run_id, program=program))
        channel.tell(_give(plan))
        yield RunningScript(supervised, channel, pipes)


async def _close(channel: ScriptChannel, transports: list[asyncio.ReadTransport]) -> None:
    await asyncio.shield(channel.close())
    for transport in transports:
        transport.close()


def _order(plan: RunPlan, fds: tuple[int, int, int]) -> SupervisorOrder:
    run, folders, is_enclosed = plan.run, plan.folders, plan.isolation.is_full
    package = f"{PACKAGE}/{folders.package.name}" if is_enclosed else str(folders.package)
    # -S: the plain interpreter has packages of the system beside it, which are not the script's to rely on.
    flags = ["-I", "-B", "-X", "utf8", *(["-S"] if plan.environment.folder is None else [])]
    command = [str(plan.environment.python), *flags, f"{package}/child.py", str(fds[2])]
    folder_bytes = run.limits.artifact_mb * 1024 * 1024
    return SupervisorOrder(
        command=[*(enclose(plan.isolation, plan.environment, folders, run.allows) if is_enclosed else []), *command],
        environment=_environment(folders, is_enclosed=is_enclosed),
        cwd=str(folders.work),
        fds=(-1, *fds),
        seconds=run.limits.seconds,
        file_bytes=folder_bytes,
        is_enclosed=is_enclosed,
        memory_bytes=run.limits.memory_mb * 1024 * 1024,
        folder=str(plan.scratch),
        folder_bytes=folder_bytes,
    )


def _environment(folders: Folders, *, is_enclosed: bool) -> Mapping[str, str]:
    """Nothing of the server's."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": WORK if is_enclosed else str(folders.work),
        "TMPDIR": "/tmp" if is_enclosed else str(folders.temporary),  # noqa: S108 -- the run's own, inside
    }


def _give(plan: RunPlan) -> Mapping[str, Any]:
    run, is_enclosed = plan.run, plan.isolation.is_full
    return {
        "root": CODE if is_enclosed else str(plan.folders.code),
        "artifacts": ARTIFACTS if is_enclosed else str(plan.folders.artifacts),
        "script": run.script,
        "function": run.function,
        "payload": dict(run.payload),
        "context": {**run.context, "run_id": run.run_id},
    }
