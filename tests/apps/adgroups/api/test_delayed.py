"""Delayed events over REST, under the seed's names: listed, exported, fired, moved, taken out."""

import csv
import json
from datetime import datetime

import pytest

from tests.apps.adgroups.api.house import DAY, V1, House

PATH = f"{V1}/delayed-events"


@pytest.mark.req("E-51", "E-59", "E-60", "E-61")
async def test_they_are_seen_and_exported_as_the_seeds_redis_would_hold_them(house: House):
    path = await house.make("COMPLETE_SETUP", "APPROVE")
    shown, id = (await house.admin.get(path)).json(), path.rpartition("/")[2]

    listed = (await house.admin.get(PATH)).json()["items"]
    only = (await house.admin.get(f"{PATH}?event=EXPIRE")).json()["items"]
    late = (await house.admin.get(f"{PATH}?late=true")).json()["items"]
    lines = await house.admin.get(f"{PATH}/export")
    table = await house.admin.get(PATH, headers={"Accept": "text/csv"})
    own = (await house.admin.get(f"{path}/timers")).json()["items"]

    start, end = (datetime.fromisoformat(shown[name]).timestamp() for name in ("start_at", "end_at"))
    expected = [
        {"key": "adgroup:delayed:events", "member": {"adGroupId": id, "event": event}, "score": score}
        for event, score in (("START", start), ("EXPIRE", end))
    ]
    assert [{name: one[name] for name in ("key", "member", "score")} for one in listed] == expected
    assert {(one["scheduled_key"], one["lock_key"]) for one in listed} == {
        (f"adgroup:scheduled:{id}", f"adgroup:event:lock:{id}")
    }
    assert ([one["member"]["event"] for one in only], late, own) == (["EXPIRE"], [], listed)
    assert [json.loads(line) for line in lines.text.splitlines()] == expected
    assert lines.headers["Content-Type"] == "application/x-ndjson"
    rows = list(csv.DictReader(table.text.lstrip("\ufeff").splitlines()))
    assert [(json.loads(row["member"])["event"], float(row["score"])) for row in rows] == [
        ("START", start),
        ("EXPIRE", end),
    ]


@pytest.mark.req("E-54", "E-57")
async def test_one_is_moved_taken_out_and_fired_by_hand(house: House):
    path = await house.make("COMPLETE_SETUP", "APPROVE")
    place = f"{PATH}/{path.rpartition('/')[2]}"
    soon = house.now + 2 * DAY

    early = await house.admin.post(f"{place}/START/fire")
    moved = await house.admin.post(f"{place}/START/move", json={"to": soon.isoformat()})
    past = await house.admin.post(f"{place}/START/move", json={"to": (house.now - DAY).isoformat()})
    must = await house.admin.post(f"{place}/EXPIRE/cancel")
    held = await house.admin.post(f"{place}/START/cancel")
    gone = await house.admin.post(f"{place}/START/fire")
    other = await house.make("COMPLETE_SETUP", "APPROVE", start_at=house.now.isoformat())
    fired = await house.admin.post(f"{PATH}/{other.rpartition('/')[2]}/START/fire")

    assert (early.status_code, early.json()["code"], early.json()["guard"]) == (409, "guard_refused", "startable")
    assert (datetime.fromisoformat(moved.json()["start_at"]), moved.json()["schedule_version"]) == (soon, 2)
    assert (past.status_code, past.json()["code"]) == (422, "cannot_move_there")
    assert (must.status_code, must.json()["code"]) == (409, "must_end")
    assert (held.json()["is_held"], held.json()["next_event"]) == (True, "EXPIRE")
    assert (gone.status_code, gone.json()["code"]) == (404, "no_such_delayed_event")
    assert fired.json()["status"] == "RUNNING"
