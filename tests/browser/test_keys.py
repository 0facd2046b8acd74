"""The keyboard: quick where one reads, silent where one writes."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.conftest import Demo
from tests.support.browser import BROWSER, Visitors

pytestmark = BROWSER
_COMPOSED = """(key) => document.body.dispatchEvent(
  new KeyboardEvent("keydown", { key, isComposing: true, bubbles: true, cancelable: true }))"""


async def open_jobs(demo: Demo, visitors: Visitors) -> Page:
    page = await visitors.open(demo.url)
    await page.goto("/jobs?view=ended")
    return page


async def test_a_slash_goes_to_the_search_and_no_key_is_taken_there(demo: Demo, visitors: Visitors) -> None:
    page = await open_jobs(demo, visitors)
    field = page.get_by_role("searchbox", name="전체 검색")

    await page.keyboard.press("/")
    await expect(field).to_be_focused()
    await page.keyboard.type("gs/?jk")

    await expect(field).to_have_value("gs/?jk")
    await expect(page.locator("#keys-help")).to_be_hidden()
    await expect(page).to_have_url(f"{demo.url}/jobs?view=ended")


async def test_g_and_a_letter_go_to_a_page(demo: Demo, visitors: Visitors) -> None:
    page = await open_jobs(demo, visitors)

    await page.keyboard.press("g")
    await page.keyboard.press("s")

    await expect(page).to_have_url(f"{demo.url}/schedules")


async def test_j_and_k_walk_the_rows_and_enter_opens_one(demo: Demo, visitors: Visitors) -> None:
    page = await open_jobs(demo, visitors)
    titles = page.locator("tbody a.title")

    await page.keyboard.press("j")
    await expect(titles.nth(0)).to_be_focused()
    await page.keyboard.press("j")
    await expect(titles.nth(1)).to_be_focused()
    await page.keyboard.press("k")
    await expect(titles.nth(0)).to_be_focused()
    wanted = await titles.nth(0).get_attribute("href")
    await page.keyboard.press("Enter")

    await expect(page).to_have_url(f"{demo.url}{wanted}")


async def test_x_ticks_the_row_and_w_asks_why(demo: Demo, visitors: Visitors) -> None:
    page = await open_jobs(demo, visitors)
    await page.keyboard.press("j")

    await page.keyboard.press("x")
    await page.keyboard.press("w")

    await expect(page.locator("tbody tr").first.get_by_role("checkbox")).to_be_checked()
    await expect(page.locator("#drawer")).to_be_visible()


async def test_a_question_mark_lists_the_keys_which_can_be_switched_off(demo: Demo, visitors: Visitors) -> None:
    page = await open_jobs(demo, visitors)
    help_ = page.locator("#keys-help")

    await page.keyboard.press("?")
    await expect(help_).to_be_visible()
    await expect(help_).to_contain_text("찾기")
    await help_.get_by_role("checkbox").uncheck()
    await page.keyboard.press("Escape")
    await expect(help_).to_be_hidden()
    await page.keyboard.press("?")

    await expect(help_).to_be_hidden()


@pytest.mark.parametrize("key", ["?", "/", "j"])
async def test_no_key_is_taken_while_korean_is_being_composed(demo: Demo, visitors: Visitors, key: str) -> None:
    page = await open_jobs(demo, visitors)

    is_left_alone = await page.evaluate(_COMPOSED, key)

    assert is_left_alone
    await expect(page.locator("#keys-help")).to_be_hidden()
    assert await page.evaluate("document.activeElement === document.body")
