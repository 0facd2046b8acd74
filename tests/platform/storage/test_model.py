import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.platform.storage import BadSpan, Span
from pabal.platform.storage.model import clean_name

ANY_SIGN = st.characters(exclude_categories=())
LIKELY = st.sampled_from("가힣ᄀ ᅡ é́.. /\\\x00\n\u202e\u200b\ufeff#%")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("전단지 6월.jpg", "전단지 6월.jpg"),
        (unicodedata.normalize("NFD", "전단지.jpg"), "전단지.jpg"),
        ("C:\\Users\\kim\\photo.PNG", "photo.PNG"),
        ("../../etc/passwd", "passwd"),
        ("a\x00b\r\n.gif", "ab.gif"),
        ("photo\u202egpj.exe", "photogpj.exe"),
        ("  two   spaces .jpg ", "two spaces .jpg"),
        (".bashrc", "bashrc"),
        ("..", "file"),
        ("", "file"),
        ("folder/", "file"),
    ],
)
def test_a_name_is_kept_without_its_path_and_what_nobody_sees(given: str, kept: str):
    assert clean_name(given) == kept


def test_a_long_name_keeps_its_ending():
    name = clean_name("가" * 500 + ".jpeg")

    assert len(name) == 200
    assert name.endswith("가.jpeg")


@given(st.text(ANY_SIGN | LIKELY, max_size=400))
def test_whatever_the_name_it_becomes_one_that_can_be_stored_shown_and_sent(name: str):
    clean = clean_name(name)

    assert 1 <= len(clean) <= 200
    assert not set(clean) & set("/\\\x00\r\n\u202e")
    assert unicodedata.is_normalized("NFC", clean)
    assert clean.encode()
    assert clean_name(clean) == clean


@pytest.mark.parametrize(
    ("span", "bytes_of_ten"),
    [(Span(), (0, 10)), (Span(3), (3, 10)), (Span(3, 5), (3, 5)), (Span(0, 99), (0, 10)), (Span(10), (10, 10))],
)
def test_a_span_is_cut_to_what_there_is(span: Span, bytes_of_ten: tuple[int, int]):
    assert span.within(10) == bytes_of_ten


@pytest.mark.parametrize("span", [Span(11), Span(-1), Span(5, 3)])
def test_a_span_outside_is_refused(span: Span):
    with pytest.raises(BadSpan):
        span.within(10)
