"""Inventory: the list, and a new one beside it."""

from pabal.platform.actor import Role
from tests.apps.adgroups.pages.house import BRANCH, House
from tests.support.pages import read, visitor
from tests.support.web import Web

LIST = "/ads/inventory"


async def test_inventory_is_added_once_by_its_code(web: Web, house: House) -> None:
    client, other = await visitor(web, BRANCH), await visitor(web, "gangnam", lang="ko")
    viewer = await visitor(web, BRANCH, Role.VIEWER)

    added = await client.post(LIST, data={"code": "busan-2", "name": "광안리 화면"})
    taken = await other.post(LIST, data={"code": "busan-2", "name": "남의 코드"})
    bad = await client.post(LIST, data={"code": "한글", "name": "화면"})
    none = await client.post(LIST, data={"code": " ", "name": ""})
    refused = await viewer.post(LIST, data={"code": "busan-3", "name": "화면"})
    page, foreign, seen = await read(client, LIST), await read(other, LIST), await read(viewer, LIST)

    assert added.status_code == 303
    assert "광안리 화면" in page
    assert "해운대역 화면" in page
    assert (taken.status_code, bad.status_code, none.status_code, refused.status_code) == (422, 422, 422, 403)
    assert "다른 인벤토리가 이 코드를 씁니다" in taken.text
    assert 'value="남의 코드"' in taken.text
    assert 'value="한글"' in bad.text
    assert none.text.count("pb-fielderr") == 2
    assert "아직 인벤토리가 없습니다" in foreign
    assert 'action="/ads/inventory"' not in seen
