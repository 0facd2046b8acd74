from tests.support.browser import *

pytestmark = BROWSER


async def test_x(demo, visitors):
    import time

    page = await visitors.open(demo.url)
    for p in ("/", "/alerts", "/jobs", "/notifications", "/people/tokens", "/servers", "/health", "/machines"):
        t = time.time()
        a = await page.goto(p)
        print(p, a.status, time.time() - t, await page.title())
        print((await page.locator("main").inner_text())[:600])
    assert 0
