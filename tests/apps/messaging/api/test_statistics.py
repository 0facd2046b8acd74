"""Statistics through the API: of one's own units, for a period; the old system's counters; the servers' load."""

from datetime import datetime, timedelta

import pytest

from pabal.platform.actor import Role
from tests.apps.messaging.api.house import V1, House, v1_body
from tests.apps.messaging.history import add_deliveries, add_server, ended


@pytest.mark.req("A-168", "A-169")
async def test_a_period_is_counted_for_who_sees_it(house: House):
    operator, stranger = await house.web.as_("haeundae", Role.OPERATOR), await house.web.as_("gangnam", Role.VIEWER)
    made = (await operator.post(f"{V1}/schedules", json=await v1_body(house))).json()
    at = datetime.fromisoformat(made["created_at"]) - timedelta(hours=3)
    rows = [ended("sent", at + timedelta(minutes=n), took_ms=2000) for n in range(3)]
    await add_deliveries(house.web.db, made["id"], [*rows, ended("missed", at, reason="bot_offline")][1:])

    found = (await operator.get(f"{V1}/statistics")).json()
    usage = (await operator.get(f"{V1}/statistics/usage?timezone=Asia/Tokyo")).json()
    effect = (await operator.get(f"{V1}/statistics/effect")).json()
    metrics = [(await one.get(f"{V1}/metrics")).json() for one in (operator, stranger)]
    earlier = (await operator.get(f"{V1}/statistics", params={"to": at.isoformat()})).json()

    assert (found["totals"]["processed"], found["totals"]["by_state"]) == (3, {"sent": 2, "missed": 1})
    assert round(found["totals"]["success_rate"], 1) == 66.7
    assert (found["delays"]["average_ms"], found["duplicates_prevented"]) == (1000, None)
    assert sum(map(sum, found["due"])) == 3
    assert [(row["key"], row["name"], row["totals"]["sent"]) for row in usage["rooms"]] == [
        (str(house.room_id), "busan1 손님방", 2)
    ]
    assert usage["reasons"] == [{"state": "missed", "reason": "bot_offline", "deliveries": 1}]
    assert effect["whole"]["sends"] == 2
    counters = ("processed_count", "success_count", "failure_count", "avg_processing_time")
    assert [[one[name] for name in counters] for one in metrics] == [[3, 2, 1, 2000], [0, 0, 0, 0]]
    assert [round(one["success_rate"], 1) for one in metrics] == [66.7, 0]
    assert set(metrics[0]) == {*counters, "last_poll_time", "success_rate"}
    assert (earlier["to"], earlier["totals"]["processed"]) == (at.isoformat().replace("+00:00", "Z"), 0)


async def test_a_period_that_is_none_is_refused(house: House):
    viewer = await house.web.as_("haeundae", Role.VIEWER)

    answers = [
        await viewer.get(f"{V1}/statistics{path}", params=query)
        for path in ("", "/usage", "/effect")
        for query in (
            {"from": "2026-02-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"},
            {"from": "2024-01-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"},
            {"timezone": "Nowhere"},
        )
    ]

    assert {(one.status_code, one.json()["code"]) for one in answers} == {(400, "bad_parameter")}


@pytest.mark.req("A-202")
async def test_the_load_of_each_server_is_shown_to_the_house(house: House):
    await add_server(house.web.db)
    admin, branch = await house.web.as_("hq", Role.VIEWER), await house.web.as_("haeundae")

    [load] = (await admin.get(f"{V1}/load")).json()["items"]

    assert {"active_bots", "total_connections", "memory_mb", "cpu_percent"} < set(load)
    assert (await branch.get(f"{V1}/load")).json()["items"] == []
