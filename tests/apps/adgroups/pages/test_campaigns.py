"""Campaigns: the list, one with its ad groups, the form."""

from datetime import UTC, datetime

import pytest

from pabal.apps.adgroups.actions.campaigns import create_campaign
from pabal.apps.adgroups.model.adgroups import NewCampaign
from pabal.apps.adgroups.store.campaigns import get_campaign
from pabal.platform.actor import ENGINE, Role
from pabal.platform.tenants import Scope
from tests.apps.adgroups.pages.house import BRANCH, DAY, House
from tests.support.pages import read, visitor
from tests.support.web import Web

LIST = "/ads/campaigns"
TYPED = {"name": "2026 겨울", "start_at": "2026-12-01T00:00", "end_at": "2027-03-01T00:00", "state": "planned"}
INVENTORY = "/ads/inventory"


async def test_a_campaign_is_made_shown_with_its_ad_groups_and_closed(web: Web, house: House) -> None:
    await house.add("가을 배너")
    client = await visitor(web, BRANCH)
    path = f"{LIST}/{house.campaign_id}"

    made = await client.post(f"{LIST}/new", data=TYPED)
    listed, one = await read(client, LIST), await read(client, path)
    form = await read(client, f"{path}/edit")
    closing = {"name": "닫는 가을", "start_at": "2026-10-01T00:00", "end_at": "", "state": "closed"}
    changed = await client.post(f"{path}/edit", data=closing)
    after = await _get(web, house.campaign_id)

    new = await _get(web, int(made.headers["location"].rpartition("/")[2]))
    assert (new.name, new.state, new.unit_id) == ("2026 겨울", "planned", web.tree.haeundae.id)
    assert new.start_at.isoformat() == "2026-11-30T15:00:00+00:00"
    assert "2026 겨울" in listed
    assert "2026 가을" in listed
    assert "가을 배너" in one
    assert "no creative" not in one
    assert 'value="2026 가을"' in form
    assert (changed.status_code, after.name, after.state) == (303, "닫는 가을", "closed")
    assert after.start_at.isoformat() == "2026-09-30T15:00:00+00:00"
    assert "It is closed" in await read(client, path)


@pytest.mark.parametrize(
    ("moment", "shown", "sent"),
    [
        ("2026-10-01T09:00:07.250000+09:00", "2026-10-01T09:00:07", "2026-10-01T09:00:07"),
        # a browser may send what it was shown in a way of its own
        ("2026-10-01T09:00:00.250000+09:00", "2026-10-01T09:00", "2026-10-01T09:00:00"),
        ("2026-10-01T09:00:00.250000+09:00", "2026-10-01T09:00", "2026-10-01T09:00:00.000"),
    ],
)
async def test_a_moment_that_nobody_touched_is_kept_to_the_microsecond(
    web: Web, house: House, moment: str, shown: str, sent: str
) -> None:
    client, start_at = await visitor(web, BRANCH), datetime.fromisoformat(moment)
    async with web.db.transaction() as tx:
        new = NewCampaign("초까지", start_at, start_at + DAY)
        made = await create_campaign(tx, ENGINE, new, unit_id=web.tree.haeundae.id)
    path = f"{LIST}/{made.id}/edit"
    typed = {"name": "초까지", "start_at": sent, "end_at": sent.replace("10-01", "10-02"), "state": "open"}

    form = await read(client, path)
    await client.post(path, data=typed)
    kept = await _get(web, made.id)
    await client.post(path, data={**typed, "start_at": "2026-10-01T09:01"})
    moved = await _get(web, made.id)

    assert f'value="{shown}"' in form
    assert (kept.start_at, kept.end_at) == (start_at, start_at + DAY)
    assert (moved.start_at, moved.end_at) == (datetime(2026, 10, 1, 0, 1, tzinfo=UTC), start_at + DAY)


async def test_what_does_not_fit_is_said_at_its_field_and_nothing_typed_is_lost(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, lang="ko")

    none = await client.post(f"{LIST}/new", data={"start_at": "언젠가", "state": "odd"})
    backwards = await client.post(f"{LIST}/new", data={**TYPED, "end_at": "2026-11-01T00:00"})
    foreign = await client.post(f"{LIST}/new", data={**TYPED, "unit_id": str(web.tree.gangnam.id)})

    assert (none.status_code, backwards.status_code, foreign.status_code) == (422, 422, 404)
    assert "3가지를 고쳐야 합니다" in none.text
    assert 'value="언젠가"' in none.text
    assert "종료는 시작보다 늦어야 합니다" in backwards.text
    assert 'value="2026 겨울"' in backwards.text


async def test_another_branch_sees_none_of_it_and_a_viewer_changes_nothing(web: Web, house: House) -> None:
    other, viewer = await visitor(web, "gangnam"), await visitor(web, BRANCH, Role.VIEWER)
    path = f"{LIST}/{house.campaign_id}"

    empty, seen = await read(other, LIST), await read(viewer, path)

    assert "No campaign yet" in empty
    for one in (path, f"{path}/edit"):
        await read(other, one, 404)
    assert (await other.post(f"{path}/edit", data=TYPED)).status_code == 404
    assert "/edit" not in seen
    assert (await viewer.post(f"{path}/edit", data=TYPED)).status_code == 403
    assert (await viewer.post(f"{LIST}/new", data=TYPED)).status_code == 403


async def _get(web: Web, campaign_id: int):
    async with web.db.transaction() as tx:
        return await get_campaign(tx, Scope(None, None), campaign_id)


async def test_inventory_is_added_once_by_its_code(web: Web, house: House) -> None:
    client, other = await visitor(web, BRANCH), await visitor(web, "gangnam", lang="ko")
    viewer = await visitor(web, BRANCH, Role.VIEWER)

    added = await client.post(INVENTORY, data={"code": "busan-2", "name": "광안리 화면"})
    taken = await other.post(INVENTORY, data={"code": "busan-2", "name": "남의 코드"})
    bad = await client.post(INVENTORY, data={"code": "한글", "name": "화면"})
    none = await client.post(INVENTORY, data={"code": " ", "name": ""})
    refused = await viewer.post(INVENTORY, data={"code": "busan-3", "name": "화면"})
    page, foreign, seen = await read(client, INVENTORY), await read(other, INVENTORY), await read(viewer, INVENTORY)

    assert added.status_code == 303
    assert "광안리 화면" in page
    assert "해운대역 화면" in page
    assert (taken.status_code, bad.status_code, none.status_code, refused.status_code) == (422, 422, 422, 403)
    assert "다른 인벤토리가 이 코드를 씁니다" in taken.text
    assert 'value="남의 코드"' in taken.text
    assert 'value="한글"' in bad.text
    assert none.text.count("pb-fielderr") == 2
    assert "아직 인벤토리가 없습니다" in foreign
    assert 'action="/ads/inventory"' not in seen
