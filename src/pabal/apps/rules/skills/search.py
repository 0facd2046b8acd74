"""Searches articles on a topic: in feeds that a person named, or made up for the demo and tests."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from pabal.apps.rules.outside.fetching import Fetcher, NotFetched
from pabal.apps.rules.skills.errors import BadSearch, FeedUnavailable, FeedUnreadable
from pabal.apps.rules.skills.feeds import Article, read_feed
from pabal.base.telemetry import declare, emit

ACCEPT = "application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.8"
LONGEST_TOPIC = 200
MOST_FEEDS = 20
_WORD = re.compile(r"\w+")

declare("rules.feed.failed", "Feeds that could not be read", level=30)


@dataclass(frozen=True, slots=True)
class Query:
    """Articles that have every word of `topic` in title or text, of the last `within`, newest first."""

    topic: str
    feeds: tuple[str, ...] = ()
    within: timedelta = timedelta(days=1)
    most: int = 10

    def __post_init__(self) -> None:
        if not 0 < len(self.topic.strip()) <= LONGEST_TOPIC or self.most < 1 or len(self.feeds) > MOST_FEEDS:
            raise BadSearch(self.topic[:100])


@dataclass(frozen=True, slots=True)
class Found:
    """`failed` names feeds that could not be read and why; the others were."""

    articles: tuple[Article, ...]
    failed: dict[str, str]


class Search(Protocol):
    async def find(self, query: Query, *, moment: datetime) -> Found: ...


class FeedSearch:
    """All feeds at once. One that fails takes nothing from the others; when all fail, so does the search."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher

    async def find(self, query: Query, *, moment: datetime) -> Found:
        if not query.feeds:
            raise BadSearch("no feeds")
        feeds = list(dict.fromkeys(query.feeds))
        read = await asyncio.gather(*map(self._read, feeds))
        failed = {url: why for url, why in zip(feeds, read, strict=True) if isinstance(why, str)}
        if len(failed) == len(read):
            raise FeedUnavailable("; ".join(failed.values())[:300])
        articles = [one for found in read if not isinstance(found, str) for one in found]
        return Found(choose(articles, query, moment), failed)

    async def _read(self, url: str) -> list[Article] | str:
        found = await self._fetcher.get(url, accept=ACCEPT)
        try:
            return _why_not(found.reason) if isinstance(found, NotFetched) else read_feed(found.body)
        except FeedUnreadable as error:
            return _why_not(error.detail)


def _why_not(reason: str) -> str:
    emit("rules.feed.failed", reason=reason)
    return reason


# a subject, and what is said of it; {topic} is the query's
_MADE_UP = (
    (
        "{topic}, 이번 주 흐름 정리",
        "{topic} 관련 발표가 이어졌다. 업계는 {topic} 투자가 늘 것으로 본다. 규제 논의도 시작됐다.",
    ),
    ("{topic} 도입한 중소기업 늘어", "중소기업의 {topic} 도입이 지난해보다 늘었다. 비용이 줄었다는 답이 많았다."),
    ("What {topic} means for small teams", "Small teams adopt {topic} faster than large ones. Costs fell by a third."),
    ("{topic} 인력 양성 과정 개설", "대학 세 곳이 {topic} 과정을 연다. 첫 학기 정원은 120명이다."),
)


class OfflineSearch:
    """The same articles for the same topic and day."""

    async def find(self, query: Query, *, moment: datetime) -> Found:
        day = moment.replace(minute=0, second=0, microsecond=0)
        made = [
            Article(
                title.format(topic=query.topic.strip()),
                f"https://news.example.com/{day:%Y%m%d}/{number}",
                text.format(topic=query.topic.strip()),
                day - timedelta(hours=number),
            )
            for number, (title, text) in enumerate(_MADE_UP, start=1)
        ]
        return Found(choose(made, query, moment), {})


def choose(articles: Iterable[Article], query: Query, moment: datetime) -> tuple[Article, ...]:
    """Those the query means. An article without a moment of its own counts as of now."""
    words = [word.lower() for word in _WORD.findall(query.topic)]
    dated = [replace(one, at=one.at or moment) for one in articles]
    fitting = [one for one in dated if _fits(one, words, moment - query.within)]
    newest = sorted(fitting, key=lambda one: one.at or moment, reverse=True)
    return tuple({one.link: one for one in reversed(newest)}.values())[::-1][: query.most]


def _fits(article: Article, words: Sequence[str], since: datetime) -> bool:
    text = f"{article.title} {article.text}".lower()
    return article.at is not None and article.at >= since and all(word in text for word in words)
