from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.engine.conditions import COMPARISONS, BadCondition, check, compare, judge, look_up

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)
LEAVES = st.builds(
    lambda path, op, value: {"path": path, "op": op, "value": value},
    st.sampled_from(["price", "a.b", "items.0.name", "…", "0"]),
    st.sampled_from(COMPARISONS),
    ANYTHING,
)
CONDITIONS = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, min_size=1, max_size=3).flatmap(
        lambda some: st.sampled_from([{"all": some}, {"any": some}])
    ),
    max_leaves=6,
)


@pytest.mark.req("D-51")
def test_a_price_of_500_or_more_meets_its_condition():
    condition = {"path": "price", "op": ">=", "value": 500}

    assert [judge(condition, {"price": price}, {}).met for price in (499.99, 500, 500.01)] == [False, True, True]


@given(CONDITIONS, ANYTHING)
def test_whatever_a_source_answers_a_checked_condition_is_judged(condition: dict[str, Any], data: Any):
    try:
        check(condition)
    except BadCondition:
        return  # deeper than is allowed

    assert judge(condition, data, {}).met in (True, False)


@given(st.lists(LEAVES, min_size=1, max_size=4), ANYTHING)
def test_all_and_any_are_all_and_any_of_their_parts(parts: list[dict[str, Any]], data: Any):
    alone = [judge(one, data, {}).met for one in parts]

    assert judge({"all": parts}, data, {}).met == all(alone)
    assert judge({"any": parts}, data, {}).met == any(alone)
    assert len(judge({"any": parts}, data, {}).checks) == len(parts)


@given(ANYTHING, ANYTHING)
def test_equal_and_unlike_exclude_each_other(found: Any, wanted: Any):
    assert compare(found, "==", wanted) != compare(found, "!=", wanted)


@given(ANYTHING, st.text(max_size=30))
def test_a_path_that_leads_nowhere_finds_nothing(data: Any, path: str):
    look_up(data, path)


def test_paths_go_through_objects_and_lists_and_never_into_attributes():
    data = {"items": [{"name": "가"}], "text": "abc"}

    assert look_up(data, "items.0.name") == "가"
    assert look_up(data, "items.1.name") is None
    assert look_up(data, "text.__class__") is None
    assert look_up(data, "text.0") is None


@pytest.mark.parametrize(
    ("found", "op", "wanted", "met"),
    [
        (True, "==", 1, False),
        ("10", ">", 9, False),
        ("b", ">", "a", True),
        (None, "exists", None, False),
        (0, "exists", None, True),
        (None, "exists", False, True),
        (["a", "b"], "contains", "b", True),
        ("abc", "contains", "b", True),
        (5, "contains", 5, False),
        (None, "!=", 3, True),
    ],
)
def test_comparisons(found: Any, op: str, wanted: Any, met: bool):
    assert compare(found, op, wanted) is met


def test_a_value_may_come_from_the_payload():
    condition = {"path": "price", "op": ">=", "value_from": "target"}

    assert judge(condition, {"price": 10}, {"target": 9}).met
    assert not judge(condition, {"price": 10}, {}).met


@pytest.mark.parametrize(
    "bad",
    [
        None,
        [],
        {},
        {"path": "a"},
        {"path": "a", "op": "=~", "value": 1},
        {"path": "a", "op": "==", "value": 1, "value_from": "b"},
        {"path": "a", "op": "==", "value": 1, "code": "import os"},
        {"all": []},
        {"all": [{"path": "a", "op": "exists"}], "any": []},
        {"path": 3, "op": "exists"},
    ],
)
def test_what_is_no_condition_is_refused(bad: Any):
    with pytest.raises(BadCondition):
        check(bad)


def test_a_condition_that_is_too_deep_or_too_large_is_refused():
    deep: dict[str, Any] = {"path": "a", "op": "exists"}
    for _ in range(5):
        deep = {"all": [deep]}

    for bad in (deep, {"any": [{"path": "a", "op": "exists"}] * 60}):
        with pytest.raises(BadCondition):
            check(bad)
