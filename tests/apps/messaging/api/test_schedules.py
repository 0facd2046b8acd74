"""Message schedules in our own words: saved, read, replaced, patched, looked at before anything is saved."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from pabal.platform.actor import Role
from tests.apps.messaging.api.house import V1, House, v1_body

PATH = f"{V1}/schedules"


async def test_a_schedule_is_saved_read_and_listed(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    body = await v1_body(house, images_1=[house.file], schedule_type="weekly", schedule_weekdays=["sunday", "monday"])

    made = await operator.post(PATH, json=body)
    shown = await operator.get(made.headers["Location"])
    again = await operator.get(made.headers["Location"], headers={"If-None-Match": shown.headers["ETag"]})
    found = [(await operator.get(f"{PATH}?{query}")).json()["items"] for query in ("type=weekly&q=공지", "type=daily")]
    table = await operator.get(f"{PATH}?state=active&sort=-created_at", headers={"Accept": "text/csv"})

    assert (made.status_code, shown.json(), again.status_code) == (201, made.json(), 304)
    assert made.json()["says"] == "Every Monday and Sunday at 09:00 (Asia/Seoul)"
    assert (made.json()["state"], made.json()["room_type"], made.json()["bot_name"]) == (
        *("active", "production"),
        "busan1",
    )
    assert [one["id"] for one in made.json()["images_1"]] == [house.file]
    assert [[one["id"] for one in items] for items in found] == [[made.json()["id"]], []]
    assert "아침 공지" in table.text.splitlines()[1]
    # what the engine knows of it is at its own address
    assert (await operator.get(f"/api/v1/schedules/{made.json()['timetable']}")).json()["kind"] == "messaging.send"


async def test_several_times_a_day_and_every_second_week_are_saved_said_and_changed(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    body = await v1_body(
        house,
        schedule_type="weekly",
        schedule_weekdays=["monday"],
        schedule_time="18:30",
        more_times=["09:00", "18:30"],
        every_weeks=2,
        # a Monday: the weeks from the 16th on, every second one
        valid_from="2026-11-16 00:00:00",
    )

    made = (await operator.post(PATH, json=body)).json()
    path = f"{PATH}/{made['id']}"
    ahead = (await operator.post(f"{PATH}/preview", json=body)).json()["upcoming"]
    korean = (await operator.get(path, headers={"Accept-Language": "ko"})).json()["says"]
    once_a_week = (await operator.patch(path, json={"every_weeks": 1, "more_times": None})).json()

    assert (made["schedule_time"], made["more_times"], made["every_weeks"]) == ("09:00:00", ["18:30:00"], 2)
    assert made["says"] == "Every 2 weeks on Monday at 09:00 and 18:30, from 2026-11-16 (Asia/Seoul)"
    assert korean == "2026-11-16부터 2주마다 월 09:00, 18:30 (Asia/Seoul)"
    assert made["next_send_at"] == "2026-11-30T00:00:00Z"
    assert [one["at"] for one in ahead if one["excluded"] is None][:3] == [
        "2026-11-30T00:00:00Z",
        "2026-11-30T09:30:00Z",
        "2026-12-14T00:00:00Z",
    ]
    assert once_a_week["says"] == "Every Monday at 09:00 (Asia/Seoul)"
    assert (once_a_week["more_times"], once_a_week["next_send_at"]) == ([], "2026-11-23T00:00:00Z")


@pytest.mark.parametrize(
    ("wrong", "field", "code"),
    [
        ({"every_weeks": 0}, "every_weeks", "weeks_out_of_range"),
        ({"every_weeks": 53}, "every_weeks", "weeks_out_of_range"),
        ({"more_times": [f"{hour:02}:00" for hour in range(10, 22)]}, "more_times", "too_many_times"),
    ],
)
async def test_a_rhythm_that_cannot_be_is_refused_at_its_field(
    house: House, wrong: dict[str, Any], field: str, code: str
):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    body = await v1_body(house, schedule_type="weekly", schedule_weekdays=["monday"], **wrong)

    refused = await operator.post(PATH, json=body)

    assert refused.status_code == 422
    assert [(one["pointer"], one["code"]) for one in refused.json()["errors"]] == [(f"/{field}", code)]


async def test_a_list_is_read_page_by_page(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    made = [(await operator.post(PATH, json=await v1_body(house, title=f"{n}"))).json()["id"] for n in range(3)]

    first = await operator.get(f"{PATH}?limit=2&sort=-created_at&count=true")
    second = await operator.get(first.headers["Link"].partition("<")[2].partition(">")[0])
    elsewhere = await operator.get(f"{V1}/rooms?cursor={first.json()['next_cursor']}")

    assert [one["id"] for page in (first, second) for one in page.json()["items"]] == made[::-1]
    assert (first.json()["total"], second.json()["has_more"]) == (3, False)
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (400, "bad_cursor")


async def test_it_is_replaced_whole_or_changed_in_part_by_whoever_read_it_last(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    made = await operator.post(
        PATH, json=await v1_body(house, description="설명", images_1=[house.file], media_wait_1=9)
    )
    path = made.headers["Location"]
    tag = (await operator.get(path)).headers["ETag"]

    patched = await operator.patch(
        path, json={"title": "새 제목", "images_1": None, "is_active": False}, headers={"If-Match": tag}
    )
    late = await operator.patch(path, json={"title": "늦은 제목"}, headers={"If-Match": tag})
    emptied = await operator.patch(path, json={"title": None})
    refused = await operator.patch(path, json={"text": None, "timezone": "Asia/Tokyo"})
    replaced = await operator.put(path, json=await v1_body(house, title="통째로"))

    changed = {name for name, value in patched.json().items() if value != made.json()[name]}
    assert changed == {"title", "images_1", "is_active", "state", "next_send_at", "version", "updated_at"}
    assert (late.status_code, late.json()["code"]) == (412, "version_mismatch")
    assert (emptied.status_code, emptied.json()["errors"][0]["pointer"]) == (422, "/title")
    assert (refused.status_code, [one["code"] for one in refused.json()["errors"]]) == (422, ["nothing_to_send"])
    assert (replaced.json()["title"], replaced.json()["state"]) == ("통째로", "active")
    assert (replaced.json()["description"], replaced.json()["media_wait_1"]) == ("", 0)


@pytest.mark.req("A-04")
async def test_what_would_come_of_it_is_said_without_saving_anything(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    body = await v1_body(house, images_1=[house.file], send_interval_seconds=3)
    made = (await operator.post(PATH, json=body)).json()

    preview = await operator.post(f"{PATH}/preview", json={**body, "title": "둘째"})
    dry = await operator.post(f"{PATH}?dry_run=true", json={**body, "text": None, "images_1": []})
    dry_edit = await operator.patch(f"{PATH}/{made['id']}?dry_run=true", json={"title": ""})
    dry_put = await operator.put(f"{PATH}/{made['id']}?dry_run=true", json={**body, "title": "셋째"})
    korean = await operator.post(f"{PATH}/preview", json={**body, "title": ""}, headers={"Accept-Language": "ko"})

    seen = preview.json()
    assert (preview.status_code, seen["is_ok"], seen["problems"]) == (200, True, [])
    # the same moment as the first, in the same room: one of them is put off
    assert {"same_text", "bot_offline"} < {one["code"] for one in seen["warnings"]}
    sent = [one["at"] for one in seen["upcoming"] if one["excluded"] is None]
    assert sent[0] == made["next_send_at"]
    assert len(sent) == 5
    assert [(one["component"], one["wait_ms"]) for one in seen["bubbles"]] == [("text", 0), ("images_1", 3000)]
    first, second = (datetime.fromisoformat(one["at"]) for one in seen["bubbles"])
    assert (first, second - first) == (datetime.fromisoformat(sent[0]), timedelta(seconds=3))
    assert [one["id"] for one in seen["bubbles"][1]["images"]] == [house.file]
    assert (seen["budget"]["binds"], seen["budget"]["rows"][0]["used"]) == (None, 0)
    assert (dry.status_code, [one["code"] for one in dry.json()["problems"]]) == (200, ["nothing_to_send"])
    assert (dry_edit.json()["is_ok"], dry_put.json()["is_ok"]) == (False, True)
    assert korean.json()["problems"][0]["detail"].startswith("제목을 적어 주세요")
    assert [one["title"] for one in (await operator.get(PATH)).json()["items"]] == ["아침 공지"]


async def test_a_deleted_schedule_is_gone_and_a_purged_one_for_good(house: House):
    operator, admin = await house.web.as_("haeundae", Role.OPERATOR), await house.web.as_("haeundae")
    path = (await operator.post(PATH, json=await v1_body(house))).headers["Location"]

    deleted = await operator.delete(path)
    may_not = await operator.delete(f"{path}?purge=true")
    purged = await admin.delete(f"{path}?purge=true")
    again = await admin.delete(f"{path}?purge=true")

    assert [one.status_code for one in (deleted, may_not, purged, again)] == [204, 403, 204, 404]


HOSTILE = (
    "'; drop table pabal.message_schedule; --",
    '" or 1=1 --',
    "%",
    "_",
    "\\",
    "$1 :q {0} %s",
    "<script>alert(1)</script>",
)


@pytest.mark.req("A-151")
async def test_words_are_values_whatever_they_spell(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)
    await operator.post(PATH, json=await v1_body(house))

    for words in HOSTILE:
        made = await operator.post(PATH, json=await v1_body(house, title=f"x{words}x", text=words))
        found = [(await operator.get(path, params={"q": words})).json()["items"] for path in (PATH, "/api/schedules")]
        assert (made.json()["title"], made.json()["text"]) == (f"x{words}x", words)
        assert [[one["title"] for one in items] for items in found] == [[f"x{words}x"]] * 2
        others = [f"{V1}/{noun}" for noun in ("deliveries", "rooms", "bots", "templates")]
        assert [(await operator.get(path, params={"q": words})).json()["items"] for path in others] == [[]] * 4
        await operator.delete(made.headers["Location"])

    assert len((await operator.get(PATH)).json()["items"]) == 1
