"""The user's Git repository, read by plumbing alone: no hook, filter, prompt or program of its configuration runs.

What a run uses is an export: the files of a commit, and over them the uncommitted ones of the folder, with hashes.
"""

import hashlib
import os
import shutil
import signal
import stat
import subprocess
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from pabal.apps.rules.scripts.errors import ScriptUnusable
from pabal.apps.rules.scripts.model import ScriptReason

READ_SECONDS = 30.0
FETCH_SECONDS = 60.0
LARGEST_EXPORT = 200 * 1024 * 1024
MOST_FILES = 20_000
DELETED = "deleted"
NO_PROTOCOL = "none"

_LINK, _PROGRAM, _SUBMODULE = "120000", "100755", "160000"
# A repository's own configuration may name programs for each of these; a value given here wins over it.
_OVERRULED = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.untrackedCache": "false",
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
    "core.pager": "cat",
    "core.gitProxy": "",
    "core.alternateRefsCommand": "",
    "credential.helper": "",
    "fetch.recurseSubmodules": "false",
    "submodule.recurse": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.ext.allow": "never",
}


class CommitMissing(ScriptUnusable, code="commit_missing"):
    """The repository has no such commit."""


@dataclass(frozen=True)
class Blob:
    mode: str
    object_id: str


@dataclass(frozen=True)
class Snapshot:
    """What a run would use: a commit, and what differs from it in the folder. Before the first commit it is None."""

    repository: Path
    commit: str | None
    blobs: Mapping[str, Blob]
    dirty: Mapping[str, str]

    @property
    def name(self) -> str:
        if not self.dirty and self.commit is not None:
            return self.commit
        listed = "\0".join(f"{path}\0{digest}" for path, digest in sorted(self.dirty.items()))
        return f"{self.commit or 'uncommitted'}-{hashlib.sha256(listed.encode()).hexdigest()[:16]}"

    def has(self, script: str) -> bool:
        if script in self.dirty:
            return self.dirty[script] != DELETED
        return script in self.blobs and self.blobs[script].mode != _SUBMODULE


def check_path(script: str) -> str:
    """A path inside the repository, written as Git writes it."""
    path = PurePosixPath(script)
    if not script or path.is_absolute() or ".." in path.parts or ".git" in path.parts or "\0" in script:
        raise ScriptUnusable(ScriptReason.SCRIPT_MISSING, f"{script!r} is no path inside the repository")
    return str(path)


def take_snapshot(repository: Path, commit: str | None = None) -> Snapshot:
    """Of a commit, or of the folder as it is now."""
    if not (repository / ".git").exists():
        raise ScriptUnusable(ScriptReason.GIT_FAILED, f"{repository} is no Git repository")
    chosen = _find_commit(repository, commit)
    blobs = {} if chosen is None else _list_blobs(repository, chosen)
    dirty = {} if commit is not None else _find_dirty(repository, blobs)
    return Snapshot(repository, chosen, blobs, dirty)


def _find_commit(repository: Path, commit: str | None) -> str | None:
    try:
        found = _git(repository, "rev-parse", "--verify", "--quiet", f"{commit or 'HEAD'}^{{commit}}")
    except CommitMissing:
        if commit is not None:
            raise
        return None  # one can try a script before the first commit
    return found.decode().strip()


def fetch_commit(
    repository: Path, *, remote: str = "origin", branch: str | None = None, seconds: float = FETCH_SECONDS
) -> str:
    """The newest commit of a branch there. The folder and its branches stay as they are."""
    if branch is None:
        branch = _git(repository, "symbolic-ref", "--short", "HEAD").decode().strip()
    if remote.startswith("-") or branch.startswith("-"):
        raise ScriptUnusable(ScriptReason.GIT_FAILED, "no such remote")
    _git(
        repository,
        *("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance"),
        *("--upload-pack", "git-upload-pack", remote, f"+refs/heads/{branch}:refs/pabal/{branch}"),
        seconds=min(seconds, FETCH_SECONDS),
        protocols="file:git:http:https:ssh",
    )
    return _git(repository, "rev-parse", "--verify", f"refs/pabal/{branch}^{{commit}}").decode().strip()


