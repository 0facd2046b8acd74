"""The inspector of delayed events: the list and its export."""

import csv
import io
import re
from datetime import datetime, timedelta

import pytest

from pabal.apps.adgroups.actions import campaigns
from pabal.apps.adgroups.model.adgroups import NewCampaign
from pabal.base import clock
from pabal.engine import ids
from pabal.platform.actor import ENGINE, Role
from tests.apps.adgroups.pages.house import APPROVED, BRANCH, DAY, SEOUL, House, in_two_hours
from tests.support.pages import read, visitor
from tests.support.web import Web

DELAYED = "/ads/delayed"
HOUR = DAY / 24


def list_lines(page: str) -> list[str]:
    return re.findall(r'<tr id="delayed-(\d+-\w+)"', page)


@pytest.mark.req("E-51", "E-59", "E-101")
async def test_all_that_ad_groups_wait_for_is_listed_the_next_first_with_version_and_owner(
    web: Web, house: House
) -> None:
    later = await house.add("나중", *APPROVED, start_at=house.now + 2 * HOUR)
    sooner = await house.add("먼저", *APPROVED, start_at=house.now + HOUR)
    async with web.db.transaction() as tx:
        other = await campaigns.create_campaign(tx, ENGINE, NewCampaign("빈", tx.now), unit_id=web.tree.haeundae.id)
    client, korean = await visitor(web, BRANCH), await visitor(web, BRANCH, lang="ko")

    page, in_korean = await read(client, DELAYED), await read(korean, DELAYED)
    starts = await read(client, f"{DELAYED}?event=start")
    empty = await read(client, f"{DELAYED}?campaign={other.id}")
    await clock.advance(web.db, HOUR * 1.5)
    late = await read(client, f"{DELAYED}?late=1")

    lines = list_lines(page)
    assert lines[:2] == [f"{sooner.id}-start", f"{later.id}-start"]
    assert len(lines) == 4
    [row] = re.findall(rf'<tr id="delayed-{sooner.id}-start".*?</tr>', page, re.S)
    assert ">waiting<" in row
    assert f">{sooner.schedule_version}<" in row
    assert web.tree.haeundae.name in row
    assert "adgroup:delayed:events" in page
    assert "송출 시작" in in_korean
    assert list_lines(starts) == lines[:2]
    assert list_lines(empty) == []
    assert "Nothing matches these filters" in empty
    assert list_lines(await read(client, f"{DELAYED}?campaign={house.campaign_id}&event=START&cursor=x")) == lines[:2]
    assert list_lines(late) == [f"{sooner.id}-start"]
    assert ">late<" in late
    assert re.search(r'Late <span class="pb-count">1<', late)


@pytest.mark.req("E-59", "E-61")
async def test_the_export_names_everything_as_the_seed_does_and_shows_only_ones_own(web: Web, house: House) -> None:
    made = await house.add("수출", *APPROVED, start_at=house.now + DAY)
    client, other = await visitor(web, BRANCH), await visitor(web, "gangnam")

    answer = await client.get(f"{DELAYED}.csv?event=start")
    rows = list(csv.DictReader(io.StringIO(answer.text.lstrip("\ufeff"))))
    foreign = await other.get(f"{DELAYED}.csv")

    assert [(row["key"], row["adGroupId"], row["event"], row["status"]) for row in rows] == [
        ("adgroup:delayed:events", ids.show("adg", made.id), "START", "APPROVED")
    ]
    assert float(rows[0]["score"]) == made.schedule.start_at.timestamp()
    assert rows[0]["scheduleVersion"] == str(made.schedule_version)
    assert len(foreign.text.splitlines()) == 1
    empty = await read(other, DELAYED)
    assert "No ad group waits for anything" in empty
    assert list_lines(await read(other, f"{DELAYED}?campaign={house.campaign_id}")) == []


def local(moment: datetime) -> str:
    return moment.astimezone(SEOUL).strftime("%Y-%m-%dT%H:%M")


