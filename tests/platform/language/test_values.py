import pytest

from pabal.platform.language.values import show_value


@pytest.mark.parametrize(
    ("value", "unit", "english", "korean"),
    [
        (412.0, "s", "412 s", "412초"),
        (96.44, "%", "96.4%", "96.4%"),
        (0.25, "ms", "0.25 ms", "0.25 ms"),
        (1250.7, "", "1,251", "1,251"),
        (0.0, "s", "0 s", "0초"),
        (0.0000001, "s", "0 s", "0초"),
        (-12.0, "MB", "-12 MB", "-12 MB"),
    ],
)
def test_a_value_has_no_more_digits_than_tell_something(value: float, unit: str, english: str, korean: str) -> None:
    assert show_value(value, unit, "en") == english
    assert show_value(value, unit, "ko") == korean
