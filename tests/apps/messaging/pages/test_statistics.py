"""Statistics in the console: a period against the one before, each chart with its table, each table as CSV."""

import csv
import io
from dataclasses import replace

import httpx2
import pytest

from pabal.apps.messaging.store import statistics
from pabal.platform import alerts
from pabal.platform.alerts import ENGINE_MEASURES
from pabal.platform.tenants import Scope
from tests.apps.messaging.history import add_traffic, ended
from tests.apps.messaging.pages.house import BRANCH, House, build
from tests.apps.messaging.pages.logged import MINUTE, now, other_schedule, schedule, sends
from tests.support.pages import read, visitor
from tests.support.web import Web

EVERYTHING = Scope(None, None)
TABLES = {
    "summary": ("over_time", "delays", "week", "limits", "minutes", "duplicates"),
    "places": ("units", "rooms"),
    "effect": ("effect_week", "effect_rooms"),
    "usage": ("units", "kinds", "templates", "hours", "reasons"),
}


async def rows_of(client: httpx2.AsyncClient, view: str, table: str) -> list[list[str]]:
    answer = await client.get(f"/messages/statistics.csv?view={view}&table={table}&period=7d")
    assert answer.status_code == 200, answer.text
    assert answer.text.startswith("\ufeff")
    return list(csv.reader(io.StringIO(answer.text.removeprefix("\ufeff"))))


@pytest.fixture
async def house(web: Web) -> House:
    """Of ten sends in the last two hours eight went out; of Gangnam's one, none."""
    made = await build(web)
    at = await now(made)
    of, far = await schedule(made), await other_schedule(made)
    good = [ended("sent", at - (60 + 5 * n) * MINUTE, deferred_by="min_gap_seconds") for n in range(1, 9)]
    bad = [ended("failed", at - 61 * MINUTE, reason="deadline"), ended("missed", at - 62 * MINUTE)]
    await sends(made, of, *good, *bad)
    await sends(made, far, ended("failed", at - 70 * MINUTE, reason="bot_gone"))
    await add_traffic(web.db, made.room_id, at - 30 * MINUTE, 9)
    async with web.db.transaction() as tx:
        await statistics.count(tx, "duplicates_prevented", "prepare", 4)
    return made


@pytest.mark.req("A-163", "A-185", "A-197")
async def test_the_dashboard_tells_success_delay_rates_limits_and_the_databases_answer(web: Web, house: House) -> None:
    # the platform measures the database's answer on each host
    await alerts.sample_once(web.db, [one for one in ENGINE_MEASURES if one.is_per_host], host="h1")

    korean = await read(await visitor(web, lang="ko"), "/messages/statistics?period=7d")
    english = await read(await visitor(web), "/messages/statistics?period=7d")

    assert '<span class="pb-stat-value">72.7<small>%</small></span>' in korean
    assert "11회 중 8회 성공" in korean
    assert "발송을 미룬 제한" in korean
    assert "least gap between sends" in english
    assert '<span class="pb-stat-value">4' in english
    assert "Database answer" in english
    assert english.count("data-chart ") == 2
    assert english.count("As a table") >= 2
    for table in ("over_time", "delays", "week", "limits"):
        assert f'id="t-{table}"' in english
    assert house.room_id


@pytest.mark.req("A-167")
async def test_it_shows_how_long_the_database_takes_to_answer_the_slowest_server(web: Web, house: House) -> None:
    [round_trip] = [one for one in ENGINE_MEASURES if one.name == "database.round_trip"]

    async def be_slow(_tx: object) -> float:
        return 1234.5

    await alerts.sample_once(web.db, [round_trip], host="h1")
    client = await visitor(web)
    one = await read(client, "/messages/statistics?period=7d")
    await alerts.sample_once(web.db, [replace(round_trip, read=be_slow)], host="h2")
    two = await read(client, "/messages/statistics?period=7d")

    async with web.db.transaction() as tx:
        series = await alerts.list_series(tx, EVERYTHING, measure=round_trip.name)
    measured = {each.about: each.last_value for each in series}
    assert 0 < measured["h1"] < 30_000
    assert shown_answer(one) == f"{measured['h1']:.1f}"
    assert shown_answer(two) == "1234.5"
    assert house.room_id


def shown_answer(page: str) -> str:
    return page.split("Database answer")[1].split('class="pb-stat-value">')[1].split("<", maxsplit=1)[0].strip()


@pytest.mark.req("A-185")
async def test_every_table_of_every_view_is_exported(web: Web, house: House) -> None:
    client = await visitor(web)

    found = {(view, table): await rows_of(client, view, table) for view in TABLES for table in TABLES[view]}

    assert found["places", "rooms"][1][:8] == ["해운대 손님방", "10", "8", "0", "1", "0", "1", "80.0"]
    assert sorted(row[-1] for row in found["usage", "reasons"][1:]) == ["1", "1", "1"]
    assert sum(int(row[1]) for row in found["usage", "hours"][1:]) == 11
    assert sum(int(row[1]) for row in found["summary", "over_time"][1:]) == 11
    assert found["summary", "limits"][1][1:] == ["8", "1"]
    assert found["effect", "effect_rooms"][1][0] == "해운대 손님방"
    await read(client, "/messages/statistics.csv?view=places&table=nonsense", 404)


@pytest.mark.req("A-186", "A-187")
async def test_effect_and_usage_are_reports_of_their_own(web: Web, house: House) -> None:
    client = await visitor(web)

    effect = await read(client, "/messages/statistics?view=effect&period=7d")
    usage = await read(client, "/messages/statistics?view=usage&period=7d")

    assert "Messages in the hour after" in effect
    assert "mean of " in effect
    assert "Change by weekday and hour of the send" in effect
    for said in ("By organisation", "By kind", "By template", "By hour of the day", "What did not go out, by reason"):
        assert said in usage
    assert "It took longer than a send may take." in usage
    assert "without a template" in usage
    assert house.room_id


async def test_a_branch_has_its_own_numbers_only(web: Web, house: House) -> None:
    branch = await visitor(web, BRANCH)

    summary = await read(branch, "/messages/statistics?period=7d")
    places = await read(branch, "/messages/statistics?view=places&period=7d")

    assert "8 of 10 sends" in summary
    # counted for the whole house
    assert "Duplicates prevented" not in summary
    assert "강남" not in places
    assert "서울총판" not in places
    assert house.room_id


async def test_a_period_is_chosen_by_days_and_what_makes_no_sense_is_the_last_week(web: Web, house: House) -> None:
    client = await visitor(web)

    old = await read(client, "/messages/statistics?from=2020-01-03&to=2020-01-01")
    odd = await read(client, "/messages/statistics?period=never&from=yesterday&view=nowhere")

    assert "Wed 1 Jan 2020 00:00 KST to Sat 4 Jan 2020 00:00 KST" in old
    assert "Nothing was sent in this period." in old
    assert "<small>%" not in old, "a rate of nothing is none"
    assert "8 of 11 sends" in odd
    assert house.room_id
