"""A schedule is written in a real browser: pictures dropped, dragged, moved by key; characters counted as one types."""

import base64
import io
import re
from dataclasses import dataclass
from itertools import pairwise

import pytest
import pytest_asyncio
from PIL import Image
from playwright.async_api import Locator, Page, expect

from pabal.base.database import Database
from pabal.platform import tenants
from tests.browser.conftest import Demo
from tests.browser.looking import list_barriers, list_faint, list_foreign_words, list_overflow
from tests.support.browser import BROWSER, PHONE, Look, Visitors
from tests.support.messaging import add_bot, add_room

pytestmark = BROWSER
NEW = "/messages/schedules/new"
TEN_MB = 10 * 1024 * 1024

# A drop as a file manager makes it; a drag cannot be begun outside of the page.
_DROP = """([selector, files]) => {
  const given = new DataTransfer();
  for (const [name, type, data, padding] of files) {
    const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
    given.items.add(new File([bytes, new Uint8Array(padding)], name, { type }));
  }
  const target = document.querySelector(selector);
  for (const kind of ["dragenter", "dragover", "drop"])
    target.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: given }));
}"""


@dataclass(frozen=True)
class Placed:
    room: str
    bot: str


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def placed(demo: Demo) -> Placed:
    """A room of the head office's own, whatever else the demo has."""
    database = await Database.open(demo.database_url, size=2)
    try:
        async with database.transaction() as tx:
            hq = await tenants.ensure_hq(tx)
        bot_id, _ = await add_bot(database, hq, "글쓰기봇")
        await add_room(database, hq, "browser-1", "글쓰기 연습방", bots=[bot_id])
    finally:
        await database.close()
    return Placed("글쓰기 연습방", "글쓰기봇")


@pytest.mark.req("A-96", "A-97", "A-98", "A-99", "A-102")
async def test_pictures_are_dropped_dragged_moved_by_key_and_removed(
    demo: Demo, visitors: Visitors, placed: Placed
) -> None:
    page = await visitors.open(demo.url)
    await page.goto(NEW)
    first, second = page.locator("#images_1"), page.locator("#images_2")
    await _drop(page, "#images_1", "하나.png", "둘.png", "셋.png")

    await _expect_order(first, ["하나.png", "둘.png", "셋.png"])
    picture = first.locator("[data-picture] img").first
    await expect(picture).to_have_js_property("complete", True)
    assert await picture.evaluate("one => one.naturalWidth") > 0
    await (
        first.locator("[data-picture]")
        .nth(2)
        .drag_to(first.locator("[data-picture]").nth(0), target_position={"x": 8, "y": 40})
    )
    await _expect_order(first, ["셋.png", "하나.png", "둘.png"])
    await first.get_by_role("button", name="둘.png 앞으로").focus()
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("ArrowLeft")
    await _expect_order(first, ["둘.png", "셋.png", "하나.png"])
    await first.get_by_role("button", name="둘.png 뒤로").click()
    await _expect_order(first, ["셋.png", "둘.png", "하나.png"])
    await first.locator("[data-picture]").nth(1).drag_to(second.locator("[data-adder]"))
    await _expect_order(first, ["셋.png", "하나.png"])
    await _expect_order(second, ["둘.png"])
    await first.get_by_role("button", name="셋.png 빼기").click()
    await _expect_order(first, ["하나.png"])
    await expect(first.get_by_role("button", name="하나.png 빼기")).to_be_focused()
    await expect(first.locator("[data-said]")).to_contain_text("1 / 10장")
    looks = [await one.evaluate("one => getComputedStyle(one).borderStyle") for one in (first, second)]
    assert looks[0] != looks[1]
    assert [await one.locator(".pb-group-n").inner_text() for one in (first, second)] == ["1", "2"]


@pytest.mark.req("A-93", "A-94")
async def test_characters_are_counted_while_one_types_and_line_breaks_are_kept(
    demo: Demo, visitors: Visitors, placed: Placed
) -> None:
    page = await visitors.open(demo.url)
    await page.goto(NEW)
    area, told = page.locator("#text"), page.locator("#text-count")
    assert await area.evaluate("one => one.clientHeight / parseFloat(getComputedStyle(one).lineHeight)") >= 10
    await area.press_sequentially("첫 줄")
    await expect(told.locator("[data-n]")).to_have_text("3")
    await area.press("Enter")
    await area.press("Enter")
    await area.press_sequentially("😊끝")

    await expect(told.locator("[data-n]")).to_have_text("7")
    await expect(told.locator("[data-most]")).to_have_text("1,000")
    await expect(page.locator(".pb-bub-text")).to_have_text("첫 줄\n\n😊끝", use_inner_text=True)
    await area.fill("가" * 401)
    await expect(told).to_have_attribute("data-state", "long")
    await area.fill("가" * 1001)
    await expect(told).to_have_attribute("data-state", "over")
    await expect(told).to_contain_text("너무 길어 저장할 수 없습니다.")
    await area.fill("첫 줄\n\n😊끝")
    await _fill_the_rest(page, placed)
    await page.get_by_role("button", name="예약하기").click()
    await expect(page).to_have_url(re.compile(r"/messages/schedules/\d+$"))
    await expect(page.locator("[data-toast]")).to_contain_text("예약했습니다")
    await expect(page.locator(".pb-bub-text")).to_have_text("첫 줄\n\n😊끝", use_inner_text=True)


