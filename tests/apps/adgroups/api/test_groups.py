"""Ad groups over REST, in the seed's words: made, listed, changed, set up, moved by events and explained."""

import pytest

from pabal.apps.adgroups.model.adgroups import TIMED, Event, State
from pabal.apps.adgroups.resources.names import AdGroupEvent, AdGroupStatus, TimedEvent
from pabal.base import clock
from pabal.platform.actor import Role
from tests.apps.adgroups.api.house import DAY, V1, House, build

HOURS = {"mon": [["09:00", "18:00"], ["22:00", "02:00"]], "off": ["2035-12-25"]}
URL = "https://cdn.example.com/b.png"
HOUR = DAY / 24


def test_the_seeds_names_are_ours_in_capitals():
    assert [*AdGroupStatus] == [state.upper() for state in State]
    assert [*AdGroupEvent] == [event.upper() for event in Event]
    assert [*TimedEvent] == [event.upper() for event in TIMED]


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


@pytest.mark.req("E-09", "E-14")
async def test_people_move_it_by_events_and_a_repeated_request_moves_it_once(house: House):
    path = await house.make("COMPLETE_SETUP", start_at=house.now.isoformat())
    key = {"Idempotency-Key": "approve"}

    approved = await house.admin.post(f"{path}/events", json={"event": "APPROVE", "reason": "좋음"}, headers=key)
    again = await house.admin.post(f"{path}/events", json={"event": "APPROVE", "reason": "좋음"}, headers=key)
    await house.fire()
    moved = [
        (await house.admin.post(f"{path}/events", json={"event": event})).json()["ad_group"]["status"]
        for event in ("PAUSE", "RESUME", "DELETE")
    ]

    assert approved.json()["ad_group"]["status"] == "APPROVED"
    assert (again.json(), again.headers["Idempotent-Replayed"]) == (approved.json(), "true")
    assert moved == ["PAUSED", "RUNNING", "DELETED"]
    history = (await house.admin.get(f"{path}/history")).json()["items"]
    assert [one["event"] for one in history][::-1] == [
        *("BEGIN", "COMPLETE_SETUP", "APPROVE", "START", "PAUSE", "RESUME", "DELETE")
    ]


@pytest.mark.req("E-15", "E-48")
async def test_a_refused_event_answers_with_every_condition_and_the_values_compared(house: House):
    path = await house.make("COMPLETE_SETUP", "APPROVE")
    before = (await house.admin.get(path)).json()

    refused = await house.admin.post(f"{path}/events", json={"event": "START"})
    korean = await house.admin.post(f"{path}/events", json={"event": "START"}, headers={"Accept-Language": "ko"})
    nowhere = await house.admin.post(f"{path}/events", json={"event": "RESUME"})

    problem = refused.json()
    assert (refused.status_code, problem["code"]) == (409, "guard_refused")
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert (problem["event"], problem["guard"]) == ("START", "startable")
    assert [(one["code"], one["holds"]) for one in problem["report"]] == [("has_begun", False), ("has_not_ended", True)]
    values = problem["report"][0]["values"]
    assert values["start_at"] == before["start_at"] > values["now"]
    assert [one["report"][0]["detail"].split()[0] for one in (problem, korean.json())] == ["now", "지금"]
    assert (nowhere.status_code, nowhere.json()["code"], nowhere.json()["report"]) == (409, "move_not_allowed", [])
    assert (await house.admin.get(path)).json() == before


async def test_a_dry_run_says_what_would_come_of_it_and_changes_nothing(house: House):
    path = await house.make("COMPLETE_SETUP")
    operator = await house.web.as_("haeundae", Role.OPERATOR)

    dry = [
        (await house.admin.post(f"{path}/events?dry_run=true", json={"event": event})).json()["effect"]
        for event in ("APPROVE", "PAUSE")
    ]
    may_not = (await operator.post(f"{path}/events?dry_run=true", json={"event": "APPROVE"})).json()["effect"]
    really_not = await operator.post(f"{path}/events", json={"event": "APPROVE"})

    assert [(one["allowed"], one["target"], one["code"]) for one in dry] == [
        (True, "APPROVED", None),
        (False, None, "move_not_allowed"),
    ]
    assert (may_not["allowed"], may_not["code"], may_not["report"][0]["holds"]) == (False, "may_do_it", False)
    assert (really_not.status_code, (await operator.get(path)).json()["status"]) == (403, "READY")