@pytest.mark.req("E-60", "E-61")
async def test_it_is_shown_under_the_seeds_names_with_what_its_guard_would_say_now(web: Web, house: House) -> None:
    hours, opens = in_two_hours(house.now)
    made = await house.add("저녁", *APPROVED, dayparts=hours)
    client, viewer = await visitor(web, BRANCH), await visitor(web, BRANCH, Role.VIEWER)
    path = f"{DELAYED}/{made.id}/daily_start"

    page = await read(client, path)
    fragment = await client.get(path, headers={"HX-Request": "true"})
    seen = await read(viewer, path)

    shown = ids.show("adg", made.id)
    for key in ("adgroup:delayed:events", f"adgroup:scheduled:{shown}", f"adgroup:event:lock:{shown}"):
        assert key in page
    assert f"{opens.timestamp():.3f}" in page
    assert "outside its hours, until" in page
    assert "fired now it would be refused" in page
    assert "pb-drawer-b" in fragment.text
    assert "<html" not in fragment.text
    assert 'method="post" action="/ads' not in seen
    await read(client, f"{DELAYED}/{made.id}/pause", 404)
    await read(client, f"{DELAYED}/{made.id}/start", 404)
    await read(await visitor(web, "gangnam"), path, 404)


@pytest.mark.req("E-48")
async def test_fired_too_early_it_is_refused_with_its_guard_and_nothing_changes(web: Web, house: House) -> None:
    early = await house.add("이른", *APPROVED, start_at=house.now + DAY)
    hours, _ = in_two_hours(house.now)
    off = await house.add("쉬는 중", *APPROVED, dayparts=hours)
    client = await visitor(web, BRANCH, lang="ko")

    refused = await client.post(f"{DELAYED}/{early.id}/start/fire")
    expire = await client.post(f"{DELAYED}/{off.id}/expire/cancel")
    back = await client.get(f"{DELAYED}/{early.id}/start/fire")

    assert refused.status_code == 409
    assert "조건이 맞지 않습니다" in refused.text
    assert re.search(r"지금 [\d:]+ KST &lt; 시작", refused.text)
    assert (await house.get(early.id)).state == "approved"
    assert expire.status_code == 409
    assert "must_end" in expire.text
    assert back.headers["location"] == f"{DELAYED}/{early.id}/start"


async def test_it_is_moved_and_taken_out_and_its_dates_follow(web: Web, house: House) -> None:
    made = await house.add("옮김", *APPROVED, start_at=house.now + DAY)
    client = await visitor(web, BRANCH)
    path, to = f"{DELAYED}/{made.id}", house.now + 2 * DAY

    past = await client.post(f"{path}/start/move", data={"to": local(house.now - DAY)})
    nonsense = await client.post(f"{path}/start/move", data={"to": "someday"})
    moved = await client.post(f"{path}/start/move", data={"to": local(to)})
    after = await house.get(made.id)
    out = await client.post(f"{path}/start/cancel")
    held = await house.get(made.id)

    assert (past.status_code, nonsense.status_code) == (422, 422)
    assert "cannot_move_there" in past.text
    assert 'value="someday"' in nonsense.text
    assert moved.headers["location"] == DELAYED
    assert timedelta(0) <= to - after.schedule.start_at < timedelta(minutes=1)
    assert after.schedule_version == made.schedule_version + 1
    assert out.status_code == 303
    assert held.schedule.is_held
    await read(client, f"{path}/start", 404)


async def test_fired_when_its_guard_holds_it_moves_the_ad_group_at_once(web: Web, house: House) -> None:
    made = await house.add("밀린", *APPROVED, start_at=house.now + timedelta(minutes=10))
    client = await visitor(web, BRANCH)
    await clock.advance(web.db, timedelta(minutes=20))

    page = await read(client, f"{DELAYED}/{made.id}/start")
    done = await client.post(f"{DELAYED}/{made.id}/start/fire")

    assert "Fired now it would be" in page
    assert done.headers["location"] == DELAYED
    assert (await house.get(made.id)).state == "running"
