"""A newcomer writes a rule by hand, runs it, reads its message in the demo's Telegram and answers with a button."""

import re
from dataclasses import replace

import pytest
from playwright.async_api import Page, expect

from tests.browser.conftest import Demo
from tests.browser.looking import list_barriers, list_faint, list_foreign_words, list_overflow
from tests.support.browser import BROWSER, PHONE, Look, Visitors

pytestmark = BROWSER
NEW = "/rules/new"
# a row that was added is scrolled to, and a click waits for that
STILL = Look(has_less_motion=True)


async def _write(page: Page, name: str) -> None:
    await page.goto(NEW)
    await page.get_by_label("이름", exact=True).fill(name)
    # the price is made up, and above this in any case
    await page.locator("#payload-1-value").fill("1")
    await page.get_by_role("button", name="비교 더하기").click()
    await page.locator("#condition-1-path").fill("currency")
    await page.locator("#condition-1-op").select_option(label="= 같음")
    await page.locator("#condition-1-kind").select_option(label="글자")
    await page.locator("#condition-1-value").fill("USD")
    await page.locator("#on_success-0-template").fill(f"{name} {{price}}")
    await page.locator("#on_success-new").select_option(label="승인 요청")
    await page.locator("#on_success").get_by_role("button", name="더하기", exact=True).click()
    await page.locator("#on_success-1-template").fill(f"{name}, 살까요?")
    await page.get_by_role("button", name="만들기").click()
    await expect(page).to_have_url(re.compile(r"/rules/[0-9a-f-]{36}$"))


@pytest.mark.parametrize("has_javascript", [True, False])
async def test_a_rule_is_written_run_told_and_answered(demo: Demo, visitors: Visitors, has_javascript: bool) -> None:
    name = f"첫 룰 {has_javascript}"
    page = await visitors.open(demo.url, look=replace(STILL, has_javascript=has_javascript))
    await _write(page, name)
    await page.get_by_role("button", name="지금 실행").click()
    if not has_javascript:
        # a page that does not follow is looked at again
        await _reload_until(page, "성공")
    await expect(page.locator("main")).to_contain_text(f"데모 텔레그램: {name}")
    async with page.expect_popup() as opened:
        await page.get_by_role("link", name="데모의 텔레그램 열기").click()

    chat = await opened.value
    asked = chat.locator("li", has_text=f"{name}, 살까요?").first
    await expect(chat.locator("li", has_text=re.compile(f"{name} [0-9]")).first).to_be_visible()
    await asked.get_by_role("button", name="승인").click()

    # the page asks again by itself
    await expect(asked).to_contain_text("✅ 승인 · 김서연")
    await page.goto("/approvals")
    await expect(page.locator("main")).not_to_contain_text(f"{name}, 살까요?")


async def test_whoever_adds_a_row_types_on_in_it(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url)
    await page.goto(NEW)

    await page.get_by_role("button", name="비교 더하기").click()
    await expect(page.locator("#condition-1-path")).to_be_focused()
    await page.keyboard.type("price")
    await page.get_by_role("button", name="비교 1 빼기").click()

    await expect(page.locator("#condition-0-path")).to_have_value("price")
    await expect(page.get_by_role("button", name="비교 더하기")).to_be_focused()
    # Enter saves, whichever button comes first
    await page.get_by_label("이름", exact=True).press("Enter")
    await expect(page.locator("#name-err")).to_be_visible()
    visitors.expected = re.compile("422")


@pytest.mark.parametrize("look", [STILL, replace(STILL, lang="en", size=PHONE, theme="dark")], ids=["desk", "phone"])
async def test_every_row_can_be_read_and_reached(demo: Demo, visitors: Visitors, look: Look) -> None:
    page = await visitors.open(demo.url, look=look)
    await page.goto(NEW)
    for kind in ("email", "webhook", "approval", "workflow", "event", "log"):
        await page.locator("#on_success-new").select_option(kind)
        await page.locator("#on_success-add").click()
    await page.locator("#on_success-4-input-add").click()

    assert await list_faint(page) == []
    assert await list_barriers(page) == []
    assert await list_overflow(page) == []
    assert look.lang == "ko" or await list_foreign_words(page) == []


async def _reload_until(page: Page, word: str) -> None:
    for _ in range(60):
        if word in await page.locator("main").inner_text():
            return
        await page.reload()
