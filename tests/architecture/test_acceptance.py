"""The count of proven requirements can be trusted."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.acceptance import PROJECT, Refused, read_lists

LIST = """\
# messaging: acceptance list of seed A

| No. | § | Kind | Requirement |
|---|---|---|---|
| A-01 | 1 | FN | A message goes out. |
| A-02 | 1 | FN | It goes out once. ⚠ CA-05 |
| A-03 | 2 | LIM | At most 20 images. |
| A-04 | 2 | LIM | At most 10 per group. |
| A-05 | 2 | LIM | A gap of 500 ms. |
| A-06 | 2 | LIM | A text of 1000 characters. |

| ID | Kind | Where | Conflict | Resolution |
|---|---|---|---|---|
| CA-05 | D | §5 | Twice or never. | Once. |
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "docs" / "requirements").mkdir(parents=True)
    (tmp_path / "docs" / "requirements" / "messaging.md").write_text(LIST, encoding="utf-8")
    (tmp_path / "docs" / "requirements" / "README.md").write_text("# How marks work\n", encoding="utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = req(*lines): lines\n", encoding="utf-8")
    return tmp_path


def test_every_list_of_the_project_is_numbered_without_gaps():
    lists = read_lists(PROJECT / "docs" / "requirements")

    counts = {app: len(lines) for app, lines in lists.items()}

    assert counts == {"adgroups": 104, "messaging": 219, "relay": 83, "rendering": 121, "rules": 99}


def test_the_last_line_says_how_many_are_proven(project: Path):
    _write_test(project, '@pytest.mark.req("A-01", "A-02")\ndef test_it(): ...')

    done = _run(project, "--app", "messaging")

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "messaging: 2 of 6"


def test_without_an_app_each_has_its_own_line(project: Path):
    rules = LIST.replace("messaging", "rules").replace("seed A", "seed D").replace("| A-", "| D-")
    (project / "docs" / "requirements" / "rules.md").write_text(rules, encoding="utf-8")
    _write_test(project, '@pytest.mark.req("A-01", "D-03")\ndef test_it(): ...')

    done = _run(project)

    assert done.stdout.splitlines() == ["messaging: 1 of 6", "rules: 1 of 6"]


def test_marks_on_parameters_count_each_for_itself(project: Path):
    cases = ", ".join(f'pytest.param({n}, marks=pytest.mark.req("A-0{n}"))' for n in range(1, 7))
    _write_test(project, f'@pytest.mark.parametrize("n", [{cases}])\ndef test_it(n): ...')

    done = _run(project, "--app", "messaging")

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "messaging: 6 of 6"


def test_a_mark_that_names_no_line_fails_and_says_which_test(project: Path):
    _write_test(project, '@pytest.mark.req("A-07")\ndef test_too_far(): ...')

    done = _run(project)

    assert done.returncode == 1
    assert "tests/test_sample.py::test_too_far: its mark names A-07" in done.stderr


def test_a_settled_contradiction_is_no_line_to_be_proven(project: Path):
    _write_test(project, '@pytest.mark.req("CA-05")\ndef test_it(): ...')

    done = _run(project)

    assert done.returncode == 1
    assert "CA-05" in done.stderr


def test_an_empty_mark_fails(project: Path):
    _write_test(project, "@pytest.mark.req()\ndef test_it(): ...")

    done = _run(project)

    assert done.returncode == 1
    assert "test_it" in done.stderr


def test_more_than_five_marks_on_one_test_fail(project: Path):
    names = ", ".join(f'"A-0{n}"' for n in range(1, 7))
    _write_test(project, f"@pytest.mark.req({names})\ndef test_greedy(): ...")

    done = _run(project)

    assert done.returncode == 1
    assert "test_greedy: 6 marks" in done.stderr


def test_parameters_do_not_excuse_six_marks_on_the_function(project: Path):
    names = ", ".join(f'"A-0{n}"' for n in range(1, 7))
    body = f'@pytest.mark.req({names})\n@pytest.mark.parametrize("n", [1, 2])\ndef test_greedy(n): ...'
    _write_test(project, body)

    done = _run(project)

    assert done.returncode == 1
    assert "test_greedy[1]: 6 marks" in done.stderr


@pytest.mark.parametrize("mark", ["skip", "xfail"])
def test_a_test_that_does_not_have_to_pass_proves_nothing(project: Path, mark: str):
    _write_test(project, f'@pytest.mark.{mark}(reason="later")\n@pytest.mark.req("A-01")\ndef test_it(): ...')

    done = _run(project, "--app", "messaging")

    assert done.stdout.splitlines()[-1] == "messaging: 0 of 6"


def test_the_long_list_names_every_line_proven_or_not(project: Path):
    _write_test(project, '@pytest.mark.req("A-02")\ndef test_once(): ...')

    done = _run(project, "--app", "messaging", "--list")

    lines = done.stdout.splitlines()
    assert lines[0] == "A-01  not proven: A message goes out."
    assert lines[1] == "A-02  tests/test_sample.py::test_once"
    assert len(lines) == 7


def test_tests_that_cannot_be_collected_are_not_counted_over(project: Path):
    _write_test(project, "import no_such_module")

    done = _run(project)

    assert done.returncode == 1
    assert "no_such_module" in done.stderr
    assert "of 6" not in done.stdout


def test_an_unknown_app_is_refused_by_name(project: Path):
    done = _run(project, "--app", "mesaging")

    assert done.returncode == 1
    assert "there is no app mesaging" in done.stderr


def test_a_list_with_a_gap_is_refused(project: Path):
    broken = LIST.replace("| A-03 | 2 | LIM | At most 20 images. |\n", "")
    (project / "docs" / "requirements" / "messaging.md").write_text(broken, encoding="utf-8")

    with pytest.raises(Refused, match=r"messaging\.md"):
        read_lists(project / "docs" / "requirements")


def _write_test(project: Path, body: str) -> None:
    (project / "tests" / "test_sample.py").write_text(f"import pytest\n\n{body}\n", encoding="utf-8")


def _run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.acceptance", f"--root={project}", *arguments]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # the samples need none, and it halves the time
    return subprocess.run(command, cwd=PROJECT, env=env, capture_output=True, text=True, check=False, timeout=60)
