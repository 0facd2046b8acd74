"""From calculated to stored: a dry run from a file or a table, the run, the way back, and the flags."""

import csv
import io
import re

import httpx2
import pytest

from pabal.apps.adgroups.legacy import actions, flags, runs
from pabal.apps.adgroups.legacy.flags import Flag
from pabal.apps.adgroups.legacy.model import Mode, Run
from pabal.apps.adgroups.store.adgroups import list_ad_groups
from pabal.platform.actor import ENGINE, Role
from pabal.platform.tenants import Scope
from tests.apps.adgroups.pages.house import BRANCH, House
from tests.support.pages import read, visitor
from tests.support.web import Web

HERE = "/ads/migration"
OLD = "\n".join(
    (
        "id,name,campaign,start_at,end_at,ready_at,ready_confirmed_at",
        "AG1,옛 광고,옛 캠페인,2020-01-01T00:00:00,2035-01-01T00:00:00,2019-01-01T00:00:00,2019-01-02T00:00:00",
        "AG2,확인 없음,옛 캠페인,2020-01-01T00:00:00,2035-01-01T00:00:00,,",
        "AG3,날짜 없음,옛 캠페인,,,,",
    )
)


async def plan(client: httpx2.AsyncClient, content: str = OLD, **fields: str) -> httpx2.Response:
    return await client.post(f"{HERE}/plan", data=fields, files={"csv": ("old.csv", content.encode())})


async def count_groups(web: Web) -> int:
    async with web.db.transaction() as tx:
        return len((await list_ad_groups(tx, Scope(None, None))).items)


async def get_run(web: Web, path: str) -> Run:
    async with web.db.transaction() as tx:
        return await actions.get_run(tx, ENGINE, int(path.rpartition("/")[2]))


async def work(web: Web, path: str) -> None:
    await actions.work(web.app.services, int(path.rpartition("/")[2]))


@pytest.mark.req("E-85", "E-89", "E-103")
async def test_a_file_is_tried_reported_run_and_taken_back(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH)

    planned = await plan(client)
    path = planned.headers["location"]
    page, made_by_plan = await read(client, path), await count_groups(web)
    doubtful = await read(client, f"{path}?only=running_unconfirmed")
    report = await client.get(f"{path}/report")
    started = await client.post(f"{path}/start", data={"mode": "batches"})
    running = await read(client, path)
    await work(web, path)
    done, made = await read(client, path), await count_groups(web)
    again = await client.post(f"{path}/start")
    back = await client.post(f"{path}/rollback", data={"even_touched": "yes"})
    await work(web, path)
    gone = await read(client, path)

    assert planned.status_code == started.status_code == back.status_code == 303
    assert made_by_plan == 0
    assert "This is a dry run" in page
    assert {"running without confirmation", "no start or no end"} <= set(re.findall(r"#rows\">([^<]+)<", page))
    assert re.findall(r'<tr id="row-(\d+)"', page) == ["1", "2", "3"]
    assert re.findall(r'<tr id="row-(\d+)"', doubtful) == ["2"]
    rows = list(csv.DictReader(io.StringIO(report.text.lstrip("\ufeff"))))
    assert [row["id"] for row in rows] == ["AG1", "AG2", "AG3"]
    assert "0 of 3 rows" in running
    assert f'action="{path}/resume"' not in running
    assert made == 2
    assert 'id="rollback"' in done
    assert "2</b>" in re.findall(r"made <b>.*?</span>", done)[0]
    assert again.status_code == 409
    assert "wrong_run_state" in again.text
    assert await count_groups(web) == 0
    assert "taken back" in gone
    assert (await get_run(web, path)).mode is Mode.BATCHES


