"""What surrounds every page: scope, language, theme, the menu, and a phone's bar."""

from playwright.async_api import expect

from tests.browser.conftest import Demo
from tests.support.browser import BROWSER, PHONE, Look, Visitors

pytestmark = BROWSER


async def test_the_scope_chip_narrows_every_list(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url)
    await page.goto("/schedules")
    await expect(page.locator("main")).to_contain_text("넘치는 주전자")

    await page.locator(".pb-scope").click()
    await page.locator("#scope-menu").get_by_role("button", name="해운대점").click()

    await expect(page.locator(".pb-scope")).to_contain_text("해운대점")
    await expect(page.locator("tbody tr").filter(has_text="kettle:")).to_have_count(1)
    await expect(page.locator("main")).not_to_contain_text("넘치는 주전자")


async def test_a_branch_has_nothing_to_choose_from(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url, "demo-haeundae")

    await page.goto("/schedules")

    await expect(page.locator("tbody tr").filter(has_text="kettle:")).to_have_count(1)
    await expect(page.locator(".pb-scope")).to_have_count(0)
    await expect(page.locator("body")).not_to_contain_text("부산총판")


async def test_the_language_changes_where_one_is_and_stays(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url)
    await page.goto("/jobs?view=ended")

    await page.get_by_role("link", name="EN", exact=True).click()

    await expect(page).to_have_url(f"{demo.url}/jobs?view=ended")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Jobs")
    await page.goto("/facts")
    await expect(page.locator("html")).to_have_attribute("lang", "en")


async def test_the_theme_changes_at_once_and_the_next_page_comes_in_it(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url)
    await page.goto("/jobs")

    async with page.expect_response("**/theme"):
        await page.get_by_role("button", name="밝게·어둡게").click()
        await expect(page.locator("html")).to_have_attribute("data-bs-theme", "dark")
    answer = await page.goto("/facts")

    assert answer is not None
    # in the page as it is sent: no script has to repaint it, so nothing flashes
    assert 'data-bs-theme="dark"' in (await answer.text())[:200]


async def test_a_phone_has_a_bar_below_cards_and_the_whole_menu_behind_more(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url, look=Look(size=PHONE))

    await page.goto("/jobs?view=ended")

    await expect(page.locator(".pb-side")).to_be_hidden()
    await expect(page.get_by_role("navigation", name="아래 메뉴")).to_be_visible()
    row = page.locator("tbody tr").first
    assert await row.evaluate("(row) => getComputedStyle(row).display") == "grid"
    await expect(row.get_by_role("link", name="왜?")).to_be_visible()
    await page.get_by_role("button", name="더보기").click()
    await page.locator('#more-menu a[href="/schedules"]').click()
    await expect(page).to_have_url(f"{demo.url}/schedules")


async def test_who_wants_less_motion_gets_none(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url, look=Look(has_less_motion=True))
    await page.goto("/jobs?view=ended")

    await page.get_by_role("link", name="왜?").first.click()

    await expect(page.locator("#drawer")).to_be_visible()
    longest = await page.evaluate(
        """() => Math.max(...[...document.querySelectorAll("*")].flatMap((one) => {
          const { transitionDuration, animationDuration } = getComputedStyle(one);
          return `${transitionDuration}, ${animationDuration}`.split(", ").map(parseFloat);
        }))"""
    )
    assert longest <= 0.001
