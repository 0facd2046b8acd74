from datetime import timedelta

import pytest

from pabal.apps.messaging.model.content import Content, ImageMode, Pace, Picture, SendOrder, plan_parts
from pabal.apps.messaging.model.preview import Bubble, Run, bubbles
from tests.apps.messaging.asking import NINE

JPG, PNG, GIF = (
    Picture(number, f"{number}.{kind}", f"image/{kind}", 10, 8, 6)
    for number, kind in ((1, "jpeg"), (2, "png"), (3, "gif"))
)
FULL = Content("첫 줄\n둘째 줄", (JPG, PNG), (GIF,), send_interval_seconds=2, media_wait_1=4000)


def shown(content: Content = FULL, mode: ImageMode = ImageMode.SINGLE, fold: int = 500) -> list[Bubble]:
    return bubbles(content, Pace(mode), bot_name="부산1", at=NINE, fold_length=fold)


def test_bubbles_stand_in_the_order_of_sending_with_the_waits_before_them():
    text, first, second, last = shown()

    assert [one.wait and one.wait[1] for one in (text, first, second, last)] == [
        None,
        "+2초",
        "그림 사이 0.5초",
        "+2초",
    ]
    assert [one.at - NINE for one in (text, first, second, last)] == [
        timedelta(seconds=seconds) for seconds in (0, 2, 2.5, 4.5)
    ]
    assert (text.text, text.bot_name, text.group) == ("첫 줄\n둘째 줄", "부산1", None)
    assert [one.group for one in (first, second, last)] == [1, 1, 2]
    assert [tile.alt for one in (first, second, last) for tile in one.tiles] == ["1.jpeg", "2.png", "3.gif"]
    assert [tile.is_gif for one in (first, second, last) for tile in one.tiles] == [False, False, True]
    assert (first.media_wait, last.media_wait) == (4000, 0)


def test_a_bot_that_takes_a_group_at_once_shows_a_grid():
    text, first, last = shown(mode=ImageMode.GROUP)

    assert [len(one.tiles) for one in (text, first, last)] == [0, 2, 1]
    assert (first.columns, last.columns) == (2, 1)
    [many] = shown(Content(None, (JPG,) * 5), ImageMode.GROUP)
    assert many.columns == 3


@pytest.mark.parametrize("order", list(SendOrder))
@pytest.mark.parametrize("mode", list(ImageMode))
def test_what_is_shown_is_what_is_sent(order: SendOrder, mode: ImageMode):
    content = Content("글", (JPG, PNG), (GIF,), order)

    sent = plan_parts(content, Pace(mode))

    assert [(one.no, one.component, one.wait_ms) for one in shown(content, mode)] == [
        (part.no, part.component, part.wait_ms) for part in sent
    ]
    assert [one.text for one in shown(content, mode)] == [part.text for part in sent]


def test_a_long_text_is_folded_and_links_are_links():
    [long] = shown(Content("가" * 501))
    [linked] = shown(Content("보기: https://a.example/b?c=1, 또는\nwww.b.example."))

    assert long.is_folded
    assert (len(long.runs[0].text), len(long.text or "")) == (500, 501)
    assert not linked.is_folded
    assert linked.runs == (
        Run("보기: "),
        Run("https://a.example/b?c=1", "https://a.example/b?c=1"),
        Run(", 또는\n"),
        Run("www.b.example", "https://www.b.example"),
        Run("."),
    )


def test_no_wait_between_components_is_said_so():
    _, image = shown(Content("글", (JPG,), send_interval_seconds=0))

    assert image.wait == ("at once", "바로")
