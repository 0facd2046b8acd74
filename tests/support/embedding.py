"""A stand-in for a server that answers as OpenAI's /v1/embeddings does, and keeps what it was sent."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.documents import document

Numbers = list[float]


def three(text: str) -> Numbers:
    """News points one way, weather another, all else a third."""
    return [float("뉴스" in text or "소식" in text), float("날씨" in text), 0.1]


@dataclass
class EmbeddingServer:
    """`embed` says what a text means; with `answer` it says that instead, whatever it is asked."""

    url: str = ""
    embed: Callable[[str], Numbers] = three
    answer: bytes | None = None
    sent: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        return [text for one in self.sent for text in one["input"]]

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                length = int(head.split("content-length: ")[1].split("\r\n")[0])
                self.keys += [
                    line.partition(": ")[2] for line in head.split("\r\n") if line.startswith("authorization")
                ]
                self.sent.append(json.loads(await reader.readexactly(length)))
                writer.write(self.answer or self._embed(self.sent[-1]["input"]))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _embed(self, texts: list[str]) -> bytes:
        data = [{"index": number, "embedding": self.embed(text)} for number, text in enumerate(texts)]
        # in no order: the index says which is whose
        return document(json.dumps({"object": "list", "data": data[::-1], "usage": {"total_tokens": 1}}).encode())


@asynccontextmanager
async def serve_embeddings() -> AsyncIterator[EmbeddingServer]:
    serving = EmbeddingServer()
    server = await asyncio.start_server(serving.handle, "127.0.0.1", 0)
    serving.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/embeddings"
    try:
        yield serving
    finally:
        server.close()
