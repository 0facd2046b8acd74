"""Rooms: claimed, added by hand, edited by those who may, released; and how much of their limits is used."""

from pabal.platform.actor import Role
from tests.apps.messaging.api.house import V1, House, v1_body
from tests.support.messaging import add_room

PATH = f"{V1}/rooms"


async def test_a_discovered_room_is_claimed_for_a_unit_and_released_again(house: House):
    found = await add_room(house.web.db, None, "18200077", "새 방", bots=[house.bot_id])
    house_admin, branch = await house.web.as_("hq"), await house.web.as_("haeundae")
    unit_id = house.web.tree.haeundae.id

    before = [(await one.get(f"{PATH}?unclaimed=true")).json()["items"] for one in (house_admin, branch)]
    hidden = await branch.post(f"{PATH}/{found}/claim", json={"unit_id": unit_id})
    claimed = await house_admin.post(f"{PATH}/{found}/claim", json={"unit_id": unit_id, "room_type": "test"})
    twice = await house_admin.post(f"{PATH}/{found}/claim", json={"unit_id": unit_id})
    seen = [one["channel_id"] for one in (await branch.get(f"{PATH}?type=test&bot={house.bot_id}")).json()["items"]]
    released = await branch.post(f"{PATH}/{found}/release")

    assert [[one["id"] for one in items] for items in before] == [[found], []]
    assert (hidden.status_code, twice.json()["code"]) == (404, "room_claimed")
    assert (claimed.json()["unit_id"], claimed.json()["room_type"], claimed.json()["name"]) == (
        unit_id,
        "test",
        "새 방",
    )
    assert seen == ["18200002", "18200077"]
    assert released.json()["unit_id"] is None


async def test_operators_edit_the_name_and_administrators_the_limits(house: House):
    operator, admin = await house.web.as_("haeundae", Role.OPERATOR), await house.web.as_("haeundae")
    path = f"{PATH}/{house.room_id}"
    tag = (await operator.get(path)).headers["ETag"]

    named = await operator.patch(path, json={"name": "손님방", "note": "점장님이 보십니다"}, headers={"If-Match": tag})
    late = await operator.patch(path, json={"name": "늦은 이름"}, headers={"If-Match": tag})
    may_not = await operator.patch(path, json={"limits": {"messages_per_minute": 2}})
    limited = await admin.patch(path, json={"limits": {"messages_per_minute": 2}})
    more = await admin.patch(path, json={"limits": {"min_gap_seconds": 0}})
    odd = await admin.patch(path, json={"limits": {"max_text_length": 0}})
    budget = (await operator.get(f"{path}/budget?components=2")).json()

    assert (named.json()["name"], named.json()["note"]) == ("손님방", "점장님이 보십니다")
    assert [one.status_code for one in (late, may_not, odd)] == [412, 403, 422]
    assert limited.json()["limits"]["messages_per_minute"] == 2
    own = {name: value for name, value in more.json()["limits"].items() if value is not None}
    assert own == {"messages_per_minute": 2, "min_gap_seconds": 0}
    assert {row["name"]: row["most"] for row in budget["rows"]} == {
        "dispatches_per_day": 50,
        "messages_per_minute": 2,
        "messages_per_hour": 50,
        "messages_per_day": 200,
    }
    assert (budget["binds"], budget["next_allowed_at"]) == (None, None)


async def test_a_room_is_added_by_hand_and_kept_while_schedules_send_to_it(house: House):
    admin = await house.web.as_("haeundae")
    body = {"channel_id": "777", "name": "손으로", "bot_id": house.bot_id, "unit_id": house.web.tree.haeundae.id}

    added = await admin.post(PATH, json=body)
    twice = await admin.post(PATH, json=body)
    elsewhere = await admin.post(PATH, json={**body, "channel_id": "778", "unit_id": house.web.tree.gangnam.id})
    await admin.post(f"{V1}/schedules", json=await v1_body(house, room_id=added.json()["id"]))
    kept = await admin.post(f"{added.headers['Location']}/release")

    assert (added.status_code, [one["room_name"] for one in added.json()["bots"]]) == (201, ["손으로"])
    assert [(one.status_code, one.json()["code"]) for one in (twice, elsewhere, kept)] == [
        (409, "room_known"),
        (404, "unit_not_found"),
        (409, "room_in_use"),
    ]
