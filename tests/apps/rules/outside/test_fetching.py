"""Documents from addresses that people typed: bounded, and never from a private network that nobody allowed."""

from collections.abc import AsyncIterator

import pytest

from pabal.apps.rules.outside.fetching import Fetched, Fetcher, NotFetched, read_scheme
from pabal.platform import outside
from tests.support.documents import LOOPBACK, Documents, serve_documents


@pytest.fixture
async def documents() -> AsyncIterator[Documents]:
    async with serve_documents() as serving:
        yield serving


@pytest.fixture
async def fetcher() -> AsyncIterator[Fetcher]:
    made = Fetcher(LOOPBACK)
    yield made
    await made.close()


async def test_a_document_is_fetched_without_telling_who_we_are(documents: Documents, fetcher: Fetcher):
    url = documents.put("/a?b=c", b'{"x": 1}')

    found = await fetcher.get(url, accept="application/json")

    assert found == Fetched(b'{"x": 1}', "application/json")
    assert "GET /a?b=c HTTP/1.1" in documents.asked[0]
    assert "cookie" not in documents.asked[0].lower()


async def test_a_private_address_is_not_asked_unless_allowed(documents: Documents):
    url = documents.put("/", b"{}")
    stranger = Fetcher()

    found = await stranger.get(url, accept="*/*")

    assert isinstance(found, NotFetched)
    assert documents.asked == []
    await stranger.close()


async def test_without_tls_a_public_address_is_not_asked_either(documents: Documents, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(outside, "is_public", lambda _address: True)
    url = documents.put("/", b"{}")
    stranger = Fetcher()

    found = await stranger.get(url, accept="*/*")

    assert isinstance(found, NotFetched)
    assert documents.asked == []
    await stranger.close()


@pytest.mark.parametrize(
    ("status", "reason"), [(404, "HTTP 404"), (302, "redirects are not followed"), (500, "HTTP 500")]
)
async def test_only_a_success_counts(documents: Documents, fetcher: Fetcher, status: int, reason: str):
    url = documents.put("/", b"{}", status=status)

    found = await fetcher.get(url, accept="*/*")

    assert isinstance(found, NotFetched)
    assert reason in found.reason


async def test_more_than_allowed_is_not_read(documents: Documents, fetcher: Fetcher):
    url = documents.put("/", b"x" * 1001)

    assert await fetcher.get(url, accept="*/*", largest=1000) == NotFetched("more than 1000 bytes")


async def test_silence_ends_with_the_time_limit(documents: Documents, fetcher: Fetcher):
    documents.answers["/"] = b""

    found = await fetcher.get(f"{documents.url}/", accept="*/*", seconds=0.05)

    assert isinstance(found, NotFetched)
    assert found.is_slow


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://a/b", "https://", "//a/b", "https://me:secret@a/", "https://a b/", "https://a:x/"],
)
def test_what_is_no_address_of_the_web_is_refused(url: str):
    assert read_scheme(url) is None
