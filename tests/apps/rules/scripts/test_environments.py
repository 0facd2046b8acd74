"""Packages of a script come from wheels, by uv, before its run; a run makes nothing."""

import io
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from pabal.apps.rules.scripts import ScriptReason, ScriptUnusable, environments, lock_script, prepare_environment
from pabal.apps.rules.scripts.isolation import find_plain_python
from tests.support.rule_scripts import HEAD, Repository, Runs

SCRIPT = f"""\
# /// script
# dependencies = ["teapot"]
# ///
import teapot
{HEAD}

@rule("check")
async def check(payload, context):
    return {{"message": teapot.SOUND}}
"""


@pytest.fixture(autouse=True)
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Instead of an index: a folder with one wheel, and one package that would have to be built."""
    if not Path(sys.executable).with_name("uv").is_file():
        pytest.skip("no uv beside this Python: `make test` has it")
    folder = tmp_path / "shelf"
    folder.mkdir()
    make_wheel(folder, "1.0", "whistle")
    make_sdist(folder, tmp_path / "built")
    monkeypatch.setenv("UV_FIND_LINKS", str(folder))
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_OFFLINE", "1")
    return folder


def make_wheel(folder: Path, version: str, sound: str) -> None:
    about = f"teapot-{version}.dist-info"
    with zipfile.ZipFile(folder / f"teapot-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr("teapot.py", f"SOUND = {sound!r}\n")
        wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: teapot\nVersion: {version}\n")
        wheel.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{about}/RECORD", f"teapot.py,,\n{about}/METADATA,,\n{about}/WHEEL,,\n{about}/RECORD,,\n")


@pytest.mark.slow
async def test_a_prepared_script_runs_with_its_packages(repository: Repository, any_runs: Runs):
    repository.commit(check=SCRIPT)
    before = await any_runs.run()

    made = await prepare_environment(repository.folder, None, "check.py", cache=any_runs.cache)
    after = await any_runs.run()

    assert (before.ok, before.reason) == (False, ScriptReason.ENVIRONMENT_NOT_READY)
    assert (made.packages, after.ok, after.message) == (("teapot==1.0",), True, "whistle")
    assert await prepare_environment(repository.folder, None, "check.py", cache=any_runs.cache) == made


@pytest.mark.slow
async def test_a_lock_beside_the_script_decides_the_version(repository: Repository, runs: Runs, shelf: Path):
    repository.commit(check=SCRIPT)
    lock = lock_script(repository.folder / "check.py", cache=runs.cache)
    repository.commit()
    make_wheel(shelf, "2.0", "boil")

    made = await prepare_environment(repository.folder, None, "check.py", cache=runs.cache)

    assert lock.name == "check.py.lock"
    assert made.packages == ("teapot==1.0",)


def make_sdist(folder: Path, mark: Path) -> None:
    """A package that can be built without a network; whoever does so runs its code, which leaves a mark."""
    files = {
        "PKG-INFO": "Metadata-Version: 2.1\nName: kettle\nVersion: 1.0\n",
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
        "backend.py": f"import pathlib\npathlib.Path({str(mark)!r}).write_text('ran')\n" + BACKEND,
    }
    with tarfile.open(folder / "kettle-1.0.tar.gz", "w:gz") as sdist:
        for name, text in files.items():
            about = tarfile.TarInfo(f"kettle-1.0/{name}")
            about.size = len(text)
            sdist.addfile(about, io.BytesIO(text.encode()))


BACKEND = """
import zipfile
def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, about = "kettle-1.0-py3-none-any.whl", "kettle-1.0.dist-info"
    with zipfile.ZipFile(pathlib.Path(wheel_directory, name), "w") as wheel:
        wheel.writestr("kettle.py", "SOUND = 'boil'\\n")
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\\nName: kettle\\nVersion: 1.0\\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{about}/RECORD", "")
    return name
"""


@pytest.mark.slow
async def test_what_is_no_wheel_is_not_built_and_uv_says_why(repository: Repository, runs: Runs, tmp_path: Path):
    repository.commit(check=SCRIPT.replace("teapot", "kettle"))

    with pytest.raises(ScriptUnusable, match="kettle") as unusable:
        await prepare_environment(repository.folder, None, "check.py", cache=runs.cache)

    assert unusable.value.reason is ScriptReason.ENVIRONMENT_NOT_READY
    assert (await runs.run()).reason is ScriptReason.ENVIRONMENT_NOT_READY
    assert not (tmp_path / "built").exists()


@pytest.mark.slow
async def test_the_package_of_that_test_could_be_built(
    repository: Repository, runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Otherwise nothing would be shown by its not being built."""
    monkeypatch.setattr(environments, "_RULES", tuple(one for one in environments._RULES if one != "--no-build"))
    repository.commit(check=SCRIPT.replace("teapot", "kettle"))

    made = await prepare_environment(repository.folder, None, "check.py", cache=runs.cache)

    assert made.packages == ("kettle==1.0",)
    assert (tmp_path / "built").exists()


async def test_a_script_without_packages_needs_no_environment(repository: Repository, runs: Runs):
    repository.commit(check='# /// script\n# requires-python = ">=3.11"\n# ///\n')

    made = await prepare_environment(repository.folder, None, "check.py", cache=runs.cache, uv="no-such-program")

    assert (made.python, made.folder) == (find_plain_python(), None)


async def test_without_uv_the_reason_says_so(repository: Repository, runs: Runs):
    repository.commit(check=SCRIPT)

    with pytest.raises(ScriptUnusable, match="uv: No such file"):
        await prepare_environment(repository.folder, None, "check.py", cache=runs.cache, uv="no-such-program")
