"""RealNexrender: the real server and one worker with the real core, as processes on loopback.

`server` and `worker` are started, stopped and restarted by a test. Their database, output and logs are below `folder`.
"""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.apps.rendering.real.install import HERE, NEXRENDER
from tests.support.npm import find_node
from tests.support.ports import free_port

CEILING = 30.0
SECRET = "s3cret"
needs_nexrender = pytest.mark.skipif(NEXRENDER.find_modules() is None, reason=NEXRENDER.skipped)


class NodeProcess:
    """One script of this folder, run by Node.js with the installed modules."""

    def __init__(self, script: str, folder: Path, environment: dict[str, str]) -> None:
        self._script, self._folder, self._environment = script, folder, environment
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        assert self._process is None
        node = find_node()
        assert node is not None
        with (self._folder / f"{self._script}.log").open("ab") as log:
            self._process = subprocess.Popen(
                [node, str(HERE / self._script)],
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self) -> None:
        """With the renders it runs, as when a machine loses its power."""
        if self._process is not None:
            _kill_group(self._process.pid)
            self._process.wait()
            self._process = None

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def read_log(self) -> str:
        path = self._folder / f"{self._script}.log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


class RealNexrender:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.output = folder / "output"
        self.template = folder / "template.aep"
        self._ae = folder / "ae"
        self._prepare()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.server = NodeProcess("serve.js", folder, self._environment())
        self.worker = NodeProcess("work.js", folder, self._environment())

    def start(self) -> None:
        self.start_server()
        self.worker.start()

    def start_server(self) -> None:
        self.server.start()
        end = time.monotonic() + CEILING
        while not self._is_healthy():
            assert self.server.is_running, self.server.read_log()
            assert time.monotonic() < end, self.server.read_log()
            time.sleep(0.02)

    def stop(self) -> None:
        self.worker.kill()
        self.server.kill()

    def restart_server(self) -> None:
        self.server.kill()
        self.start_server()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Renders stop at half until this ends."""
        hold = self._ae / "hold"
        hold.touch()
        try:
            yield
        finally:
            hold.unlink(missing_ok=True)

    def wait_until_saved(self, uid: str, state: str) -> None:
        """The server answers before it writes its file, which a reader may find half written."""
        end = time.monotonic() + CEILING
        while not any((job["uid"], job["state"]) == (uid, state) for job in self._read_database()):
            assert time.monotonic() < end
            time.sleep(0.01)

    def _read_database(self) -> list[dict[str, Any]]:
        try:
            return list(json.loads((self.folder / "database.js").read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return []

    def make_job(self, uid: str, *, composition: str = "Main", **template: str) -> dict[str, Any]:
        """A `file://` source needs a name of its own: core 1.63.3 makes a folder's path of the address otherwise."""
        src = self.template.as_uri()
        copy = {
            "module": "@nexrender/action-copy",
            "input": "result.mp4",
            "output": str(self.output / f"{uid}.mp4"),
        }
        return {
            "uid": uid,
            "template": {
                "src": src,
                "name": "template.aep",
                "composition": composition,
                "outputExt": "mp4",
                **template,
            },
            "assets": [{"type": "data", "layerName": "Name 1", "property": "Source Text", "value": "PHIL IVEY"}],
            "actions": {"postrender": [copy]},
        }

    def _prepare(self) -> None:
        """What nexrender expects of an After Effects: its program, and a script that it patches."""
        script = self._ae / "Scripts/Startup/commandLineRenderer.jsx"
        script.parent.mkdir(parents=True)
        script.write_text("// as After Effects has it\n", encoding="utf-8")
        self.template.write_bytes(b"RIFX")
        program = self._ae / "aerender"
        program.write_text(
            f"#!{sys.executable}\n{(HERE / 'aerender.py').read_text(encoding='utf-8')}", encoding="utf-8"
        )
        program.chmod(0o755)

    def _environment(self) -> dict[str, str]:
        modules = NEXRENDER.find_modules()
        assert modules is not None
        return {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self.folder),
            "NODE_PATH": str(modules),
            "NEXRENDER_DATABASE": str(self.folder / "database.js"),
            "NEXRENDER_ENABLE_AELOG_PROJECT_FOLDER": "1",
            "NEXRENDER_PORT": str(self.port),
            "NEXRENDER_SECRET": SECRET,
            "NEXRENDER_URL": self.url,
            "AE_FOLDER": str(self._ae),
            "AE_WORKPATH": str(self.folder / "work"),
        }

    def _is_healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/health", timeout=5) as answer:
                return bool(answer.read() == b"ok")
        except OSError:
            return False


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, 9)
    except ProcessLookupError:
        return
