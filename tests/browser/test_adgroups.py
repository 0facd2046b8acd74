"""Ad groups in a real browser: hours painted by mouse and by key, an event from its dialog, the past by a slider."""

import re

from playwright.async_api import Locator, Page, expect

from tests.browser.conftest import Demo
from tests.support.browser import BROWSER, Look, Visitors

pytestmark = BROWSER
NEW = "/ads/groups/new"


async def test_hours_are_painted_by_mouse_and_by_key_and_the_fields_say_the_same(
    demo: Demo, visitors: Visitors
) -> None:
    page = await visitors.open(demo.url)
    await page.goto(NEW)
    await expect(page.locator("[data-grid]")).to_be_hidden()
    await page.get_by_text("정한 시간에만").click()

    await _cell(page, 0, 22).hover()
    await page.mouse.down()
    await _cell(page, 0, 23).hover()
    await _cell(page, 1, 0).hover()
    await page.mouse.up()
    await expect(page.locator("#mon")).to_have_value("22:00-01:00")
    await expect(page.locator("#tue")).to_have_value("")

    await _cell(page, 2, 9).focus()
    await page.keyboard.press("Space")
    await page.keyboard.press("Shift+ArrowRight")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page.locator("#wed")).to_have_value("09:00-11:00")
    await expect(page.locator("#thu")).to_have_value("10:00-11:00")
    await expect(_cell(page, 3, 10)).to_be_focused()
    await expect(page.locator("[data-preview-into]")).to_contain_text("한 주 6시간")

    await page.locator("#thu").fill("10:30-11:00")
    await expect(_cell(page, 3, 10)).to_have_attribute("aria-pressed", "mixed")
    await _cell(page, 3, 10).click()
    await expect(page.locator("#thu")).to_have_value("10:00-11:00")
    await page.get_by_role("button", name="평일 9–18시").click()
    await expect(_cell(page, 4, 17)).to_have_attribute("aria-pressed", "true")
    await expect(_cell(page, 5, 12)).to_have_attribute("aria-pressed", "false")

    await page.locator("#name").fill("칠한 광고")
    await page.locator("#campaign_id").select_option(index=1)
    await page.get_by_role("button", name="만들기").click()
    await expect(page).to_have_url(re.compile(r"/ads/groups/\d+$"))
    await expect(page.locator("main")).to_contain_text("월–금 09:00–18:00 KST")


async def test_without_javascript_hours_are_typed_and_the_past_is_asked_by_a_form(
    demo: Demo, visitors: Visitors
) -> None:
    page = await visitors.open(demo.url, look=Look(has_javascript=False))
    await page.goto(NEW)
    await page.locator("#name").fill("적은 광고")
    await page.locator("#campaign_id").select_option(index=1)
    await page.get_by_text("정한 시간에만").click()
    await expect(page.locator("[data-grid]")).to_be_hidden()
    await page.get_by_role("button", name="매일 밤 22–2시").click()
    await expect(page.locator("#sun")).to_have_value("22:00-02:00")
    await page.locator("#mon").fill("9:30-12")
    await page.get_by_role("button", name="만들기").click()

    await expect(page.locator("main")).to_contain_text("월 09:30–12:00; 화–일 22:00–다음 날 02:00 KST")
    await page.get_by_role("button", name="보기", exact=True).click()
    await expect(page.locator("#then")).to_contain_text("임시저장")
    await expect(page).to_have_url(re.compile(r"[?]at=.*#history$"))


async def test_an_event_is_sent_from_its_dialog_and_another_page_follows(demo: Demo, visitors: Visitors) -> None:
    page, other = await visitors.open(demo.url), await visitors.open(demo.url)
    await page.goto("/ads/groups?state=running")
    await page.locator("tbody a.title").first.click()
    await other.goto(page.url)
    await expect(other.locator(".pb-live")).to_have_attribute("data-live", "on")

    await page.get_by_role("button", name="일시중지…").click()
    dialog = page.locator("dialog[open]")
    await dialog.get_by_label("이유").fill("가격 오타")
    await dialog.get_by_role("button", name="일시중지").click()

    await expect(page.locator("[data-toast]")).to_contain_text("이제 일시중지 상태입니다")
    await expect(page.locator("#changes tbody tr").first).to_contain_text("가격 오타")
    await expect(other.locator("#state-now .st-pill")).to_have_text("일시중지")
    await expect(other.get_by_role("button", name="재개…")).to_be_visible()


async def test_a_slider_walks_through_the_past(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url)
    await page.goto("/ads/groups?state=paused")
    await page.locator("tbody a.title").first.click()
    await expect(page.locator("#then")).to_contain_text("시각을 고르면")

    await page.locator("[data-slider]").focus()
    await page.keyboard.press("Home")
    await page.keyboard.press("PageUp")

    await expect(page.locator("#then .st")).to_be_visible()
    assert "at=" in page.url


def _cell(page: Page, day: int, hour: int) -> Locator:
    return page.locator(f'[data-grid] button[data-day="{day}"][data-hour="{hour}"]')
