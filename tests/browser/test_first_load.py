"""The first load is light: no font, no framework, and the charts only where there are some."""

from playwright.async_api import expect

from tests.browser.conftest import Demo
from tests.support.browser import BROWSER, Visitors

pytestmark = BROWSER
MOST = 300_000


async def test_the_overview_loads_less_than_300_kb(demo: Demo, visitors: Visitors) -> None:
    page = await visitors.open(demo.url)
    network = await page.context.new_cdp_session(page)
    sizes: dict[str, float] = {}
    addresses: list[str] = []
    network.on("Network.requestWillBeSent", lambda told: addresses.append(told["request"]["url"]))
    network.on("Network.loadingFinished", lambda told: sizes.update({told["requestId"]: told["encodedDataLength"]}))
    await network.send("Network.enable")

    await page.goto("/", wait_until="load")
    await expect(page.locator(".pb-live")).to_contain_text("실시간")

    print(f"{sum(sizes.values()):,.0f} bytes in {len(sizes)} answers: {addresses}")
    assert sum(sizes.values()) < MOST
    assert not [address for address in addresses if "echarts" in address]
    assert [address for address in addresses if "pabal.css" in address]
