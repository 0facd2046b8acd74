"""The page of one ad group."""

import re
from datetime import timedelta

import pytest

from pabal.apps.adgroups.model.dayparts import DayParts, Span
from pabal.apps.adgroups.settings import STRICT_MATRIX
from pabal.platform import settings
from pabal.platform.actor import ENGINE
from tests.apps.adgroups.pages.house import APPROVED, BRANCH, DAY, LIST, SEOUL, House, in_two_hours
from tests.support.pages import read, visitor
from tests.support.web import Web


def row_of(page: str, event: str) -> str:
    [found] = re.findall(rf'<tr id="event-{event}">(.*?)</tr>', page, re.S)
    return str(found)


@pytest.mark.req("E-49", "E-100")
async def test_the_diagram_shows_where_it_is_how_it_came_and_where_it_may_go(web: Web, house: House) -> None:
    made = await house.add("송출", *APPROVED)
    client = await visitor(web, BRANCH, lang="ko")

    page = await read(client, f"{LIST}/{made.id}")

    [drawing] = re.findall(r'<svg class="pb-machine".*?</svg>', page, re.S)
    nodes = dict(re.findall(r'class="(node[^"]*)" data-state="(\w+)"', drawing))
    assert set(re.findall(r'data-state="(\w+)"', drawing)) >= {"draft", "ready", "approved", "running", "paused"}
    assert [state for cls, state in nodes.items() if " now" in cls] == ["running"]
    assert re.search(r'class="edge seen" data-from="approved" data-to="running"', drawing)
    assert re.search(r'class="edge can" data-from="running" data-to="paused"', drawing)
    assert re.search(r'class="edge no" data-from="running" data-to="expired"', drawing)
    assert "송출중" in drawing


async def test_every_event_is_allowed_or_refused_with_each_condition_in_words(web: Web, house: House) -> None:
    hours, opens = in_two_hours(house.now)
    made = await house.add("쉬는 중", *APPROVED, dayparts=hours)
    client = await visitor(web, BRANCH)

    page = await read(client, f"{LIST}/{made.id}")
    async with web.db.transaction() as tx:
        await settings.change(tx, ENGINE, STRICT_MATRIX, to=True)
    strict = await read(client, f"{LIST}/{made.id}")

    clock = opens.astimezone(SEOUL).strftime("%H:%M KST")
    assert "extension</span>" in row_of(page, "pause")
    assert "pausing before it runs is allowed" in row_of(page, "pause")
    assert f"outside its hours, until {clock}" in row_of(page, "daily_start")
    assert "comes by itself" in row_of(page, "daily_start")
    assert re.search(r"now [\d:]+ KST < end \w+ \d+ \w+", row_of(page, "expire"))
    assert "only from" in row_of(page, "approve")
    assert 'id="send-pause"' in page
    assert 'id="send-daily_start"' not in page
    assert "the seed's matrix lets only running ones be paused" in row_of(strict, "pause")
    assert 'id="send-pause"' not in strict


@pytest.mark.req("E-98", "E-94", "E-03")
async def test_an_event_sent_with_a_reason_is_in_the_history_and_the_state_at_a_moment_is_known(
    web: Web, house: House
) -> None:
    made = await house.add("송출", *APPROVED)
    client = await visitor(web, BRANCH)
    path = f"{LIST}/{made.id}"

    sent = await client.post(
        f"{path}/send", data={"event": "pause", "reason": "가격 오타", "version": str(made.version)}
    )
    page = await read(client, path)
    now = await read(client, f"{path}?at={house.now.astimezone(SEOUL) + timedelta(minutes=5):%Y-%m-%dT%H:%M:%S}")
    before = await read(client, f"{path}?at=2020-01-01T00:00")
    paused_at = re.findall(r'<tr id="v-5">.*?datetime="([^"]+)"', page, re.S)[0].replace("Z", "%2B00:00")
    at = await read(client, f"{path}?at={paused_at}")
    file = (await client.get(f"{path}/history.csv")).text.splitlines()

    assert sent.headers["Location"] == path
    changes = re.findall(r'<tr id="v-(\d+)">.*?<code>(\w+)</code>', page, re.S)
    assert changes == [("5", "PAUSE"), ("4", "START"), ("3", "APPROVE"), ("2", "COMPLETE_SETUP"), ("1", "BEGIN")]
    first = page[page.index('<tr id="v-5">') :]
    assert "가격 오타" in first[: first.index("</tr>")]
    assert "haeundae admin" in first[: first.index("</tr>")]
    assert "has not come yet" in now
    assert "did not exist yet" in before
    assert [line.split(",")[0] for line in file[1:]] == ["5", "4", "3", "2", "1"]
    assert "PAUSE,RUNNING,PAUSED,user:" in file[1]
    assert file[1].endswith("haeundae admin,가격 오타,")
    told = at[at.index('id="then"') :][:900]
    assert 'data-state="paused"' in told
    assert "가격 오타" in told


