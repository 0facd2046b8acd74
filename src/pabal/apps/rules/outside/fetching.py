"""Gets a document from an address that a person typed: bounded in time and size, never from a private network."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pabal.base.settings import Network

if TYPE_CHECKING:
    import httpcore2

SECONDS = 10.0
LARGEST = 1 << 20
LONGEST_ADDRESS = 2000
# nothing else is opened by what reads it
_HEADERS = {"user-agent": "pabal", "accept-encoding": "identity"}


@dataclass(frozen=True, slots=True)
class Fetched:
    body: bytes = field(repr=False)
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class NotFetched:
    """Why not, in a few words without the address. `is_slow`: it did not answer in time."""

    reason: str
    is_slow: bool = False


class Fetcher:
    """One client for a process. `networks` may be private, and may be asked without TLS. Redirects are not followed."""

    def __init__(self, networks: Sequence[Network] = ()) -> None:
        self._networks = tuple(networks)
        self._pools: dict[str, httpcore2.AsyncConnectionPool] = {}

    async def get(
        self, url: str, *, accept: str, seconds: float = SECONDS, largest: int = LARGEST
    ) -> Fetched | NotFetched:
        return await self._ask("GET", url, {"accept": accept}, None, seconds, largest)

    async def post(  # long: a question with a body
        self,
        url: str,
        body: bytes,
        *,
        headers: Mapping[str, str],
        seconds: float = SECONDS,
        largest: int = LARGEST,
    ) -> Fetched | NotFetched:
        """JSON both ways. `headers` may hold a key: none of them is in a reason."""
        given = {"accept": "application/json", "content-type": "application/json", **headers}
        return await self._ask("POST", url, given, body, seconds, largest)

    async def close(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()

    async def _ask(  # long: as the two above
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, seconds: float, largest: int
    ) -> Fetched | NotFetched:
        import httpcore2  # noqa: PLC0415 -- long to load; most processes never fetch

        scheme = read_scheme(url)
        if scheme is None:
            return NotFetched("the address must begin with https://")
        try:
            async with asyncio.timeout(seconds):
                return await self._send(method, url, scheme, headers, body, largest)
        except httpcore2.ConnectError as error:
            return NotFetched(str(error)[:200] or "no connection")
        except (httpcore2.TimeoutException, TimeoutError):
            return NotFetched(f"no answer within {seconds:g} s", is_slow=True)
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol) as error:
            return NotFetched(type(error).__name__)

    async def _send(  # long: as the two above
        self, method: str, url: str, scheme: str, headers: Mapping[str, str], body: bytes | None, largest: int
    ) -> Fetched | NotFetched:
        from pabal.platform import outside  # noqa: PLC0415 -- as above

        given: list[tuple[bytes | str, bytes | str]] = [*_HEADERS.items(), *headers.items()]
        if body is not None:
            given.append(("content-length", str(len(body))))
        address = outside.split_url(url)
        async with self._pool(scheme).stream(method, address, headers=given, content=body) as response:
            if not 200 <= response.status < 300:
                return NotFetched(_explain_status(response.status))
            found = b""
            async for piece in response.aiter_stream():
                found += piece
                if len(found) > largest:
                    return NotFetched(f"more than {largest} bytes")
        kind = next((value for name, value in response.headers if name.lower() == b"content-type"), b"")
        return Fetched(found, kind.decode("latin-1"))

    def _pool(self, scheme: str) -> "httpcore2.AsyncConnectionPool":
        """Without TLS only from networks that somebody allowed."""
        from pabal.platform import outside  # noqa: PLC0415 -- as above

        if scheme not in self._pools:
            backend = outside.PublicOnly(self._networks, only_these=scheme != "https")
            self._pools[scheme] = outside.make_pool(backend)
        return self._pools[scheme]


def read_scheme(url: str) -> str | None:
    """None where it is no address that may be asked: another scheme, no host, or a password in it."""
    try:
        parts = urlsplit(url)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    is_plain = parts.username is None and len(url) <= LONGEST_ADDRESS and url.isprintable() and " " not in url
    return parts.scheme if parts.scheme in ("https", "http") and has_host and is_plain else None


def _explain_status(status: int) -> str:
    if 300 <= status < 400:
        return f"HTTP {status}: redirects are not followed; enter the address it leads to"
    return f"HTTP {status}"
