"""The send logs in the console: what is under way, every end with its reason, and what can still be done about it."""

import csv
import gzip
import io
import json

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import ticks
from pabal.platform.actor import Role
from pabal.platform.web.live import Live, Pace
from tests.apps.messaging.archived import put_away
from tests.apps.messaging.history import add_parts
from tests.apps.messaging.pages.house import BRANCH, build
from tests.apps.messaging.pages.logged import MINUTE, now, one, other_schedule, schedule
from tests.platform.web.test_live import follow
from tests.support.botline import Desk, find_delivery, send_now
from tests.support.pages import read, visitor
from tests.support.web import Web


async def test_every_end_shows_how_far_it_came_and_why(web: Web) -> None:
    house = await build(web)
    of = await schedule(house)
    cut = await one(house, of, "partial", 1, reason="bot_gone", attempts=4)
    await add_parts(web.db, cut, "written", "written", "written", "planned")
    await one(house, of, "missed", 2, reason="bot_offline", detail={"last_ping_at": "2026-07-03T08:41:00+09:00"})
    unsure = await one(house, of, "unknown", 3)
    await add_parts(web.db, unsure, "unknown", "written")

    korean = await read(await visitor(web, lang="ko"), "/messages/deliveries")
    english = await read(await visitor(web), "/messages/deliveries")

    assert '<span class="pb-comp st st-good">글</span>' in korean
    assert '<span class="pb-comp st st-fail">그림 1 2/3</span>' in korean
    assert "그림 1의 3번째 장에서 멈췄습니다." in korean
    assert "봇 ‘busan1’이(가) 연결되어 있지 않았습니다. 마지막 신호 7월 3일 (금) 08:41:00 KST." in korean
    assert "It stopped at picture 3 of images 1." in english
    assert "Nobody knows whether the text arrived." in english
    assert "아침 안내" in english
    assert "→ 해운대 손님방" in english


async def test_what_is_under_way_stands_first_with_what_it_waits_for(web: Web) -> None:
    house = await build(web)
    of = await schedule(house)
    await clock.advance(web.db, of.next_send_at - await now(house) + MINUTE if of.next_send_at else MINUTE)
    await ticks.tick_once(web.db)

    page = await read(await visitor(web), "/messages/deliveries")
    other = await read(await visitor(web), f"/messages/deliveries?bot={house.other_bot_id}")

    assert 'data-state="waiting_for_bot"' in page
    assert "bot ‘busan1’ is not connected" in page
    assert "Nothing is being sent." not in page
    assert "Nothing is being sent." in other
    assert 'id="now"' in other, "a page without any must show the first one when it comes"
    assert 'id="now"' not in await read(await visitor(web), "/messages/deliveries?state=sent")


async def test_filters_leave_what_they_say_and_the_export_has_the_same_rows(web: Web) -> None:
    house = await build(web)
    of, second = await schedule(house, "=1+1"), await schedule(house, "둘째")
    sent = await one(house, of, "sent", 5)
    await one(house, of, "failed", 6, reason="deadline")
    await one(house, second, "sent", 7, cause="now")
    client = await visitor(web)

    async def rows(query: str) -> list[dict[str, str]]:
        answer = await client.get(f"/messages/deliveries.csv{query}")
        assert answer.text.startswith("\ufeff")
        return list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))

    assert [row["state"] for row in await rows("?state=failed")] == ["failed"]
    assert [row["id"] for row in await rows(f"?schedule={of.id}&state=sent")] == [str(sent)]
    assert [row["schedule"] for row in await rows("?cause=now")] == ["둘째"]
    assert [row["schedule"] for row in await rows("?q=둘")] == ["둘째"]
    assert await rows("?day=2001-01-01") == []
    # a spreadsheet must not take a title for a formula
    assert {row["schedule"] for row in await rows("")} == {"'=1+1", "둘째"}
    assert "Nothing matches these filters." in await read(client, "/messages/deliveries?q=zzz")
    assert "둘째" in await read(client, "/messages/deliveries?state=nonsense&cursor=nonsense&room=x")


async def test_the_page_of_a_send_tells_its_story_and_shows_it_as_it_was_sent(web: Web) -> None:
    house = await build(web)
    of = await schedule(house, "<script>alert(1)</script>")
    errors = [{"at": "2026-07-03T00:00:01+00:00", "attempt": 1, "reason": "bot_error", "error": "MEDIA_SEND_FAILED"}]
    cut = await one(house, of, "partial", 1, reason="bot_error", detail={"errors": errors})
    await add_parts(web.db, cut, "written", "unknown", "planned")

    answer = await (await visitor(web)).get(f"/messages/deliveries/{cut}")
    page = answer.text

    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "MEDIA_SEND_FAILED" in page
    assert "images 1 #1: unknown" in page
    assert "images 1 #2: not yet" in page
    assert "오늘 10시에 문을 엽니다" in page
    assert "pb-phone" in page


