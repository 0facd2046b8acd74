"""Health in the console: what is measured, what is normal, and only one's own."""

import html
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform import alerts, settings
from pabal.platform.actor import ENGINE, Role
from pabal.platform.alerts import Announcement, Reading
from pabal.platform.backup import store
from pabal.platform.slice import Slice
from pabal.platform.web.identify import SCOPE_COOKIE
from tests.platform.alerts.house import EVERY, MINUTE, Dial, rule_on
from tests.support.web import SECRET, Web, open_web

DIAL = Dial("bots.lag", None)
MEASURE = DIAL.measure()
RULE = rule_on(MEASURE, name="bots.slow")
SLICE = Slice(
    "bots",
    label=("Bots", "봇"),
    measures=(MEASURE,),
    alert_rules=(RULE,),
    settings=alerts.list_rule_settings([RULE]),
)
HOUSE = [measure for measure in alerts.ENGINE_MEASURES if not measure.is_per_host]


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    """With an app of one measure, whose dial these tests turn."""
    apps = "tests.console.test_health:SLICE"
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps=apps, secret_key=SECRET)


@pytest.fixture
async def web(db: Database, web_settings: Settings) -> AsyncIterator[Web]:
    """Its loops are not started: they would measure too, and at moments of their own."""
    async with open_web(db, web_settings, has_loops=False) as opened:
        yield opened
    DIAL.shows = None


