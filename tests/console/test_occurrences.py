"""The occurrence ledger in the console: what happened, why, and as a table for a spreadsheet."""

import csv
import html
import io
from datetime import timedelta
from zoneinfo import ZoneInfo

import httpx2

from pabal.engine import schedules
from pabal.engine.occurrences import Occurrence
from pabal.engine.outcome import Cancel, Done, Outcome
from pabal.platform import operating
from pabal.platform.actor import Role
from tests.console.test_schedules import put, visit
from tests.support import schedules as steps
from tests.support import work
from tests.support.pages import read
from tests.support.web import Web

SEOUL = ZoneInfo("Asia/Seoul")


async def happen(web: Web, unit: str, name: str, outcome: Outcome | None = None, **options: object) -> Occurrence:
    """One occurrence of a new schedule, ended if an outcome is given."""
    schedule = await put(web, unit, name, **options)
    made = await steps.trigger(web.db, schedule.id)
    if outcome is not None:
        worker = await work.begin_life(web.db)
        job = await work.claim_one(web.db, worker, schedule.kind)
        await work.settle(web.db, job, outcome, worker=worker)
    return made


async def read_csv(client: httpx2.AsyncClient, query: str = "") -> list[dict[str, str]]:
    answer = await client.get(f"/occurrences.csv{query}")
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))


async def test_each_line_says_state_reason_job_and_who(web: Web) -> None:
    person = await web.person("haeundae", Role.OPERATOR)
    schedule = await put(web, "haeundae")
    async with web.db.transaction() as tx:
        await operating.trigger_schedule(tx, person.actor(), schedule.id, owners={})

    korean = await read(await visit(web, "haeundae"), "/occurrences")
    english = await read(await visit(web, "haeundae", lang="en"), "/occurrences")

    assert "아침 공지" in korean
    assert "등록됨" in korean
    assert "사람이 지금 실행했습니다." in korean
    assert "haeundae operator" in korean
    assert "/jobs/job_" in korean
    assert f"/why/occ_{schedule.id}@" in korean
    assert "Triggered by hand." in english
    assert "under way" in english


async def test_what_a_handler_said_stands_for_itself(web: Web) -> None:
    await happen(web, "haeundae", "실패", Cancel("봇이 <b>말이</b> 없음"))

    page = (await (await visit(web)).get("/occurrences")).text

    assert "봇이 &lt;b&gt;말이&lt;/b&gt; 없음" in page


async def test_a_branch_sees_only_its_own_also_as_csv(web: Web) -> None:
    await happen(web, "haeundae", "해운대 공지")
    theirs = await happen(web, "gangnam", "강남 공지")
    client = await visit(web, "haeundae", Role.VIEWER)

    page = await read(client, "/occurrences")
    asked = await read(client, f"/occurrences?schedule=sch_{theirs.schedule_id}")
    rows = await read_csv(client)

    assert "해운대 공지" in page
    assert "강남 공지" not in page
    assert "강남 공지" not in asked
    assert [row["name"] for row in rows] == ["해운대 공지"]


async def test_views_and_filters_leave_what_they_say(web: Web) -> None:
    done = await happen(web, "haeundae", "된 것", Done())
    await happen(web, "haeundae", "열린 것", kind="test.other")
    client = await visit(web, "haeundae")

    for query, here, gone in (
        ("state=done", "된 것", "열린 것"),
        ("state=enqueued", "열린 것", "된 것"),
        (f"schedule=sch_{done.schedule_id}", "된 것", "열린 것"),
        (f"schedule={done.schedule_id}&state=done,failed", "된 것", "열린 것"),
        ("kind=test.other", "열린 것", "된 것"),
    ):
        page = await read(client, f"/occurrences?{query}")
        assert here in page, query
        assert gone not in page, query


async def test_days_are_those_of_the_visitor(web: Web) -> None:
    made = await happen(web, "haeundae", "오늘 것")
    client = await visit(web, "haeundae")
    today = made.fire_at.astimezone(SEOUL).date()
    day = timedelta(days=1)

    within = await read(client, f"/occurrences?from={today}&to={today}")
    before = await read(client, f"/occurrences?to={today - day}")
    after = await read(client, f"/occurrences?from={today + day}")

    assert "오늘 것" in within
    assert "이 조건에 맞는 항목이 없습니다." in before
    assert "이 조건에 맞는 항목이 없습니다." in after


async def test_what_cannot_be_a_filter_is_left_out(web: Web) -> None:
    client = await visit(web)

    for query in ("state=flying", "from=gestern", "to=9999-12-31", "cursor=x", "schedule=%00", "kind=%00", "a=b"):
        answer = await client.get(f"/occurrences?{query}")
        assert answer.status_code == 200, query


async def test_an_empty_ledger_and_an_empty_filter_say_different_things(web: Web) -> None:
    client = await visit(web, "gangnam")

    empty = await read(client, "/occurrences")
    filtered = await read(client, "/occurrences?schedule=sch_9")

    assert "아직 시각이 된 스케줄이 없습니다." in empty
    assert "이 조건에 맞는 항목이 없습니다." in filtered


async def test_a_page_has_fifty_and_the_csv_has_all(web: Web) -> None:
    schedule = await put(web, "haeundae")
    for _ in range(51):
        await steps.trigger(web.db, schedule.id)
    client = await visit(web, "haeundae")

    first = await read(client, "/occurrences")
    following = first.split('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
    second = await read(client, following)

    assert (first.count('<tr id="occ-'), second.count('<tr id="occ-')) == (50, 1)
    assert len(await read_csv(client)) == 51
    assert len(await read_csv(client, "?state=done")) == 0


async def test_a_name_is_no_formula_in_a_spreadsheet(web: Web) -> None:
    await happen(web, "haeundae", "=HYPERLINK(1)")
    client = await visit(web, "haeundae")

    [row] = await read_csv(client)

    assert row["name"] == "'=HYPERLINK(1)"
    assert row["explained"] == "사람이 지금 실행했습니다."


async def test_what_is_left_of_a_deleted_schedule_can_still_be_read(web: Web) -> None:
    made = await happen(web, "haeundae", "지운 것")
    async with web.db.transaction() as tx:
        await schedules.delete(tx, made.schedule_id)

    page = await read(await visit(web, "haeundae"), "/occurrences")

    assert f"sch_{made.schedule_id}" in page
    assert "지워짐" in page


async def test_a_hostile_name_is_only_text(web: Web) -> None:
    await happen(web, "haeundae", "<script>alert(1)</script>")

    page = (await (await visit(web)).get("/occurrences")).text

    assert "<script>alert" not in page
    assert html.escape("<script>alert(1)</script>") in page


async def test_who_may_not_read_schedules_sees_neither_page_nor_csv(web: Web) -> None:
    client = await web.as_("haeundae", scopes=("jobs:read",))

    for path in ("/occurrences", "/occurrences.csv", "/schedules", "/schedules/sch_1"):
        assert (await client.get(path)).status_code == 403, path
