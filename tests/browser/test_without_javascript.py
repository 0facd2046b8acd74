"""Everything that can be done can be done without JavaScript."""

from playwright.async_api import expect

from pabal.platform.demo import PASSWORD
from tests.browser.conftest import Demo
from tests.support.browser import BROWSER, Look, Visitors

pytestmark = BROWSER
PLAIN = Look(has_javascript=False)


async def test_one_signs_in_and_reads(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url, login=None, look=PLAIN)
    await page.goto("/jobs")
    await page.get_by_label("아이디").fill("demo-hq")
    await page.get_by_label("비밀번호").fill(PASSWORD)

    await page.get_by_role("button", name="로그인").click()

    await expect(page).to_have_url(f"{demo.url}/jobs")
    await expect(page.locator("tbody tr").first).to_be_visible()
    # a page that does not follow says as of when it is
    await expect(page.locator(".pb-live")).to_contain_text("기준")
    await page.get_by_role("link", name="왜?").first.click()
    await expect(page.locator("main .pb-why li").first).to_be_visible()


async def test_a_job_is_cancelled(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url, look=PLAIN)
    await page.goto("/jobs?state=delayed&kind=demo.greet&about=guest:0")
    await page.locator("a.title").click()

    await page.get_by_role("button", name="취소").click()

    await expect(page.locator("[data-toast]")).to_contain_text("취소했습니다")


async def test_a_setting_is_changed(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url, look=PLAIN)
    await page.goto("/settings")
    await page.locator(".pb-nav-in").get_by_role("link", name="백업").click()
    row = page.locator('tr[id="backup.keep_days"]')
    await row.get_by_role("textbox").fill("21")

    await page.get_by_role("button", name="저장").click()

    await expect(row.get_by_role("textbox")).to_have_value("21")
    await expect(row).to_contain_text("바뀜")
    await row.get_by_role("button", name="기본값으로").click()
    await expect(row).not_to_contain_text("바뀜")