async def test_what_is_allowed_and_why_not_is_asked_for_now_or_another_moment(house: House):
    path = await house.make("COMPLETE_SETUP", "APPROVE")
    later = (house.now + DAY + HOUR).isoformat().replace("+00:00", "Z")

    allowed = (await house.admin.get(f"{path}/allowed-events")).json()["items"]
    now = (await house.admin.get(f"{path}/explain")).json()
    then = (await house.admin.get(f"{path}/explain", params={"at": later})).json()

    assert [(one["event"], one["target"], one["is_extension"]) for one in allowed] == [
        ("PAUSE", "PAUSED", True),
        ("DELETE", "DELETED", False),
    ]
    assert [len(one["events"]) for one in (now, then)] == [10, 10]
    starts = [next(one for one in each["events"] if one["event"] == "START") for each in (now, then)]
    assert [(one["allowed"], one["target"], one["code"]) for one in starts] == [
        (False, None, "has_begun"),
        (True, "RUNNING", None),
    ]
    assert (then["at"], then["status"]) == (later, "APPROVED")


async def test_an_event_for_many_is_previewed_then_done_and_each_has_its_result(house: House):
    running = await house.make("COMPLETE_SETUP", "APPROVE", start_at=house.now.isoformat())
    draft = await house.make()
    await house.fire()
    ids = [one.rpartition("/")[2] for one in (running, draft)]
    body = {"event": "PAUSE", "ids": [*ids, "adg_0000000000099"], "reason": "점검"}

    preview = (await house.admin.post(f"{V1}/events/bulk?dry_run=true", json=body)).json()
    before = (await house.admin.get(running)).json()["status"]
    done = (await house.admin.post(f"{V1}/events/bulk", json=body)).json()
    stranger = await house.web.as_("gangnam")
    theirs = (await stranger.post(f"{V1}/events/bulk", json={"event": "DELETE", "ids": ids})).json()

    said = [(one["result"], one["status"], one["code"]) for one in preview["results"]]
    assert said == [
        ("moved", "PAUSED", None),
        ("refused", "DRAFT", "move_not_allowed"),
        ("refused", None, "not_found"),
    ]
    assert (preview["is_dry_run"], before) == (True, "RUNNING")
    assert [(one["result"], one["status"], one["code"]) for one in done["results"]] == said
    assert (done["state"], done["moved"], done["refused"]) == ("partial", 1, 2)
    assert (await house.admin.get(f"{running}/history")).json()["items"][0]["reason"] == "점검"
    # another branch learns no more of them than of one that never was
    assert [(one["code"], one["status"]) for one in theirs["results"]] == [("not_found", None)] * 2


@pytest.mark.req("E-03", "E-94", "E-98")
async def test_its_whole_past_can_be_read_and_its_state_at_any_moment(house: House):
    path = await house.make("COMPLETE_SETUP", "REJECT")
    await clock.advance(house.web.db, 2 * HOUR)
    await house.admin.post(f"{path}/events", json={"event": "DELETE", "reason": "다시 만듦"})

    pages = [(await house.admin.get(f"{path}/history?limit=3")).json()]
    pages.append((await house.admin.get(f"{path}/history?limit=3&cursor={pages[0]['next_cursor']}")).json())
    asked = [None, house.now + HOUR, house.now - HOUR]
    states = [
        (await house.admin.get(f"{path}/state", params={} if at is None else {"at": at.isoformat()})).json()["status"]
        for at in asked
    ]

    past = [one for page in pages for one in page["items"]]
    assert [(one["version"], one["event"], one["source"], one["target"]) for one in past] == [
        (4, "DELETE", "DRAFT", "DELETED"),
        (3, "REJECT", "READY", "DRAFT"),
        (2, "COMPLETE_SETUP", "DRAFT", "READY"),
        (1, "BEGIN", None, "DRAFT"),
    ]
    assert (past[0]["reason"], past[0]["actor"].split(":")[0]) == ("다시 만듦", "token")
    assert states == ["DELETED", "DRAFT", None]


async def test_the_days_ahead_are_foretold_without_a_gap(house: House):
    path = await house.make("COMPLETE_SETUP", "APPROVE", end_at=(house.now + 2 * DAY).isoformat())

    week = (await house.admin.get(f"{path}/forecast")).json()["items"]
    day = (await house.admin.get(f"{path}/forecast?days=1")).json()["items"]

    assert [(one["status"], one["event"]) for one in week] == [
        ("APPROVED", None),
        ("RUNNING", "START"),
        ("EXPIRED", "EXPIRE"),
    ]
    assert [one["until"] for one in week[:-1]] == [one["since"] for one in week[1:]]
    assert [one["status"] for one in day] == ["APPROVED", "RUNNING"]
