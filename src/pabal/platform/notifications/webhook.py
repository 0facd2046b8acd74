"""Webhooks: one signed POST to an address that a person typed. Answers are values; no redirect is followed."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pabal.base.settings import Network
from pabal.platform.notifications import signing

if TYPE_CHECKING:
    import httpcore2

TIMEOUT_SECONDS = 10.0
LARGEST_BODY = 512 * 1024
# Of an answer so much is read to let the connection go; what it says is nobody's business but for the first words.
LARGEST_ANSWER = 16 * 1024
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Post:
    """What is posted where. `attempt` counts from 1; `is_replay`: a person asked for it again."""

    url: str = field(repr=False)
    delivery: str
    body: bytes = field(repr=False)
    at: datetime
    secrets: Sequence[str] = field(repr=False)
    attempt: int = 1
    is_replay: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """What the receiver said. Only 2xx means that it has it."""

    status: int
    reason: str
    wait: float | None = None

    @property
    def is_taken(self) -> bool:
        return 200 <= self.status < 300


@dataclass(frozen=True, slots=True)
class Unanswered:
    """No answer. Whether it arrived is unknown when the answer was lost."""

    reason: str


class Webhooks:
    """One client for all webhooks of a process. `networks` may be private, and may be called without TLS."""

    def __init__(self, networks: Sequence[Network] = ()) -> None:
        self._networks = tuple(networks)
        self._pools: dict[str, httpcore2.AsyncConnectionPool] = {}

    async def post(self, post: Post) -> Answered | Unanswered:
        import httpcore2  # noqa: PLC0415 -- long to load; most never send

        if len(post.body) > LARGEST_BODY:
            return Answered(413, f"more than {LARGEST_BODY} bytes")
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                return await self._post(post)
        except httpcore2.ConnectError as error:
            return Unanswered(f"no connection: {str(error)[:_SHOWN] or 'refused'}")
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol) as error:
            return Unanswered(type(error).__name__)
        except (httpcore2.TimeoutException, TimeoutError):
            return Unanswered(f"no answer within {TIMEOUT_SECONDS:.0f} s")

    async def close(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()

    async def _post(self, post: Post) -> Answered:
        from pabal.platform import outside  # noqa: PLC0415 -- as above

        scheme = urlsplit(post.url).scheme
        headers = _headers(post)
        async with self._pool(scheme).stream(
            "POST", outside.split_url(post.url), headers=headers, content=post.body
        ) as response:
            said = b""
            async for piece in response.aiter_stream():
                said += piece
                if len(said) >= LARGEST_ANSWER:
                    break
        return _read(response.status, said, dict(response.headers))

    def _pool(self, scheme: str) -> "httpcore2.AsyncConnectionPool":
        """Without TLS only into networks that somebody allowed."""
        from pabal.platform import outside  # noqa: PLC0415 -- as above

        if scheme not in self._pools:
            backend = outside.PublicOnly(self._networks, only_these=scheme != "https")
            self._pools[scheme] = outside.make_pool(backend)
        return self._pools[scheme]


def _headers(post: Post) -> list[tuple[bytes | str, bytes | str]]:
    given = {
        "content-type": "application/json; charset=utf-8",
        "content-length": str(len(post.body)),
        "user-agent": "pabal",
        "accept": "*/*",
        "pabal-attempt": str(post.attempt),
        **({"pabal-replay": "true"} if post.is_replay else {}),
        **signing.make_headers(post.secrets, post.delivery, post.at, post.body),
    }
    return list(given.items())


def _read(status: int, said: bytes, headers: dict[bytes, bytes]) -> Answered:
    if 300 <= status < 400:
        return Answered(status, "redirects are not followed: enter the address it leads to")
    words = " ".join(said.decode("utf-8", "replace").replace("\x00", "").split())[:_SHOWN]
    wait = next((value for name, value in headers.items() if name.lower() == b"retry-after"), b"")
    return Answered(status, words, float(wait) if wait.isdigit() and len(wait) < 7 else None)
