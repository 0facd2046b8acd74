"""Jobs as a person works with them: filter, look why, cancel many."""

from playwright.async_api import expect

from tests.browser.conftest import Demo
from tests.support.browser import BROWSER, Visitors

pytestmark = BROWSER


async def test_a_filter_is_chosen_has_an_address_and_is_taken_off(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url)
    await page.goto("/jobs?view=all")

    await page.get_by_role("button", name="상태", exact=True).click()
    await page.locator("#filter-state").get_by_role("link", name="준비됨").click()

    await expect(page).to_have_url(f"{demo.url}/jobs?view=all&state=ready")
    await expect(page.locator("tbody tr", has_text="room:3")).to_have_count(1)
    await page.get_by_role("link", name="상태 준비됨").click()
    await expect(page).to_have_url(f"{demo.url}/jobs?view=all")


async def test_why_opens_in_a_drawer_that_has_the_focus_and_gives_it_back(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url)
    await page.goto("/jobs?state=delayed")
    link = page.locator("tbody tr").first.get_by_role("link", name="왜?")

    await link.focus()
    await page.keyboard.press("Enter")

    drawer = page.locator("#drawer")
    await expect(drawer.locator(".pb-why li").first).to_be_visible()
    assert await drawer.evaluate("(drawer) => drawer.contains(document.activeElement)")
    await page.keyboard.press("Escape")
    await expect(drawer).to_be_hidden()
    await expect(link).to_be_focused()


async def test_many_are_cancelled_at_once_after_one_question(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url)
    await page.goto("/jobs?state=delayed&kind=demo.greet")
    rows = page.locator("tbody tr")
    before = await rows.count()
    for number in range(2):
        await rows.nth(number).get_by_role("checkbox").check()
    await expect(page.locator("[data-picked]")).to_have_text("2개 고름")
    ask = page.get_by_role("button", name="취소…")
    dialog = page.locator("#confirm")

    await ask.click()
    await expect(dialog.get_by_role("button", name="취소", exact=True)).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(dialog).to_be_hidden()
    await expect(rows).to_have_count(before)
    await ask.click()
    await dialog.get_by_role("button", name="취소하기").click()

    await expect(page.locator("[data-toast]")).to_contain_text("2개 중 2개를 했습니다.")
    await expect(rows).to_have_count(before - 2)
    await expect(page).to_have_url(f"{demo.url}/jobs?state=delayed&kind=demo.greet")


async def test_a_viewer_can_neither_tick_nor_cancel(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url, "demo-yeoksam")

    await page.goto("/jobs?view=all")

    await expect(page.get_by_role("heading", level=1)).to_have_text("작업")
    await expect(page.locator("[data-pick], .pb-bulk, .pb-banner form")).to_have_count(0)
