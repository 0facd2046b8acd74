"""What is on a page follows what happens, or the page says that it does not."""

import re

from playwright.async_api import expect

from pabal.base.database import Database
from pabal.engine import queue
from pabal.engine.queue import NewJob
from tests.browser.cable import lay_cable
from tests.browser.conftest import Demo
from tests.support.browser import BROWSER, Visitors

pytestmark = BROWSER


async def enqueue_for(demo: Demo, about: str) -> None:
    await put(demo, NewJob("demo.greet", about=about, route="bot:nobody"))


async def put(demo: Demo, job: NewJob) -> str:
    database = await Database.open(demo.database_url, size=1)
    async with database.transaction() as tx:
        made = await queue.enqueue(tx, job)
    await database.close()
    return str(made)


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
    job = await put(demo, NewJob("demo.brew", about="kettle:1"))
    page = await visitors.open(demo.url)
    await page.goto(f"/jobs/{job}")
    bar = page.locator("#progress").get_by_role("meter")

    await expect(bar).to_be_visible(timeout=30_000)
    first = await bar.get_attribute("aria-valuenow")

    await expect(bar).not_to_have_attribute("aria-valuenow", first or "", timeout=30_000)
    await expect(page.locator("#progress")).to_contain_text("예상 완료", timeout=30_000)
