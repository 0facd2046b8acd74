"""The inspector of delayed events: the list and its export."""

import csv
import io
import re

import pytest

from pabal.apps.adgroups.actions import campaigns
from pabal.apps.adgroups.store.campaigns import NewCampaign
from pabal.base import clock
from pabal.engine import ids
from pabal.platform.actor import ENGINE
from tests.apps.adgroups.pages.house import APPROVED, BRANCH, DAY, House
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
