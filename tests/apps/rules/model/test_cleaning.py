import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pabal.apps.rules.model.cleaning import LARGEST, clean_data, clean_text, is_clean

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=20,
)


@given(ANYTHING)
def test_whatever_is_answered_becomes_json_that_can_be_kept(value: Any):
    cleaned = clean_data(value)

    text = json.dumps(cleaned, allow_nan=False, ensure_ascii=False)
    assert json.loads(text) == cleaned
    text.encode()
    assert is_clean(cleaned)


def test_what_cannot_be_kept_is_taken_out():
    assert clean_text("a\0b\ud800") == "ab?"
    assert clean_data({"a": float("nan"), 3: "x\0"}) == {"a": None, "3": "x"}
    assert clean_data("x" * LARGEST) == {"too_large": LARGEST + 2}
    assert not is_clean({"a": "\0"})
    assert not is_clean([float("inf")])
