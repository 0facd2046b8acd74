"""Many rows of a list at once, on pages: ticked or all of the filter, looked at first, followed, taken back."""

import re
from urllib.parse import urlencode

import pytest

from pabal.platform.actor import Role
from tests.apps.messaging.pages.house import BRANCH, House, build
from tests.apps.messaging.pages.test_schedules import LIST, asked
from tests.support.messaging import add_bot
from tests.support.pages import read, visitor
from tests.support.web import Web


@pytest.fixture
async def house(web: Web) -> House:
    return await build(web)


async def test_all_of_a_filter_are_looked_at_done_and_taken_back_without_a_script(web: Web, house: House) -> None:
    for title in ("하나", "둘"):
        await house.add(asked(house, title))
    await house.add(asked(house, "쉬는 것", is_active=False))
    client = await visitor(web, BRANCH, Role.OPERATOR, lang="ko")

    page = await read(client, f"{LIST}?state=active")
    [filter] = re.findall(r'name="filter" value="([^"]*)"', page)
    chosen = {"noun": "messaging.schedules", "verb": "pause", "every": "1", "filter": filter, "back": LIST}
    there = (await client.post("/bulks/choose", data=chosen)).headers["Location"]
    looked = await read(client, there)
    [once] = re.findall(r'name="once" value="([^"]+)"', looked)
    other = await client.post("/bulks", data={**chosen, "seen": "3", "once": "another"})
    made = await client.post("/bulks", data={**chosen, "seen": "2", "once": once})
    again = await client.post("/bulks", data={**chosen, "seen": "2", "once": once})
    shown = await read(client, made.headers["Location"])
    number = made.headers["Location"].partition("?")[0]
    undone = await client.post(f"{number}/undo", data={"back": LIST})

    assert "이 목록의 2건 모두" in page
    assert ("처리할 것" in looked, "아직 아무것도 바꾸지 않았습니다" in looked) == (True, True)
    assert other.headers["Location"].startswith("/bulks/new?"), "the list holds another number than was looked at"
    assert "2건 처리, 0건 그대로" in shown
    assert again.headers["Location"] == made.headers["Location"], "pressed twice, it is one bulk"
    assert "2건 처리" in await read(client, undone.headers["Location"])
    assert len(re.findall(r'id="schedule-\d+"', await read(client, f"{LIST}?state=active"))) == 2


async def test_ticked_rows_say_why_some_stay_as_they_are(web: Web, house: House) -> None:
    running = await house.add(asked(house, "하나"))
    resting = await house.add(asked(house, "쉬는 것", is_active=False))
    client = await visitor(web, BRANCH, Role.OPERATOR, lang="ko")
    query = urlencode([("noun", "messaging.schedules"), ("verb", "pause"), ("id", running.id), ("id", resting.id)])

    looked = await read(client, f"/bulks/new?{query}")

    assert "이미 그런 상태여서 바꾸지 않았습니다." in looked
    assert "멈춤: 1건" in looked


async def test_nobody_sees_another_persons_bulk_and_a_viewer_is_offered_none(web: Web, house: House) -> None:
    made = await house.add(asked(house, "하나"))
    client = await visitor(web, BRANCH, Role.OPERATOR)
    viewer = await visitor(web, BRANCH, Role.VIEWER)
    body = {"noun": "messaging.schedules", "verb": "pause", "id": str(made.id), "back": LIST}

    done = await client.post("/bulks", data=body)
    other = await viewer.get(done.headers["Location"])
    tried = await viewer.post("/bulks", data=body)

    assert 'action="/bulks/choose"' in await read(client, LIST)
    assert 'action="/bulks/choose"' not in await read(viewer, LIST)
    assert other.status_code == 404
    assert tried.status_code == 403


async def test_a_bulk_is_found_again_in_a_list_of_ones_own(web: Web, house: House) -> None:
    one = await house.add(asked(house, "하나"))
    client, other = await visitor(web, BRANCH, Role.OPERATOR, lang="ko"), await visitor(web, BRANCH, Role.ADMIN)
    chosen = {"noun": "messaging.schedules", "verb": "pause", "id": str(one.id), "seen": "1", "once": "a"}
    made = await client.post("/bulks", data=chosen)
    await client.post(f"{made.headers['Location'].partition('?')[0]}/undo")

    mine, theirs = await read(client, "/bulks"), await read(other, "/bulks")

    found = re.findall(r'href="(/bulks/\d+)\?back=/bulks">([^<]+)<', mine)
    assert [word for _, word in found] == ["다시 시작", "멈춤"]
    assert made.headers["Location"].startswith(found[1][0])
    assert ("예약 메시지" in mine, "되돌림" in mine, 'href="/bulks"' in mine) == (True, True, True)
    assert found[1][0] not in theirs


async def test_devices_that_wait_are_decided_together_by_an_administrator(web: Web, house: House) -> None:
    devices = [(await add_bot(web.db, web.tree.haeundae, f"phone{n}", state="pending"))[1] for n in range(2)]
    client, operator = await visitor(web, BRANCH), await visitor(web, BRANCH, Role.OPERATOR)

    page, seen = await read(client, "/messages/bots"), await read(operator, "/messages/bots")
    done = await client.post(
        "/bulks", data={"noun": "messaging.devices", "verb": "approve", "every": "1", "seen": "2", "once": "a"}
    )

    assert [f'value="{one}" form="many"' in page for one in devices] == [True, True]
    assert re.findall(r'name="verb" value="([^"]+)"', page) == ["approve", "deny", "block"]
    assert 'form="many"' not in seen
    assert "2 done, 0 left as they were" in await read(client, done.headers["Location"])
