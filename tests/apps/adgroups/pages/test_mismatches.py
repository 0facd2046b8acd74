"""Where the old calculator and the machine differ."""

import re

import pytest

from pabal.apps.adgroups.legacy import shadow
from pabal.apps.adgroups.model.adgroups import Event
from pabal.apps.adgroups.settings import COMPARE
from pabal.base import clock
from pabal.platform import settings
from pabal.platform.actor import ENGINE, Role
from tests.apps.adgroups.pages.house import APPROVED, BRANCH, DAY, House
from tests.support.pages import read, visitor
from tests.support.web import Web

HERE = "/ads/mismatches"


def list_names(page: str) -> list[str]:
    return re.findall(r'<tr id="mismatch-\d+">.*?class="title" href="[^"]+">([^<]+)<', page, re.S)


@pytest.mark.req("E-81", "E-83")
async def test_a_difference_says_both_states_since_when_and_why_and_is_decided(web: Web, house: House) -> None:
    await house.add("멈춘 광고", *APPROVED, Event.PAUSE)
    late = await house.add("승인을 놓친 광고", Event.COMPLETE_SETUP)
    await clock.advance(web.db, DAY / 48)
    await shadow.compare_all(web.db)
    client, korean = await visitor(web, BRANCH), await visitor(web, BRANCH, lang="ko")

    page, in_korean = await read(client, HERE), await read(korean, HERE)
    only = await read(client, f"{HERE}?cause=paused_by_hand")
    [number] = re.findall(r'<tr id="mismatch-(\d+)">(?:(?!</tr>).)*승인을 놓친', page, re.S)
    decided = await client.post(f"{HERE}/{number}/decide", data={"believe": "calculator"})
    rest, done = await read(client, HERE), await read(client, f"{HERE}?view=decided")

    assert set(list_names(page)) == {"멈춘 광고", "승인을 놓친 광고"}
    [row] = re.findall(rf'<tr id="mismatch-{number}">.*?</tr>', page, re.S)
    assert 'data-state="ready"' in row
    assert 'data-state="running"' in row
    assert "its dates say it runs, but nobody approved it" in row
    assert "사람이 멈춤(날짜로는 알 수 없음) · 예상된 차이" in in_korean
    assert list_names(only) == ["멈춘 광고"]
    assert decided.status_code == 303
    assert (await house.get(late.id)).source == "calculator"
    assert list_names(rest) == ["멈춘 광고"]
    assert list_names(done) == ["승인을 놓친 광고"]
    assert "decided by" in done


async def test_nothing_of_it_is_a_strangers_or_a_viewers_to_decide(web: Web, house: House) -> None:
    await house.add("멈춘 광고", *APPROVED, Event.PAUSE)
    await clock.advance(web.db, DAY / 48)
    await shadow.compare_all(web.db)
    other, viewer = await visitor(web, "gangnam"), await visitor(web, BRANCH, Role.VIEWER)

    empty, seen = await read(other, HERE), await read(viewer, HERE)
    [number] = re.findall(r'<tr id="mismatch-(\d+)">', seen)
    answers = [await one.post(f"{HERE}/{number}/decide", data={"believe": "machine"}) for one in (other, viewer)]
    async with web.db.transaction() as tx:
        await settings.change(tx, ENGINE, COMPARE, to=False)

    assert "Both ways agree about everything" in empty
    assert "/decide" not in seen
    assert [one.status_code for one in answers] == [404, 403]
    assert "Nothing is compared" in await read(viewer, HERE)
