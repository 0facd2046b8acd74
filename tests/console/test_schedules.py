"""Schedules in the console: the list, one of them, and what a person may do with it."""

import asyncio
from datetime import datetime, time, timedelta
from typing import Any

import httpx2

from pabal.base.database import Database
from pabal.engine import schedules
from pabal.engine.outcome import Done
from pabal.engine.recurrence import Daily, Once
from pabal.engine.schedules import Misfire, NewSchedule, Overlap, Schedule
from pabal.platform.actor import Role
from tests.support import schedules as steps
from tests.support import work
from tests.support.pages import read
from tests.support.web import Web

HTML = {"Accept": "text/html"}
VERBS = ("pause", "resume", "trigger", "skip", "keep")


async def put(web: Web, unit: str, name: str = "아침 공지", **options: Any) -> Schedule:
    new = NewSchedule(
        **{
            "name": name,
            "kind": "test.plain",
            "recurrence": Daily((time(9),)),
            "zone": "Asia/Seoul",
            "unit_id": web.unit(unit).id,
            **options,
        }
    )
    async with web.db.transaction() as tx:
        return await schedules.put(tx, new)


async def visit(web: Web, unit: str = "hq", role: Role = Role.ADMIN, lang: str = "ko") -> httpx2.AsyncClient:
    return await web.as_(unit, role, by="session", **HTML, **{"Accept-Language": lang})


async def test_the_list_says_the_rule_in_words_and_when_it_fires_next(web: Web) -> None:
    await put(web, "haeundae", about="room:7")
    client = await visit(web)

    korean = await read(client, "/schedules")
    english = await read(await visit(web, lang="en"), "/schedules")

    assert "매일 09:00 (Asia/Seoul)" in korean
    assert "본사 › 부산총판 › <b>해운대점</b>" in korean
    assert "예약됨" in korean
    assert "room:7" in korean
    assert "Every day at 09:00 (Asia/Seoul)" in english
    assert "active" in english


async def test_a_branch_sees_its_own_and_does_not_learn_who_stands_above(web: Web) -> None:
    mine = await put(web, "haeundae", "해운대 공지")
    theirs = await put(web, "gangnam", "강남 공지")
    client = await visit(web, "haeundae", Role.OPERATOR)

    page = await read(client, "/schedules")
    own = await client.get(f"/schedules/sch_{mine.id}")
    other = await client.get(f"/schedules/sch_{theirs.id}")

    assert "해운대 공지" in page
    assert "강남 공지" not in page
    assert "부산총판" not in own.text
    assert own.status_code == 200
    assert other.status_code == 404


async def test_a_viewer_may_not_do_anything_nor_is_offered_it(web: Web) -> None:
    schedule = await put(web, "haeundae")
    client = await visit(web, "haeundae", Role.VIEWER)

    page = await read(client, f"/schedules/sch_{schedule.id}")
    listed = await read(client, "/schedules")
    answers = await _try_all(client, schedule)

    assert answers == dict.fromkeys(VERBS, 403)
    assert f"/sch_{schedule.id}/" not in page
    assert f"/sch_{schedule.id}/" not in listed


async def test_another_branch_is_answered_as_if_it_were_not_there(web: Web) -> None:
    schedule = await put(web, "gangnam")
    client = await visit(web, "haeundae", Role.OPERATOR)

    answers = await _try_all(client, schedule)

    assert answers == dict.fromkeys(VERBS, 404)
    assert await steps.decisions(web.db, schedule.id) == []


async def test_pausing_and_resuming_go_back_where_one_was(web: Web) -> None:
    schedule = await put(web, "haeundae")
    client = await visit(web, "haeundae", Role.OPERATOR)
    back = "/schedules?kind=test.plain"

    paused = await client.post(f"/schedules/sch_{schedule.id}/pause", data={"back": back})
    page = await read(client, "/schedules?state=paused")
    resumed = await client.post(f"/schedules/sch_{schedule.id}/resume", data={})

    assert (paused.status_code, paused.headers["Location"]) == (303, back)
    assert "멈춘 사람: haeundae operator" in page
    assert resumed.headers["Location"] == f"/schedules/sch_{schedule.id}"
    assert not (await steps.get(web.db, schedule.id)).is_paused


async def test_one_form_triggers_once_however_often_it_is_sent(web: Web) -> None:
    schedule = await put(web, "haeundae")
    client = await visit(web, "haeundae", Role.OPERATOR)
    path = f"/schedules/sch_{schedule.id}/trigger"

    forms = [_once(await read(client, there)) for there in ("/schedules", f"/schedules/sch_{schedule.id}") * 2]
    first = await client.post(path, data={"once": forms[0]})
    again = await client.post(path, data={"once": forms[0]})
    other = await client.post(path, data={"once": forms[1]})

    assert len(set(forms)) == 4
    assert [answer.status_code for answer in (first, again, other)] == [303, 303, 303]
    assert await steps.verdicts(web.db, schedule.id) == ["enqueued triggered", "enqueued triggered"]


