"""Environments with the packages of scripts: prepared by uv beforehand, found by a run, never made during one."""

import asyncio
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pabal.apps.rules.outside.supervised import find_plain_python
from pabal.apps.rules.scripts import metadata, repository
from pabal.apps.rules.scripts.errors import ScriptUnusable
from pabal.apps.rules.scripts.metadata import Needed
from pabal.apps.rules.scripts.model import Environment, ScriptReason

PREPARE_SECONDS = 600.0
READY = "pabal-ready.json"
# Where packages come from, and the way there. Nothing else of the server's environment is uv's.
_KEPT_VARIABLES = (
    *("PATH", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_FIND_LINKS", "UV_NO_INDEX", "UV_OFFLINE"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "UV_SYSTEM_CERTS"),
)
_RULES = ("--no-build", "--no-python-downloads", "--no-config", "--no-progress", "--color", "never")


async def prepare_environment(
    repository_folder: Path, commit: str | None, script: str, *, cache: Path, uv: str | None = None
) -> Environment:
    """The environment of a script as it is in a commit, or in the folder now; made if it is not there yet."""
    return await asyncio.to_thread(prepare, repository_folder, commit, script, cache=cache, uv=uv)


def prepare(folder: Path, commit: str | None, script: str, *, cache: Path, uv: str | None = None) -> Environment:
    snapshot = repository.take_snapshot(folder, commit)
    text = repository.read_script(snapshot, script).encode()
    lock_name = f"{script}.lock"
    lock = repository.read_script(snapshot, lock_name).encode() if snapshot.has(lock_name) else None
    needed = metadata.read(text, lock=lock)
    plain = find_plain_python()
    if needed.runs_on_plain(sys.version_info[:3]):
        return Environment(python=plain, folder=None)
    made = _place(needed, cache, plain)
    with _alone(made):
        if not (made / READY).is_file():
            _make(made, needed, Path(script).name, text, uv or find_uv())
    return _load(made)


def find(needed: Needed, cache: Path, plain: Path) -> Environment:
    """What was prepared for it. A run makes nothing: it would take a minute at the moment it is due."""
    if needed.runs_on_plain(sys.version_info[:3]):
        return Environment(python=plain, folder=None)
    made = _place(needed, cache, plain)
    if not (made / READY).is_file():
        wanted = ", ".join(needed.dependencies) or f"Python {needed.requires_python}"
        raise ScriptUnusable(ScriptReason.ENVIRONMENT_NOT_READY, wanted[:500])
    return _load(made)


def find_uv() -> str:
    """Beside this Python, as in our own environments and in the image, or on the path."""
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.is_file() else shutil.which("uv")
    if found is None:
        raise ScriptUnusable(ScriptReason.ENVIRONMENT_NOT_READY, "uv is not installed")
    return found


def lock_script(file: Path, *, cache: Path, uv: str | None = None) -> Path:
    """Writes `check.py.lock` beside a script, so that every environment of it gets the same versions."""
    needed = metadata.read(file.read_bytes())
    _run_uv([uv or find_uv(), "lock", "--script", file.name, *_RULES, *_python(needed)], cache, file.parent, {})
    return file.with_name(f"{file.name}.lock")


def _place(needed: Needed, cache: Path, plain: Path) -> Path:
    return cache / "environments" / needed.key(str(plain))


def _load(made: Path) -> Environment:
    told = json.loads((made / READY).read_text())
    return Environment(python=made / "bin/python", folder=made, packages=tuple(told["packages"]))


@contextmanager
def _alone(made: Path) -> Iterator[None]:
    """Two servers may prepare the same at the same time."""
    made.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(made.with_suffix(".lock"), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make(made: Path, needed: Needed, name: str, text: bytes, uv: str) -> None:
    shutil.rmtree(made, ignore_errors=True)  # one that was not finished
    staging = made.with_name(f".{uuid.uuid4().hex}")
    staging.mkdir()
    try:
        (staging / name).write_bytes(text)
        lock = staging / f"{name}.lock"
        if needed.lock is not None:
            lock.write_bytes(needed.lock)
        locked = ["--locked"] if needed.lock is not None else []
        command = [uv, "sync", "--script", name, "--active", "--link-mode", "copy", *locked, *_RULES, *_python(needed)]
        _run_uv(command, made.parents[1], staging, {"VIRTUAL_ENV": str(made)})
        ready = {"packages": _list_packages(made), "lock": lock.read_text() if lock.is_file() else None}
        unfinished = made / f".{READY}"
        unfinished.write_text(json.dumps(ready))
        unfinished.replace(made / READY)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _python(needed: Needed) -> list[str]:
    """The server's own, or where the script asks for another version, one that is installed."""
    is_fit = needed.requires_python is None or metadata.fits(needed.requires_python, sys.version_info[:3])
    return ["--no-managed-python", *(["--python", str(find_plain_python())] if is_fit else [])]


def _list_packages(made: Path) -> list[str]:
    folders = made.glob("lib/python*/site-packages/*.dist-info")
    return sorted("==".join(folder.name.removesuffix(".dist-info").rsplit("-", 1)) for folder in folders)


def _run_uv(command: list[str], cache: Path, folder: Path, more: dict[str, str]) -> None:
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    own = {"UV_CACHE_DIR": str(cache / "uv"), "HOME": str(cache / "uv"), "LC_ALL": "C.UTF-8"}
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**kept, **own, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise ScriptUnusable(ScriptReason.ENVIRONMENT_NOT_READY, f"uv: {error.strerror}") from error
    with process:
        try:
            _, complaint = process.communicate(timeout=PREPARE_SECONDS)
        except subprocess.TimeoutExpired as error:
            os.killpg(process.pid, signal.SIGKILL)
            raise ScriptUnusable(
                ScriptReason.ENVIRONMENT_NOT_READY, f"uv took longer than {PREPARE_SECONDS:g} s"
            ) from error
    if process.returncode != 0:
        told = " ".join(complaint.decode(errors="replace").split())
        raise ScriptUnusable(ScriptReason.ENVIRONMENT_NOT_READY, f"uv: {told}"[:1000])
