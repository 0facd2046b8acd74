"""Events over REST: sent once, tried before, refused with the whole report of their guard; one or many at a time."""

import pytest

from pabal.base import clock
from pabal.platform.actor import Role
from tests.apps.adgroups.api.house import DAY, V1, House

HOUR = DAY / 24


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
