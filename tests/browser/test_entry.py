"""The way in: a password, the one-time link of a first start, and the way out."""

import re
from collections.abc import Iterator

import pytest
from playwright.async_api import expect

from pabal.platform.demo import PASSWORD
from tests.browser.conftest import Demo, StartServer
from tests.support.browser import BROWSER, Look, Visitors

pytestmark = BROWSER


@pytest.fixture
def first_link(start_server: StartServer) -> Iterator[str]:
    """What a server prints that nobody has ever signed in to."""
    with start_server("up", "--port", "0") as server:
        server.wait_for_url()
        assert server.process.stdout is not None
        line = server.process.stdout.readline()
        yield line[line.index("http://") :].strip()
        server.stop()


async def test_a_wrong_password_is_told_and_the_right_one_leads_to_where_one_wanted(
    demo: Demo, visitors: Visitors
) -> None:
    visitors.expected = re.compile("401")
    page = await visitors.open(demo.url, login=None)
    await page.goto("/jobs")
    await page.get_by_label("아이디").fill("demo-busan")

    await page.get_by_label("비밀번호").fill("not the password")
    await page.get_by_role("button", name="로그인").click()

    await expect(page.get_by_role("alert")).to_contain_text("아이디나 비밀번호가 맞지 않습니다")
    await expect(page.get_by_label("아이디")).to_have_value("demo-busan")
    await expect(page.get_by_label("비밀번호")).to_have_value("")
    await page.get_by_label("비밀번호").fill(PASSWORD)
    await page.get_by_role("button", name="로그인").click()
    await expect(page).to_have_url(f"{demo.url}/jobs")
    await expect(page.locator(".pb-me")).to_contain_text("박지훈")


async def test_whoever_signs_out_is_out(demo: Demo, visitors: Visitors) -> None:
    visitors.expected = re.compile("401")
    page = await visitors.open(demo.url, login=None)
    await page.goto("/sign-in")
    await page.get_by_label("아이디").fill("demo-yeoksam")
    await page.get_by_label("비밀번호").fill(PASSWORD)
    await page.get_by_role("button", name="로그인").click()

    await page.get_by_role("button", name="내 계정").click()
    await page.get_by_role("button", name="로그아웃").click()

    await expect(page.get_by_role("heading", name="로그인")).to_be_visible()
    await page.goto("/jobs")
    await expect(page.get_by_label("비밀번호")).to_be_visible()


async def test_a_first_start_asks_for_little_and_offers_no_demo(first_link: str, visitors: Visitors) -> None:
    visitors.expected = re.compile("422|404|410|403|409")
    page = await visitors.open(first_link.partition("/sign-in")[0], login=None, look=Look(lang="en"))
    await page.goto(first_link)
    await page.get_by_role("button", name="Go on").click()
    await page.get_by_label("한국어").check()
    await page.get_by_label("Your password").fill("short")
    await expect(page.get_by_text("demo")).to_have_count(0)
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page.get_by_label("Your password")).to_have_attribute("aria-invalid", "true")

    await page.get_by_label("Your password").fill("a long enough password")
    await page.get_by_role("button", name="Start", exact=True).click()

    await expect(page.locator("html")).to_have_attribute("lang", "ko")
    await page.goto(first_link)
    await expect(page.locator("main")).to_contain_text("link_spent")
