"""The keys ad servers read, and what others may have put there."""

import pytest

from pabal.apps.adgroups.serving.layout import read_codes, read_id


@pytest.mark.parametrize(
    ("text", "expected"),
    [("7", 7), ("0", 0), ("007", None), ("-7", None), ("7a", None), ("٧", None), ("", None), ("9" * 19, None)],
)
def test_a_number_has_one_name(text: str, expected: int | None):
    assert read_id(text) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('{"inventory":["a","b"]}', ("a", "b")),
        ('{"inventory":["a",7,null]}', ("a",)),
        ('{"inventory":"a"}', ()),
        ("[1]", ()),
        ("{", ()),
        (None, ()),
    ],
)
def test_a_value_that_is_not_ours_names_no_inventory(value: str | None, expected: tuple[str, ...]):
    assert read_codes(value) == expected
