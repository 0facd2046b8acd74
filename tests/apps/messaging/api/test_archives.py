"""Archives over REST: the months that were put away, each to be downloaded whole, and by whom."""

import gzip
import json

import pytest

from pabal.platform.actor import Role
from tests.apps.messaging.api.house import V1, House, build, v1_body
from tests.apps.messaging.archived import put_away


@pytest.fixture
async def months(house: House) -> list[str]:
    """Two of them, with a send of each of two branches."""
    other = await build(house.web, "gangnam", bot="seoul1", channel=18200091)
    admin = await house.web.as_("hq")
    answers = [
        await admin.post(f"{V1}/schedules", json=await v1_body(each, title=title))
        for each, title in ((house, "해운대 예약"), (other, "강남 예약"))
    ]
    return await put_away(house.web.app.services, *(one.json()["id"] for one in answers), months=2)


@pytest.mark.req("A-177")
async def test_a_month_that_was_put_away_is_listed_and_downloaded_whole(house: House, months: list[str]) -> None:
    admin = await house.web.as_("hq")

    listed = (await admin.get(f"{V1}/archives")).json()["items"]
    answer = await admin.get(listed[0]["link"])
    again = await admin.get(listed[0]["link"], headers={"If-None-Match": answer.headers["ETag"]})

    assert [(one["month"], one["deliveries"]) for one in listed] == [(month, 2) for month in months]
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/gzip"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="deliveries-{months[0]}.jsonl.gz"'
    assert len(answer.content) == listed[0]["size"] == int(answer.headers["Content-Length"])
    rows = [json.loads(line) for line in gzip.decompress(answer.content).splitlines()]
    assert {row["target_room_id"] for row in rows} == {"18200001", "18200091"}, "all branches' are in it"
    assert {row["status"] for row in rows} == {"success"}
    assert {row["scheduled_at"][:7] for row in rows} == {months[0]}
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.req("A-106", "A-177")
async def test_only_an_administrator_of_the_head_office_has_them(house: House, months: list[str]) -> None:
    web, paths = house.web, (f"{V1}/archives", f"{V1}/archives/{months[0]}", f"{V1}/archives/1999-01")
    others = [
        await web.as_("haeundae"),
        await web.as_("hq", Role.OPERATOR),
        await web.as_("hq", scopes=("messaging:write", "files:manage")),
    ]

    refused = [[(await one.get(path)).json()["code"] for path in paths] for one in others]

    assert refused == [["head_office_only"] * 3, ["not_allowed"] * 3, ["not_allowed"] * 3]


async def test_a_month_without_an_archive_is_named(house: House) -> None:
    admin = await house.web.as_("hq")

    none = await admin.get(f"{V1}/archives")
    unknown, wrong = await admin.get(f"{V1}/archives/2026-01"), await admin.get(f"{V1}/archives/2026-13")

    assert none.json()["items"] == []
    assert (unknown.status_code, unknown.json()["code"]) == (404, "archive_not_found")
    assert wrong.status_code == 404