@pytest.mark.req("E-103")
async def test_one_that_stands_still_says_so_and_goes_on(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH)
    path = (await plan(client)).headers["location"]
    await client.post(f"{path}/start")
    async with web.db.transaction() as tx:
        run = await runs.find_run(tx, int(path.rpartition("/")[2]))
        await runs.fail_run(tx, run, "the disk was full")

    stopped = await read(client, path)
    resumed = await client.post(f"{path}/resume")
    await work(web, path)

    assert "It stopped after row 0" in stopped
    assert "the disk was full" in stopped
    assert f'action="{path}/resume"' in stopped
    assert resumed.status_code == 303
    assert (await get_run(web, path)).state == "done"


async def test_what_cannot_be_read_says_where_and_why_and_a_plan_can_be_discarded(web: Web, house: House) -> None:
    client, korean = await visitor(web, BRANCH), await visitor(web, BRANCH, lang="ko")
    hq, viewer = await visitor(web, "hq"), await visitor(web, BRANCH, Role.VIEWER)

    broken = await plan(client, "id,name\n1,x")
    none = await korean.post(f"{HERE}/plan", data={"unit_id": ""})
    no_table = await hq.post(f"{HERE}/plan", data={"source": "table"})
    not_theirs = await client.post(f"{HERE}/plan", data={"source": "table"})
    forbidden = await plan(viewer)
    path = (await plan(client)).headers["location"]
    listed, foreign = await read(client, HERE), await read(await visitor(web, "gangnam"), HERE)
    other = await (await visitor(web, "gangnam")).get(path)
    dropped = await client.post(f"{path}/discard")

    assert (broken.status_code, none.status_code, no_table.status_code) == (422, 422, 422)
    assert "columns campaign, start_at, end_at" in broken.text
    assert "CSV 파일을 먼저 고르세요" in none.text
    assert "no table legacy_ad_groups" in no_table.text
    assert (not_theirs.status_code, forbidden.status_code, other.status_code) == (403, 403, 404)
    assert path in listed
    assert "Nothing was brought over yet" in foreign
    assert dropped.headers["location"] == HERE
    await read(client, path, 404)


@pytest.mark.req("E-82", "E-87", "E-92")
async def test_flags_are_set_by_ad_group_campaign_and_share_and_taken_back(web: Web, house: House) -> None:
    made = await house.add("깃발")
    client, hq = await visitor(web, BRANCH), await visitor(web, "hq")
    path = f"{HERE}/flags"

    async def list_flags() -> list[tuple[str, int, bool]]:
        async with web.db.transaction() as tx:
            found: list[Flag] = await flags.list_flags(tx, Scope(None, None))
        return sorted((str(one.kind), one.value, one.is_on) for one in found)

    own = await client.post(path, data={"kind": "id", "value": f"adgroup:{made.id}", "is_on": "off"})
    source = (await house.get(made.id)).source
    await client.post(path, data={"kind": "campaign", "value": str(house.campaign_id), "is_on": "on"})
    share = await client.post(path, data={"kind": "percent", "value": "10"})
    await hq.post(path, data={"kind": "percent", "value": "10"})
    wrong = await hq.post(path, data={"kind": "percent", "value": "half"})
    unknown = await client.post(path, data={"kind": "id", "value": "adg_x"})
    all_set = await list_flags()
    page, seen = await read(client, HERE), await read(hq, HERE)
    await client.post(f"{path}/clear", data={"kind": "id", "value": str(made.id)})
    off = await hq.post(f"{HERE}/calculator/off")

    assert (own.status_code, source) == (303, "calculator")
    assert share.status_code == 403
    assert (wrong.status_code, unknown.status_code) == (422, 422)
    assert 'value="half"' in wrong.text
    assert all_set == [("campaign", house.campaign_id, True), ("id", made.id, False), ("percent", 10, True)]
    assert "깃발" in page
    assert 'value="percent"' not in page
    assert 'value="percent"' in seen
    assert off.status_code == 303
    assert await list_flags() == [("percent", 100, True)]
    assert (await house.get(made.id)).source == "machine"
