"""What one does with a schedule: pause, resume, skip and keep a moment, send now, try it in a test room."""

import pytest

from pabal.platform.actor import Role
from tests.apps.messaging.api.house import V1, House, v1_body

PATH = f"{V1}/schedules"


@pytest.mark.req("A-10")
async def test_it_is_paused_resumed_and_toggled(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    path = (await operator.post(PATH, json=await v1_body(house))).headers["Location"]

    states = [
        (await operator.post(f"{path}/{verb}")).json()["state"] for verb in ("pause", "pause", "resume", "toggle")
    ]
    listed = (await operator.get(f"{PATH}?state=inactive")).json()["items"]

    assert states == ["inactive", "inactive", "active", "inactive"]
    assert len(listed) == 1


async def test_one_moment_is_skipped_and_kept(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    made = (await operator.post(PATH, json=await v1_body(house))).json()
    path = f"{PATH}/{made['id']}"

    skipped = await operator.post(f"{path}/skip", json={})
    ahead = (await operator.get(f"{path}/next?limit=2")).json()["items"]
    after = (await operator.get(path)).json()["next_send_at"]
    kept = await operator.post(f"{path}/keep", json=skipped.json())
    back = (await operator.get(path)).json()["next_send_at"]

    assert skipped.json() == {"at": made["next_send_at"]}
    assert [one["excluded"] for one in ahead] == ["skipped", None, None]
    assert (ahead[0]["wall"][11:], after) == ("09:00:00", ahead[1]["at"])
    assert (kept.status_code, back) == (204, made["next_send_at"])


async def test_it_is_sent_now_once_whoever_asks_twice(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    path = (await operator.post(PATH, json=await v1_body(house))).headers["Location"]

    without = await operator.post(f"{path}/send-now")
    sent = await operator.post(f"{path}/send-now", headers={"Idempotency-Key": "now"})
    again = await operator.post(f"{path}/send-now", headers={"Idempotency-Key": "now"})
    job = (await operator.get(sent.headers["Location"])).json()
    [open_] = (await operator.get(f"{V1}/deliveries/open")).json()["items"]

    assert (without.status_code, without.json()["code"]) == (400, "key_needed")
    assert (sent.status_code, sent.json()) == (202, again.json())
    assert (job["kind"], job["about"]) == ("messaging.send", f"message_schedule:{path.rpartition('/')[2]}")
    assert (open_["job"], open_["place"], open_["cause"]) == (sent.json()["job"], "waiting_for_bot", "now")


async def test_it_is_tried_in_a_test_room_only(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    path = (await operator.post(PATH, json=await v1_body(house))).headers["Location"]

    tried = await operator.post(f"{path}/test", json={"room_id": house.test_room_id})
    refused = await operator.post(f"{path}/test", json={"room_id": house.room_id})
    nowhere = await operator.post(f"{path}/test", json={"room_id": 999})

    assert (tried.status_code, tried.json()["cause"], tried.json()["room_id"]) == (202, "test", house.test_room_id)
    assert [(one["component"], one["state"]) for one in tried.json()["parts"]] == [("text", "planned")]
    assert (await operator.get(tried.headers["Location"])).json()["id"] == tried.json()["id"]
    assert [(one.status_code, one.json()["code"]) for one in (refused, nowhere)] == [
        (422, "not_a_test_room"),
        (404, "room_not_found"),
    ]
