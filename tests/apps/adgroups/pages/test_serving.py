"""What ad servers read: configured or not, the last checks, and asking for one."""

import pytest

from pabal.apps.adgroups.serving import actions, store
from pabal.apps.adgroups.serving.store import Check
from pabal.engine import listing
from pabal.engine.listing.jobs import Wanted
from pabal.platform.actor import Role
from tests.apps.adgroups.pages.house import APPROVED, BRANCH, House
from tests.support.pages import read, visitor
from tests.support.web import Web

HERE = "/ads/serving"


async def list_kinds(web: Web) -> set[str]:
    async with web.db.transaction() as tx:
        return {job.kind for job in (await listing.list_jobs(tx, Wanted(units=None))).items}


async def test_without_an_address_it_says_what_to_set(web: Web, house: House) -> None:
    hq, branch = await visitor(web, "hq"), await visitor(web, BRANCH)

    page = await read(hq, HERE)
    asked = await hq.post(f"{HERE}/check")

    assert "Nothing is written for ad servers" in page
    assert "PABAL_SERVING_URL=redis://" in page
    assert f'action="{HERE}/check"' not in page
    assert asked.status_code == 409
    assert "adgroup:serving:inventory:{code}" in page
    await read(branch, HERE, 403)


@pytest.mark.req("E-71")
async def test_it_shows_what_ad_servers_see_what_checks_found_and_what_is_under_way(web: Web, house: House) -> None:
    made = await house.add("송출", *APPROVED)
    async with web.db.transaction() as tx:
        await store.set_wanted(tx, True)
        found = {"missing": 2, "stale": 0, "not_running": 0, "unknown": 1, "wrong_inventory": 0}
        await store.insert_check(tx, Check(0, tx.now, 12, "engine", 1, found, 2, None))
        await store.note_away(tx, "Connection refused")
    client, viewer = await visitor(web, "hq", lang="ko"), await visitor(web, "hq", Role.VIEWER)

    before = await read(client, HERE)
    answers = [await client.post(f"{HERE}/{verb}") for verb in ("check", "check", "rebuild")]
    after, seen = await read(client, HERE), await read(viewer, HERE)

    assert f"adgroup:serving:{made.id}" in before
    assert '"name": "송출"' in before
    assert "2 송출중인데 없음" in before
    assert "예전 내용으로 있음" not in before
    assert "다 고치지 못함" in before
    assert "Connection refused" in before
    assert [one.status_code for one in answers] == [303, 303, 303]
    assert await list_kinds(web) == {actions.CHECK, actions.REBUILD}
    assert "차례를 기다림" in after
    assert f'action="{HERE}/check"' not in seen
    assert (await viewer.post(f"{HERE}/rebuild")).status_code == 403
