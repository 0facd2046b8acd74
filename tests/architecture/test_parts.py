"""The first part of the suite stays quick, and both parts are everything."""

from pathlib import Path

from tests.architecture.source import PROJECT
from tests.support.sample import Sample
from tools import record

CHROMIUM = "@pytest.fixture\ndef chromium(): ...\n\n@pytest.fixture\ndef page(chromium): ...\n\n"


def test_a_test_that_opens_a_browser_is_not_let_into_the_first_part(sample: Sample) -> None:
    sample.write(f"{CHROMIUM}def test_it(page): ...")

    done = sample.run("-p", "tests.support.parts", "tests")

    assert done.ret != 0
    done.stderr.fnmatch_lines(["*test_sample.py::test_it: opens a browser*"])


def test_in_the_second_part_it_is_welcome(sample: Sample) -> None:
    sample.write(f"{CHROMIUM}@pytest.mark.slow\ndef test_it(page): ...")

    done = sample.run("-p", "tests.support.parts", "tests")

    assert done.ret == 0


def test_where_the_time_went_is_told_by_folder(sample: Sample) -> None:
    for folder in ("tests/engine", "tests/apps/messaging/pages", "tests/apps/messaging/api", "tests/base"):
        (sample.path / folder).mkdir(parents=True)
        sample.write("def test_it(): ...", name=f"{folder}/test_{Path(folder).name}.py")

    done = sample.run("-p", "tests.support.durations", "tests")

    done.stdout.fnmatch_lines_random(["* 2 tests  tests/apps/messaging", "* 1 tests  tests/engine"])


def test_make_test_leaves_nothing_out() -> None:
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.split("\ntest:")[1].split("\n\n")[0]

    assert "$(PYTEST) $(TESTS) $(ARGS)" in recipe
    assert "-m" not in recipe.split()
    assert " -m " not in makefile.split("PYTEST := ")[1].splitlines()[0]


def test_ci_runs_everything_and_nothing_twice(sample: Sample) -> None:
    for folder in ("tests/architecture", "tests/engine", "tests/stories"):
        (sample.path / folder).mkdir(parents=True)
        sample.write("def test_it(): ...", name=f"{folder}/test_{Path(folder).name}.py")
    checking = (PROJECT / "Makefile").read_text(encoding="utf-8").split("\ncheck:")[1].split("\n\n")[0]
    steps = [line.strip() for line in (PROJECT / ".ci/run").read_text(encoding="utf-8").splitlines()]

    done = sample.run("-p", "tests.support.parts", "-v", "-m", "not checked", "tests")

    assert "/pytest -q tests/architecture\n" in checking
    assert steps.index("make check") < steps.index("make test ARGS='-m \"not checked\"'")
    done.stdout.fnmatch_lines_random(
        ["*test_engine.py::test_it*", "*test_stories.py::test_it*", "*2 passed, 1 deselected*"]
    )


def test_the_second_part_begins_first(sample: Sample) -> None:
    sample.write("def test_quick(): ...\n\n@pytest.mark.slow\ndef test_long(): ...")

    done = sample.run("-p", "tests.support.parts", "-v", "tests")

    done.stdout.fnmatch_lines(["*::test_long*", "*::test_quick*"])


def test_who_waits_for_figures_comes_last_however_many_they_are(sample: Sample) -> None:
    group = '@pytest.mark.xdist_group("bench")\n@pytest.mark.parametrize("one", ["a", "b"])'
    fixture = "@pytest.fixture\ndef figures(): ..."
    sample.write(f"{fixture}\n\n{group}\ndef test_figure(figures, one): ...\n\ndef test_quick(): ...")

    done = sample.run_by_workers("-p", "tests.support.parts", "-v", workers=1)

    done.stdout.fnmatch_lines(["*PASSED*::test_quick*", "*PASSED*::test_figure*"])


BESIDE = ("-p", "tests.support.parts", "-p", "tests.support.beside")
IN_WORKER = """
import os

@pytest.fixture
def in_worker(request):
    return hasattr(request.config, "workerinput")
"""


def test_what_mostly_waits_runs_beside_the_workers_and_is_told_as_all_others(sample: Sample) -> None:
    waits = "@pytest.mark.beside\ndef test_waits(in_worker):\n    assert not in_worker\n"
    fails = "@pytest.mark.beside\ndef test_fails(in_worker):\n    assert in_worker, 'it ran beside'\n"
    skips = "@pytest.mark.beside\ndef test_skips():\n    pytest.skip('nothing to wait for')\n"
    sample.write(f"{IN_WORKER}\n{waits}\n{fails}\n{skips}\ndef test_quick(in_worker):\n    assert in_worker")

    done = sample.run_by_workers(*BESIDE, "-ra")

    done.assert_outcomes(passed=2, failed=1, skipped=1)
    done.stdout.fnmatch_lines(["*it ran beside*", "SKIPPED *nothing to wait for*", "FAILED *::test_fails@beside*"])
    whole = record.find_last_whole(sample.path)
    assert whole is not None
    assert {name.rpartition("::")[2]: how for name, how in whole.outcomes.items()} == {
        "test_waits": "passed",
        "test_fails": "failed",
        "test_skips": "skipped",
        "test_quick": "passed",
    }


def test_where_nothing_else_runs_or_nobody_tells_of_it_a_worker_does_it(sample: Sample) -> None:
    dies = "@pytest.mark.beside\ndef test_dies_elsewhere(in_worker):\n    in_worker or os._exit(1)\n"
    sample.write(f"{IN_WORKER}\n{dies}")
    alone = sample.run_by_workers(*BESIDE)
    sample.write(f"{IN_WORKER}\n{dies}\ndef test_quick(): ...")
    in_company = sample.run_by_workers(*BESIDE)

    alone.assert_outcomes(passed=1)
    in_company.assert_outcomes(passed=2)


def test_two_files_run_at_the_same_time_beside_the_workers_and_each_once(sample: Sample) -> None:
    meets = """import pathlib, time

@pytest.mark.beside
def test_meets():
    here, other = pathlib.Path("ran-{}"), pathlib.Path("ran-{}")
    here.open("a").write("once")
    until = time.monotonic() + 30
    while not other.exists():
        assert time.monotonic() < until
        time.sleep(0.01)
"""
    sample.write(meets.format("a", "b"))
    sample.write(meets.format("b", "a"), name="tests/test_other.py")
    sample.write("def test_quick(): ...", name="tests/test_third.py")

    done = sample.run_by_workers(*BESIDE)

    done.assert_outcomes(passed=3)
    assert [(sample.path / name).read_text() for name in ("ran-a", "ran-b")] == ["once", "once"]
