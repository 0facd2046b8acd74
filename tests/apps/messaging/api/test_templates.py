"""Templates: saved, used by those below, changed only where they belong."""

import re

import pytest

from pabal.apps.messaging.store import sending
from pabal.platform.actor import Role
from tests.apps.messaging.api.house import V1, House, build, v1_body

PATH = f"{V1}/templates"


@pytest.mark.req("A-95")
async def test_a_template_is_saved_loaded_used_and_shared_downwards(house: House):
    above, branch = await house.web.as_("busan", Role.OPERATOR), await house.web.as_("haeundae", Role.OPERATOR)

    made = await above.post(PATH, json={"name": "주말 행사", "text": "이번 주말", "images_1": [house.file]})
    path = made.headers["Location"]
    used = await branch.post(f"{V1}/schedules", json=await v1_body(house, template_id=made.json()["id"]))
    shown = await branch.get(path)
    [listed] = (await branch.get(f"{PATH}?q=주말")).json()["items"]
    foreign = [await branch.put(path, json={"name": "x", "text": "y"}), await branch.delete(path)]
    edited = await above.put(path, json={"name": "새 이름", "text": "글"}, headers={"If-Match": shown.headers["ETag"]})
    late = await above.put(path, json={"name": "늦은 이름", "text": "글"}, headers={"If-Match": shown.headers["ETag"]})
    twice = await above.post(PATH, json={"name": "새 이름", "text": "글"})
    refused = await above.post(PATH, json={"name": "", "text": ""})
    deleted = await above.delete(path)

    assert (made.status_code, made.json()["unit_name"], made.json()["schedules"]) == (201, "부산총판", 0)
    assert (used.status_code, listed["schedules"], listed["text"]) == (201, 1, "이번 주말")
    assert [one.status_code for one in foreign] == [404, 404]
    assert (edited.json()["name"], edited.json()["images_1"]) == ("새 이름", [])
    assert [(one.status_code, one.json()["code"]) for one in (late, twice, refused)] == [
        (412, "version_mismatch"),
        (409, "template_name_taken"),
        (422, "template_refused"),
    ]
    assert [one["pointer"] for one in refused.json()["errors"]] == ["/name", "/text"]
    assert (deleted.status_code, (await branch.get(path)).status_code) == (204, 404)


async def test_a_branch_counts_its_own_uses_of_a_shared_template_and_the_head_office_counts_all(house: House):
    hq = await house.web.as_("hq")
    made = await hq.post(PATH, json={"name": "전사 공지", "text": "공지"})
    template_id, path = made.json()["id"], made.headers["Location"]
    elsewhere = await build(house.web, "gangnam", bot="seoul1", channel=18300001)
    for place, unit, times in ((house, "haeundae", 2), (elsewhere, "gangnam", 1)):
        for number in range(times):
            body = await v1_body(place, title=f"{unit} {number}", template_id=template_id)
            used = await (await house.web.as_(unit)).post(f"{V1}/schedules", json=body)
            assert used.status_code == 201, used.text
            await use_often(house, used.json()["id"], 5)

    shown: dict[str, tuple[int, int, int]] = {}
    for unit in ("hq", "busan", "haeundae", "nampo", "gangnam"):
        client = await house.web.as_(unit)
        [listed] = (await client.get(f"{PATH}?q=전사")).json()["items"]
        one = (await client.get(path)).json()
        shown[unit] = (listed["schedules"], listed["sends"], one["schedules"])
        page = (await (await house.web.as_(unit, by="session")).get("/messages/templates?q=전사")).text
        assert re.findall(r'<td class="num"[^>]*>(\d+)</td>', page) == [str(listed["schedules"]), str(listed["sends"])]

    assert shown == {
        "hq": (3, 15, 3),
        "busan": (2, 10, 2),
        "haeundae": (2, 10, 2),
        "nampo": (0, 0, 0),
        "gangnam": (1, 5, 1),
    }


async def use_often(house: House, schedule_id: int, times: int) -> None:
    async with house.web.db.transaction() as tx:
        await sending.note_ends(tx, {schedule_id: times}, {})
