"""Deliveries: listed, exported, looked at part by part, resumed and dismissed."""

from datetime import datetime, timedelta

import pytest

from pabal.engine import ids
from pabal.platform.actor import Role
from tests.apps.messaging.api.house import V1, House, v1_body
from tests.apps.messaging.history import add_deliveries, add_parts, ended

PATH = f"{V1}/deliveries"


async def test_deliveries_are_listed_exported_and_shown_with_their_parts(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    made = (await operator.post(f"{V1}/schedules", json=await v1_body(house, images_1=[house.file]))).json()
    at = datetime.fromisoformat(made["created_at"]) - timedelta(hours=2)
    rows = [
        ended("sent", at),
        ended("unknown", at + timedelta(hours=1), reason="cut", cause="now"),
    ]
    sent, unknown = await add_deliveries(house.web.db, made["id"], rows)
    await add_parts(house.web.db, unknown, "written", "unknown")

    listed = (await operator.get(PATH)).json()["items"]
    filtered = [
        [one["id"] for one in (await operator.get(PATH, params=query)).json()["items"]]
        for query in (
            {"state": "sent,missed"},
            {"cause": "now"},
            {"to": (at + timedelta(minutes=1)).isoformat()},
            {"schedule": made["id"], "room": house.room_id, "bot": house.bot_id, "q": "좋은"},
            {"room": house.test_room_id},
        )
    ]
    shown = (await operator.get(f"{PATH}/{_id(unknown)}")).json()
    table = await operator.get(PATH, headers={"Accept": "text/csv"})

    assert [one["id"] for one in listed] == [_id(unknown), _id(sent)]
    assert filtered == [[_id(sent)], [_id(unknown)], [_id(sent)], [_id(unknown), _id(sent)], []]
    assert [(one["component"], one["state"]) for one in shown["parts"]] == [
        ("text", "written"),
        ("images_1", "unknown"),
    ]
    assert [(one["component"], one["written"], one["unknown"]) for one in shown["components"]] == [
        ("text", 1, 0),
        ("images_1", 0, 1),
    ]
    assert "Nobody knows whether picture 1" in shown["why"]
    assert (shown["text"], [one["id"] for one in shown["images_1"]]) == ("오늘도 좋은 하루 되세요", [house.file])
    assert len(table.text.splitlines()) == 3


async def test_the_rest_is_sent_a_missed_one_is_sent_now_or_dismissed(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    made = (await operator.post(f"{V1}/schedules", json=await v1_body(house))).json()
    at = datetime.fromisoformat(made["created_at"])
    states = ("partial", "unknown", "missed", "missed", "sent")
    rows = [ended(state, at - timedelta(minutes=n + 1), reason="x") for n, state in enumerate(states)]
    partial, unknown, missed, passed, sent = await add_deliveries(house.web.db, made["id"], rows)
    for one, parts in ((partial, "written planned"), (unknown, "unknown"), (missed, "planned"), (passed, "planned")):
        await add_parts(house.web.db, one, *parts.split())

    async def resume(delivery_id: int, **body: bool) -> tuple[int, str]:
        answer = await operator.post(f"{PATH}/{_id(delivery_id)}/resume", json=body)
        shown = answer.json()
        return answer.status_code, shown["code"] if "code" in shown else shown["state"]

    nobody_knows = await resume(unknown)
    said = await resume(unknown, resend_unknown=True)
    rest, late, over = await resume(partial), await resume(missed), await resume(sent)
    dismissed = await operator.post(f"{PATH}/{_id(passed)}/dismiss")
    not_over = await operator.post(f"{PATH}/{_id(missed)}/dismiss")

    assert (nobody_knows, said, rest, late) == (
        *((409, "nothing_to_resume"), (202, "open")),
        *((202, "open"), (202, "open")),
    )
    assert over == (409, "move_not_allowed")
    assert (dismissed.status_code, not_over.status_code, not_over.json()["code"]) == (204, 409, "not_over")
    assert (await operator.get(f"{PATH}/{_id(passed)}")).json()["detail"]["dismissed_by"][:6] == "token:"


@pytest.mark.req("A-134")
async def test_what_was_due_in_the_last_minutes_is_told_apart(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    path = (await operator.post(f"{V1}/schedules", json=await v1_body(house))).headers["Location"]
    await operator.post(f"{path}/send-now", headers={"Idempotency-Key": "1"})

    recent = (await operator.get(f"{PATH}/recent")).json()["items"]
    long_ago = await operator.get(f"{PATH}/recent", params={"from": "2026-01-01T00:00:00Z"})

    assert [(one["verdict"], one["delivery"], one["schedule_title"]) for one in recent] == [
        ("not_sent", None, "아침 공지")
    ]
    assert (long_ago.status_code, long_ago.json()["code"]) == (400, "bad_parameter")


def _id(number: int) -> str:
    return ids.show("dlv", number)
