"""An id leaves the process as text that sorts like the number, and comes back the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.base.database import Database
from pabal.engine import ids
from pabal.engine.ids import BadId
from tests.support.work import enqueue

NUMBERS = st.integers(0, 2**63 - 1)


@given(NUMBERS)
def test_an_id_comes_back_as_the_number_it_was(number: int) -> None:
    assert ids.read("job", ids.show("job", number)) == number


@given(NUMBERS, NUMBERS)
def test_ids_sort_like_their_numbers(one: int, other: int) -> None:
    assert (ids.show("job", one) < ids.show("job", other)) == (one < other)


@given(NUMBERS, st.integers(1, 12))
def test_a_shortened_id_means_all_that_begin_with_it(number: int, length: int) -> None:
    shortened = ids.show("job", number)[: len("job_") + length]

    low, high = ids.read_range("job", shortened)

    assert low <= number < high
    assert ids.show("job", low).startswith(shortened)
    assert ids.show("job", high - 1).startswith(shortened)
    assert not ids.show("job", high).startswith(shortened)


def test_an_id_may_be_written_large_and_without_its_prefix() -> None:
    shown = ids.show("job", 2**62 + 7)

    assert ids.read("job", shown.upper()) == 2**62 + 7
    assert ids.read("job", shown.removeprefix("job_")) == 2**62 + 7


@pytest.mark.parametrize("text", ["", "job_", "job_il0o", "job_0123456789abcd", "render_0123456789abc", "job_7z'; --"])
def test_what_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(BadId):
        ids.read_range("job", text)


def test_a_shortened_id_is_not_taken_for_a_whole_one() -> None:
    with pytest.raises(BadId):
        ids.read("job", "job_01h2x")


async def test_ids_of_jobs_grow_and_are_not_used_twice(db: Database) -> None:
    made = [await enqueue(db) for _ in range(20)]

    assert made == sorted(set(made))
