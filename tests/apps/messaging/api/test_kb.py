"""The eight endpoints of the old system: its paths, its columns, its values."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pabal.platform.actor import Role
from tests.apps.messaging.api.house import KB, House, kb_body, v1_body
from tests.apps.messaging.history import add_deliveries, add_parts, ended

COLUMNS = [
    *("id", "title", "description", "created_by_type", "created_by_id", "created_by_mb_id"),
    *("target_bot_name", "target_room_id", "message_text", "message_images_1", "message_images_2"),
    *("send_interval_seconds", "media_wait_time_1", "media_wait_time_2", "schedule_type", "schedule_date"),
    *("schedule_time", "schedule_weekdays", "valid_from", "valid_until", "status", "last_sent_at", "next_send_at"),
    *("send_count", "created_at", "updated_at", "send_order", "room_type", "late_policy", "timezone"),
]
LOG_COLUMNS = [
    *("id", "schedule_id", "target_room_id", "sent_message_text", "sent_images_1", "sent_images_2"),
    *("send_components", "status", "error_message", "api_response", "scheduled_at", "started_at", "completed_at"),
    *("duration_ms", "created_at", "is_catch_up", "outcome", "lock"),
]


@pytest.mark.req("A-142", "A-143", "A-144", "A-45", "A-46")
async def test_what_is_registered_is_shown_and_listed_in_the_columns_of_kb_schedule(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    body = await kb_body(house, message_images_1=[house.file], message_images_2=[{"id": house.file, "name": "x"}])

    made = await operator.post(KB, json=body)
    shown = await operator.get(made.headers["Location"])
    listed = await operator.get(KB)

    assert (made.status_code, made.headers["Location"]) == (201, f"{KB}/{made.json()['id']}")
    assert list(made.json()) == COLUMNS
    assert shown.json() == made.json()
    assert listed.json() == {"items": [made.json()], "next_cursor": None, "has_more": False}
    image = {"id": house.file, "name": "봄.png", "media_type": "image/png", "width": 8, "height": 6, "frames": 1}
    assert [{**image, "size": house.picture.size}] == made.json()["message_images_1"] == made.json()["message_images_2"]


@pytest.mark.req("A-37", "A-40", "A-41", "A-64")
async def test_a_branch_registers_for_itself(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)

    made = (await operator.post(KB, json=await kb_body(house))).json()

    assert isinstance(made["id"], int)
    assert (made["title"], made["message_text"]) == ("아침 공지 📣", "오늘도 좋은 하루 되세요 😊")
    assert (made["created_by_type"], made["created_by_id"]) == ("branch", str(house.web.tree.haeundae.id))
    assert made["created_by_mb_id"].startswith("token:")
    assert made["status"] == "active"


@pytest.mark.req("A-47", "A-48", "A-49", "A-52", "A-54")
async def test_waits_times_and_counts_are_as_the_table_had_them(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    body = await kb_body(house)
    for name in ("send_interval_seconds", "media_wait_time_1", "media_wait_time_2"):
        del body[name]

    made = (await operator.post(KB, json=body)).json()

    waits = [made[name] for name in ("send_interval_seconds", "media_wait_time_1", "media_wait_time_2")]
    assert waits == [1, 0, 0]
    assert (made["schedule_time"], made["timezone"]) == ("09:00:00", "Asia/Seoul")
    # the wall clock of Seoul is nine hours ahead
    local = datetime.fromisoformat(body["valid_from"]) - timedelta(hours=9)
    assert datetime.fromisoformat(made["valid_from"]) == local.replace(tzinfo=UTC)
    assert (made["last_sent_at"], made["send_count"]) == (None, 0)
    following = datetime.fromisoformat(made["next_send_at"])
    assert (following.hour, following.minute) == (0, 0)


@pytest.mark.req("A-50", "A-51", "A-53")
async def test_once_has_a_date_and_weekly_has_days(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    day = (datetime.fromisoformat((await kb_body(house))["valid_from"]) + timedelta(days=3)).date().isoformat()

    # as MySQL writes a SET, and as an array
    weekly = [
        await operator.post(KB, json=await kb_body(house, schedule_type="weekly", schedule_weekdays=days))
        for days in ("monday,friday", ["friday", "monday"])
    ]
    once = await operator.post(KB, json=await kb_body(house, schedule_type="once", schedule_date=day))
    daily = await operator.post(KB, json=await kb_body(house, schedule_date=None, schedule_weekdays=None))

    assert [one.json()["schedule_weekdays"] for one in weekly] == [["monday", "friday"]] * 2
    assert (weekly[0].json()["schedule_date"], once.json()["schedule_date"]) == (None, day)
    assert once.json()["schedule_weekdays"] is daily.json()["schedule_weekdays"] is None


@pytest.mark.req("A-39", "A-41")
async def test_a_superior_registers_on_behalf_of_a_unit_below(house: House):
    tree = house.web.tree
    distributor = await house.web.as_("busan", Role.OPERATOR)
    branch = await house.web.as_("haeundae", Role.OPERATOR)

    own = await distributor.post(
        KB, json=await kb_body(house, created_by_type="distributor", created_by_id=tree.busan.id)
    )
    behalf = await distributor.post(
        KB, json=await kb_body(house, created_by_type="branch", created_by_id=str(tree.haeundae.id))
    )
    wrong = await distributor.post(
        KB, json=await kb_body(house, created_by_type="agency", created_by_id=tree.haeundae.id)
    )
    above = await branch.post(KB, json=await kb_body(house, created_by_type="distributor", created_by_id=tree.busan.id))

    assert (own.json()["created_by_type"], own.json()["created_by_id"]) == ("distributor", str(tree.busan.id))
    assert (behalf.json()["created_by_type"], behalf.json()["created_by_id"]) == ("branch", str(tree.haeundae.id))
    assert own.json()["created_by_mb_id"] == behalf.json()["created_by_mb_id"]
    for refused in (wrong, above):
        assert (refused.status_code, refused.json()["code"]) == (422, "schedule_refused")
        assert [(one["pointer"], one["code"]) for one in refused.json()["errors"]] == [
            ("/created_by_id", "unit_not_found")
        ]
    seen = [one["id"] for one in (await branch.get(KB)).json()["items"]]
    assert seen == [behalf.json()["id"]]


@pytest.mark.req("A-145", "A-146", "A-147", "A-55", "A-59")
async def test_it_is_updated_toggled_and_deleted(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    made = (await operator.post(KB, json=await kb_body(house))).json()
    path = f"{KB}/{made['id']}"

    updated = await operator.put(path, json={**made, "title": "저녁 공지", "schedule_time": "19:30:00"})
    off = await operator.post(f"{path}/toggle")
    on = await operator.post(f"{path}/toggle")
    stopped = await operator.put(path, json={**on.json(), "status": "inactive"})
    listed = (await operator.get(f"{KB}?status=inactive,error&target_bot_name=busan1")).json()["items"]
    deleted = await operator.delete(path)
    gone = await operator.get(path)

    changed = {name for name in COLUMNS if updated.json()[name] != made[name]}
    assert changed == {"title", "schedule_time", "next_send_at", "updated_at"}
    assert [one.json()["status"] for one in (off, on, stopped)] == ["inactive", "active", "inactive"]
    assert (off.json()["next_send_at"], on.json()["next_send_at"]) == (None, updated.json()["next_send_at"])
    assert [one["id"] for one in listed] == [made["id"]]
    assert (deleted.status_code, gone.status_code, gone.json()["code"]) == (204, 404, "schedule_not_found")


@pytest.mark.req("A-172")
async def test_the_table_the_console_and_the_rights_are_one(house: House):
    operator, viewer = await house.web.as_("haeundae", Role.OPERATOR), await house.web.as_("haeundae", Role.VIEWER)
    console = await house.web.as_("haeundae", Role.OPERATOR, by="session")
    stranger = await house.web.as_("gangnam", Role.OPERATOR, by="session")
    made = (await operator.post(KB, json=await kb_body(house))).json()

    pages = [await one.get("/messages/schedules") for one in (console, stranger)]
    form = await console.get(f"/messages/schedules/{made['id']}/edit")
    refused = await viewer.delete(f"{KB}/{made['id']}")

    assert ["아침 공지 📣" in page.text for page in pages] == [True, False]
    assert (form.status_code, "아침 공지 📣" in form.text) == (200, True)
    assert (refused.status_code, (await console.get(f"{KB}/{made['id']}")).json()) == (403, made)


async def test_an_update_that_does_not_know_the_new_columns_leaves_them(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    own = {"send_order": "images_first", "late_policy": "ask", "timezone": "Asia/Tokyo", "status": "inactive"}
    made = (await operator.post(KB, json=await kb_body(house, **own))).json()

    updated = await operator.put(f"{KB}/{made['id']}", json=await kb_body(house, title="새 제목"))

    assert {name: updated.json()[name] for name in own} == own
    assert updated.json()["title"] == "새 제목"


@pytest.mark.req("A-148", "A-149", "A-69", "A-70")
async def test_logs_are_shown_in_the_columns_of_kb_schedule_logs(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    first = (await operator.post(KB, json=await kb_body(house, message_images_1=[house.file] * 2))).json()
    second = (await operator.post(KB, json=await kb_body(house, title="둘째"))).json()
    at = datetime.fromisoformat(first["created_at"]) - timedelta(hours=1)
    minutes = [at + timedelta(minutes=n) for n in range(4)]
    rows = [
        ended("sent", minutes[0]),
        ended("partial", minutes[1], reason="deadline"),
        ended("missed", minutes[2], reason="bot_offline"),
        ended("open", minutes[3]),
    ]
    sent, partial, missed, _ = await add_deliveries(house.web.db, first["id"], rows)
    [other] = await add_deliveries(house.web.db, second["id"], [ended("sent", at)])
    await add_parts(house.web.db, sent, "written", "written", "written")
    await add_parts(house.web.db, partial, "written", "written", "planned")

    of_first = (await operator.get(f"{KB}/{first['id']}/logs")).json()["items"]
    every = (await operator.get("/api/logs/send?limit=2&count=true")).json()
    rest = (await operator.get(f"/api/logs/send?limit=2&cursor={every['next_cursor']}")).json()
    failed = (await operator.get("/api/logs/send?status=failed,partial&target_room_id=18200001")).json()["items"]
    table = await operator.get("/api/logs/send", headers={"Accept": "text/csv"})

    assert [one["id"] for one in of_first] == [missed, partial, sent]
    assert {tuple(one) for one in of_first} == {tuple(LOG_COLUMNS)}
    assert [one["status"] for one in of_first] == ["failed", "partial", "success"]
    assert [one["send_components"] for one in of_first] == ["", "text,images_1", "text,images_1"]
    assert [len(one["sent_images_1"]) for one in of_first] == [0, 1, 2]
    assert [one["error_message"] is None for one in of_first] == [False, False, True]
    assert {one["lock"] for one in of_first} == {f"schedule_lock_{first['id']}"}
    assert [one["id"] for one in (*every["items"], *rest["items"])] == [other, missed, partial, sent]
    assert (every["total"], rest["has_more"]) == (4, False)
    assert [one["id"] for one in failed] == [missed, partial]
    assert table.text.splitlines()[0].lstrip("\ufeff") == ",".join(LOG_COLUMNS)


FAULTS: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "no such room": ({"target_room_id": "1"}, [("/target_room_id", "room_not_found")]),
    "no such bot": ({"target_bot_name": "nobody"}, [("/target_bot_name", "bot_not_found")]),
    "nothing to send": ({"message_text": "  "}, [("/message_text", "nothing_to_send")]),
    "too long": ({"message_text": "가" * 1001}, [("/message_text", "text_too_long")]),
    "a wait": ({"media_wait_time_1": 700_000}, [("/media_wait_time_1", "media_wait_out_of_range")]),
    "no image": ({"message_images_2": ["file_0000000000001"]}, [("/message_images_2", "image_not_found")]),
    "no date": ({"schedule_type": "once"}, [("/schedule_date", "once_without_date")]),
    "past": ({"schedule_type": "once", "schedule_date": "2020-01-01"}, [("/schedule_date", "once_in_past")]),
    "no days": ({"schedule_type": "weekly"}, [("/schedule_weekdays", "weekly_without_days")]),
    "validity": ({"valid_until": "2001-01-01"}, [("/valid_until", "validity_ends_early")]),
    "owner": ({"created_by_id": "x"}, [("/created_by_id", "unit_not_found")]),
    "title": ({"title": " "}, [("/title", "title_missing")]),
    "two": ({"title": "", "message_text": None}, [("/title", "title_missing"), ("/message_text", "nothing_to_send")]),
}


@pytest.mark.req("A-04")
async def test_what_is_wrong_is_said_beside_each_field_in_the_callers_language(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)

    found = {}
    for name, (changed, _) in FAULTS.items():
        answer = await operator.post(KB, json=await kb_body(house, **changed))
        found[name] = [(one["pointer"], one["code"]) for one in answer.json().get("errors", [])]
        assert (answer.status_code, answer.json()["code"]) == (422, "schedule_refused"), name
    said = [
        (await operator.post(KB, json=await kb_body(house, title=""), headers={"Accept-Language": lang})).json()
        for lang in ("en", "ko")
    ]

    assert found == {name: faults for name, (_, faults) in FAULTS.items()}
    assert [one["errors"][0]["detail"][:5] for one in said] == ["Give ", "제목을 적"]
    assert (await operator.get(KB)).json()["items"] == []


UNREADABLE: dict[str, dict[str, Any]] = {
    "/title": {"title": None},
    "/schedule_time": {"schedule_time": 540},
    "/schedule_time ": {"schedule_time": "25:00"},
    "/schedule_time  ": {"schedule_time": "09:00:00+09:00"},
    "/valid_from": {"valid_from": 7},
    "/valid_from ": {"valid_from": "day"},
    "/schedule_date": {"schedule_date": "0001-01-01"},
    "/schedule_type": {"schedule_type": "monthly"},
    "/schedule_weekdays/1": {"schedule_weekdays": "monday,someday"},
    "/timezone": {"timezone": "../../etc/passwd"},
    "/status": {"status": "deleted"},
    "/message_images_1/0": {"message_images_1": ["../secret.png"]},
    "/send_interval_seconds": {"send_interval_seconds": -1},
    "/target_room": {"target_room": "18200001"},
    "/": {"created_by_type": "branch"},
}


async def test_a_body_that_cannot_be_read_names_its_field(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)

    found = {}
    for pointer, changed in UNREADABLE.items():
        answer = await operator.post(KB, json=await kb_body(house, **changed))
        found[pointer] = (answer.status_code, [one["pointer"] for one in answer.json().get("errors", [])])

    assert found == {pointer: (422, [pointer.strip()]) for pointer in UNREADABLE}


async def test_a_question_that_makes_no_sense_is_refused(house: House):
    viewer = await house.web.as_("haeundae", Role.VIEWER)

    codes = {
        path: (await viewer.get(path)).json()["code"]
        for path in (
            f"{KB}?state=active",
            f"{KB}?status=deleted",
            f"{KB}?limit=0",
            f"{KB}?cursor=x",
            f"{KB}/0",
            f"{KB}/99999999999999999999",
            f"{KB}/sch_1",
            "/api/logs/send?from=yesterday",
            "/api/logs/send?schedule=1",
        )
    }

    assert list(codes.values()) == [
        *("unknown_parameter", "bad_parameter", "bad_parameter", "bad_cursor"),
        *("not_found", "not_found", "not_found", "bad_parameter", "unknown_parameter"),
    ]


async def test_the_same_key_registers_it_once(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    body, key = await kb_body(house), {"Idempotency-Key": "morning"}

    first = await operator.post(KB, json=body, headers=key)
    again = await operator.post(KB, json=body, headers=key)
    other = await operator.post(KB, json={**body, "title": "another"}, headers=key)

    assert (again.json(), again.headers["Idempotent-Replayed"]) == (first.json(), "true")
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    assert len((await operator.get(KB)).json()["items"]) == 1


async def test_an_edit_by_the_old_system_keeps_the_rhythm_it_knows_nothing_of(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    made = (await operator.post("/api/v1/messages/schedules", json=await v1_body(house, more_times=["18:00"]))).json()

    changed = await operator.put(f"{KB}/{made['id']}", json=await kb_body(house, title="새 제목"))

    kept = (await operator.get(f"/api/v1/messages/schedules/{made['id']}")).json()
    assert (changed.status_code, kept["title"], kept["more_times"]) == (200, "새 제목", ["18:00:00"])
