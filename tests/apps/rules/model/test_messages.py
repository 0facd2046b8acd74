from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pabal.apps.rules.model.messages import LONGEST, fill


def test_keys_are_put_in_and_missing_ones_stay_as_they_are_written():
    said = fill("{ticker}: {quote.price} {nothing} {0} {a!r} {b:>9} {", {"ticker": "AAPL", "quote": {"price": 212.5}})

    assert said == "AAPL: 212.5 {nothing} {0} {a!r} {b:>9} {"


def test_no_template_reaches_what_a_value_is():
    assert fill("{x.__class__} {x.real}", {"x": 5}) == "{x.__class__} {x.real}"


@given(st.text(), st.dictionaries(st.text(), st.none() | st.integers() | st.text() | st.lists(st.text())))
def test_no_template_and_no_values_break_it(template: str, values: dict[str, Any]):
    assert len(fill(template, values)) <= LONGEST
