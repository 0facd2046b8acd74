"""Statistics on a page: the same figures as REST, in words."""

import pytest

from pabal.apps.rendering.model.renders import Reason
from tests.support.pages import read, visitor
from tests.support.studio import NAME, Studio
from tests.support.web import Web


@pytest.mark.req("B-101")
async def test_a_period_is_told_by_composition_day_and_reason(web: Web, studio: Studio) -> None:
    await studio.complete(await studio.ask())
    await studio.fail(await studio.ask(), Reason.NAS_UNAVAILABLE)
    client = await visitor(web, "haeundae", lang="ko")
    page = await read(client, "/render/statistics")
    other = await read(await visitor(web, "gangnam", lang="ko"), "/render/statistics?days=30")

    assert NAME in page
    assert "50.0" in page
    assert "NAS에 쓸 수 없습니다." in page
    assert "이 기간에 끝난 렌더가 없습니다." in other
