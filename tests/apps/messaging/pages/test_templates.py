"""Templates: made, loaded into a form, saved from one, counted, shared downwards, deleted."""

import html
import re

import pytest

from pabal.platform.actor import Role
from tests.apps.messaging.pages.house import BRANCH, House, build, filled, kept_pictures, upload
from tests.support.pages import read, visitor
from tests.support.web import Web

LIST = "/messages/templates"
FORM = "/messages/schedules/new"


@pytest.fixture
async def house(web: Web) -> House:
    return await build(web)


@pytest.mark.req("A-95", "A-184")
async def test_a_template_is_saved_and_loaded_into_what_is_being_written(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR)
    kept = await upload(client)

    saved = await client.post(FORM, data=filled(house, images_2=[kept], template_name="점심 특가", do="keep"))
    listed = await read(client, LIST)
    [number] = re.findall(r'id="template-(\d+)"', listed)
    typed = filled(house, title="새 안내", text="", template_id=number)
    loaded = await client.post(FORM, data={**typed, "do": "load"})
    begun = await read(client, f"{FORM}?template={number}")
    made = await client.post(FORM, data={**typed, "text": "첫 줄", "do": "save"})
    counted = await read(client, LIST)

    assert saved.status_code == 200
    assert "Kept as a template: 점심 특가" in saved.text
    assert 'value="아침 안내"' in saved.text
    assert "점심 특가" in listed
    for page in (loaded.text, begun):
        assert "첫 줄\n\n둘째 줄 😊</textarea>" in html.unescape(page)
        assert kept_pictures(page, "images_2") == [kept]
    assert 'value="새 안내"' in loaded.text
    assert made.status_code == 303
    assert re.search(rf'id="template-{number}".*?data-label="Schedules">1<', counted, re.DOTALL)
    assert f"/messages/schedules/wizard?template={number}" in counted


async def test_a_template_is_made_changed_and_deleted_on_its_own_page(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR, lang="ko")
    empty = await read(client, LIST)

    nameless = await client.post(f"{LIST}/new", data={"template_name": "", "text": "휴무입니다"})
    await client.post(f"{LIST}/new", data={"template_name": "휴무", "text": "휴무입니다"})
    taken = await client.post(f"{LIST}/new", data={"template_name": "휴무", "text": "다른 글"})
    [number] = re.findall(r'id="template-(\d+)"', await read(client, LIST))
    await client.post(f"{LIST}/{number}", data={"template_name": "휴무 안내", "text": "내일 쉽니다"})
    shown = await read(client, f"{LIST}/{number}")
    preview = await client.post(f"{LIST}/preview", data={"template_name": "x", "text": "미리 봅니다"})
    gone = await client.post(f"{LIST}/{number}/delete")

    assert "아직 템플릿이 없습니다" in empty
    for refused, sentence in ((nameless, "휴무입니다</textarea>"), (taken, "다른 글</textarea>")):
        assert refused.status_code == 422
        assert 'id="template_name-err"' in refused.text
        assert sentence in refused.text
    assert 'value="휴무 안내"' in shown
    assert "내일 쉽니다</textarea>" in shown
    assert "미리 봅니다" in preview.text
    assert gone.headers["Location"] == LIST
    assert 'id="template-' not in await read(client, LIST)


async def test_a_template_from_above_is_used_and_not_changed_and_one_beside_is_not_seen(web: Web, house: House) -> None:
    above, below = await visitor(web, "busan", Role.OPERATOR), await visitor(web, BRANCH, Role.OPERATOR)
    beside, viewer = await visitor(web, "gangnam", Role.OPERATOR), await visitor(web, BRANCH, Role.VIEWER)
    kept = await upload(above)
    await above.post(f"{LIST}/new", data={"template_name": "총판 공지", "text": "공지", "images_1": [kept]})
    [number] = re.findall(r'id="template-(\d+)"', await read(above, LIST))

    page = await read(below, f"{FORM}?template={number}")

    assert kept_pictures(page, "images_1") == [kept]
    assert (await below.get(f"/messages/files/{kept}/thumbnail")).status_code == 200
    assert f"{LIST}/{number}/delete" not in await read(below, LIST)
    assert (await below.post(f"{LIST}/{number}", data={"template_name": "내 것"})).status_code in (403, 404)
    assert (await below.post(f"{LIST}/{number}/delete")).status_code in (403, 404)
    assert "총판 공지" not in await read(beside, LIST)
    assert (await beside.get(f"{LIST}/{number}")).status_code == 404
    assert (await beside.get(f"/messages/files/{kept}/thumbnail")).status_code == 404
    assert (await viewer.post(f"{LIST}/new", data={"template_name": "x", "text": "x"})).status_code == 403
    assert "총판 공지" in await read(above, LIST)
