"""One verb on many rows of a list over REST: named or all of a filter, looked at first, row by row, and taken back."""

from pabal.platform.actor import Role
from tests.apps.messaging.api.house import V1, House, v1_body

PATH, MANY = f"{V1}/schedules", f"{V1}/many/schedules"


async def _add(house: House, count: int, **said: object) -> list[int]:
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    return [
        (await operator.post(PATH, json=await v1_body(house, title=f"{n}", **said))).json()["id"] for n in range(count)
    ]


async def test_named_rows_are_done_each_with_its_own_result(house: House):
    first, second = await _add(house, 2)
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    await operator.post(f"{PATH}/{second}/pause")

    done = await operator.post(f"{MANY}/pause", json={"ids": [first, second, 999]})

    said = done.json()
    assert (done.status_code, said["state"], said["done"], said["refused"]) == (200, "partial", 1, 2)
    assert [(one["id"], one["result"]) for one in said["results"]] == [
        (str(first), "done"),
        (str(second), "refused"),
        ("999", "refused"),
    ]
    assert [one["code"] for one in said["results"]] == [None, "already_so", "schedule_not_found"]
    assert (await operator.get(f"{PATH}/{first}")).json()["state"] == "inactive"


async def test_all_of_a_filter_are_looked_at_first_and_nothing_is_done(house: House):
    ids = await _add(house, 3)
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    await operator.post(f"{PATH}/{ids[0]}/pause")

    looked = await operator.post(f"{MANY}/pause?dry_run=true", json={"filter": {}})
    states = [one["state"] for one in (await operator.get(PATH)).json()["items"]]
    done = await operator.post(f"{MANY}/pause", json={"filter": {"state": ["active"]}, "expect": 2})
    changed = await operator.post(f"{MANY}/pause", json={"filter": {"state": ["inactive"]}, "expect": 2})

    assert (looked.json()["id"], looked.json()["state"]) == (None, "preview")
    assert (looked.json()["total"], looked.json()["refused"]) == (3, 1)
    assert sorted(states) == ["active", "active", "inactive"]
    assert (done.json()["state"], done.json()["done"], done.json()["total"]) == ("done", 2, 2)
    assert (changed.status_code, changed.json()["code"]) == (409, "bulk_changed")


async def test_it_is_taken_back_once_and_only_what_was_done(house: House):
    first, second = await _add(house, 2)
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    await operator.post(f"{PATH}/{second}/pause")
    made = (await operator.post(f"{MANY}/pause", json={"ids": [first, second]})).json()

    undone = await operator.post(f"/api/v1/bulks/{made['id']}/undo")
    twice = await operator.post(f"/api/v1/bulks/{made['id']}/undo")
    shown = (await operator.get(f"/api/v1/bulks/{made['id']}")).json()

    assert (undone.json()["verb"], undone.json()["total"], undone.json()["undoes"]) == ("resume", 1, made["id"])
    assert (twice.status_code, twice.json()["code"]) == (409, "bulk_not_undoable")
    assert shown["undone_by"] == undone.json()["id"]
    states = {one["id"]: one["state"] for one in (await operator.get(PATH)).json()["items"]}
    assert states == {first: "active", second: "inactive"}


async def test_what_one_may_not_see_is_not_counted_and_what_one_may_not_do_is_refused(house: House):
    [mine] = await _add(house, 1)
    stranger = await house.web.as_("gangnam", Role.OPERATOR)
    viewer = await house.web.as_("haeundae", Role.VIEWER)
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    made = (await operator.post(f"{MANY}/pause", json={"ids": [mine]})).json()

    none = await stranger.post(f"{MANY}/resume", json={"filter": {}})
    named = await stranger.post(f"{MANY}/resume", json={"ids": [mine]})
    looks = await viewer.post(f"{MANY}/resume", json={"ids": [mine]})
    others = [await one.get(f"/api/v1/bulks/{made['id']}") for one in (stranger, viewer)]

    assert (none.status_code, none.json()["code"]) == (422, "nothing_chosen")
    assert [one["code"] for one in named.json()["results"]] == ["schedule_not_found"]
    assert (looks.status_code, looks.json()["code"]) == (403, "not_allowed")
    assert [one.status_code for one in others] == [404, 404]
    assert (await operator.get(f"{PATH}/{mine}")).json()["state"] == "inactive"


async def test_a_key_makes_it_once(house: House):
    ids = await _add(house, 2)
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    headers, body = {"Idempotency-Key": "many-1"}, {"ids": ids}

    first = await operator.post(f"{MANY}/pause", json=body, headers=headers)
    again = await operator.post(f"{MANY}/pause", json=body, headers=headers)

    assert (first.json(), again.headers["Idempotent-Replayed"]) == (again.json(), "true")
    assert len((await operator.get("/api/v1/bulks")).json()["items"]) == 1


async def test_neither_ids_nor_a_filter_is_refused_and_so_are_both(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)

    for body in ({}, {"ids": [1], "filter": {}}, {"ids": []}, {"ids": [1], "options": {}}):
        assert (await operator.post(f"{MANY}/pause", json=body)).status_code == 422, body
