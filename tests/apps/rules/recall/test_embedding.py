"""Asking a model of meanings: what is sent, what is taken, and what the stand-in without a model knows."""

import json
import math
from collections.abc import AsyncIterator

import pytest

from pabal.apps.rules.outside.fetching import Fetcher
from pabal.apps.rules.recall.embedding import ApiEmbedder, OfflineEmbedder, Vector, read_vectors
from pabal.apps.rules.skills.errors import ModelUnavailable
from pabal.apps.rules.skills.startup import SkillsStartup
from tests.support.documents import LOOPBACK, document
from tests.support.embedding import EmbeddingServer, serve_embeddings


@pytest.fixture
async def serving() -> AsyncIterator[EmbeddingServer]:
    async with serve_embeddings() as serving:
        yield serving


async def test_each_text_gets_its_own_vector_whatever_their_order(serving: EmbeddingServer):
    fetcher = Fetcher(LOOPBACK)

    found = await ApiEmbedder(fetcher, serving.url, "small", "secret-key").embed(["날씨", "뉴스"])
    await fetcher.close()

    assert found == [(0.0, 1.0, 0.1), (1.0, 0.0, 0.1)]
    assert (serving.sent[0]["model"], serving.sent[0]["input"]) == ("small", ["날씨", "뉴스"])
    assert serving.keys == ["bearer secret-key"]


async def test_a_private_address_is_not_asked_unless_it_was_allowed(serving: EmbeddingServer):
    fetcher = Fetcher()

    with pytest.raises(ModelUnavailable):
        await ApiEmbedder(fetcher, serving.url, "small").embed(["뉴스"])
    await fetcher.close()

    assert serving.sent == []


async def test_a_model_that_refuses_is_told_by_its_status_and_never_with_the_key(serving: EmbeddingServer):
    serving.answer = document(b'{"error": "secret-key is wrong"}', status=401)
    fetcher = Fetcher(LOOPBACK)

    with pytest.raises(ModelUnavailable) as error:
        await ApiEmbedder(fetcher, serving.url, "small", "secret-key").embed(["뉴스"])
    await fetcher.close()

    assert "HTTP 401" in str(error.value)
    assert "secret-key" not in str(error.value) + repr(ApiEmbedder(fetcher, serving.url, "small", "secret-key"))


@pytest.mark.parametrize(
    "body",
    [
        b"no json",
        b'{"data": []}',
        json.dumps({"data": [{"index": 0, "embedding": [1.0]}]}).encode(),
        json.dumps({"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]}).encode(),
        json.dumps({"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [0.0]}]}).encode(),
        json.dumps({"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [math.nan]}]}).encode(),
        json.dumps({"data": [{"index": 0, "embedding": "x"}, {"index": 1, "embedding": [1.0]}]}).encode(),
        json.dumps({"data": [{"index": n, "embedding": [1.0] * 16_001} for n in (0, 1)]}).encode(),
    ],
)
def test_what_is_no_vector_for_each_text_is_not_taken(body: bytes):
    with pytest.raises(ModelUnavailable):
        read_vectors(body, 2)


async def test_the_stand_in_knows_a_few_words_that_mean_the_same_and_nothing_else():
    news, other, weather, again = await OfflineEmbedder().embed(
        ["AI 뉴스 요약해줘", "인공지능 소식 정리해 주세요", "부산 날씨", "AI 뉴스 요약해줘"]
    )

    assert news == again
    assert _cosine(news, other) > 0.7
    assert _cosine(news, weather) < 0.3


@pytest.mark.parametrize("url", ["ftp://example.com/v1", "https://key:pass@example.com/v1", "nothing"])
def test_an_address_that_may_not_be_asked_is_refused_when_the_server_starts(url: str):
    with pytest.raises(ValueError, match="embedding_url"):
        SkillsStartup(embedding_url=url)


def _cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))
