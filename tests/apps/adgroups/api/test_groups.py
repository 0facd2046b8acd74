"""Ad groups over REST: made, listed, changed by whoever read them last, deleted; in the seed's words."""

from typing import get_args

import pytest

from pabal.apps.adgroups.api.names import EventName, Status, TimedName
from pabal.apps.adgroups.model.adgroups import TIMED, Event, State
from pabal.platform.actor import Role
from tests.apps.adgroups.api.house import DAY, V1, House, build

HOURS = {"mon": [["09:00", "18:00"], ["22:00", "02:00"]], "off": ["2035-12-25"]}


def test_the_seeds_names_are_ours_in_capitals():
    assert get_args(Status) == tuple(state.upper() for state in State)
    assert get_args(EventName) == tuple(event.upper() for event in Event)
    assert get_args(TimedName) == tuple(event.upper() for event in TIMED)


@pytest.mark.req("E-17")
async def test_one_is_made_read_and_listed(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR)

    made = await operator.post(V1, json=house.body(dayparts=HOURS))
    path = made.headers["Location"]
    shown = await operator.get(path)
    korean = await operator.get(path, headers={"Accept-Language": "ko"})
    again = await operator.get(path, headers={"If-None-Match": shown.headers["ETag"]})
    queries = ("status=DRAFT,READY&q=행사", f"campaign={house.campaign}&source=machine", "status=RUNNING", "q=%25")
    found = [[one["id"] for one in (await operator.get(f"{V1}?{query}")).json()["items"]] for query in queries]
    table = await operator.get(V1, headers={"Accept": "text/csv"})

    body = made.json()
    assert (made.status_code, again.status_code, shown.headers["ETag"]) == (201, 304, korean.headers["ETag"])
    assert (body["status"], body["stored_status"], body["source"]) == ("DRAFT", "DRAFT", "machine")
    assert (body["dayparts"], body["unit_id"]) == (HOURS, house.web.tree.haeundae.id)
    assert (body["reason"], korean.json()["reason"]) == (
        "no creative and no inventory yet",
        "소재와 인벤토리가 아직 없음",
    )
    assert found == [[body["id"]], [body["id"]], [], []]
    assert ("여름 행사" in table.text, body["id"] in table.text) == (True, True)


async def test_dates_may_be_said_on_the_wall_clock_and_hours_as_the_seed_says_them(house: House):
    given = {"start_at": "2035-07-01T00:00:00", "end_at": "2035-07-02T00:00:00Z", "zone": "Asia/Seoul"}

    made = await house.admin.post(V1, json=house.body(**given, daily_start_time="22:00", daily_end_time="02:00"))
    path = made.headers["Location"]
    always = await house.admin.patch(path, json={"dayparts": None})
    daily = await house.admin.patch(path, json={"daily_start_time": "09:00", "daily_end_time": "18:00"})

    body = made.json()
    assert (body["start_at"], body["end_at"]) == ("2035-06-30T15:00:00Z", "2035-07-02T00:00:00Z")
    assert (body["daily_start_time"], body["daily_end_time"]) == ("22:00", "02:00")
    assert body["dayparts"] == {day: [["22:00", "02:00"]] for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")}
    assert (always.json()["dayparts"], always.json()["daily_start_time"]) == (None, None)
    assert daily.json()["dayparts"]["sun"] == [["09:00", "18:00"]]


async def test_a_list_is_read_page_by_page(house: House):
    made = [(await house.admin.post(V1, json=house.body(name=f"{n}"))).json()["id"] for n in range(3)]

    first = await house.admin.get(f"{V1}?limit=2&count=true")
    second = await house.admin.get(first.headers["Link"].partition("<")[2].partition(">")[0])
    elsewhere = await house.admin.get(f"{V1}/campaigns?cursor={first.json()['next_cursor']}")

    assert [one["id"] for page in (first, second) for one in page.json()["items"]] == made[::-1]
    assert (first.json()["total"], second.json()["has_more"], elsewhere.json()["code"]) == (3, False, "bad_cursor")


@pytest.mark.req("E-50", "E-57")
async def test_it_is_changed_by_whoever_read_it_last_and_its_delayed_events_follow(house: House):
    path = await house.make("COMPLETE_SETUP", "APPROVE")
    tag = (await house.admin.get(path)).headers["ETag"]
    end = (house.now + 3 * DAY).isoformat()

    patched = await house.admin.patch(path, json={"end_at": end, "name": "가을"}, headers={"If-Match": tag})
    late = await house.admin.patch(path, json={"name": "늦음"}, headers={"If-Match": tag})
    waits = (await house.admin.get(f"{path}/timers")).json()["items"]

    assert (patched.json()["name"], patched.json()["schedule_version"]) == ("가을", 2)
    assert (late.status_code, late.json()["code"]) == (412, "version_mismatch")
    assert [(one["member"]["event"], one["due_at"]) for one in waits] == [
        ("START", patched.json()["start_at"]),
        ("EXPIRE", patched.json()["end_at"]),
    ]


async def test_what_does_not_fit_is_named(house: House):
    path = await house.make("COMPLETE_SETUP", "APPROVE")
    other = await build(house.web, "gangnam", code="seoul-1")

    answers = [
        await house.admin.post(V1, json=house.body(dayparts={"mon": [["9", "18:00"]]})),
        await house.admin.post(V1, json=house.body(daily_start_time="09:00")),
        await house.admin.post(V1, json=house.body(zone="Asia/Atlantis")),
        await house.admin.post(V1, json=house.body(end_at=house.now.isoformat())),
        await house.admin.post(V1, json=house.body(campaign=other.campaign)),
        await house.admin.patch(path, json={"name": None}),
        await house.admin.get(f"{V1}?status=running"),
        await house.admin.get(f"{V1}?state=RUNNING"),
    ]

    assert [(one.status_code, one.json()["code"]) for one in answers] == [
        (422, "body_invalid"),
        (422, "body_invalid"),
        (422, "body_invalid"),
        (422, "bad_ad_group"),
        (404, "campaign_not_found"),
        (422, "body_invalid"),
        (400, "bad_parameter"),
        (400, "unknown_parameter"),
    ]
    [fault] = answers[0].json()["errors"]
    assert (fault["pointer"], fault["code"]) == ("/dayparts", "bad_day_parts")


async def test_a_deleted_one_is_listed_only_when_asked_for_and_keeps_its_history(house: House):
    path = await house.make()

    deleted = await house.admin.delete(f"{path}?reason=끝")
    again = await house.admin.delete(path)
    lists = [(await house.admin.get(f"{V1}?{query}")).json()["items"] for query in ("", "status=DELETED")]
    history = (await house.admin.get(f"{path}/history")).json()["items"]

    assert (deleted.status_code, again.status_code, again.json()["code"]) == (204, 409, "move_not_allowed")
    assert [len(items) for items in lists] == [0, 1]
    assert (history[0]["event"], history[0]["reason"], history[0]["target"]) == ("DELETE", "끝", "DELETED")


async def test_the_same_request_sent_twice_makes_one(house: House):
    key = {"Idempotency-Key": "one"}

    first = await house.admin.post(V1, json=house.body(), headers=key)
    second = await house.admin.post(V1, json=house.body(), headers=key)

    assert (second.json()["id"], second.headers["Idempotent-Replayed"]) == (first.json()["id"], "true")
    assert len((await house.admin.get(V1)).json()["items"]) == 1
