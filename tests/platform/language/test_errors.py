from collections.abc import Iterator

import pytest

from pabal.base.errors import Conflict
from pabal.platform.language.errors import CodeTaken, add, explain, korean


class KettleDry(Conflict, code="kettle_dry"):
    """There is no water in it."""


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = dict(korean())
    yield
    korean().clear()
    korean().update(before)


def test_an_apps_sentence_explains_its_error_and_may_be_said_again() -> None:
    add({"kettle_dry": "물이 없습니다."})
    add({"kettle_dry": "물이 없습니다."})

    assert explain(KettleDry(), "ko") == "물이 없습니다."
    assert explain(KettleDry(), "en") == "There is no water in it."


def test_a_code_that_somebody_has_is_not_explained_by_anothers_sentence() -> None:
    add({"kettle_dry": "물이 없습니다."})

    with pytest.raises(CodeTaken) as refused:
        add({"kettle_dry": "주전자가 말랐습니다.", "kettle_wet": "젖었습니다."})

    assert refused.value.detail == "kettle_dry"
    assert "kettle_wet" not in korean()
