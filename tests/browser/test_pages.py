"""Every page in both languages and both sizes and its text in both themes, once as everybody may meet it.

A page is loaded once for each language; what can be asked of it is asked there. Which colours can be read on which is
counted by tests/platform/web/test_contrast.py as well.
"""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, ViewportSize, expect

from pabal.base.database import Database
from pabal.platform import demo as demo_data
from tests.browser.conftest import Demo
from tests.browser.furnishing import find_bulk
from tests.browser.looking import (
    bring_axe,
    list_barriers,
    list_faint,
    list_foreign_words,
    list_overflow,
    list_wide_tables,
)
from tests.browser.routes import BULK, FOUND_ON, ONE_TIME_LINK, list_pages, match_links
from tests.support.browser import BROWSER, DESK, PHONE, Look, Visitors
from tests.support.servers import until

PAGES = list_pages()
CONTRAST = ["color-contrast"]
# A board, lists, one thing, its history, a form, settings, what a stranger sees: what a phone changes is of the shell
# and the components, and these have all of them.
KINDS = [
    "/",
    "/ads/delayed",
    "/ads/groups/{ad_group_id}",
    "/ads/groups/{ad_group_id}/life",
    "/alerts",
    "/health",
    "/jobs",
    "/jobs/{job_id}",
    "/messages/schedules/new",
    "/messages/schedules/{schedule_id}",
    "/messages/statistics?view=usage",
    "/settings",
    "/sign-in",
]
# The links of these pages, which are read and not shown: each is shown to its own tests.
_READ_LINKS = """async (places) => {
  const found = {};
  for (const place of places) {
    const answer = await fetch(place, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    found[place] = [...page.querySelectorAll("main a[href]")].map((link) => link.getAttribute("href"));
  }
  return found;
}"""
# The same on every page.
SHELL = (".pb-side", ".pb-bottom", "#more-menu", ".pb-dialog", ".pb-drawer")
KOREAN = Look()
ENGLISH = Look(lang="en", size=PHONE)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def walk(demo: Demo, all_visitors: Visitors) -> AsyncIterator["Walk"]:
    """Two people who go from page to page: Korean at a desk, English on a phone."""
    korean, english = await all_visitors.open(demo.url, look=KOREAN), await all_visitors.open(demo.url, look=ENGLISH)
    await bring_axe(korean.context)
    yield Walk(korean, english, await _find_addresses(korean, demo), all_visitors)
    await all_visitors.close()


class Walk:
    def __init__(self, korean: Page, english: Page, addresses: dict[str, str], visitors: Visitors) -> None:
        self.korean, self.english, self._addresses, self._visitors = korean, english, addresses, visitors

    async def to(self, path: str, page: Page, lang: str) -> None:
        answer = await page.goto(self._addresses.get(path, path))
        assert answer is not None
        # what it complains of is not the next page's
        assert answer.status == 200, self.list_complaints()
        await expect(page.locator("html")).to_have_attribute("lang", lang)
        await expect(page.locator("h1")).to_have_count(1)
        title, _, product = (await page.title()).rpartition(" · ")
        assert title
        assert product == ("파발" if lang == "ko" else "Pabal")

    async def in_both_sizes(self, page: Page) -> AsyncIterator[ViewportSize]:
        """First in the one it has: the next page begins in the other."""
        for size in (DESK, PHONE) if page.viewport_size == DESK else (PHONE, DESK):
            if page.viewport_size != size:
                await page.set_viewport_size(size)
            yield size

    def list_complaints(self) -> list[str]:
        return self._visitors.take_complaints()


def test_every_page_with_a_hole_in_its_address_has_an_example() -> None:
    missing = [path for path in PAGES if "{" in path and path not in {*FOUND_ON, ONE_TIME_LINK, BULK}]

    assert missing == []


def test_a_page_of_each_kind_is_one_of_the_pages() -> None:
    assert set(KINDS) <= set(PAGES)


class TestWalk:
    pytestmark = BROWSER

    @pytest.mark.parametrize("path", PAGES)
    async def test_a_page_is_whole_in_korean_and_for_everybody(self, path: str, walk: Walk) -> None:
        page = walk.korean

        await walk.to(path, page, "ko")

        async for size in walk.in_both_sizes(page):
            assert await list_overflow(page) == []
            if size == DESK:
                assert await list_foreign_words(page) == []
                assert await list_wide_tables(page) == []
                assert await list_faint(page) == []
                assert await list_barriers(page, apart=() if path in KINDS else SHELL) == []
        assert walk.list_complaints() == []

    @pytest.mark.parametrize("path", PAGES)
    async def test_a_page_is_whole_in_english_and_one_of_each_kind_for_everybody_on_a_phone(
        self, path: str, walk: Walk
    ) -> None:
        page = walk.english

        await walk.to(path, page, "en")

        async for size in walk.in_both_sizes(page):
            assert await list_overflow(page) == []
            if size == DESK:
                assert await list_wide_tables(page) == []
            elif path in KINDS:
                assert await list_barriers(page) == []
                assert await list_barriers(page, rules=CONTRAST) == []
                assert await list_faint(page) == []
        assert walk.list_complaints() == []

    async def test_a_sentence_at_the_head_of_a_card_may_be_wider_than_a_phone(self, walk: Walk) -> None:
        page = walk.english
        await page.set_viewport_size(PHONE)
        await walk.to("/messages/rooms/{room_id}", page, "en")

        says = "Messages in ten minutes: 30 of 30, the first of them is free at 10:24:30"
        await page.eval_on_selector("#budget .st", "(one, says) => { one.textContent = says }", says)

        assert await list_overflow(page) == []

    async def test_a_page_that_is_not_there_says_so_once(self, walk: Walk) -> None:
        page = walk.korean

        answer = await page.goto("/jobs/job_0000000000000")

        assert answer is not None
        assert answer.status == 404
        await expect(page.get_by_role("alert")).to_contain_text("찾을 수 없습니다")
        assert await list_faint(page) == []
        assert await list_barriers(page) == []
        assert [one for one in walk.list_complaints() if "404" not in one] == []


async def _find_addresses(page: Page, demo: Demo) -> dict[str, str]:
    """An address for each page whose own has holes in it. What a demo does by itself takes a moment after its start."""
    found = await _find_unlinked(demo)
    wanted = {path: place for path, place in FOUND_ON.items() if path in PAGES}
    await page.goto("/")

    async def is_all_there() -> bool:
        missing = {path: place for path, place in wanted.items() if path not in found}
        links: dict[str, list[str]] = await page.evaluate(_READ_LINKS, sorted(set(missing.values())))
        for path, place in missing.items():
            fitting = [link for link in links[place] if match_links(path).fullmatch(link) and link not in PAGES]
            if fitting:
                found[path] = fitting[0]
        return wanted.keys() <= found.keys()

    try:
        await until(is_all_there)
    except TimeoutError:
        raise AssertionError(f"nowhere linked: {sorted(wanted.keys() - found.keys())}") from None
    return found


async def _find_unlinked(demo: Demo) -> dict[str, str]:
    database = await Database.open(demo.database_url, size=1)
    async with database.transaction() as tx:
        secret = await demo_data.make_link(tx)
    bulk_id = await find_bulk(database)
    await database.close()
    assert secret is not None
    return {ONE_TIME_LINK: ONE_TIME_LINK.format(secret=secret), BULK: BULK.format(bulk_id=bulk_id)}
