"""Creatives and inventory of an ad group, and the campaigns and places they come from, over REST."""

import pytest

from tests.apps.adgroups.api.house import DAY, V1, House, build

URL = "https://cdn.example.com/b.png"


@pytest.mark.req("E-63")
async def test_creatives_and_inventory_are_set_until_it_is_approved(house: House):
    path = (await house.admin.post(V1, json=house.body())).headers["Location"]
    creatives, inventory = f"{path}/creatives", f"{path}/inventory"

    early = await house.admin.post(f"{path}/events", json={"event": "COMPLETE_SETUP"})
    added = [await house.admin.post(creatives, json={"name": name, "url": URL}) for name in ("하나", "둘")]
    removed = await house.admin.delete(f"{creatives}/{added[0].json()['id']}")
    again = await house.admin.delete(f"{creatives}/{added[0].json()['id']}")
    chosen = await house.admin.put(inventory, json={"codes": [house.code]})
    unknown = await house.admin.put(inventory, json={"codes": [house.code, "nowhere"]})
    for event in ("COMPLETE_SETUP", "APPROVE"):
        await house.admin.post(f"{path}/events", json={"event": event})
    locked = [
        await house.admin.post(creatives, json={"name": "셋", "url": URL}),
        await house.admin.put(inventory, json={"codes": []}),
    ]

    assert [one["code"] for one in early.json()["report"] if not one["holds"]] == ["has_creatives", "has_inventory"]
    assert [one.status_code for one in (*added, removed, again)] == [201, 201, 204, 404]
    assert [one["code"] for one in chosen.json()["items"]] == [house.code]
    assert (unknown.status_code, unknown.json()["code"]) == (404, "inventory_not_found")
    assert [(one.status_code, one.json()["code"]) for one in locked] == [(409, "setup_locked")] * 2
    assert [one["name"] for one in (await house.admin.get(creatives)).json()["items"]] == ["둘"]
    shown = (await house.admin.get(path)).json()
    assert (shown["status"], shown["creatives"], shown["inventories"]) == ("APPROVED", 1, 1)


async def test_a_campaign_is_changed_in_part_by_whoever_read_it_last(house: House):
    path = f"{V1}/campaigns/{house.campaign}"
    read = await house.admin.get(path)
    tag = {"If-Match": read.headers["ETag"]}

    closed = await house.admin.patch(path, json={"status": "CLOSED"}, headers=tag)
    late = await house.admin.patch(path, json={"name": "늦음"}, headers=tag)
    wrong = await house.admin.patch(path, json={"end_at": (house.now - 9 * DAY).isoformat()})

    changed = {name for name, value in closed.json().items() if value != read.json()[name]}
    assert (changed, closed.json()["status"]) == ({"status", "updated_at"}, "CLOSED")
    assert (late.status_code, wrong.status_code, wrong.json()["code"]) == (412, 422, "bad_campaign")


async def test_lists_hold_what_one_sees_and_a_code_is_used_once(house: House):
    other, hq = await build(house.web, "gangnam", code="seoul-1"), await house.web.as_("hq")

    own = [(await house.admin.get(f"{V1}/{noun}")).json()["items"] for noun in ("campaigns", "inventory")]
    all_ = [(await hq.get(f"{V1}/{noun}")).json()["items"] for noun in ("campaigns", "inventory")]
    below = (await hq.get(f"{V1}/inventory?org={house.web.tree.seoul.id}")).json()["items"]
    taken = await other.admin.post(f"{V1}/inventory", json={"code": house.code, "name": "x"})
    foreign = await other.admin.post(
        f"{V1}/campaigns", json={"name": "x", "start_at": house.now.isoformat(), "unit_id": house.web.tree.haeundae.id}
    )

    assert ([one["id"] for one in own[0]], [one["code"] for one in own[1]]) == ([house.campaign], [house.code])
    assert ([len(items) for items in all_], [one["code"] for one in below]) == ([2, 2], ["seoul-1"])
    assert (taken.status_code, taken.json()["code"]) == (409, "inventory_code_taken")
    assert (foreign.status_code, foreign.json()["code"]) == (404, "unit_not_found")
