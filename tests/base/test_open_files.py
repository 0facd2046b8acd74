"""A process may have as many files open as its hard limit allows."""

import resource
from collections.abc import Iterator

import pytest

from pabal.base import open_files

USUAL = 1_024


@pytest.fixture
def hard() -> Iterator[int]:
    """With the soft limit that a shell usually gives."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (USUAL, before[1]))
    yield before[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def soft() -> int:
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def test_the_soft_limit_is_raised_to_what_is_wanted(hard: int) -> None:
    assert open_files.allow(USUAL + 100) == USUAL + 100
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (USUAL + 100, hard)


def test_the_soft_limit_stops_at_the_hard_one(hard: int) -> None:
    if hard == resource.RLIM_INFINITY:
        pytest.skip("this machine has no hard limit")

    assert open_files.allow(hard + 1) == hard
    assert soft() == hard


def test_the_soft_limit_is_never_lowered(hard: int) -> None:
    assert open_files.allow(10) == USUAL
    assert soft() == USUAL
