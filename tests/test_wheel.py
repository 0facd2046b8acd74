"""The wheel holds everything: installed into an empty environment, it starts and shows its console."""

import os
import re
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cli import Running, environment

ROOT = Path(__file__).parents[1]
# the server, and what rule scripts import
PACKAGES = (ROOT / "src/pabal", ROOT / "src/pabal_rules")
BUILT = "pabal/platform/web/static/vendor"
# One worker builds it, once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


@pytest.fixture(scope="module")
def uv() -> str:
    found = Path(sys.executable).with_name("uv")
    if not found.is_file():
        pytest.skip("no uv beside this Python: `make test` has it")
    return str(found)


@pytest.fixture(scope="module")
def wheel(uv: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    locked = ("--build-constraints", str(ROOT / "requirements-build.lock"))
    _run(uv, "build", "--wheel", *locked, "--out-dir", str(folder), cwd=ROOT)
    [made] = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def program(uv: str, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `pabal` of an environment that has nothing but the lock and the wheel."""
    home = tmp_path_factory.mktemp("environment")
    python = str(home / "bin/python")
    _run(uv, "venv", "--python", sys.executable, str(home), "--clear", cwd=home)
    _run(uv, "pip", "install", "--python", python, "--require-hashes", "-r", str(ROOT / "requirements.lock"), cwd=home)
    _run(uv, "pip", "install", "--python", python, "--no-deps", str(wheel), cwd=home)
    return home / "bin/pabal"


@pytest.fixture
def server(program: Path, empty_database_url: str, tmp_path: Path) -> Iterator[Running]:
    given = environment(PABAL_DATABASE_URL=empty_database_url, PABAL_DATA_DIR=str(tmp_path), PABAL_LOG_LEVEL="error")
    del given["PYTHONPATH"]
    process = subprocess.Popen(
        [str(program), "up", "--port", "0"],
        cwd=tmp_path,
        env=given,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    yield Running(process)
    process.kill()
    process.communicate()


def test_the_wheel_holds_every_file_of_the_package_and_the_built_assets(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        held = set(opened.namelist())

    found = (path for package in PACKAGES for path in package.rglob("*") if path.is_file())
    ours = {path.relative_to(ROOT / "src").as_posix() for path in found}
    missing = {name for name in ours - held if "__pycache__" not in name}
    assert missing == set()
    assert {f"{BUILT}/{name}" for name in ("tabler.min.css", "htmx.min.js", "echarts.min.js", "icons.svg")} <= held


def test_an_empty_environment_with_the_wheel_opens_the_console(server: Running) -> None:
    url = server.wait_for_url()

    page = _fetch(f"{url}/sign-in")

    assert 'name="password"' in page
    sheets = re.findall(r'<link rel="stylesheet" href="([^"]+)"', page)
    scripts = re.findall(r'<script [^>]*src="([^"]+)"', page)
    assert len(sheets) == 2
    assert scripts
    assert all(len(_fetch(f"{url}{address}")) > 100 for address in (*sheets, *scripts))
    assert server.stop() == 0


def _run(*command: str, cwd: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    done = subprocess.run(command, cwd=cwd, env=kept, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr


def _fetch(url: str) -> str:
    with urllib.request.urlopen(url, timeout=30) as answer:
        assert answer.status == 200
        text: str = answer.read().decode()
        return text
