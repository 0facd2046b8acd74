"""From calculated to stored, over REST: flags, differences, and a migration planned, done and taken back."""

import csv

import pytest

from pabal.apps.adgroups.legacy import actions, shadow
from pabal.base import clock
from tests.apps.adgroups.api.house import DAY, V1, House

LEGACY = f"{V1}/legacy"
OLD = "\n".join(
    (
        "id,name,campaign,start_at,end_at,ready_at,ready_confirmed_at",
        "AG1,옛 광고,옛 캠페인,2020-01-01T00:00:00,2035-01-01T00:00:00,2019-01-01T00:00:00,2019-01-02T00:00:00",
        "AG2,확인 없음,옛 캠페인,2020-01-01T00:00:00,2035-01-01T00:00:00,,",
        "AG3,날짜 없음,옛 캠페인,,,,",
    )
)


@pytest.mark.req("E-82", "E-92")
async def test_a_flag_says_whose_state_is_shown(house: House):
    path = await house.make("COMPLETE_SETUP", start_at=(house.now - DAY).isoformat())
    group, flags, hq = path.rpartition("/")[2], f"{LEGACY}/flags", await house.web.as_("hq")

    off = await house.admin.put(flags, json={"kind": "ID", "ad_group": group, "is_on": False})
    calculated = (await house.admin.get(path)).json()
    filtered = (await house.admin.get(f"{V1}?source=calculator")).json()["items"]
    house_wide = await house.admin.put(flags, json={"kind": "PERCENT", "percent": 10})
    set_ = await hq.put(flags, json={"kind": "PERCENT", "percent": 10})
    listed = (await house.admin.get(flags)).json()["items"]
    unsaid = await house.admin.delete(f"{flags}/ID")
    back = await house.admin.delete(f"{flags}/ID?ad_group={group}")
    wrong = await house.admin.put(flags, json={"kind": "CAMPAIGN", "ad_group": group})

    # its dates say that it runs, though nobody approved it
    assert (off.json(), calculated["source"]) == ({"changed": 1}, "calculator")
    assert (calculated["status"], calculated["stored_status"]) == ("RUNNING", "READY")
    assert [one["id"] for one in filtered] == [group]
    assert (house_wide.json()["code"], set_.status_code) == ("head_office_only", 200)
    assert {(one["name"], one["kind"], one["ad_group"], one["percent"], one["is_on"]) for one in listed} == {
        ("USE_SSM_STATUS", "ID", group, None, False),
        ("USE_SSM_STATUS", "PERCENT", None, 10, True),
    }
    assert (unsaid.status_code, back.json(), wrong.status_code) == (400, {"changed": 1}, 422)
    assert (await house.admin.get(path)).json()["status"] == "READY"


@pytest.mark.req("E-83", "E-87")
async def test_where_both_ways_differ_is_listed_with_its_cause_and_decided(house: House):
    path = await house.make("COMPLETE_SETUP", "APPROVE", start_at=house.now.isoformat())
    await house.fire()
    await house.admin.post(f"{path}/events", json={"event": "PAUSE"})
    await clock.advance(house.web.db, DAY / 24)
    await shadow.compare_all(house.web.db)

    [one] = (await house.admin.get(f"{LEGACY}/mismatches?cause=paused_by_hand")).json()["items"]
    none = (await house.admin.get(f"{LEGACY}/mismatches?state=resolved")).json()["items"]
    state = (await house.admin.get(LEGACY)).json()
    place = f"{LEGACY}/mismatches/{one['id']}"
    decided = await house.admin.post(f"{place}/decide", json={"believe": "calculator"})
    kept, shown = (await house.admin.get(place)).json(), (await house.admin.get(path)).json()
    hq = await house.web.as_("hq")
    off = await hq.post(f"{LEGACY}/calculator/off")
    after = (await hq.get(LEGACY)).json()

    assert (one["calculated"], one["stored"], one["source"]) == ("RUNNING", "PAUSED", "machine")
    assert (one["detail"], none) == ("somebody paused it, which dates do not tell", [])
    assert (state["mismatches"], state["machine"], state["compared"]) == ({"paused_by_hand": 1}, 1, None)
    assert (decided.json()["decision"], kept) == ("calculator", decided.json())
    assert (shown["status"], shown["stored_status"]) == ("RUNNING", "PAUSED")
    assert (off.json(), after["machine"], after["calculator"], after["compared"]) == ({"changed": 1}, 1, 0, 1)


@pytest.mark.req("E-85", "E-103")
async def test_a_migration_is_planned_looked_at_done_and_taken_back(house: House):
    uploaded = await house.admin.post("/api/v1/files?kind=any", files={"file": ("old.csv", OLD.encode())})
    asked = {"source": "csv", "file": uploaded.json()["id"]}

    planned = await house.admin.post(f"{LEGACY}/runs", json=asked)
    path = planned.headers["Location"]
    nothing = (await house.admin.get(V1)).json()["items"]
    refused = (await house.admin.get(f"{path}/rows?only=refused")).json()["items"]
    suspicious = (await house.admin.get(f"{path}/rows?only=suspicious")).json()["items"]
    started = await house.admin.post(f"{path}/start", json={"mode": "BATCHES"})
    await actions.work(house.web.app.services, planned.json()["id"])
    done = (await house.admin.get(path)).json()
    made = (await house.admin.get(V1)).json()["items"]
    report = await house.admin.get(f"{path}/report")
    late = await house.admin.delete(path)
    back = await house.admin.post(f"{path}/rollback", json={})
    await actions.work(house.web.app.services, planned.json()["id"])
    gone = (await house.admin.get(V1)).json()["items"]

    assert (planned.status_code, planned.json()["state"], planned.json()["rows"], nothing) == (201, "planned", 3, [])
    assert planned.json()["states"] == {"RUNNING": 2}
    assert [(one["legacy_id"], one["refusal"]) for one in refused] == [("AG3", "no_dates")]
    assert [(one["legacy_id"], one["status"]) for one in suspicious] == [("AG2", "RUNNING")]
    assert (started.status_code, started.json()["mode"]) == (202, "BATCHES")
    assert (done["state"], done["counts"]["made"], done["counts"]["refused"]) == ("done", 2, 1)
    assert {(one["legacy_id"], one["stored_status"]) for one in made} == {("AG1", "RUNNING"), ("AG2", "RUNNING")}
    rows = list(csv.DictReader(report.text.lstrip("\ufeff").splitlines()))
    assert [(row["id"], row["outcome"]) for row in rows] == [("AG1", "made"), ("AG2", "made"), ("AG3", "refused")]
    assert (late.status_code, late.json()["code"]) == (409, "wrong_run_state")
    assert (back.json()["state"], gone) == ("rolling_back", [])


async def test_a_plan_nobody_wants_is_dropped(house: House):
    uploaded = await house.admin.post("/api/v1/files?kind=any", files={"file": ("old.csv", OLD.encode())})
    path = (await house.admin.post(f"{LEGACY}/runs", json={"source": "csv", "file": uploaded.json()["id"]})).headers[
        "Location"
    ]

    listed = (await house.admin.get(f"{LEGACY}/runs")).json()["items"]
    stuck = await house.admin.post(f"{path}/resume")
    dropped = await house.admin.delete(path)
    without = await house.admin.post(f"{LEGACY}/runs", json={"source": "csv"})

    assert ([one["state"] for one in listed], stuck.json()["code"]) == (["planned"], "wrong_run_state")
    assert (dropped.status_code, (await house.admin.get(path)).status_code, without.status_code) == (204, 404, 422)
