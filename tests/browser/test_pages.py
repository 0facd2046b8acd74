"""Every page in both languages, both themes and both sizes."""

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from pabal.base.database import Database
from pabal.platform import demo as demo_data
from tests.browser.conftest import Demo
from tests.browser.looking import list_barriers, list_foreign_words, list_overflow
from tests.browser.routes import FOUND_ON, ONE_TIME_LINK, list_pages, match_links
from tests.support.browser import BROWSER, DESK, PHONE, Look, Visitors

pytestmark = BROWSER
PAGES = list_pages()
# All that dark changes is colours.
CONTRAST = ["color-contrast"]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def samples(demo: Demo, all_visitors: Visitors) -> dict[str, str]:
    """An address for each page whose own has holes in it."""
    page = await all_visitors.open(demo.url)
    found = {ONE_TIME_LINK: ONE_TIME_LINK.format(secret=await _make_link(demo))}
    for path, place in FOUND_ON.items():
        if path in PAGES:
            await page.goto(place)
            links = [await link.get_attribute("href") or "" for link in await page.locator("main a[href]").all()]
            fitting = [link for link in links if match_links(path).fullmatch(link) and link not in PAGES]
            assert fitting, f"{place} has no link to {path}"
            found[path] = fitting[0]
    return found


def test_every_page_with_a_hole_in_its_address_has_an_example() -> None:
    missing = [path for path in PAGES if "{" in path and path not in {*FOUND_ON, ONE_TIME_LINK}]

    assert missing == []


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_is_whole_in_korean_and_for_everybody(
    path: str, demo: Demo, samples: dict[str, str], visitors: Visitors
) -> None:
    page = await visitors.open(demo.url)

    await _load(page, samples.get(path, path), "ko")

    assert await list_foreign_words(page) == []
    assert await list_overflow(page) == []
    assert await list_barriers(page) == []
    await _make_dark(page)
    assert await list_barriers(page, rules=CONTRAST) == []
    await page.set_viewport_size(PHONE)
    assert await list_overflow(page) == []
    assert await list_barriers(page, rules=CONTRAST) == []


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_is_whole_in_english_on_a_phone_and_for_everybody(
    path: str, demo: Demo, samples: dict[str, str], visitors: Visitors
) -> None:
    page = await visitors.open(demo.url, look=Look(lang="en", size=PHONE))

    await _load(page, samples.get(path, path), "en")

    assert await list_overflow(page) == []
    assert await list_barriers(page) == []
    await page.set_viewport_size(DESK)
    assert await list_overflow(page) == []


async def _load(page: Page, address: str, lang: str) -> None:
    answer = await page.goto(address)
    assert answer is not None
    assert answer.status == 200
    await expect(page.locator("html")).to_have_attribute("lang", lang)
    await expect(page.locator("h1")).to_have_count(1)
    title, _, product = (await page.title()).rpartition(" · ")
    assert title
    assert product == ("파발" if lang == "ko" else "Pabal")


async def _make_dark(page: Page) -> None:
    await page.evaluate("document.documentElement.dataset.bsTheme = 'dark'")


async def _make_link(demo: Demo) -> str:
    database = await Database.open(demo.database_url, size=1)
    async with database.transaction() as tx:
        secret = await demo_data.make_link(tx)
    await database.close()
    assert secret is not None
    return secret