def begin(folder: Path) -> None:
    """An empty repository. Nothing is committed: that is the owner's."""
    _git(folder, "init", "--quiet", "--initial-branch=main", "--template=")


def read_script(snapshot: Snapshot, script: str) -> str:
    script = check_path(script)
    if not snapshot.has(script):
        raise ScriptUnusable(ScriptReason.SCRIPT_MISSING, script)
    if script in snapshot.dirty:
        content = _read_file(snapshot.repository / script)
    else:
        content = _git(snapshot.repository, "cat-file", "blob", snapshot.blobs[script].object_id)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ScriptUnusable(ScriptReason.METADATA_BROKEN, f"{script} is not written in UTF-8") from error


def export(snapshot: Snapshot, exports: Path) -> Path:
    """The folder with its files, made once for all runs of the same commit and the same uncommitted files."""
    made = exports / snapshot.name
    if made.is_dir():
        os.utime(made)  # used last of all
        return made
    exports.mkdir(parents=True, exist_ok=True)
    unfinished = exports / f".{uuid.uuid4().hex}"
    unfinished.mkdir()
    try:
        _write_blobs(snapshot, unfinished)
        _write_dirty(snapshot, unfinished)
        with suppress(FileExistsError, OSError):  # another run was quicker, with the same files
            unfinished.rename(made)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return made


def _write_blobs(snapshot: Snapshot, folder: Path) -> None:
    wanted = [path for path, blob in snapshot.blobs.items() if path not in snapshot.dirty and blob.mode != _SUBMODULE]
    contents = _read_blobs(snapshot, wanted)
    for path, content in zip(wanted, contents, strict=True):
        _write(folder, path, content, snapshot.blobs[path].mode)


def _read_blobs(snapshot: Snapshot, paths: list[str]) -> Iterator[bytes]:
    asked = "".join(f"{snapshot.blobs[path].object_id}\n" for path in paths).encode()
    answer = memoryview(_git(snapshot.repository, "cat-file", "--batch", given=asked)) if paths else memoryview(b"")
    at = 0
    for _ in paths:
        end = bytes(answer[at : at + 200]).index(b"\n") + at
        header = bytes(answer[at:end]).split()
        if len(header) != 3:
            raise ScriptUnusable(ScriptReason.GIT_FAILED, "an object is missing: " + header[0].decode())
        size = int(header[2])
        yield bytes(answer[end + 1 : end + 1 + size])
        at = end + 1 + size + 1


def _write_dirty(snapshot: Snapshot, folder: Path) -> None:
    for path, digest in snapshot.dirty.items():
        if digest == DELETED:
            continue
        source = snapshot.repository / path
        content = _read_file(source)
        if hashlib.sha256(content).hexdigest() != digest:
            raise ScriptUnusable(ScriptReason.GIT_FAILED, f"{path} was changed while it was read; run it again")
        _write(folder, path, content, _mode_of(source))


def _write(folder: Path, path: str, content: bytes, mode: str) -> None:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    if mode == _LINK:
        # A link out of the folder would be one to whatever the server can read.
        pointed = os.path.normpath(os.path.join(os.path.dirname(path), os.fsdecode(content)))
        if not pointed.startswith(("..", "/")):
            target.symlink_to(os.fsdecode(content))
        return
    target.write_bytes(content)
    target.chmod(0o555 if mode == _PROGRAM else 0o444)


def _find_dirty(repository: Path, blobs: Mapping[str, Blob]) -> dict[str, str]:
    others = _git(repository, "ls-files", "--others", "--exclude-standard", "-z").decode(errors="surrogateescape")
    found: dict[str, str] = {}
    for path in (one for one in others.split("\0") if one and not one.endswith("/")):
        if path not in blobs:
            found[path] = hashlib.sha256(_read_file(repository / path)).hexdigest()
    for path, blob in blobs.items():
        if blob.mode != _SUBMODULE and (change := _changed(repository, path, blob)) is not None:
            found[path] = change
    return found


