"""Kakao's callback and its Event API: what may be called, what came of it. No address of Kakao's is in a log."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from pabal.platform.outside import PublicOnly
from pabal.platform.posts import BrokenAnswer, ConnectError, Posts

# Kakao's own; an origin such as http://127.0.0.1:9100 may be named besides, for a simulator.
HOSTS = ".kakao.com,.kakaocdn.net,.kakaoenterprise.com"
TIMEOUT_SECONDS = 5.0
EVENT_URL = "https://bot-api.kakao.com"
LARGEST_ANSWER = 64 * 1024
_HEADERS = {"Content-Type": "application/json", "Accept": "*/*", "User-Agent": "pabal"}


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
        # origins that were named may be private; everything else may not
        self._public = Posts(PublicOnly(), largest=LARGEST_ANSWER)
        self._named = Posts(None, largest=LARGEST_ANSWER)

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
        self._public.close()
        self._named.close()

    async def _post(self, url: str, body: dict[str, Any], headers: dict[str, str]) -> CallResult:
        content = json.dumps(body, ensure_ascii=False).encode()
        posts = self._named if self.addresses.is_named(url) else self._public
        try:
            answer = await posts.post(url, {**_HEADERS, **headers}, content, seconds=TIMEOUT_SECONDS)
        except ConnectError as error:
            return Unreached(type(error).__name__)
        except (BrokenAnswer, TimeoutError) as error:
            return Unclear(type(error).__name__)
        return _judge(answer.status, answer.content)


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
