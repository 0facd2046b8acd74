"""Kakao's callback and its Event API: what may be called, what came of it. No address of Kakao's is in a log."""

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

import httpcore2

from pabal.platform import outside
from pabal.platform.outside import PublicOnly

# Kakao's own; an origin such as http://127.0.0.1:9100 may be named besides, for a simulator.
HOSTS = ".kakao.com,.kakaocdn.net,.kakaoenterprise.com"
TIMEOUT_SECONDS = 5.0
EVENT_URL = "https://bot-api.kakao.com"
LARGEST_ANSWER = 64 * 1024
Headers = list[tuple[bytes | str, bytes | str]]
_HEADERS: Headers = [("Content-Type", "application/json"), ("Accept", "*/*"), ("User-Agent", "pabal")]
_TIMEOUTS = dict.fromkeys(("connect", "read", "write", "pool"), TIMEOUT_SECONDS)
# before any byte of the request went out
_UNREACHED = (
    httpcore2.ConnectError,
    httpcore2.ConnectTimeout,
    httpcore2.PoolTimeout,
    httpcore2.UnsupportedProtocol,
)
_UNCLEAR = (httpcore2.NetworkError, httpcore2.TimeoutException, httpcore2.ProtocolError, TimeoutError)


@dataclass(frozen=True, slots=True)
class Accepted:
    """Kakao has it."""

    task_id: str = ""


@dataclass(frozen=True, slots=True)
class Rejected:
    """Kakao said no: nobody sees it. `is_token`: of its address, not of the answer."""

    reason: str
    is_token: bool = False


@dataclass(frozen=True, slots=True)
class Unreached:
    """No byte of it can have been seen, so that it may be tried again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unclear:
    """It was sent, and nobody knows whether it was seen: the address works once, so it is not sent again."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotAllowed:
    """This address is none of Kakao's."""


CallResult = Accepted | Rejected | Unreached | Unclear | NotAllowed


class Kakao(Protocol):
    async def call_back(self, url: str, skill: dict[str, Any]) -> CallResult: ...
    async def push(self, bot_id: str, event: dict[str, Any], user_key: str) -> CallResult: ...


class Addresses:
    """Which addresses may be called: https at Kakao's hosts, and origins somebody named when the server started."""

    def __init__(self, allowed: str, origins: Iterable[str] = ()) -> None:
        named = [part.strip().rstrip("/").lower() for part in allowed.split(",") if part.strip()]
        self.origins = {one for one in (*named, *origins) if "://" in one}
        self._suffixes = tuple(one if one.startswith(".") else f".{one}" for one in named if "://" not in one)

    def allows(self, url: str) -> bool:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            return False
        if self.is_named(url):
            return True
        is_plain = parts.username is None and parts.password is None and port in (None, 443)
        return parts.scheme == "https" and is_plain and f".{host}".endswith(self._suffixes) and bool(self._suffixes)

    def is_named(self, url: str) -> bool:
        parts = urlsplit(url)
        return parts.username is None and f"{parts.scheme}://{parts.netloc}".lower() in self.origins


class KakaoClient:
    """One client for all callbacks of a process. Redirects are not followed."""

    def __init__(self, addresses: Addresses, *, rest_key: str = "", event_url: str = EVENT_URL) -> None:
        self.addresses = addresses
        self._rest_key, self._event_url = rest_key, event_url.rstrip("/")
        self._public: httpcore2.AsyncConnectionPool | None = None
        self._named: httpcore2.AsyncConnectionPool | None = None

    @property
    def can_push(self) -> bool:
        return bool(self._rest_key)

    async def call_back(self, url: str, skill: dict[str, Any]) -> CallResult:
        if not self.addresses.allows(url):
            return NotAllowed()
        return await self._post(url, skill, {})

    async def push(self, bot_id: str, event: dict[str, Any], user_key: str) -> CallResult:
        """A message at any time, through a block that answers to an event. It costs something."""
        user = [{"type": "plusfriendUserKey", "id": user_key}]
        url = f"{self._event_url}/v2/bots/{bot_id}/talk"
        if not self.addresses.allows(url):
            return NotAllowed()
        return await self._post(url, {"event": event, "user": user}, {"Authorization": f"KakaoAK {self._rest_key}"})

    async def close(self) -> None:
        for pool in (self._public, self._named):
            if pool is not None:
                await pool.aclose()

    async def _post(self, url: str, body: dict[str, Any], headers: dict[str, str]) -> CallResult:
        content = json.dumps(body, ensure_ascii=False).encode()
        given: Headers = [*_HEADERS, *headers.items()]
        limits = {"timeout": _TIMEOUTS}
        pool, target = self._pool_for(url), outside.split_url(url)
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                async with pool.stream("POST", target, headers=given, content=content, extensions=limits) as response:
                    return _judge(response.status, await _read_start(response))
        except _UNREACHED as error:
            return Unreached(type(error).__name__)
        except _UNCLEAR as error:
            return Unclear(type(error).__name__)

    def _pool_for(self, url: str) -> httpcore2.AsyncConnectionPool:
        """Origins that were named may be private; everything else may not."""
        if self.addresses.is_named(url):
            self._named = self._named or outside.make_pool(None)
            return self._named
        self._public = self._public or outside.make_pool(PublicOnly())
        return self._public


async def _read_start(response: httpcore2.Response) -> bytes:
    """Whoever says more than Kakao ever does is not listened to any longer; its connection is closed."""
    said = bytearray()
    async for piece in response.aiter_stream():
        said += piece
        if len(said) > LARGEST_ANSWER:
            break
    return bytes(said[:LARGEST_ANSWER])


def _judge(status: int, content: bytes) -> CallResult:
    """By the body's own word: Kakao answers some refusals with 200."""
    try:
        said = json.loads(content) if content else {}
    except ValueError:
        said = {}
    result = str(said.get("status", "")).upper() if isinstance(said, dict) else ""
    message = str(said.get("message", ""))[:200] if isinstance(said, dict) else ""
    if result == "SUCCESS":
        return Accepted(str(said.get("taskId", ""))[:100])
    if result in ("FAIL", "ERROR"):
        return Rejected(message or result, is_token="callback token" in message.lower())
    # without its word, only a refusal of the request itself is sure
    return Rejected(f"HTTP {status}") if 300 <= status < 500 else Unclear(f"HTTP {status}")
