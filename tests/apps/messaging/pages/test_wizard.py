"""Four steps to a schedule, without a script: what was filled in travels along, onward and back."""

import html
import re

import httpx2
import pytest

from pabal.platform.actor import Role
from tests.apps.messaging.pages.house import BRANCH, House, build, filled, kept_pictures, upload
from tests.support.pages import read, visitor
from tests.support.web import Web

WIZARD = "/messages/schedules/wizard"
WHERE = ("title", "room_type", "room_id", "bot_id")
WHAT = ("text", "send_order", "send_interval_seconds", "media_wait_1", "media_wait_2")
WHEN = ("schedule_type", "schedule_time", "schedule_weekdays", "zone", "valid_from", "valid_until", "late_policy")


@pytest.fixture
async def house(web: Web) -> House:
    return await build(web)


def carried(page: str) -> dict[str, list[str]]:
    """The hidden fields of the form, as a browser would send them back."""
    found: dict[str, list[str]] = {}
    form = page[page.index('id="schedule"') :]
    for name, value in re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form):
        found.setdefault(name, []).append(html.unescape(value))
    return found


async def step(client: httpx2.AsyncClient, page: str, do: str, **typed: object) -> httpx2.Response:
    return await client.post(WIZARD, data={**carried(page), **typed, "do": do})


@pytest.mark.req("A-182")
async def test_four_steps_lead_to_a_schedule_and_going_back_loses_nothing(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR, lang="ko")
    everything = filled(house)
    kept = await upload(client)

    def some(names: tuple[str, ...]) -> dict[str, object]:
        return {name: everything[name] for name in names}

    first = await read(client, WIZARD)
    hasty = await step(client, first, "next", title="")
    second = (await step(client, first, "next", **some(WHERE))).text
    third = (await step(client, second, "next", **some(WHAT), images_1=[kept])).text
    fourth = (await step(client, third, "next", **some(WHEN))).text
    back = (await step(client, fourth, "back", state="active")).text
    saved = await step(client, (await step(client, back, "next", **some(WHEN))).text, "save", state="active")

    assert 'aria-current="step"><b>어디로</b>' in first
    assert hasty.status_code == 422
    assert 'href="#title"' in hasty.text
    assert 'href="#schedule_type"' not in hasty.text
    assert 'aria-current="step"><b>무엇을</b><small>' in second
    assert "해운대 손님방 · busan1" in second
    assert 'aria-current="step"><b>언제</b>' in third
    assert kept_pictures(third, "images_1") == [kept]
    assert 'aria-current="step"><b>확인</b>' in fourth
    assert "매주 월·수 09:20 KST" in fourth
    assert "톡방의 제한 안에 있습니다" in fourth
    assert "다른 예약과 겹치지 않습니다" in fourth
    assert "이 톡방과 봇을 쓸 권한이 있습니다" in fourth or "지금 연결되어 있지 않습니다" in fourth
    assert 'name="schedule_weekdays" value="2" checked' in back
    assert 'name="schedule_time" type="time" value="09:20"' in back
    [made] = await house.list()
    assert saved.headers["Location"] == f"/messages/schedules/{made.id}"
    assert made.content.text == "첫 줄\n\n둘째 줄 😊"
    assert [each.file_id for each in made.content.images_1] == [int(kept)]


async def test_a_test_from_the_last_step_saves_it_inactive_and_the_schedule_goes_on_from_there(
    web: Web, house: House
) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR)
    typed = {**filled(house), "step": "4", "test_room_id": str(house.test_room_id)}

    tested = await client.post(WIZARD, data={**typed, "do": "test"})
    [made] = await house.list()
    again = await client.get(tested.headers["Location"])
    saved = await step(client, again.text, "save", state="active")

    assert made.state == "inactive"
    assert tested.headers["Location"] == f"{WIZARD}?draft={made.id}"
    assert 'aria-current="step"><b>Check</b>' in again.text
    assert saved.headers["Location"] == f"/messages/schedules/{made.id}"
    assert [(one.id, one.state) for one in await house.list()] == [(made.id, "active")]


async def test_saving_what_is_not_complete_leads_back_to_the_step_where_it_lacks(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR)

    answer = await client.post(WIZARD, data={**filled(house, text=""), "step": "4", "do": "save"})

    assert answer.status_code == 422
    assert 'aria-current="step"><b>What</b>' in answer.text
    assert 'href="#text"' in answer.text
    assert await house.list() == []
