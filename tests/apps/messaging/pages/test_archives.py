"""The archive of the send logs in the console: months to download, for administrators of the head office alone."""

import gzip
import json

import pytest

from pabal.platform.actor import Role
from tests.apps.messaging.archived import put_away
from tests.apps.messaging.pages.house import BRANCH, build
from tests.apps.messaging.pages.logged import other_schedule, schedule
from tests.support.pages import read, visitor
from tests.support.web import Web

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
