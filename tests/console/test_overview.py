"""The front page: what waits for a person, the beacons, the next hour; search."""

from datetime import UTC, datetime, timedelta

import pytest

from pabal.base.settings import Settings, split_list
from pabal.console.overview import beacon_level
from pabal.demo import SLICE as DEMO
from pabal.engine import queue
from pabal.engine.outcome import Retry
from pabal.engine.queue import NewJob
from pabal.platform import alerts
from pabal.platform.actor import ENGINE, Role
from pabal.platform.language.status import STATUS
from pabal.platform.overview import Need, Severity
from pabal.platform.platform_slice import platform_slice
from pabal.platform.slice import load_slices
from tests.console.firing import fire
from tests.support import work
from tests.support.pages import read, visitor
from tests.support.web import Web


def need(severity: Severity) -> Need:
    now = datetime(2026, 7, 3, tzinfo=UTC)
    return Need("job", "failed", ("a", "가"), ("b", "나"), "/", ("c", "다"), now, severity)


@pytest.mark.parametrize(
    ("severities", "level"),
    [([], 1), (["attention"], 2), (["attention", "failure"], 3), (["down"], 4), (["missing", "attention"], 5)],
)
def test_the_beacons_burn_as_high_as_the_worst(severities: list[Severity], level: int) -> None:
    assert beacon_level([need(severity) for severity in severities], None) == level


async def test_what_failed_waits_for_the_people_of_its_unit(web: Web) -> None:
    async with web.db.transaction() as tx:
        unit_id = web.unit("haeundae").id
        await queue.enqueue(tx, NewJob(work.PLAIN, unit_id=unit_id, about="kettle:7", max_failures=1))
    worker = await work.begin_life(web.db)
    job = await work.claim_one(web.db, worker, work.PLAIN)
    await work.settle(web.db, job, Retry("it spilled over"), worker=worker)

    mine, theirs = await read(await visitor(web, "haeundae"), "/"), await read(await visitor(web, "nampo"), "/")

    assert "it spilled over" in mine
    assert "Beacon 3" in mine
    assert "spilled" not in theirs
    assert "Beacon 1" in theirs


async def test_a_quiet_house_is_calm_and_says_so(web: Web) -> None:
    page = await read(await visitor(web, lang="ko"), "/")

    assert "모두 좋습니다" in page
    assert "봉수 1단" in page
    assert "살펴볼 것이 없습니다." in page


async def test_the_next_hour_shows_what_is_coming_in_ones_own_scope(web: Web) -> None:
    async with web.db.transaction() as tx:
        for unit in ("haeundae", "nampo"):
            soon = tx.now + timedelta(minutes=20)
            await queue.enqueue(tx, NewJob(f"demo.of_{unit}", unit_id=web.unit(unit).id, run_at=soon))

    page = await read(await visitor(web, "haeundae"), "/")

    assert "demo.of_haeundae" in page
    assert "demo.of_nampo" not in page


async def test_a_timer_of_the_next_hour_is_said_in_words_and_leads_to_its_page(web: Web) -> None:
    alert = await fire(web.db, "queue:msg", web.unit("haeundae"))
    async with web.db.transaction() as tx:
        await alerts.silence(tx, ENGINE, alert.id, until=tx.now + timedelta(minutes=20))

    page = await read(await visitor(web, lang="ko"), "/")

    assert f"{alert.id}: 무음 끝남" in page
    assert f'href="/alerts/{alert.id}"' in page
    assert "unsilence" not in page


def test_what_the_timers_of_any_machine_say_has_a_word_in_both_languages() -> None:
    apps = (DEMO, *load_slices(split_list(Settings().apps)))
    slices = (platform_slice(apps, []), *apps)
    words = [STATUS, *(one.status for one in slices)]
    timed = {
        (machine.name, event)
        for one in slices
        for machine in one.machines
        for timers in machine.timers.values()
        for event in timers.events
    }

    unsaid = [name for name in sorted(timed) if not any(name[1] in one.get(f"{name[0]}_event", {}) for one in words)]

    assert len(timed) > 10
    assert unsaid == []


async def test_the_system_line_is_for_those_who_see_the_whole_house(web: Web) -> None:
    assert "PostgreSQL" in await read(await visitor(web), "/")
    assert "PostgreSQL" not in await read(await visitor(web, "busan"), "/")


async def test_an_id_leads_straight_to_its_page_and_a_neighbours_is_not_found(web: Web) -> None:
    async with web.db.transaction() as tx:
        mine = str(await queue.enqueue(tx, NewJob("demo.greet", unit_id=web.unit("haeundae").id)))
        theirs = str(await queue.enqueue(tx, NewJob("demo.greet", unit_id=web.unit("nampo").id)))
    client = await visitor(web, "haeundae")

    straight = await client.get(f"/search?q={mine}")
    nothing = await read(client, f"/search?q={theirs}")

    assert straight.headers["location"] == f"/jobs/{mine}"
    assert "Nothing was found in what you may see." in nothing


async def test_words_find_people_and_units_of_ones_own(web: Web) -> None:
    client = await visitor(web, "busan", lang="ko")
    await web.person("gangnam", Role.VIEWER)

    assert "해운대점" in await read(client, "/search?q=해운대")
    assert "busan admin" in await read(client, "/search?q=busan")
    assert "찾지 못했습니다" in await read(client, "/search?q=강남")
    assert "gangnam" not in (await read(client, "/search?q=viewer")).partition("<main")[2].replace("q=viewer", "")


async def test_a_hostile_search_is_only_text(web: Web) -> None:
    answer = await (await visitor(web)).get("/search", params={"q": "<script>alert(1)</script>"})

    assert "<script>alert" not in answer.text


@pytest.fixture
def web_has_loops() -> bool:
    """The server of the page itself is seen."""
    return True