async def test_a_refused_event_says_why_and_keeps_what_was_typed(web: Web, house: House) -> None:
    made = await house.add("송출", *APPROVED)
    client = await visitor(web, BRANCH)
    path = f"{LIST}/{made.id}"

    refused = await client.post(f"{path}/send", data={"event": "expire", "reason": "이제 그만"})
    stale = await client.post(f"{path}/send", data={"event": "pause", "reason": "가격 오타", "version": "2"})

    assert refused.status_code == stale.status_code == 409
    assert "EXPIRE was not sent" in refused.text
    assert "guard_refused" in refused.text
    assert "&lt; end" in refused.text[refused.text.index("EXPIRE was not sent") :][:1500]
    assert "ad_group_changed" in stale.text
    assert 'value="가격 오타"' in stale.text
    assert (await house.get(made.id)).state == "running"
    assert (await client.get(f"{path}/send")).headers["Location"] == path


async def test_the_week_ahead_is_drawn_and_told_and_its_timers_and_hours_are_there(web: Web, house: House) -> None:
    hours, opens = in_two_hours(house.now)
    made = await house.add("쉬는 중", *APPROVED, dayparts=hours, end_at=house.now + 3 * DAY)
    client = await visitor(web, BRANCH)

    page = await read(client, f"{LIST}/{made.id}")

    [table] = re.findall(r'id="forecast".*?</table>', page, re.S)
    states = re.findall(r'data-state="(\w+)"', table)
    assert states[:3] == ["pending", "running", "pending"]
    assert states[-1] == "expired"
    assert page.count('class="ad-day"') == 7
    assert 'class="ad-running"' in page
    [timers] = re.findall(r'id="timers".*?</section>', page, re.S)
    assert "DAILY_START" in timers
    assert "EXPIRE" in timers
    assert 'href="/ads/delayed' in timers
    assert page.count('data-cell="part"') == 14
    assert opens.isoformat() != made.schedule.start_at.isoformat()


async def test_its_life_can_be_run_to_the_end_also_with_an_event_somebody_might_send(web: Web, house: House) -> None:
    hours, _ = in_two_hours(house.now)
    made = await house.add("쉬는 중", *APPROVED, dayparts=hours, end_at=house.now + 3 * DAY)
    draft = await house.add("초안", is_bare=True)
    long = await house.add("긴 것", *APPROVED, dayparts=hours, end_at=house.now + 400 * DAY)
    hourly = DayParts((tuple(Span(hour * 60, hour * 60 + 30) for hour in range(24)),) * 7)
    busy = await house.add("바쁜 것", *APPROVED, dayparts=hourly, end_at=house.now + 100 * DAY)
    client = await visitor(web, BRANCH)

    async def states(ad_group_id: int, query: str = "") -> list[str]:
        page = await read(client, f"{LIST}/{ad_group_id}/life{query}")
        return re.findall(r'<tr><td data-cell="state">.*?data-state="(\w+)"', page, re.S)

    assert await states(made.id) == [
        "pending",
        "running",
        "pending",
        "running",
        "pending",
        "running",
        "pending",
        "expired",
    ]
    assert await states(made.id, "?event=pause") == ["paused", "expired"]
    assert await states(draft.id) == ["draft"]
    refused = await read(client, f"{LIST}/{draft.id}/life?event=complete_setup")
    assert "COMPLETE_SETUP would be refused" in refused
    assert "it has no creative" in refused
    cut = await read(client, f"{LIST}/{long.id}/life")
    assert "Shown only until" in cut
    assert cut.count('<tr><td data-cell="state">') == 101
    assert "Shown only until" in await read(client, f"{LIST}/{busy.id}/life")
    assert (await house.get(made.id)).state == "pending"


async def test_creatives_and_inventory_are_added_and_taken_out_until_it_is_approved(web: Web, house: House) -> None:
    made = await house.add("초안", is_bare=True)
    client = await visitor(web, BRANCH)
    path = f"{LIST}/{made.id}"

    bad = await client.post(f"{path}/creatives", data={"name": "포스터", "url": "ftp://example.com"})
    unknown = await client.post(f"{path}/inventory", data={"code": "nowhere"})
    await client.post(f"{path}/creatives", data={"name": "포스터", "url": "https://cdn.example.com/b.png"})
    await client.post(f"{path}/inventory", data={"code": "busan-1"})
    both = await read(client, path)
    set_up = await house.get(made.id)
    await client.post(f"{path}/creatives/1/remove")
    await client.post(f"{path}/inventory/{house.inventory_id}/remove")
    none = await house.get(made.id)
    approved = await house.add("승인됨", *APPROVED)
    locked = await read(client, f"{LIST}/{approved.id}")
    late = await client.post(f"{LIST}/{approved.id}/creatives", data={"name": "더", "url": "https://example.com/c.png"})

    assert bad.status_code == unknown.status_code == 422
    assert 'value="ftp://example.com"' in bad.text
    assert "pb-fielderr" in bad.text
    assert 'value="nowhere"' in unknown.text
    assert 'href="https://cdn.example.com/b.png"' in both
    assert "해운대역 화면" in both
    assert (set_up.creatives, set_up.inventories) == (1, 1)
    assert (none.creatives, none.inventories) == (0, 0)

    assert f'action="{LIST}/{approved.id}/creatives"' not in locked
    assert "creatives change only before the approval" in locked
    assert late.status_code == 422
    assert "setup_locked" in late.text