async def test_two_sent_at_the_same_time_trigger_once(web: Web) -> None:
    schedule = await put(web, "haeundae")
    client = await visit(web, "haeundae", Role.OPERATOR)
    path = f"/schedules/sch_{schedule.id}/trigger"

    answers = await asyncio.gather(*(client.post(path, data={"once": "n1"}) for _ in range(4)))

    assert {answer.status_code for answer in answers} <= {303, 409}
    assert await steps.verdicts(web.db, schedule.id) == ["enqueued triggered"]


async def test_the_next_one_is_skipped_and_kept_again(web: Web) -> None:
    schedule = await put(web, "haeundae")
    client = await visit(web, "haeundae", Role.OPERATOR)
    here = f"/schedules/sch_{schedule.id}"

    await client.post(f"{here}/skip", data={})
    skipped = await read(client, here)
    listed = await read(client, "/schedules")
    await client.post(f"{here}/keep", data={"fire_at": _ahead(schedule).isoformat()})
    kept = await read(client, here)

    assert "건너뛰기로 정함" in skipped
    assert f'action="{here}/keep"' in skipped
    assert "건너뜁니다" in listed
    assert f'action="{here}/keep"' not in kept
    assert await steps.decisions(web.db, schedule.id) == []


async def test_what_is_no_moment_of_it_cannot_be_skipped(web: Web) -> None:
    schedule = await put(web, "haeundae")
    client = await visit(web, "haeundae", Role.OPERATOR)

    for moment in ("tomorrow", "2035-06-04T00:00:00", "2035-06-04T00:01:00Z", "0001-01-01T00:00:00+00:00", "\0"):
        answer = await client.post(f"/schedules/sch_{schedule.id}/skip", data={"fire_at": moment})
        assert answer.status_code == 422, moment


async def test_one_schedule_shows_ten_moments_and_its_policies_in_words(web: Web) -> None:
    options = {"misfire": Misfire.ALL, "misfire_max": 3, "overlap": Overlap.QUEUE, "args": {"글": "안녕"}}
    schedule = await put(web, "haeundae", **options)

    korean = await read(await visit(web), f"/schedules/sch_{schedule.id}")
    english = await read(await visit(web, lang="en"), f"/schedules/{schedule.id}")

    assert korean.count('name="fire_at"') == 10
    assert "늦은 시각을 새것부터 3번까지 실행합니다." in korean
    assert '"글": "안녕"' in korean
    assert "Waits in line until the run before has ended." in english
    assert "More than 5 min late is too late." in english


async def test_one_schedule_shows_what_it_says_of_its_jobs(web: Web) -> None:
    options = {"overlap": Overlap.CANCEL_PREVIOUS, "deadline": timedelta(hours=2), "max_failures": 3}
    schedule = await put(web, "haeundae", **options)

    korean = await read(await visit(web), f"/schedules/sch_{schedule.id}")
    english = await read(await visit(web, lang="en"), f"/schedules/{schedule.id}")

    assert "앞 실행을 취소하고, 멈추면 시작합니다." in korean
    assert "Cancels the run before and begins when that has stopped." in english
    assert "One attempt may take" in english
    assert "2 h" in english


async def test_moments_that_will_not_be_are_shown_with_their_reason(web: Web) -> None:
    ends = await _in(web.db, timedelta(days=3))
    schedule = await put(web, "haeundae", valid_until=ends)

    page = await read(await visit(web), f"/schedules/sch_{schedule.id}")

    assert "유효기간이 끝난 뒤" in page
    assert page.count('name="fire_at"') == 3


async def test_a_schedule_in_another_zone_shows_its_own_clock_too(web: Web) -> None:
    schedule = await put(web, "haeundae", zone="America/New_York")

    page = await read(await visit(web), f"/schedules/sch_{schedule.id}")

    assert "09:00 America/New_York" in page


async def test_what_was_before_is_drawn_as_bars_and_listed_with_reasons(web: Web) -> None:
    schedule = await put(web, "haeundae")
    await steps.trigger(web.db, schedule.id)
    worker = await work.begin_life(web.db)
    job = await work.claim_one(web.db, worker, "test.plain")
    await work.settle(web.db, job, Done(), worker=worker)
    client = await visit(web)

    listed = await read(client, "/schedules")
    page = await read(client, f"/schedules/sch_{schedule.id}")

    assert "최근 1회: 완료 1" in listed
    assert "사람이 지금 실행했습니다." in page
    assert f"/why/occ_{schedule.id}@" in page


