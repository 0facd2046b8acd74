"""Rooms in the console: whose they are, what their limits leave, and who may change that."""

import re
from typing import Any

import httpx2

from pabal.apps.messaging.actions.checking import read_budget
from pabal.apps.messaging.model.rooms import RoomLimits
from pabal.apps.messaging.store import rooms
from pabal.engine import limits
from pabal.platform.actor import Role
from tests.apps.messaging.history import add_traffic
from tests.apps.messaging.pages.house import BRANCH, House, build
from tests.apps.messaging.pages.logged import MINUTE, now, one, schedule
from tests.support.messaging import add_room
from tests.support.pages import read, visitor
from tests.support.web import Web

NONE = dict.fromkeys(RoomLimits.__dataclass_fields__, "")


async def send(house: House, *, messages: int) -> None:
    """As a send counts when it begins."""
    keys = [f"room:{house.room_id} dispatch", f"room:{house.room_id} message"]
    async with house.web.db.transaction() as tx:
        await tx.run(limits.SQL.insert_starts, keys=keys, weights=[1, messages], moment=tx.now, ids=[1, 1])


async def post(client: httpx2.AsyncClient, path: str, **data: Any) -> int:
    return (await client.post(path, data=data)).status_code


async def limits_of(house: House) -> RoomLimits:
    async with house.web.db.transaction() as tx:
        found = await rooms.find_room(tx, house.room_id)
    assert found is not None
    return found.limits


async def test_the_budget_shows_every_limit_which_one_binds_and_from_when_one_may_send(web: Web) -> None:
    house = await build(web)
    await send(house, messages=3)
    async with web.db.transaction() as tx:
        room = await rooms.find_room(tx, house.room_id)
        assert room is not None
        budget = await read_budget(tx, room)

    page = await read(await visitor(web, lang="ko"), f"/messages/rooms/{house.room_id}")
    listed = await read(await visitor(web), "/messages/rooms")

    assert budget.binds == "min_gap_seconds"
    for said in ("/ 30초", "/ 50회", "/ 5개", "/ 50개", "/ 200개"):
        assert said in page
    assert "<b>3</b><span> / 5개" in page
    assert "<b>1</b><span> / 50회" in page
    assert "발송 사이 최소 간격: " in page
    assert "least gap between sends: next from " in listed
    assert listed.count("free to send") == 2


async def test_a_room_may_have_limits_of_its_own_and_empty_is_the_settings_again(web: Web) -> None:
    house = await build(web)
    admin = await visitor(web)
    path = f"/messages/rooms/{house.room_id}/limits"

    assert await post(admin, path, **{**NONE, "min_gap_seconds": "90", "max_text_length": "300"}) == 303
    own = await limits_of(house)
    page = await read(admin, f"/messages/rooms/{house.room_id}")
    assert await post(admin, path, **NONE) == 303

    assert own == RoomLimits(min_gap_seconds=90, max_text_length=300)
    assert "/ 90 s" in page
    assert "Longest text: 300 characters." in page
    assert "2 limits of its own" in page
    assert "setting: 30" in page
    assert await limits_of(house) == RoomLimits()
    assert await post(admin, path, **{**NONE, "min_gap_seconds": "many"}) == 422
    assert await post(await visitor(web, BRANCH, Role.OPERATOR), path, **{**NONE, "min_gap_seconds": "1"}) == 403


async def test_a_room_nobody_owns_is_claimed_by_the_house_for_a_unit(web: Web) -> None:
    house = await build(web)
    found = await add_room(web.db, None, "18209999", "새 <b>방</b>", bots=[house.bot_id])
    hq, branch = await visitor(web), await visitor(web, BRANCH)

    before = await hq.get("/messages/rooms")
    assert "Rooms nobody has claimed" in before.text
    assert "<b>방</b>" not in before.text
    assert "Rooms nobody has claimed" not in await read(branch, "/messages/rooms")
    claim = {"unit_id": web.tree.haeundae.id, "name": "새 방", "room_type": "test"}
    assert await post(branch, f"/messages/rooms/{found}/claim", **claim) == 404
    assert await post(hq, f"/messages/rooms/{found}/claim", **claim) == 303

    assert "Rooms nobody has claimed" not in await read(hq, "/messages/rooms")
    page = await read(branch, "/messages/rooms?type=test")
    assert "새 방" in page
    assert "해운대 손님방" not in page


async def test_a_room_is_added_by_hand_edited_and_released(web: Web) -> None:
    house = await build(web)
    operator, admin = await visitor(web, BRANCH, Role.OPERATOR), await visitor(web, BRANCH)
    new = {"name": "손으로", "channel_id": "777", "bot_id": house.bot_id, "unit_id": web.tree.haeundae.id}

    made = await admin.post("/messages/rooms", data=new)
    assert made.status_code == 303
    there = made.headers["location"]
    assert await post(operator, there, name="고친 이름", room_type="test", note="입구 옆") == 303
    page = await read(operator, there)
    assert await post(admin, f"{there}/release") == 303

    assert "고친 이름" in page
    assert "입구 옆" in page
    assert "calls it “손으로”" in page
    await read(operator, there, 404)
    assert await post(operator, "/messages/rooms", **{**new, "channel_id": "778"}) == 403


