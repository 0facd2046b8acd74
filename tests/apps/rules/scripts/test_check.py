"""A script's author needs no server: a repository to begin with, its mistakes, a trial, tests of one's own."""

import subprocess
import sys
from pathlib import Path

import pytest

import pabal_rules
from pabal.apps.rules.scripts import Trial, begin_repository, check_repository, try_script
from tests.support.rule_scripts import Repository


async def ignore(stream: str, line: str) -> None: ...


@pytest.mark.req("D-92", "D-99")
async def test_a_new_repository_can_be_checked_and_tried_before_its_first_commit(tmp_path: Path):
    folder = tmp_path / "mine"
    folder.mkdir()

    async def answer(source: str, arguments: object) -> object:
        return {"price": 201}

    begin_repository(folder)
    [info] = check_repository(folder)
    trial = Trial(folder, info.script, payload={"ticker": "AAPL", "target": 200})
    result = await try_script(trial, on_line=ignore, cache=tmp_path / "cache", answer=answer)

    assert (info.script, info.names, info.mistakes) == ("stock/check_price.py", ("stock/check_price",), ())
    assert (result.ok, result.message, result.commit) == (True, "AAPL 201", None)
    assert {"kind": "notify", "text": "AAPL has reached 201."} in result.captured


def test_beginning_twice_changes_nothing(tmp_path: Path):
    begin_repository(tmp_path)
    script = tmp_path / "stock/check_price.py"
    script.write_text("mine")

    assert begin_repository(tmp_path) == []
    assert script.read_text() == "mine"


@pytest.mark.slow
def test_the_tests_of_a_new_repository_pass_with_our_package_alone(tmp_path: Path):
    begin_repository(tmp_path)

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        # only what an author would have: none of the plugins of these tests
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(Path(pabal_rules.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_every_script_is_checked_and_no_other_file(repository: Repository):
    repository.commit(
        good="from pabal_rules import rule\n@rule('a')\nasync def a(payload, context): ...\n",
        bad="from pabal_rules import rule\n@rule('b')\ndef b(payload, context): ...\n",
        helper="x = 1\n",
        test_good="from pabal_rules import rule\n@mark\ndef test(): ...\n",
    )

    found = {info.script: [mistake.code for mistake in info.mistakes] for info in check_repository(repository.folder)}

    assert found == {"bad.py": ["not_async"], "good.py": []}


async def test_a_trial_of_a_broken_script_says_why(repository: Repository, tmp_path: Path):
    repository.commit(check="# /// script\n# dependencies = [\n# ///\n")

    result = await try_script(Trial(repository.folder, "check.py"), on_line=ignore, cache=tmp_path / "cache")

    assert (result.ok, result.reason) == (False, "metadata_broken")
