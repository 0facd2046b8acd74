"""Articles on a topic."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from pabal.apps.rules.outside.fetching import Fetcher
from pabal.apps.rules.skills.errors import BadSearch, FeedUnavailable
from pabal.apps.rules.skills.feeds import Article
from pabal.apps.rules.skills.search import FeedSearch, OfflineSearch, Query, choose
from tests.support.documents import LOOPBACK, Documents, serve_documents

NINE = datetime(2026, 11, 17, 0, 0, tzinfo=UTC)


def article(title: str, *, hours: float = 1, link: str = "", text: str = "") -> Article:
    return Article(title, link or f"https://a.example.com/{title}", text, NINE - timedelta(hours=hours))


def feed(*titles: str) -> bytes:
    items = "".join(f"<item><title>{one}</title><link>https://a.example.com/{one}</link></item>" for one in titles)
    return f"<rss><channel>{items}</channel></rss>".encode()


@pytest.fixture
async def documents() -> AsyncIterator[Documents]:
    async with serve_documents() as serving:
        yield serving


@pytest.fixture
async def search() -> AsyncIterator[FeedSearch]:
    fetcher = Fetcher(LOOPBACK)
    yield FeedSearch(fetcher)
    await fetcher.close()


def test_articles_that_have_every_word_come_newest_first():
    given = [
        article("AI 요약", hours=3),
        article("날씨"),
        article("칩", text="ai를 위한 요약", hours=1),
        article("AI 요약 지난주", hours=30),
    ]

    chosen = choose(given, Query("AI 요약"), NINE)

    assert [one.title for one in chosen] == ["칩", "AI 요약"]


def test_the_same_article_of_two_feeds_is_one_and_there_are_no_more_than_asked():
    given = [article("AI", hours=n, link=f"https://a.example.com/{n // 2}") for n in range(10)]

    assert [one.link[-1] for one in choose(given, Query("ai", most=3), NINE)] == ["0", "1", "2"]


@pytest.mark.req("D-05")
async def test_feeds_are_read_together_and_one_that_fails_takes_nothing_from_the_others(
    documents: Documents, search: FeedSearch
):
    good = documents.put("/good", feed("AI-one", "weather", "AI-two"), kind="application/rss+xml")
    bad = documents.put("/bad", b"<html/>")

    found = await search.find(Query("AI", (good, bad, good)), moment=NINE)

    assert {one.title for one in found.articles} == {"AI-one", "AI-two"}
    assert list(found.failed) == [bad]
    assert len(documents.asked) == 2


async def test_a_search_whose_feeds_all_fail_fails(documents: Documents, search: FeedSearch):
    with pytest.raises(FeedUnavailable, match="HTTP 404"):
        await search.find(Query("AI", (f"{documents.url}/none",)), moment=NINE)


async def test_a_search_needs_a_topic_and_feeds(search: FeedSearch):
    with pytest.raises(BadSearch):
        Query("  ")
    with pytest.raises(BadSearch):
        await search.find(Query("AI"), moment=NINE)


async def test_offline_there_are_articles_on_everything():
    once, again = [await OfflineSearch().find(Query("양자 컴퓨터"), moment=NINE) for _ in range(2)]

    assert once == again
    assert len(once.articles) == 4
    assert all("양자 컴퓨터" in f"{one.title} {one.text}" for one in once.articles)
