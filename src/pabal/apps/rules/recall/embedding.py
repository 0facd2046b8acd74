"""Asking a model of meanings: texts go in, a vector for each comes out. No way has tools, and none knows the server's
environment.

Where it is asked is named when the server starts (PABAL_RULES_EMBEDDING_URL), never in the console: whoever may change
settings must not thereby send cases elsewhere.
"""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pabal.apps.rules.outside.fetching import Fetched, Fetcher
from pabal.apps.rules.recall.meanings import MOST_DIMENSIONS
from pabal.apps.rules.recall.model import split_words
from pabal.apps.rules.skills.errors import ModelTooSlow, ModelUnavailable

SECONDS = 30.0
# so many texts are asked for at once: about 4 MB at 3,072 dimensions
AT_ONCE = 32
LARGEST = 16 << 20
Vector = tuple[float, ...]


class Embedder(Protocol):
    async def embed(self, texts: Sequence[str]) -> list[Vector]: ...


@dataclass(frozen=True, slots=True)
class ApiEmbedder:
    """Any server that answers as OpenAI's /v1/embeddings does: Ollama, vLLM, text-embeddings-inference and others."""

    fetcher: Fetcher
    url: str
    model: str
    key: str = field(default="", repr=False)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        body = json.dumps({"model": self.model, "input": list(texts), "encoding_format": "float"}).encode()
        headers = {"authorization": f"Bearer {self.key}"} if self.key else {}
        got = await self.fetcher.post(self.url, body, headers=headers, seconds=SECONDS, largest=LARGEST)
        if isinstance(got, Fetched):
            return read_vectors(got.body, len(texts))
        raise ModelTooSlow(got.reason) if got.is_slow else ModelUnavailable(got.reason)


def read_vectors(body: bytes, count: int) -> list[Vector]:
    """One for each text, in their order, all of the same length. Raises ModelUnavailable where it is anything else."""
    try:
        data: list[Any] = sorted(json.loads(body)["data"], key=lambda one: one["index"])
        found = [tuple(float(number) for number in one["embedding"]) for one in data]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ModelUnavailable(f"unreadable answer: {type(error).__name__}") from error
    lengths = {len(one) for one in found}
    is_right = len(found) == count and len(lengths) == 1 and 0 < lengths.pop() <= MOST_DIMENSIONS
    # a vector of nothing points nowhere, and PostgreSQL would refuse what is no number
    if not is_right or not all(any(one) and all(map(math.isfinite, one)) for one in found):
        raise ModelUnavailable(f"{len(found)} vectors for {count} texts, or not of one length")
    return found


# Of each line the first word stands for all. A practice list for demo and tests, not a dictionary.
_ALIKE = (
    "뉴스 소식 기사 보도 news article headline",
    "요약 정리 간추려 추려 summarise summarize summary digest brief",
    "보고서 리포트 문서 report document",
    "알려 알림 통지 전해 공지 notify tell alert announce",
    "환율 원화 달러 exchange currency dollar",
    "오르 상승 뛰 급등 rise rises climb climbs",
    "내리 하락 떨어지 급락 fall falls drop drops",
    "주가 시세 주식 stock share quote",
    "날씨 기온 기상 weather temperature forecast",
    "회의 미팅 meeting",
    "어제 전날 yesterday",
    "지난주 저번주 week",
    "아침 오전 morning",
    "인공지능 ai",
    "번역 옮겨 translate",
    "인사 안부 hello greet greeting",
)
_STEMS = {word: line.split()[0] for line in _ALIKE for word in line.split()}
_LONGEST_FIRST = sorted(_STEMS, key=len, reverse=True)
OFFLINE_DIMENSIONS = 256
# a word that the list does not know says less than one it knows
_UNKNOWN = 0.4


class OfflineEmbedder:
    """No model: words of the list above that mean the same point the same way, all others by their own letters. The
    same every time, and nothing leaves the house."""

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> Vector:
        numbers = [0.0] * OFFLINE_DIMENSIONS
        for word in split_words(text):
            stem = next((_STEMS[one] for one in _LONGEST_FIRST if word.startswith(one)), None)
            digest = hashlib.sha256((stem or word).encode()).digest()
            place, sign = int.from_bytes(digest[:4]) % OFFLINE_DIMENSIONS, 1.0 if digest[4] % 2 else -1.0
            numbers[place] += sign * (1.0 if stem else _UNKNOWN)
        return tuple(numbers) if any(numbers) else (1.0, *numbers[1:])