@pytest.fixture(autouse=True)
async def _begins_with_a_day(db: Database) -> None:
    """What is measured within minutes is then one part of every chart: parts begin at round moments."""
    async with db.transaction() as tx:
        tomorrow = (tx.now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        now = tx.now
    await clock.advance(db, tomorrow - now)


async def measure_all(web: Web, showing: float | list[Reading] | None = None, *, times: int = 1) -> None:
    DIAL.shows = showing
    for _ in range(times):
        await clock.advance(web.db, EVERY)
        await alerts.sample_once(web.db, [*HOUSE, MEASURE])


async def judge(web: Web) -> None:
    async def tell(tx: Any, announcement: Announcement) -> None:
        return None

    await alerts.evaluate_once(web.db, [RULE], tell)


def bots_of(web: Web) -> list[Reading]:
    return [
        Reading(3.0, "bot:haeundae", web.tree.haeundae.id),
        Reading(99.0, "bot:gangnam", web.tree.gangnam.id),
    ]


async def visit(web: Web, unit: str = "hq", role: Role = Role.VIEWER, lang: str = "ko") -> httpx2.AsyncClient:
    return await web.as_(unit, role, by="session", Accept="text/html", **{"Accept-Language": lang})


async def open_page(client: httpx2.AsyncClient, path: str = "/health") -> str:
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    return html.unescape(answer.text)


async def read_series(client: httpx2.AsyncClient, measure: str, **wanted: str) -> dict[str, Any]:
    answer = await client.get("/health/series", params={"measure": measure, **wanted})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def row(page: str, key: str) -> str:
    return page.partition(f'id="c-{key}"')[2].partition("</tr>")[0]


async def test_each_component_has_a_word_a_number_and_what_is_normal(web: Web) -> None:
    await measure_all(web)

    korean = await open_page(await visit(web))
    english = await open_page(await visit(web, lang="en"))

    lag = row(korean, "rule-engine.schedule_lag")
    assert "정상" in lag
    assert "스케줄 지연" in lag
    assert "60초 이하" in lag
    assert "60 s or less" in row(english, "rule-engine.schedule_lag")
    assert "PostgreSQL" in row(korean, "database")
    assert " ms" in row(korean, "database")
    assert "준비 0" in row(korean, "queue")
    assert "GB" in row(english, "disk")
    assert "none yet" in row(english, "backup")


async def test_a_house_where_nobody_works_is_not_well(web: Web) -> None:
    page = await open_page(await visit(web, lang="en"))

    assert "failed" in row(page, "servers")
    assert "no server takes jobs" in row(page, "servers")


async def test_what_an_operator_calls_normal_is_normal(web: Web) -> None:
    await measure_all(web, 20.0)
    before = await open_page(await visit(web))
    async with web.db.transaction() as tx:
        await settings.change(tx, ENGINE, RULE.threshold_setting, 30.0)

    after = await open_page(await visit(web))

    assert "10초 이하" in row(before, "rule-bots.slow")
    assert "주의" in row(before, "rule-bots.slow"), "beyond the limit, if not for long"
    assert "30초 이하" in row(after, "rule-bots.slow")
    assert "주의" not in row(after, "rule-bots.slow")


async def test_what_fires_stands_on_top(web: Web) -> None:
    await measure_all(web, 99.0, times=MINUTE // EVERY + 1)
    await judge(web)

    page = await open_page(await visit(web, lang="en"))

    assert "now 99 s, normally 10 s or less. Turn it down." in page
    assert page.index("Firing alerts") < page.index('id="components"')
    assert "failed" in row(page, "rule-bots.slow")


async def test_a_component_of_several_shows_the_one_that_fires(web: Web) -> None:
    await measure_all(web, [Reading(99.0, "bot:one"), Reading(1.0, "bot:two")], times=MINUTE // EVERY + 1)
    await judge(web)
    await measure_all(web, [Reading(2.0, "bot:one"), Reading(3.0, "bot:two")])

    page = await open_page(await visit(web, lang="en"))

    assert "bot:one" in row(page, "rule-bots.slow")
    assert "failed" in row(page, "rule-bots.slow"), "it is over only after a while within the limit"


async def test_a_value_of_long_ago_is_not_called_now(web: Web) -> None:
    await measure_all(web, 1.0)
    await clock.advance(web.db, timedelta(minutes=10))

    page = await open_page(await visit(web, lang="en"))

    assert "unknown" in row(page, "rule-bots.slow")
    assert "Last measured 10 min ago: 1 s." in page


async def test_a_measure_with_nothing_to_say_is_idle_not_unknown(web: Web) -> None:
    await measure_all(web, 1.0)
    await measure_all(web, None, times=10)

    page = await open_page(await visit(web, lang="en"))

    assert "idle" in row(page, "rule-bots.slow")
    assert "nothing to measure" in row(page, "rule-bots.slow")
    assert "ok" in row(page, "rule-engine.schedule_lag")


async def test_a_backup_of_yesterday_is_fine_and_one_of_last_week_is_not(web: Web) -> None:
    async with web.db.transaction() as tx:
        begun = await store.begin_backup(tx, 1, requested_by=None, host="here", folder="f", file="pabal.dump")
        await store.end_backup(tx, begun.id, size=5 * 2**20, sha256="0" * 64, counts={})
    await clock.advance(web.db, timedelta(hours=24))
    yesterday = await open_page(await visit(web, lang="en"))
    await clock.advance(web.db, timedelta(days=6))

    last_week = await open_page(await visit(web, lang="en"))

    assert "ok" in row(yesterday, "backup")
    assert "1 d ago · 5 MB" in row(yesterday, "backup")
    assert "warning" in row(last_week, "backup")


async def test_every_measure_with_data_has_a_chart_in_the_group_of_its_app(web: Web) -> None:
    await measure_all(web, 3.0)

    page = await open_page(await visit(web))
    only = await open_page(await visit(web), "/health?area=bots&range=7d")

    for measure in (*HOUSE, MEASURE):
        has_value = measure.name not in ("work.success_rate", "work.processing_time")
        assert (f"/health/series?measure={measure.name}&range=1h" in page) == has_value, measure.name
    assert 'id="area-bots">봇<' in page
    assert "measure=bots.lag&range=7d" in only
    assert "measure=work.ready" not in only


async def test_before_anything_was_measured_the_page_says_so(web: Web) -> None:
    page = await open_page(await visit(web))

    assert "아직 잰 지표가 없습니다." in page
    assert "PostgreSQL" in row(page, "database")


async def test_a_chart_has_its_points_its_limit_and_a_hole_where_nothing_is_known(web: Web) -> None:
    await measure_all(web, 3.0, times=2)
    await clock.advance(web.db, timedelta(minutes=20))
    await measure_all(web, 7.0, times=2)

    drawn = await read_series(await visit(web), "bots.lag", range="1h")

    [line] = drawn["series"]
    values = [value for _, value in line["points"]]
    assert values == [None, 3.0, 3.0, None, 7.0, 7.0]
    assert [at for at, _ in line["points"]] == sorted(at for at, _ in line["points"])
    assert drawn["limit"] == {"value": 10.0, "label": "경보 > 10초"}
    assert drawn["unit"] == "s"


async def test_of_a_longer_stretch_the_worst_of_each_part_is_drawn(web: Web) -> None:
    for value in (1.0, 40.0, 2.0):
        await measure_all(web, value)

    drawn = await read_series(await visit(web), "bots.lag", range="7d")

    assert 40.0 in [value for _, value in drawn["series"][0]["points"]]
    assert 2.0 not in [value for _, value in drawn["series"][0]["points"]]


async def test_several_things_of_one_measure_are_lines_of_one_chart_the_worst_first(web: Web) -> None:
    await measure_all(web, bots_of(web))
    client = await visit(web)

    both = await read_series(client, "bots.lag")
    one = await read_series(client, "bots.lag", about="bot:haeundae")

    assert [line["name"] for line in both["series"]] == ["bot:gangnam", "bot:haeundae"]
    assert [value for _, value in one["series"][0]["points"] if value is not None] == [3.0]


async def test_the_page_of_a_measure_says_the_same_in_a_table(web: Web) -> None:
    await measure_all(web, bots_of(web), times=2)

    page = await open_page(await visit(web, lang="en"), "/health/measures/bots.lag?about=bot%3Agangnam&range=24h")

    assert "lowest 99 s, highest 99 s" in page
    assert page.count("beyond the limit") == 1
    assert "bot:haeundae" in page
    assert "fires when it is not 10 s or less for 1 min" in page
    assert "&range=24h&about=bot%3Agangnam" in page


async def test_a_branch_sees_what_is_measured_for_it_and_nothing_of_the_house(web: Web) -> None:
    await measure_all(web, bots_of(web))
    client = await visit(web, "haeundae")

    page = await open_page(client)
    own = await open_page(client, "/health/measures/bots.lag")
    drawn = await read_series(client, "bots.lag")
    tried = await read_series(client, "bots.lag", about="bot:gangnam")
    of_house = await read_series(client, "work.ready")
    closed = await client.get("/health/measures/work.ready")

    assert "본사만 볼 수 있습니다" in page
    assert "3초" in row(page, "rule-bots.slow")
    assert "bot:gangnam" not in page + own
    assert not any(word in page for word in ("PostgreSQL", "work.ready", "/metrics</code>", 'id="c-servers"'))
    assert len(drawn["series"]) == 1
    assert (tried["series"], of_house["series"]) == ([], [])
    assert closed.status_code == 404


async def test_a_branch_without_measures_is_told_so(web: Web) -> None:
    await measure_all(web)

    page = await open_page(await visit(web, "haeundae", lang="en"))

    assert "Nothing is measured for this organisation yet." in page
    assert 'id="components"' not in page


async def test_whoever_narrowed_the_view_is_told_how_to_see_the_house(web: Web) -> None:
    await measure_all(web)
    client = await visit(web, lang="en")
    client.cookies.set(SCOPE_COOKIE, str(web.tree.haeundae.id), domain="127.0.0.1")

    page = await open_page(client)

    assert "choose it above" in page
    assert "PostgreSQL" not in page


async def test_what_nobody_measures_is_not_found_and_a_strange_stretch_is_an_hour(web: Web) -> None:
    await measure_all(web, 1.0)
    client = await visit(web)

    unknown = [await client.get("/health/series?measure=no.such"), await client.get("/health/measures/no.such")]
    page = await open_page(client, "/health?range=century&area=nowhere")

    assert [answer.status_code for answer in unknown] == [404, 404]
    assert "measure=bots.lag&range=1h" in page


async def test_what_is_measured_may_be_called_anything(web: Web) -> None:
    await measure_all(web, [Reading(1.0, "<script>alert(1)</script>")])
    client = await visit(web)

    answers = [await client.get("/health"), await client.get("/health/measures/bots.lag")]

    assert all("<script>alert" not in answer.text for answer in answers)
    assert all("&lt;script&gt;alert" in answer.text for answer in answers)


async def test_a_token_for_something_else_may_not_look(web: Web) -> None:
    client = await web.as_("hq", Role.ADMIN, scopes=("jobs:read",), Accept="text/html")

    answers = [await client.get(path) for path in ("/health", "/health/series?measure=bots.lag", "/servers")]

    assert [answer.status_code for answer in answers] == [403, 403, 403]


async def test_the_names_for_prometheus_are_listed(web: Web) -> None:
    page = await open_page(await visit(web))
    metrics = (await (await web.anybody()).get("/metrics")).text

    assert "pabal_server_started_total" in page
    assert "# TYPE pabal_server_started_total counter" in metrics
