"""What is on a page follows what happens, or the page says that it does not."""

import re
from datetime import timedelta

from playwright.async_api import expect

from pabal.base.database import Database
from pabal.engine import claims, ids, queue, reports, workers
from pabal.engine.claims import Wanted
from pabal.engine.kinds import Job, Report
from pabal.engine.queue import NewJob, Priority
from tests.browser.cable import lay_cable
from tests.browser.conftest import Demo
from tests.support.browser import BROWSER, Visitors

pytestmark = BROWSER


async def enqueue_for(demo: Demo, about: str) -> None:
    database = await Database.open(demo.database_url, size=1)
    async with database.transaction() as tx:
        await queue.enqueue(tx, NewJob("demo.greet", about=about, route="bot:nobody"))
    await database.close()


async def test_a_page_that_is_cut_off_says_so_and_comes_back_by_itself(demo: Demo, visitors: Visitors) -> None:
    visitors.expected = re.compile("ERR_")
    async with lay_cable(demo.url) as cable:
        page = await visitors.open(cable.url)
        await page.clock.install()
        await page.goto("/")
        mark = page.locator(".pb-live")
        await expect(mark).to_contain_text("실시간")

        await cable.cut()
        await expect(mark).to_contain_text("다시 연결 중")
        await page.clock.fast_forward(41_000)
        await expect(mark).to_contain_text("갱신 멈춤")
        await expect(mark.get_by_role("button", name="새로고침")).to_be_visible()
        await cable.mend()
        await page.clock.fast_forward(31_000)

        await expect(mark).to_contain_text("실시간")
        await expect(mark.get_by_role("button", name="새로고침")).to_be_hidden()
        await visitors.close()


async def test_a_stream_that_falls_silent_is_not_believed(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url)
    await page.clock.install()
    await page.goto("/jobs")
    mark = page.locator(".pb-live")
    await expect(mark).to_contain_text("실시간")

    await page.route("**/api/v1/events**", lambda _: None)  # taken, and never answered
    await page.clock.fast_forward(41_000)

    await expect(mark).not_to_contain_text("실시간")


async def test_new_rows_wait_until_they_are_asked_for(demo: Demo, visitors: Visitors) -> None:
    await enqueue_for(demo, "choir:1")
    page = await visitors.open(demo.url)
    await page.clock.install()
    await page.goto("/jobs?about=choir:1")
    rows = page.locator("tbody tr")
    await expect(rows).to_have_count(1)

    await enqueue_for(demo, "choir:1")
    await page.clock.fast_forward(6_000)
    offer = page.locator(".pb-newrows")
    await expect(offer).to_have_text(re.compile("1"))
    await expect(rows).to_have_count(1)
    await offer.click()

    await expect(rows).to_have_count(2)
    await expect(offer).to_have_count(0)


async def test_the_page_of_a_job_follows_how_far_it_is(demo: Demo, visitors: Visitors) -> None:
    database = await Database.open(demo.database_url, size=1)
    job = await begin(database, "test.render")
    await report(database, job, 10)
    page = await visitors.open(demo.url)
    await page.goto(f"/jobs/{ids.show('job', job.id)}")
    bar = page.locator("#progress").get_by_role("meter")
    await expect(bar).to_have_attribute("aria-valuenow", "10", timeout=30_000)

    await report(database, job, 40)

    await expect(bar).to_have_attribute("aria-valuenow", "40", timeout=30_000)
    await expect(page.locator("#progress")).to_contain_text("예상 완료", timeout=30_000)
    await database.close()


async def begin(database: Database, kind: str) -> Job:
    """A job that runs for as long as its test: on a server of its own, which nobody buries in the next hour."""
    async with database.transaction() as tx:
        await queue.enqueue(tx, NewJob(kind))
        worker = await workers.insert_worker(tx, host="browser", meta={}, ttl=timedelta(hours=1))
        [(job, _, _)] = await claims.claim(tx, worker, [Wanted(kind, Priority.NORMAL)], total=1)
    return job


async def report(database: Database, job: Job, percent: int) -> None:
    async with database.transaction() as tx:
        said = [(job, Report({"percent": percent}))]
        await reports.write(tx, None, said)
        await reports.tell(tx, said)
