"""The list of schedules, the page of one, and what one does to them."""

import re
from dataclasses import replace
from datetime import UTC, datetime, time

import pytest

from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.schedules import NewSchedule, ScheduleType, When
from pabal.engine.recurrence import Weekday
from pabal.platform.actor import Role
from tests.apps.messaging.pages.house import BRANCH, House, build
from tests.support.pages import read, visitor
from tests.support.web import Web

LIST = "/messages/schedules"
UNTIL = datetime(2089, 12, 31, tzinfo=UTC)


@pytest.fixture
async def house(web: Web) -> House:
    return await build(web)


def asked(house: House, title: str, **changed: object) -> NewSchedule:
    daily = When(ScheduleType.DAILY, time(9, 20), datetime(2026, 1, 1, tzinfo=UTC), UNTIL)
    new = NewSchedule(title, house.room_id, house.bot_id, Content(text=f"{title} 글"), daily)
    return replace(new, **changed)  # type: ignore[arg-type]


@pytest.mark.req("A-76")
async def test_the_list_says_what_where_when_and_is_found_under_its_old_number(web: Web, house: House) -> None:
    daily = await house.add(asked(house, "아침 공지"))
    weekly = replace(daily.when, schedule_type=ScheduleType.WEEKLY, schedule_weekdays=(Weekday(0), Weekday(4)))
    await house.add(asked(house, "시험 안내", room_id=house.test_room_id, when=weekly))
    await house.add(asked(house, "쉬는 것", is_active=False))
    korean = await visitor(web, BRANCH, Role.OPERATOR, lang="ko")
    english = await visitor(web, BRANCH, Role.OPERATOR)

    page, other = await read(korean, LIST), await read(english, LIST)
    form = await read(korean, f"{LIST}/new")

    assert "봇 관리 (180XXX)" in page
    assert "스케줄링 발송 관리 (180300)" in page
    assert "180300 bot_schedule_list" in page
    assert "180300 bot_schedule_form" in form
    for said in (
        "아침 공지",
        "해운대 손님방",
        "매일 09:20 KST",
        "매주 월·금 09:20 KST",
        "예약됨",
        "비활성",
        "busan1 · 끊김",
    ):
        assert said in page
    for said in ("Every day at 09:20 KST", "scheduled", "inactive", "busan1 · offline", "not while inactive"):
        assert said in other
    assert re.search(r'<time class="pb-when pb-when-2"[^>]*>.*09:20 <span class="zone">KST</span>', page)


async def test_the_list_is_filtered_by_what_its_address_says(web: Web, house: House) -> None:
    await house.add(asked(house, "아침 공지"))
    await house.add(asked(house, "시험 안내", room_id=house.test_room_id))
    await house.add(asked(house, "쉬는 것", is_active=False))
    client = await visitor(web, BRANCH, Role.OPERATOR, lang="ko")

    async def titles(query: str) -> set[str]:
        page = await read(client, f"{LIST}?{query}")
        return {title for title in ("아침 공지", "시험 안내", "쉬는 것") if f">{title}</a>" in page}

    assert await titles("") == {"아침 공지", "시험 안내", "쉬는 것"}
    assert await titles("state=inactive") == {"쉬는 것"}
    assert await titles(f"room={house.test_room_id}") == {"시험 안내"}
    assert await titles("q=공지") == {"아침 공지"}
    assert await titles("type=once") == set()
    assert await titles("view=trouble") == set()
    assert await titles(f"bot={house.bot_id}&type=daily&state=active&cursor=nonsense") == {"아침 공지", "시험 안내"}
    assert "이 조건에 맞는 항목이 없습니다" in await read(client, f"{LIST}?view=over")


async def test_an_empty_list_says_how_to_begin_and_another_branch_stays_unseen(web: Web, house: House) -> None:
    made = await house.add(asked(house, "비밀 공지"))
    other = await visitor(web, "gangnam", Role.OPERATOR, lang="ko")

    page = await read(other, LIST)

    assert "아직 예약한 메시지가 없습니다. 첫 예약은 2분이면 됩니다." in page
    assert 'href="/messages/schedules/wizard"' in page
    assert "비밀 공지" not in page
    for path in ("", "/edit", "/test"):
        assert (await other.get(f"{LIST}/{made.id}{path}")).status_code == 404
    for verb in ("activate", "deactivate", "delete", "skip", "send"):
        assert (await other.post(f"{LIST}/{made.id}/{verb}")).status_code == 404, verb


async def test_a_viewer_looks_and_touches_nothing(web: Web, house: House) -> None:
    made = await house.add(asked(house, "아침 공지"))
    viewer = await visitor(web, BRANCH, Role.VIEWER)

    page = await read(viewer, f"{LIST}/{made.id}")

    assert "아침 공지 글" in page
    assert "/skip" not in page
    assert f'action="{LIST}' not in await read(viewer, LIST)
    for verb in ("activate", "deactivate", "delete", "skip", "send"):
        assert (await viewer.post(f"{LIST}/{made.id}/{verb}")).status_code == 403, verb


async def test_the_page_of_one_shows_moments_that_can_be_skipped_and_kept(web: Web, house: House) -> None:
    made = await house.add(asked(house, "아침 공지"))
    client = await visitor(web, BRANCH, Role.OPERATOR, lang="ko")
    path = f"{LIST}/{made.id}"

    before = await read(client, path)
    skipped = await client.post(f"{path}/skip")
    after = await read(client, path)
    [first, *_] = re.findall(r'name="at" value="([^"]+)"', after)
    await client.post(f"{path}/keep", data={"at": first})
    kept = await read(client, path)

    assert before.count('class="abs"') == 5
    assert "data-skip" not in before
    assert skipped.status_code == 303
    assert "건너뛰기로 했습니다" in after
    assert datetime.fromisoformat(first) == made.next_send_at
    assert "data-skip" not in kept
    assert "발송 간격 (30초)" in kept
    assert "아침 공지 글" in kept


async def test_rows_are_paused_resumed_sent_tested_copied_and_deleted(web: Web, house: House) -> None:
    made = await house.add(asked(house, "아침 공지"))
    client = await visitor(web, BRANCH, Role.OPERATOR, lang="ko")
    path = f"{LIST}/{made.id}"

    async def state() -> list[str]:
        return [one.state for one in await house.list()]

    assert (await client.post(f"{path}/deactivate", data={"back": LIST})).headers["Location"] == LIST
    assert await state() == ["inactive"]
    await client.post(f"{path}/activate")
    assert await state() == ["active"]
    for _ in range(2):
        assert (await client.post(f"{path}/send", data={"once": "press-1"})).status_code == 303
    assert await count_jobs(web) == 1
    choose = await read(client, f"{path}/test")
    assert "시험방" in choose
    assert "해운대 손님방" not in choose
    sent = await client.post(f"{path}/test", data={"room_id": str(house.test_room_id), "once": "press-2"})
    assert sent.headers["Location"].startswith("/messages/deliveries/")
    assert await count_jobs(web) == 2
    copy = await read(client, f"{LIST}/new?copy={made.id}")
    assert 'value="아침 공지 (복사)"' in copy
    assert "아침 공지 글</textarea>" in copy
    assert (await client.post(f"{path}/delete")).headers["Location"] == LIST
    assert await state() == []


async def count_jobs(web: Web) -> int:
    """Sends that somebody asked for by hand."""
    page = await read(await visitor(web, lang="en"), "/jobs?kind=messaging.send")
    return len(re.findall(r'<tr id="job_', page))
