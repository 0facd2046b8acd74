import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.platform.notifications.model import Document
from pabal.platform.notifications.parts import (
    CAPTION_UNITS,
    MESSAGE_UNITS,
    DocumentPart,
    TextPart,
    count_units,
    plan,
    split,
)

FILE = Document("kept/abc/file_1", "보고서.csv")
WORDS = st.lists(
    st.sampled_from(["안녕", "a", "word", "👩‍👩‍👧", "🇰🇷", "é", " ", "\n", "\n\n", "\r\n", "😀"]), max_size=60
)


@given(st.one_of(st.text(max_size=200), WORDS.map("".join)), st.integers(min_value=2, max_value=50))
def test_the_pieces_are_the_text_and_each_fits(text: str, limit: int):
    pieces = split(text, limit)

    assert "".join(pieces) == text
    assert all(0 < count_units(piece) <= limit for piece in pieces)


@given(st.text())
def test_units_are_counted_as_utf_16_does(text: str):
    assert count_units(text) == len(text.encode("utf-16-le", "surrogatepass")) // 2


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("one two\n\nthree four", "one two\n\n"),
        ("one two\nthree four five", "one two\n"),
        ("one two three four", "one two three "),
        ("abcdefghijklmnopqrs", "abcdefghijklmnop"),
        ("a\n\nbcdefghijklmnopqrstu", "a\n\nbcdefghijklmn"),
    ],
    ids=["paragraph", "line", "word", "anywhere", "a break too early is none"],
)
def test_a_piece_ends_at_the_best_break_there_is(text: str, first: str):
    assert split(text, 16)[0] == first


@pytest.mark.parametrize("whole", ["👩‍👩‍👧", "👍🏽", "e\u0301", "🇰🇷", "\u1112\u1161\u11ab"])
def test_a_piece_does_not_end_inside_what_is_read_as_one_character(whole: str):
    text = "x" * 15 + whole + "y" * 20

    pieces = split(text, 16)

    assert pieces[0] == "x" * 15
    assert pieces[1].startswith(whole)


def test_a_text_of_exactly_the_limit_is_one_message():
    assert plan("가" * MESSAGE_UNITS, None) == [TextPart("가" * MESSAGE_UNITS)]
    assert len(plan("가" * (MESSAGE_UNITS + 1), None)) == 2
    assert len(plan("😀" * (MESSAGE_UNITS // 2 + 1), None)) == 2


def test_pieces_of_nothing_but_space_are_not_sent():
    assert plan("before" + "\n" * 3 * MESSAGE_UNITS + "after", None)[0] != TextPart("\n" * MESSAGE_UNITS)
    assert all(isinstance(part, TextPart) and part.text.strip() for part in plan("a" + " " * 10_000 + "b", None))


def test_a_short_text_is_the_documents_caption_and_a_long_one_goes_before_it():
    short, long = "가" * CAPTION_UNITS, "가" * (CAPTION_UNITS + 1)

    assert plan(short, FILE) == [DocumentPart(FILE, short)]
    assert plan(long, FILE) == [TextPart(long), DocumentPart(FILE, "")]
