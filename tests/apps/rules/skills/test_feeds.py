"""Feeds as the world writes them, and as somebody would write them who means harm."""

from datetime import UTC, datetime

import pytest

from pabal.apps.rules.skills.errors import FeedUnreadable
from pabal.apps.rules.skills.feeds import Article, read_feed, read_moment, show_text

NINE = datetime(2026, 11, 17, 0, 0, tzinfo=UTC)
RSS = """<?xml version="1.0" encoding="{encoding}"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>뉴스</title>
<item><title>AI &amp; 반도체</title><link>https://news.example.com/1</link>
<description><![CDATA[<p>삼성전자가 <b>AI</b> 칩을<script>alert(1)</script> 공개했다.</p>]]></description>
<pubDate>Tue, 17 Nov 2026 09:00:00 +0900</pubDate></item>
<item><title>링크 없음</title></item>
<item><title>못 여는 링크</title><link>javascript:alert(1)</link></item>
</channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title><entry><title>One</title>
<link rel="self" href="https://a.example.com/self"/><link href="https://a.example.com/1"/>
<updated>2026-11-17T00:00:00Z</updated><summary type="html">&lt;i&gt;Short&lt;/i&gt; text</summary></entry></feed>"""
RDF = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
xmlns:dc="http://purl.org/dc/elements/1.1/"><item><title>One</title><link>https://a.example.com/1</link>
<dc:date>2026-11-17T09:00:00+09:00</dc:date></item></rdf:RDF>"""


@pytest.mark.parametrize("encoding", ["utf-8", "euc-kr"])
def test_rss_is_read_as_a_person_would(encoding: str):
    content = RSS.format(encoding=encoding).encode(encoding)

    [article] = read_feed(content)

    assert article == Article("AI & 반도체", "https://news.example.com/1", "삼성전자가 AI 칩을 공개했다.", NINE)


def test_atom_is_read():
    assert read_feed(ATOM) == [Article("One", "https://a.example.com/1", "Short text", NINE)]


def test_rss_of_the_first_version_is_read():
    assert read_feed(RDF) == [Article("One", "https://a.example.com/1", "", NINE)]


@pytest.mark.parametrize(
    "content",
    [
        # a billion laughs, a file of the server, an address inside
        b'<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><rss><item><title>&b;</title></item></rss>',
        b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><item><title>&x;</title></item></rss>',
        b'<!DOCTYPE r SYSTEM "http://127.0.0.1/evil.dtd"><rss/>',
        b"<a>" * 200_000,
        b"<rss>" + b"<a>" * 60 + b"</a>" * 60 + b"</rss>",
        b"<html><body/></html>",
        b"<rss>",
        b"",
        b"\xff\xfe\x00",
        b'<?xml version="1.0" encoding="utf-7"?><rss/>',
    ],
)
def test_what_is_no_honest_feed_is_refused(content: bytes):
    with pytest.raises(FeedUnreadable):
        read_feed(content)


def test_a_feed_of_many_articles_is_cut():
    item = b"<item><title>a</title><link>https://a.example.com/</link></item>"

    assert len(read_feed(b"<rss>" + 600 * item + b"</rss>")) == 500


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("Tue, 17 Nov 2026 09:00:00 +0900", NINE),
        ("2026-11-17T00:00:00Z", NINE),
        ("2026-11-17T00:00:00", NINE),
        ("Tue, 17 Nov 2026 00:00:00 GMT", NINE),
        ("yesterday", None),
        ("", None),
    ],
)
def test_moments_are_read_as_they_are_written(text: str, moment: datetime | None):
    assert read_moment(text) == moment


def test_text_is_what_a_person_reads():
    assert show_text("<style>p{}</style><p>a&nbsp;&lt;b&gt;</p><p>c") == "a <b> c"