def _changed(repository: Path, path: str, blob: Blob) -> str | None:
    """None where the folder has what the commit has."""
    file = repository / path
    if any((repository / parent).is_symlink() for parent in PurePosixPath(path).parents if str(parent) != "."):
        return DELETED
    try:
        seen = file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return DELETED
    if not (stat.S_ISREG(seen.st_mode) or stat.S_ISLNK(seen.st_mode)):
        return DELETED
    object_id, digest = _hashes(file, (seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns), blob.object_id)
    return None if object_id == blob.object_id else digest


@lru_cache(maxsize=4 * MOST_FILES)
def _hashes(file: Path, _stamp: tuple[int, ...], like: str) -> tuple[str, str]:
    """As Git names the content, and as we do. The stamp makes a changed file another question."""
    content = _read_file(file)
    as_git = hashlib.sha256() if len(like) == 64 else hashlib.sha1(usedforsecurity=False)
    as_git.update(b"blob %d\0" % len(content))
    as_git.update(content)
    return as_git.hexdigest(), hashlib.sha256(content).hexdigest()


def _mode_of(file: Path) -> str:
    seen = file.lstat().st_mode
    if stat.S_ISLNK(seen):
        return _LINK
    return _PROGRAM if seen & stat.S_IXUSR else "100644"


def _read_file(file: Path) -> bytes:
    try:
        if file.is_symlink():
            return os.fsencode(os.readlink(file))
        if file.lstat().st_size > LARGEST_EXPORT:
            raise ScriptUnusable(ScriptReason.GIT_FAILED, f"{file.name} is too large")
        return file.read_bytes()
    except OSError as error:
        raise ScriptUnusable(ScriptReason.GIT_FAILED, f"{file.name}: {error.strerror}") from error


@lru_cache(maxsize=32)
def _list_blobs(repository: Path, commit: str) -> Mapping[str, Blob]:
    listed = _git(repository, "ls-tree", "-r", "-z", "--long", "--full-tree", commit).decode(errors="surrogateescape")
    blobs: dict[str, Blob] = {}
    total = 0
    for entry in (one for one in listed.split("\0") if one):
        about, _, path = entry.partition("\t")
        mode, _, object_id, size = about.split()
        blobs[path] = Blob(mode, object_id)
        total += 0 if size == "-" else int(size)
    if total > LARGEST_EXPORT or len(blobs) > MOST_FILES:
        raise ScriptUnusable(
            ScriptReason.GIT_FAILED, f"it has {len(blobs)} files of {total // 1024 // 1024} MB together"
        )
    return blobs


def _git(
    repository: Path, *arguments: str, given: bytes = b"", seconds: float | None = None, protocols: str = NO_PROTOCOL
) -> bytes:
    seconds = READ_SECONDS if seconds is None else seconds
    overruled = [word for name, value in _OVERRULED.items() for word in ("-c", f"{name}={value}")]
    place = ("-c", f"safe.directory={repository}", f"--git-dir={repository / '.git'}", f"--work-tree={repository}")
    command = ["git", "--no-pager", "--literal-pathspecs", *overruled, *place, *arguments]
    try:
        process = subprocess.Popen(
            command,
            cwd=repository,
            env=_environment(protocols),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise ScriptUnusable(ScriptReason.GIT_FAILED, f"git: {error.strerror}") from error
    with process:
        try:
            answer, complaint = process.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired as error:
            os.killpg(process.pid, signal.SIGKILL)  # its helpers too
            raise ScriptUnusable(
                ScriptReason.GIT_FAILED, f"git {arguments[0]} took longer than {seconds:g} s"
            ) from error
    if process.returncode != 0:
        told = complaint.decode(errors="replace").strip().splitlines()
        if not told and arguments[0] == "rev-parse":
            raise CommitMissing(ScriptReason.GIT_FAILED, "there is no such commit")
        raise ScriptUnusable(
            ScriptReason.GIT_FAILED, f"git {arguments[0]}: {told[-1] if told else process.returncode}"[:500]
        )
    return answer


def _environment(protocols: str) -> dict[str, str]:
    # Keys and known hosts are the user's; what only reads needs none of them.
    person = ("HOME", "SSH_AUTH_SOCK") if protocols != NO_PROTOCOL else ()
    return {
        "HOME": os.devnull,
        **{name: os.environ[name] for name in ("PATH", *person) if name in os.environ},
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
        "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": protocols,
    }