async def test_the_rest_is_sent_on_a_missed_one_now_and_what_is_passed_over_waits_for_nobody(web: Web) -> None:
    house = await build(web)
    of = await schedule(house)
    cut, missed = await one(house, of, "partial", 1), await one(house, of, "missed", 2)
    await add_parts(web.db, cut, "written", "planned")
    await add_parts(web.db, missed, "planned")
    operator = await visitor(web, BRANCH, Role.OPERATOR)

    resumed = await operator.post(f"/messages/deliveries/{cut}/resume")
    passed = await operator.post(f"/messages/deliveries/{missed}/dismiss")

    assert (resumed.status_code, passed.status_code) == (303, 303)
    page = await read(operator, "/messages/deliveries")
    assert "passed over" in page
    assert f"/messages/deliveries/{missed}/resume" not in page
    assert 'data-state="waiting_for_bot"' in await read(operator, f"/messages/deliveries/{cut}")


async def test_a_viewer_has_no_buttons_and_another_branch_sees_nothing(web: Web) -> None:
    house = await build(web)
    missed = await one(house, await schedule(house), "missed", 1)
    await one(house, await other_schedule(house), "missed", 1)
    viewer, stranger = await visitor(web, BRANCH, Role.VIEWER), await visitor(web, "gangnam", Role.OPERATOR)

    seen = await read(viewer, "/messages/deliveries")

    assert "아침 안내" in seen
    assert "강남 안내" not in seen
    assert f"/messages/deliveries/{missed}/resume" not in seen
    assert (await viewer.post(f"/messages/deliveries/{missed}/resume")).status_code == 403
    assert (await stranger.post(f"/messages/deliveries/{missed}/resume")).status_code == 404
    assert "아침 안내" not in await read(stranger, "/messages/deliveries.csv")
    await read(stranger, f"/messages/deliveries/{missed}", 404)


@pytest.mark.req("A-183")
async def test_a_result_reaches_the_open_page_as_it_happens(web: Web, db: Database) -> None:
    house = await build(web)
    of = await schedule(house)
    desk = await Desk.begin(db, web.app.services.files, "bot:busan1")
    client = await visitor(web)
    page = await read(client, "/messages/deliveries")
    topics = page.split('data-live="wait" data-topics="')[1].split('"')[0]
    web.site.state.live = Live(web.app.server.wakeups, Pace(heartbeat=0.2, poll=0.1, check=0.1, gap=0.0))
    await send_now(db, of.id)

    async with follow(client, topics) as stream:
        await desk.run()
        sending = (await find_delivery(db)).id
        told = await stream.next("delivery.sent")

    assert told["data"]["subject"] == f"delivery:{sending}"
    assert 'data-state="sent"' in await read(client, "/messages/deliveries")


async def test_before_the_first_send_the_page_says_what_will_be_here(web: Web) -> None:
    page = await read(await visitor(web, lang="ko"), "/messages/deliveries")

    assert "아직 보낸 메시지가 없습니다." in page
    assert 'href="/messages/schedules"' in page


LOGS, PAGE = "/messages/deliveries", "/messages/deliveries/archives"


@pytest.mark.req("A-177")
async def test_a_month_that_was_put_away_has_its_line_and_its_file(web: Web) -> None:
    house = await build(web)
    of = [(await schedule(house)).id, (await other_schedule(house)).id]
    newest, _ = await put_away(web.app.services, *of, months=2)
    client = await visitor(web, lang="ko")

    logs, page = await read(client, LOGS), await read(client, PAGE)
    file = await client.get(f"{PAGE}/{newest}")

    year, month = newest.split("-")
    assert f'href="{PAGE}"' in logs
    assert f"{year}년 {int(month)}월" in page
    assert f"deliveries-{newest}.jsonl.gz" in page
    assert page.count(">2회</td>") == 2
    assert f'href="{PAGE}/{newest}"' in page
    assert "로그에 400일 동안 남고" in page
    assert file.headers["Content-Disposition"] == f'attachment; filename="deliveries-{newest}.jsonl.gz"'
    rows = [json.loads(line) for line in gzip.decompress(file.content).splitlines()]
    assert {row["target_room_id"] for row in rows} == {"18200001", "18200003"}


async def test_before_the_first_the_page_says_when_it_is_made_and_how_long_sends_stay(web: Web) -> None:
    korean = await read(await visitor(web, lang="ko"), PAGE)
    english = await read(await visitor(web), PAGE)

    assert "매월 3일 04:30(서울)에 저절로 보관합니다. 다음: " in korean
    assert "발송은 로그에 400일 동안 남고, 그 달을 보관한 뒤에만 지웁니다." in korean
    assert "on the 3rd of each month at 04:30 in Seoul. Next: " in english
    assert "Sends stay in the log for 400 days" in english
    assert "There is no archive of this month." in await read(await visitor(web), f"{PAGE}/2026-01", 404)


@pytest.mark.req("A-106")
async def test_nobody_else_is_shown_the_way_or_let_in(web: Web) -> None:
    house = await build(web)
    [month] = await put_away(web.app.services, (await schedule(house)).id)

    for unit, role in ((BRANCH, Role.ADMIN), ("hq", Role.OPERATOR)):
        client = await visitor(web, unit, role)
        assert PAGE not in await read(client, LOGS)
        await read(client, PAGE, 403)
        await read(client, f"{PAGE}/{month}", 403)