async def test_views_and_filters_leave_what_they_say(web: Web) -> None:
    await put(web, "haeundae", "아침 공지", about="room:7")
    paused = await put(web, "haeundae", "점심 특가", kind="test.other")
    await steps.pause(web.db, paused.id)
    client = await visit(web)

    for query, here, gone in (
        ("state=active", "아침 공지", "점심 특가"),
        ("state=paused", "점심 특가", "아침 공지"),
        ("kind=test.other", "점심 특가", "아침 공지"),
        ("about=room:7", "아침 공지", "점심 특가"),
        ("q=점심", "점심 특가", "아침 공지"),
    ):
        page = await read(client, f"/schedules?{query}")
        assert here in page, query
        assert gone not in page, query


async def test_what_cannot_be_a_filter_is_left_out(web: Web) -> None:
    await put(web, "haeundae")
    client = await visit(web)

    for query in ("state=flying", "cursor=nonsense", "sort=sideways", "q=%00", "nobody=knows", f"q={'x' * 500}"):
        answer = await client.get(f"/schedules?{query}")
        assert answer.status_code == 200, query


async def test_an_empty_house_and_an_empty_filter_say_different_things(web: Web) -> None:
    client = await visit(web, "gangnam", Role.VIEWER)

    empty = await read(client, "/schedules")
    filtered = await read(client, "/schedules?q=없는 것")

    assert "아직 스케줄이 없습니다." in empty
    assert "이 조건에 맞는 항목이 없습니다." in filtered


async def test_a_page_has_fifty_and_a_way_to_the_next(web: Web) -> None:
    for number in range(51):
        await put(web, "haeundae", f"공지 {number:02}")
    client = await visit(web, "haeundae")

    first = await read(client, "/schedules?sort=id")
    following = first.split('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
    second = await read(client, following)

    assert "공지 49" in first
    assert "공지 50" not in first
    assert "공지 50" in second
    assert "공지 49" not in second


async def test_a_hostile_name_is_only_text(web: Web) -> None:
    schedule = await put(web, "haeundae", "<script>alert(1)</script>{x}", about='"><img src=x>')
    client = await visit(web)

    pages = [(await client.get(path)).text for path in ("/schedules", f"/schedules/sch_{schedule.id}")]
    paused = await client.post(f"/schedules/sch_{schedule.id}/pause", data={})

    assert all("<script>alert" not in page and "<img src=x" not in page for page in pages)
    assert paused.status_code == 303


async def test_a_schedule_whose_rule_cannot_be_read_is_shown_with_its_problem(web: Web) -> None:
    schedule = await put(web, "haeundae")
    await _break(web.db, schedule.id)
    client = await visit(web)

    listed = await read(client, "/schedules?state=broken")
    page = await read(client, f"/schedules/sch_{schedule.id}")

    assert "아침 공지" in listed
    assert "규칙을 더는 읽을 수 없습니다" in page


async def test_a_schedule_that_is_over_says_so_and_offers_no_pause(web: Web) -> None:
    soon = await _in(web.db, timedelta(minutes=1))
    schedule = await put(web, "haeundae", recurrence=Once(soon))
    await steps.tick_at(web.db, soon + timedelta(seconds=1))
    client = await visit(web)

    page = await read(client, f"/schedules/sch_{schedule.id}")

    assert "앞으로 예정된 시각이 없습니다." in page
    assert "/pause" not in page


async def test_what_is_not_there_is_not_found(web: Web) -> None:
    client = await visit(web)

    for text in ("sch_999", "nothing", "sch_" + "9" * 18, "sch_" + "9" * 40, "sch_"):
        assert (await client.get(f"/schedules/{text}")).status_code == 404, text


async def _try_all(client: httpx2.AsyncClient, schedule: Schedule) -> dict[str, int]:
    sent = {"fire_at": _ahead(schedule).isoformat()}
    return {verb: (await client.post(f"/schedules/sch_{schedule.id}/{verb}", data=sent)).status_code for verb in VERBS}


def _ahead(schedule: Schedule) -> datetime:
    assert schedule.next_at is not None
    return schedule.next_at


def _once(page: str) -> str:
    return page.partition('name="once" value="')[2].partition('"')[0]


async def _break(db: Database, schedule_id: int) -> None:
    """As a tz database without the zone would."""
    async with db.transaction() as tx:
        await tx.run(steps.SQL.rename_zone, id=schedule_id, zone="Asia/Atlantis")
    await steps.tick_at(db, await _in(db, timedelta(days=2)))


async def _in(db: Database, span: timedelta) -> datetime:
    async with db.transaction() as tx:
        return tx.now + span
