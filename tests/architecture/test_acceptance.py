"""The count of proven requirements can be trusted."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.sample import Sample
from tools.acceptance import PROJECT, Refused, main, read_lists

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


@dataclass(frozen=True)
class Said:
    code: int
    out: list[str]
    err: str


class Acceptance:
    """`acceptance("--list")` is `make acceptance ARGS=--list` of the sample project."""

    def __init__(self, root: Path, capture: pytest.CaptureFixture[str]) -> None:
        self._root, self._capture = root, capture

    def __call__(self, *arguments: str) -> Said:
        self._capture.readouterr()
        code = main([f"--root={self._root}", *arguments])
        told = self._capture.readouterr()
        return Said(code, told.out.splitlines(), told.err)


@pytest.fixture
def project(sample: Sample) -> Path:
    lists = sample.path / "docs" / "requirements"
    lists.mkdir(parents=True)
    (lists / "messaging.md").write_text(LIST, encoding="utf-8")
    (lists / "README.md").write_text("# How marks work\n", encoding="utf-8")
    return sample.path


@pytest.fixture
def acceptance(project: Path, capsys: pytest.CaptureFixture[str]) -> Acceptance:
    return Acceptance(project, capsys)


def test_every_list_of_the_project_is_numbered_without_gaps():
    lists = read_lists(PROJECT / "docs" / "requirements")

    counts = {app: len(lines) for app, lines in lists.items()}

    assert counts == {"adgroups": 104, "messaging": 219, "relay": 83, "rendering": 121, "rules": 99}


def test_the_last_line_says_how_many_are_proven(sample: Sample, acceptance: Acceptance):
    _write_test(sample, '@pytest.mark.req("A-01", "A-02")\ndef test_it(): ...')

    done = acceptance("--app", "messaging")

    assert done.code == 0, done.err
    assert done.out[-1] == "messaging: 2 of 6"


def test_without_an_app_each_has_its_own_line(sample: Sample, acceptance: Acceptance):
    rules = LIST.replace("messaging", "rules").replace("seed A", "seed D").replace("| A-", "| D-")
    (sample.path / "docs" / "requirements" / "rules.md").write_text(rules, encoding="utf-8")
    _write_test(sample, '@pytest.mark.req("A-01", "D-03")\ndef test_it(): ...')

    done = acceptance()

    assert done.out == ["messaging: 1 of 6", "rules: 1 of 6"]


def test_marks_on_parameters_count_each_for_itself(sample: Sample, acceptance: Acceptance):
    cases = ", ".join(f'pytest.param({n}, marks=pytest.mark.req("A-0{n}"))' for n in range(1, 7))
    _write_test(sample, f'@pytest.mark.parametrize("n", [{cases}])\ndef test_it(n): ...')

    done = acceptance("--app", "messaging")

    assert done.code == 0, done.err
    assert done.out[-1] == "messaging: 6 of 6"


def test_a_mark_that_names_no_line_fails_and_says_which_test(sample: Sample, acceptance: Acceptance):
    _write_test(sample, '@pytest.mark.req("A-07")\ndef test_too_far(): ...')

    done = acceptance()

    assert done.code == 1
    assert "tests/test_sample.py::test_too_far: its mark names A-07" in done.err


def test_a_settled_contradiction_is_no_line_to_be_proven(sample: Sample, acceptance: Acceptance):
    _write_test(sample, '@pytest.mark.req("CA-05")\ndef test_it(): ...')

    done = acceptance()

    assert done.code == 1
    assert "CA-05" in done.err


def test_an_empty_mark_fails(sample: Sample, acceptance: Acceptance):
    _write_test(sample, "@pytest.mark.req()\ndef test_it(): ...")

    done = acceptance()

    assert done.code == 1
    assert "test_it" in done.err


def test_more_than_five_marks_on_one_test_fail(sample: Sample, acceptance: Acceptance):
    names = ", ".join(f'"A-0{n}"' for n in range(1, 7))
    _write_test(sample, f"@pytest.mark.req({names})\ndef test_greedy(): ...")

    done = acceptance()

    assert done.code == 1
    assert "test_greedy: 6 marks" in done.err


def test_parameters_do_not_excuse_six_marks_on_the_function(sample: Sample, acceptance: Acceptance):
    names = ", ".join(f'"A-0{n}"' for n in range(1, 7))
    body = f'@pytest.mark.req({names})\n@pytest.mark.parametrize("n", [1, 2])\ndef test_greedy(n): ...'
    _write_test(sample, body)

    done = acceptance()

    assert done.code == 1
    assert "test_greedy[1]: 6 marks" in done.err


@pytest.mark.parametrize("mark", ["skip", "xfail"])
def test_a_test_that_does_not_have_to_pass_proves_nothing(sample: Sample, acceptance: Acceptance, mark: str):
    _write_test(sample, f'@pytest.mark.{mark}(reason="later")\n@pytest.mark.req("A-01")\ndef test_it(): ...')

    done = acceptance("--app", "messaging")

    assert done.out[-1] == "messaging: 0 of 6"


def test_a_test_that_failed_in_the_last_run_proves_nothing(sample: Sample, acceptance: Acceptance):
    _write_test(sample, '@pytest.mark.req("A-01")\ndef test_it():\n    assert False')

    done = acceptance("--app", "messaging")

    assert done.out[-1] == "messaging: 0 of 6"


def test_a_test_that_skipped_itself_in_the_last_run_proves_nothing(sample: Sample, acceptance: Acceptance):
    _write_test(sample, '@pytest.mark.req("A-01")\ndef test_it():\n    pytest.skip("no browser")')

    done = acceptance("--app", "messaging")

    assert done.out[-1] == "messaging: 0 of 6"


def test_without_a_whole_run_nothing_is_proven_and_that_is_said(sample: Sample, acceptance: Acceptance):
    body = '@pytest.mark.req("A-01")\ndef test_it(): ...\n\n@pytest.mark.slow\ndef test_that(): ...'
    sample.write(body)
    sample.run("tests", "-m", "not slow")

    done = acceptance("--app", "messaging")

    assert done.code == 1
    assert "No whole run" in done.err
    assert done.out[-1] == "messaging: 0 of 6"


def test_a_count_of_other_files_names_what_changed_since(sample: Sample, acceptance: Acceptance):
    _write_test(sample, '@pytest.mark.req("A-01")\ndef test_it(): ...')
    sample.write('@pytest.mark.req("A-02")\ndef test_new(): ...', name="tests/test_new.py")

    done = acceptance("--app", "messaging")

    assert done.code == 0
    assert "1 differ since: tests/test_new.py" in done.err
    assert done.out[-1] == "messaging: 1 of 6"


def test_the_long_list_names_every_line_proven_or_not(sample: Sample, acceptance: Acceptance):
    _write_test(sample, '@pytest.mark.req("A-02")\ndef test_once(): ...')

    done = acceptance("--app", "messaging", "--list")

    lines = done.out
    assert lines[0] == "A-01  not proven: A message goes out."
    assert lines[1] == "A-02  tests/test_sample.py::test_once"
    assert len(lines) == 7


def test_tests_that_cannot_be_collected_are_not_counted_over(sample: Sample, acceptance: Acceptance):
    _write_test(sample, "import no_such_module")

    done = acceptance()

    assert done.code == 1
    assert "no_such_module" in done.err
    assert done.out == []


def test_an_unknown_app_is_refused_by_name(acceptance: Acceptance):
    done = acceptance("--app", "mesaging")

    assert done.code == 1
    assert "there is no app mesaging" in done.err


def test_a_list_with_a_gap_is_refused(project: Path):
    broken = LIST.replace("| A-03 | 2 | LIM | At most 20 images. |\n", "")
    (project / "docs" / "requirements" / "messaging.md").write_text(broken, encoding="utf-8")

    with pytest.raises(Refused, match=r"messaging\.md"):
        read_lists(project / "docs" / "requirements")


def _write_test(sample: Sample, body: str) -> None:
    """And leaves what a whole run of it does."""
    sample.write(body)
    sample.run()