async def test_a_name_the_bot_has_already_is_confirmed_on_a_page_of_its_own_or_refused(web: Web) -> None:
    house = await build(web)
    shared = await add_room(web.db, web.tree.gangnam, "18300001", "강남 별관", bots=[house.bot_id])
    admin, stranger = await visitor(web, BRANCH), await visitor(web, "gangnam")
    new = {"name": "해운대 손님방", "channel_id": "777", "bot_id": house.bot_id, "unit_id": web.tree.haeundae.id}

    refused = await stranger.post("/messages/rooms", data={**new, "unit_id": web.tree.gangnam.id, "confirm": "true"})
    asked = await admin.post("/messages/rooms", data=new)
    assert (refused.status_code, asked.status_code) == (409, 409)
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', asked.text))
    made = await admin.post("/messages/rooms", data=fields)

    assert "해운대 손님방" not in refused.text
    assert f'href="/messages/rooms/{house.room_id}"' in asked.text
    assert fields["confirm"] == "true"
    assert made.status_code == 303
    assert f'href="/messages/rooms/{shared}"' not in asked.text


async def test_two_units_rooms_of_one_name_are_marked_and_the_house_takes_the_bot_out_of_one(web: Web) -> None:
    house = await build(web)
    found = await add_room(web.db, None, "18300001", "해운대 손님방", bots=[house.bot_id])
    hq, branch = await visitor(web), await visitor(web, BRANCH)
    claim = {"unit_id": web.tree.gangnam.id, "name": "해운대 손님방"}

    assert await post(hq, f"/messages/rooms/{found}/claim", **claim) == 409
    assert await post(hq, f"/messages/rooms/{found}/claim", **claim, confirm="true") == 303
    listed, own = await read(branch, "/messages/rooms"), await read(branch, f"/messages/rooms/{house.room_id}")
    whole = await read(hq, f"/messages/rooms/{house.room_id}")
    back = {"name": "해운대 손님방", "room_type": "production", "unit_id": web.tree.haeundae.id}
    assert await post(hq, f"/messages/rooms/{found}", **back) == 409
    there = f"/messages/rooms/{found}/bots/{house.bot_id}/remove"
    assert (await post(branch, there), await post(hq, there)) == (404, 303)
    after = await read(branch, f"/messages/rooms/{house.room_id}")

    assert "held: another room has this name" in listed
    assert "The other room is not yours to see" in own
    assert f'href="/messages/rooms/{found}"' not in own
    assert f'href="/messages/rooms/{found}"' in whole
    assert [page.count("Nothing is sent here by busan1") for page in (own, whole, after)] == [1, 1, 0]


async def test_a_room_shows_what_comes_what_was_sent_and_how_much_is_said_there(web: Web) -> None:
    house = await build(web)
    of = await schedule(house)
    await one(house, of, "sent", 30)
    for minutes, messages in ((3, 7), (50, 5), (60 * 30, 100)):
        await add_traffic(web.db, house.room_id, await now(house) - minutes * MINUTE, messages)

    page = await read(await visitor(web), f"/messages/rooms/{house.room_id}")

    assert f'href="/messages/schedules/{of.id}">아침 안내</a>' in page
    assert "12 messages heard." in page
    assert 'data-state="sent"' in page
    assert f'href="/messages/bots/{house.bot_id}">busan1</a>' in page
    assert "not connected" in page


async def test_a_test_goes_from_the_room_into_a_test_room(web: Web) -> None:
    house = await build(web)
    of = await schedule(house)
    operator = await visitor(web, BRANCH, Role.OPERATOR)
    path = f"/messages/rooms/{house.room_id}/test"

    sent = await operator.post(path, data={"schedule_id": of.id, "test_room_id": house.test_room_id})

    assert sent.status_code == 303
    page = await read(operator, sent.headers["location"])
    assert "시험방" in page
    assert "test" in page
    assert await post(operator, path, schedule_id=of.id, test_room_id=house.room_id) == 422


async def test_another_branchs_room_is_not_there_and_a_viewer_changes_nothing(web: Web) -> None:
    house = await build(web)
    viewer, stranger = await visitor(web, BRANCH, Role.VIEWER), await visitor(web, "gangnam")

    page = await read(viewer, f"/messages/rooms/{house.room_id}")

    for button in ("edit-room", "edit-limits", "test-send", "/release"):
        assert button not in page
    assert "add-room" not in await read(viewer, "/messages/rooms")
    change = {"name": "x", "room_type": "test"}
    assert await post(viewer, f"/messages/rooms/{house.room_id}", **change) == 403
    assert await post(stranger, f"/messages/rooms/{house.room_id}", **change) == 404
    assert "해운대" not in (await read(stranger, "/messages/rooms")).replace("해운대점", "")
    await read(stranger, f"/messages/rooms/{house.room_id}", 404)


async def test_without_rooms_the_page_says_how_one_appears(web: Web) -> None:
    page = await read(await visitor(web, lang="ko"), "/messages/rooms")

    assert "아직 톡방이 없습니다." in page
    assert "‘안녕’이라고 적은" in page
