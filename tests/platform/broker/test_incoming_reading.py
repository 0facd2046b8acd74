"""What a message says, and that nothing it says can trouble the database."""

import json

import pytest

from pabal.platform.broker import EventUnreadable
from pabal.platform.broker.incoming import find_id, read_event, show
from pabal.platform.broker.model import MOST_BYTES, Event


def test_an_event_needs_an_id_and_a_name_and_no_more():
    whole = read_event(b'{"id": "e1", "name": "adgroup.PAUSE", "subject": "adg_1", "data": {"reason": "sold out"}}')
    short = read_event(b'{"id": "e1", "name": "x", "subject": "", "ignored": 1}')

    assert whole == Event("e1", "adgroup.PAUSE", "adg_1", {"reason": "sold out"})
    assert short == Event("e1", "x", "", {})


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"pause it, please", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"", "no JSON"),
        (b"[" * 60_000, "no JSON"),
        (b'{"id": "e1", "name": "x", "data": {"n": NaN}}', "no JSON"),
        (b'{"id": "e1", "name": "x", "data": {"n": 1e999}}', "no JSON"),
        (b'{"id": "e1", "name": "x", "data": {"n": "\\ud800"}}', "no JSON"),
        (b'{"id": "e1", "name": "x", "data": {"n": "\\u0000"}}', "NUL"),
        (b'["e1"]', "no JSON object"),
        (b'{"name": "x"}', "id is a text"),
        (b'{"id": 7, "name": "x"}', "id is a text"),
        (b'{"id": "e1"}', "name is a text"),
        (b'{"id": "e1", "name": "x", "subject": 7}', "subject is a text"),
        (b'{"id": "e1", "name": "x", "data": []}', "data is no object"),
        (json.dumps({"id": "e1", "name": "x", "data": {"n": "가" * MOST_BYTES}}).encode(), "at most 65536"),
    ],
)
def test_what_is_no_event_is_named(body: bytes, why: str):
    with pytest.raises(EventUnreadable, match=why):
        read_event(body)


def test_a_broken_event_is_known_by_its_id_if_it_has_one():
    assert find_id(b'{"id": "e1", "data": 3}') == "e1"
    assert [find_id(body) for body in (b"?", b"[]", b"{}", b"x" * (MOST_BYTES + 1))] == [None] * 4
    assert show(b"a\0b\xff" + b"c" * 2000).startswith("a\ufffdb\ufffdccc")
