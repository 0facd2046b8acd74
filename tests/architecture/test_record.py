"""The record of test runs can be trusted: whole means whole, and what it says is of the files it names."""

from tests.support.sample import NAME, Sample
from tools import record

TWO_PARTS = "def test_quick(): ...\n\n@pytest.mark.slow\ndef test_slow(): ..."


def test_both_parts_of_the_same_files_make_one_whole_run(sample: Sample) -> None:
    sample.write(TWO_PARTS)

    sample.run("tests", "-m", "not slow")
    assert record.find_last_whole(sample.path) is None

    sample.run("tests", "-m", "slow")
    whole = record.find_last_whole(sample.path)
    assert whole is not None
    assert whole.outcomes == {f"{NAME}::test_quick": "passed", f"{NAME}::test_slow": "passed"}


def test_both_parts_of_different_files_do_not(sample: Sample) -> None:
    sample.write(TWO_PARTS)
    sample.run("tests", "-m", "not slow")

    sample.write(f"{TWO_PARTS}\n")
    sample.run("tests", "-m", "slow")

    assert record.find_last_whole(sample.path) is None


def test_a_run_of_a_few_tests_leaves_the_last_whole_one(sample: Sample) -> None:
    sample.write(TWO_PARTS)
    sample.run()

    sample.write("def test_quick():\n    assert False")
    sample.run(NAME)

    whole = record.find_last_whole(sample.path)
    assert whole is not None
    assert whole.passed(f"{NAME}::test_quick")
    assert record.list_changes(sample.path, whole) == [NAME]


def test_a_whole_run_takes_the_place_of_the_last(sample: Sample) -> None:
    sample.write(TWO_PARTS)
    sample.run()

    sample.write("def test_quick():\n    assert False")
    sample.run()

    whole = record.find_last_whole(sample.path)
    assert whole is not None
    assert whole.outcomes == {f"{NAME}::test_quick": "failed"}
    assert len(list((sample.path / record.PLACE).iterdir())) == 1


def test_a_test_whose_end_went_wrong_did_not_pass(sample: Sample) -> None:
    fixture = "@pytest.fixture\ndef thing():\n    yield\n    assert False"
    sample.write(f"{fixture}\n\ndef test_quick(thing): ...")

    sample.run()

    whole = record.find_last_whole(sample.path)
    assert whole is not None
    assert not whole.passed(f"{NAME}::test_quick")


def test_a_run_that_was_ended_early_is_not_whole(sample: Sample) -> None:
    sample.write("def test_a():\n    assert False\n\ndef test_b(): ...")

    sample.run("tests", "-x")

    assert record.find_last_whole(sample.path) is None


def test_two_workers_and_their_groups_leave_the_same_record(sample: Sample) -> None:
    body = '@pytest.mark.xdist_group("together")\n@pytest.mark.parametrize("one", ["a@b", "c"])\ndef test_it(one): ...'
    sample.write(body)

    done = sample.run_by_workers()

    whole = record.find_last_whole(sample.path)
    assert whole is not None, done.stdout.str()
    assert whole.outcomes == {f"{NAME}::test_it[a@b]": "passed", f"{NAME}::test_it[c]": "passed"}


def test_files_that_are_made_do_not_count(sample: Sample) -> None:
    sample.write(TWO_PARTS)
    before = record.digest_files(sample.path)

    for name in ("build/out.txt", "tests/__pycache__/test_sample.pyc", ".venv/pyvenv.cfg", "server.log"):
        (sample.path / name).parent.mkdir(parents=True, exist_ok=True)
        (sample.path / name).write_text("made", encoding="utf-8")

    assert record.digest_files(sample.path) == before


def test_collecting_leaves_no_record(sample: Sample) -> None:
    sample.write(TWO_PARTS)

    sample.run("tests", "--collect-only")

    assert not (sample.path / record.PLACE).exists()


def test_a_record_of_another_version_is_no_record(sample: Sample) -> None:
    (sample.path / record.PLACE).mkdir(parents=True)
    (sample.path / record.PLACE / "old.json").write_text('{"passed": []}', encoding="utf-8")

    assert record.find_last_whole(sample.path) is None
