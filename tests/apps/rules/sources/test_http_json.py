"""JSON at an address."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from pabal.apps.rules.outside.fetching import Fetcher
from pabal.apps.rules.sources.errors import BadSourceParams, SourceUnavailable, SourceUnreadable
from pabal.apps.rules.sources.http_json import HttpJson
from tests.support.documents import LOOPBACK, Documents, serve_documents

NOON = datetime(2026, 11, 17, 3, 0, tzinfo=UTC)


@pytest.fixture
async def documents() -> AsyncIterator[Documents]:
    async with serve_documents() as serving:
        yield serving


@pytest.fixture
async def source() -> AsyncIterator[HttpJson]:
    fetcher = Fetcher(LOOPBACK)
    yield HttpJson(fetcher)
    await fetcher.close()


@pytest.mark.req("D-91")
async def test_what_a_service_answers_is_what_a_condition_sees(documents: Documents, source: HttpJson):
    url = documents.put("/gold", b'{"price": 91.5, "list": [1, 2]}')

    assert await source.read({"url": url}, moment=NOON) == {"body": {"price": 91.5, "list": [1, 2]}}


@pytest.mark.parametrize("body", [b"<html>", b"", b'{"price": NaN}', b"[" * 100_000])
async def test_what_is_no_json_is_refused(documents: Documents, source: HttpJson, body: bytes):
    url = documents.put("/", body)

    with pytest.raises(SourceUnreadable):
        await source.read({"url": url}, moment=NOON)


async def test_a_service_that_fails_is_unavailable(documents: Documents, source: HttpJson):
    url = documents.put("/", b"{}", status=503)

    with pytest.raises(SourceUnavailable, match="HTTP 503"):
        await source.read({"url": url}, moment=NOON)


async def test_an_address_is_needed(source: HttpJson):
    with pytest.raises(BadSourceParams, match="url"):
        await source.read({}, moment=NOON)


async def test_the_network_of_the_server_is_not_reached(documents: Documents):
    url = documents.put("/", b"{}")
    fetcher = Fetcher()

    with pytest.raises(SourceUnavailable):
        await HttpJson(fetcher).read({"url": url}, moment=NOON)
    assert documents.asked == []
    await fetcher.close()
