"""Sends to many rooms and groups of rooms, by REST and by the seed's paths."""

import csv
import io

from pabal.apps.messaging.actions import bulks
from pabal.apps.messaging.store.sending import Occurrence
from pabal.platform.actor import Role
from tests.apps.messaging.api.house import V1, House, v1_body
from tests.support.messaging import add_room

PATH = f"{V1}/schedules"


async def many(house: House, count: int = 3) -> list[int]:
    unit, [bot] = house.web.unit("haeundae"), [house.bot_id]
    return [await add_room(house.web.db, unit, f"1840{n:04}", f"단골방 {n}", bots=[bot]) for n in range(count)]


async def bulk_body(house: House, **said: object) -> dict[str, object]:
    body = await v1_body(house, **said)
    return {name: value for name, value in body.items() if name not in ("room_id", "bot_id")}


async def test_a_schedule_to_many_rooms_is_saved_shown_changed_and_made_one_room_again(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    rooms = await many(house)
    body = await bulk_body(house, text="{톡방} 여러분", rooms=rooms, window_minutes=20, share_bots=True)

    made = await operator.post(PATH, json=body)
    path = made.headers["Location"]
    timetable = (await operator.get(f"/api/v1/schedules/{made.json()['timetable']}")).json()
    patched = await operator.patch(path, json={"rooms": rooms[:2], "spread_minutes": 10})
    single = await operator.patch(path, json={"rooms": [], "room_id": rooms[1], "text": "한 곳"})

    shown = made.json()
    assert (made.status_code, shown["is_bulk"], shown["rooms"], shown["room_id"]) == (201, True, rooms, rooms[0])
    assert (shown["window_minutes"], shown["share_bots"]) == (20, True)
    assert timetable["kind"] == "messaging.bulk"
    assert (patched.json()["rooms"], patched.json()["spread_minutes"]) == (rooms[:2], 10)
    assert (single.json()["is_bulk"], single.json()["room_id"]) == (False, rooms[1])


async def test_what_would_come_of_it_says_how_long_it_takes_and_what_each_room_reads(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    await many(house, 2)
    table = "톡방,담당자\n단골방 0,김하늘\n단골방 1,이바다\n"

    said = await operator.post(f"{PATH}/preview", json=await bulk_body(house, text="{담당자}님", rooms_csv=table))
    unknown = await operator.post(f"{PATH}/preview", json=await bulk_body(house, text="{모름}", rooms_csv=table))
    nothing = await operator.post(PATH, json=await bulk_body(house))

    assert said.json()["is_ok"], said.json()
    assert [one["text"] for one in said.json()["texts"]] == ["김하늘님", "이바다님"]
    assert (said.json()["estimate"]["rooms"], said.json()["estimate"]["late"]) == (2, 0)
    assert [one["code"] for one in unknown.json()["problems"]] == ["variable_unknown"]
    assert nothing.status_code == 422


async def test_a_bulk_is_listed_shown_and_what_is_missing_is_sent(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    other = await house.web.as_("nampo", Role.OPERATOR)
    rooms = await many(house)
    made = (await operator.post(PATH, json=await bulk_body(house, rooms=rooms))).json()
    async with house.web.db.transaction() as tx:
        await bulks.miss(tx, Occurrence(made["id"], tx.now), "misfired", {})

    [listed] = (await operator.get(f"{V1}/bulks?schedule={made['id']}")).json()["items"]
    path = f"{V1}/bulks/{listed['id']}"
    each = (await operator.get(f"{V1}/deliveries?bulk={listed['id']}")).json()["items"]
    hidden = [(await other.get(path)).status_code, (await other.post(f"{path}/send-missing", json={})).status_code]
    sent = await operator.post(f"{path}/send-missing", json={})
    again = await operator.post(f"{path}/send-missing", json={})

    assert (listed["summary"], listed["missing"], listed["open"]) == ("0 of 3, 3 missed", 3, 0)
    assert {one["room_id"] for one in each} == set(rooms)
    assert hidden == [404, 404]
    assert (sent.status_code, sent.json()["open"], sent.json()["ended_at"]) == (202, 3, None)
    assert (again.status_code, again.json()["code"]) == (409, "nothing_missing")


async def test_groups_are_kept_replaced_and_deleted_by_those_they_belong_to(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    viewer = await house.web.as_("haeundae", Role.VIEWER)
    other = await house.web.as_("nampo", Role.OPERATOR)
    await many(house, 2)

    made = await operator.post(f"{V1}/room-groups", json={"name": "단골방", "room_type": "production"})
    path = made.headers["Location"]
    twice = await operator.post(f"{V1}/room-groups", json={"name": "단골방"})
    table = await operator.get(f"{V1}/room-groups", headers={"Accept": "text/csv"})
    replaced = await operator.put(path, json={"name": "점장방", "tag": "점장"})

    assert (made.status_code, made.json()["rooms"] >= 2) == (201, True)
    assert (twice.status_code, twice.json()["errors"][0]["code"]) == (422, "group_name_taken")
    assert [row["name"] for row in csv.DictReader(io.StringIO(table.text.lstrip("\ufeff")))] == ["단골방"]
    assert (replaced.json()["name"], replaced.json()["rooms"]) == ("점장방", 0)
    assert (await viewer.delete(path)).status_code == 403
    assert ((await other.get(path)).status_code, (await other.delete(path)).status_code) == (404, 404)
    assert (await operator.delete(path)).status_code == 204


async def test_the_seeds_paths_show_a_row_for_each_room(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    rooms = await many(house)
    made = (await operator.post(PATH, json=await bulk_body(house, rooms=rooms))).json()
    async with house.web.db.transaction() as tx:
        await bulks.miss(tx, Occurrence(made["id"], tx.now), "misfired", {})

    rows = (await operator.get("/api/schedules")).json()["items"]
    [one] = (await operator.get("/api/schedules?target_room_id=18400001")).json()["items"]
    logs = (await operator.get(f"/api/schedules/{made['id']}/logs")).json()["items"]

    assert [row["target_room_id"] for row in rows] == ["18400000", "18400001", "18400002"]
    assert {row["id"] for row in rows} == {made["id"], one["id"]}
    assert one["target_room_id"] == "18400001"
    assert {row["target_room_id"] for row in logs} == {"18400000", "18400001", "18400002"}
