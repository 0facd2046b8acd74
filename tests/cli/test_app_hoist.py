"""Options of the whole command line may stand anywhere."""

import pytest

from pabal.cli.app import hoist


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["jobs", "list", "-o", "json"], ["-o", "json", "jobs", "list"]),
        (["why", "job_1", "--lang=ko"], ["--lang=ko", "why", "job_1"]),
        (
            ["up", "--app", "a.py", "--port", "1", "--app", "b.py"],
            ["--app", "a.py", "--app", "b.py", "up", "--port", "1"],
        ),
        (["jobs", "list", "-o"], ["-o", "jobs", "list"]),
        (["x", "--", "-o", "json"], ["x", "--", "-o", "json"]),
        ([], []),
        (["msg", "room", "show", "\udcb9\udcae"], ["msg", "room", "show", "\ufffd\ufffd"]),
    ],
)
def test_they_are_moved_to_the_front(given: list[str], expected: list[str]) -> None:
    assert hoist(given) == expected
