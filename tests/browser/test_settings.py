"""A setting is changed, refused, mended, saved and set back."""

import re

from playwright.async_api import expect

from tests.browser.conftest import Demo
from tests.support.browser import BROWSER, Visitors

pytestmark = BROWSER
KEY = "notifications.keep"


async def test_a_value_that_does_not_fit_is_told_at_its_field_and_a_better_one_is_kept(
    demo: Demo, visitors: Visitors
) -> None:
    visitors.expected = re.compile("422")
    page = await visitors.open(demo.url)
    await page.goto("/settings")
    await page.locator(".pb-nav-in").get_by_role("link", name="알림").click()
    row = page.locator(f'tr[id="{KEY}"]')
    field = row.get_by_role("textbox")
    await field.fill("soon")
    await page.get_by_role("button", name="저장").click()

    await expect(field).to_have_attribute("aria-invalid", "true")
    await expect(field).to_have_value("soon")
    error = await field.get_attribute("aria-describedby")
    await expect(page.locator(f'[id="{error}"]')).to_be_visible()
    summary = page.get_by_role("alert")
    await expect(summary).to_be_focused()
    await summary.get_by_role("link").click()
    await expect(field).to_be_focused()
    await field.fill("60d")
    await page.get_by_role("button", name="저장").click()

    await expect(page.locator("[data-toast]")).to_be_visible()
    await expect(field).to_have_value("60d")
    await expect(row).to_contain_text("김서연")
    await row.get_by_role("button", name="기본값으로").click()
    await expect(field).to_have_value("90d")