@pytest.mark.req("A-150")
async def test_files_that_are_refused_say_why_in_their_place_and_the_rest_goes_on(
    demo: Demo, visitors: Visitors, placed: Placed
) -> None:
    visitors.expected = re.compile("422")
    page = await visitors.open(demo.url)
    await page.goto(NEW)
    good = _png(3)
    files = [["크다.png", "image/png", good, TEN_MB], ["글.png", "image/png", base64.b64encode(b"text").decode(), 0]]
    await page.evaluate(_DROP, ["#images_2", [*files, ["좋다.png", "image/png", good, 0]]])

    group = page.locator("#images_2")
    await _expect_order(group, ["좋다.png"])
    bad = group.locator("[data-bad]")
    await expect(bad).to_have_count(2)
    await expect(bad.filter(has_text="크다.png")).to_contain_text("10.0 MB입니다. 한 장은 10 MB까지입니다.")
    await expect(bad.filter(has_text="글.png").locator(".bad")).not_to_be_empty()
    await bad.first.get_by_role("button").click()
    await expect(bad).to_have_count(1)


async def test_what_is_chosen_decides_what_is_asked_and_is_shown_beside_it(
    demo: Demo, visitors: Visitors, placed: Placed
) -> None:
    page = await visitors.open(demo.url)
    await page.goto(NEW)
    await expect(page.locator("#schedule_date")).to_be_hidden()
    await _fill_the_rest(page, placed)
    await page.locator("#text").fill("안녕하세요")

    aside = page.locator("[data-preview-into]")
    await expect(aside.locator(".pb-fires > li")).to_have_count(5)
    await expect(aside).to_contain_text("매일 09:20 KST")
    await expect(aside.locator(".pb-phone-h")).to_contain_text(placed.room)
    await page.locator(".pb-choice", has_text="한 번").click()
    await expect(page.locator("#schedule_date")).to_be_visible()
    await page.locator(".pb-choice", has_text="매주").click()
    await expect(page.locator("#schedule_date")).to_be_hidden()
    await page.locator(".pb-week label").first.click()
    await expect(aside).to_contain_text("매주 월 09:20 KST")
    await page.locator(".pb-choice", has_text="우리만 보는 방").click()
    await expect(page.locator("#room_id")).to_have_value("")


async def test_the_form_with_pictures_fits_a_phone_in_the_dark_and_can_be_used_by_everybody(
    demo: Demo, visitors: Visitors, placed: Placed
) -> None:
    page = await visitors.open(demo.url, look=Look(size=PHONE, theme="dark"))
    await page.goto(NEW)
    await _drop(page, "#images_1", "하나.png", "둘.png")
    await expect(page.locator(".pb-bub-imgs img")).to_have_count(2)

    assert await list_overflow(page) == []
    assert await list_foreign_words(page) == []
    assert await list_faint(page) == []
    assert await list_barriers(page) == []


async def _fill_the_rest(page: Page, placed: Placed) -> None:
    await page.locator("#title").fill("브라우저에서 쓴 것")
    await page.locator(".pb-choice", has_text="고객이 읽는 방").click()
    await page.locator("#room_id").select_option(label=placed.room)
    await page.locator(".pb-choice", has_text="같은 시각").click()
    await page.locator("#schedule_time").fill("09:20")


async def _drop(page: Page, selector: str, *names: str) -> None:
    files = [[name, "image/png", _png(number), 0] for number, name in enumerate(names)]
    await page.evaluate(_DROP, [selector, files])


async def _expect_order(group: Locator, names: list[str]) -> None:
    await expect(group.locator("[data-picture] .name")).to_have_text(names)
    await expect(group.locator("[data-picture] .n")).to_have_text([str(number + 1) for number in range(len(names))])


def _png(colour: int) -> str:
    target = io.BytesIO()
    Image.new("RGB", (40, 30), (colour * 60 % 256, 80, 160)).save(target, "PNG")
    return base64.b64encode(target.getvalue()).decode()


async def test_each_of_many_rooms_has_its_own_line(demo: Demo, visitors: Visitors):
    page = await visitors.open(demo.url)
    await page.goto(NEW)
    await page.locator(".mg-many > summary").click()
    await page.locator(".mg-rooms").evaluate(
        "list => { for (let n = 0; n < 90; n++) list.append(list.firstElementChild.cloneNode(true)); }"
    )

    boxes = await page.locator(".mg-rooms > label").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(one => [one.left, one.top, one.bottom])"
    )

    column = [(top, bottom) for left, top, bottom in boxes if left == boxes[0][0]]
    assert len(column) > 20
    assert all(above[1] <= below[0] for above, below in pairwise(column))
    assert all(bottom - top >= 20 for top, bottom in column)
