"""nexrender's REST, as its server really speaks it: what is there, what may be posted, what was forgotten.

It does not deduplicate, answers before it has written anything down, and knows no job that it does not list: whoever
posts looks first (jobs/submitting.py). Only addresses of the local network are spoken to.
"""

import asyncio
import ipaddress
import json
import socket
from collections.abc import Iterable, Sequence
from typing import Any, Protocol
from urllib.parse import quote

import httpcore2
import httpx2

from pabal.apps.rendering.model.nexstates import NexJob, read_job
from pabal.base.clock import elapsed
from pabal.base.errors import Invalid, Unavailable
from pabal.base.telemetry import declare, emit

# A POST that was not answered by then may still arrive: a second one waits for longer than this.
POST_SECONDS = 10.0
ASK_SECONDS = 5.0
LARGEST_ANSWER = 64 * 1024 * 1024
HEADER = "nexrender-secret"
Networks = Sequence[ipaddress.IPv4Network | ipaddress.IPv6Network]

declare("nexrender.asked", "Requests to nexrender", labels=("verb", "result"), seconds=True, level=10)


class NexrenderAway(Unavailable, code="nexrender_unreachable"):
    """nexrender cannot be reached, or does not answer in time. Start it; renders go on by themselves."""

    def __init__(self, detail: str, *, was_sent: bool = False) -> None:
        super().__init__(detail)
        # nobody knows whether it arrived
        self.was_sent = was_sent


class NexrenderRefused(Invalid, code="nexrender_refused"):
    """nexrender refused the request. The reason it gave stands beside it."""


class NotLocal(Invalid, code="nexrender_not_local"):
    """nexrender's address is not in the networks it may be in (PABAL_RENDERING_NEXRENDER_NETWORKS)."""


class Nexrender(Protocol):
    async def health(self) -> float: ...
    async def create(self, job: dict[str, Any]) -> NexJob: ...
    async def find(self, uid: str) -> NexJob | None: ...
    async def list_jobs(self) -> list[NexJob]: ...
    async def set_state(self, uid: str, state: str) -> None: ...
    async def delete(self, uid: str) -> None: ...
    async def close(self) -> None: ...


class _LocalOnly(httpcore2.AsyncNetworkBackend):
    """Connects to the address that was looked at, so that a name cannot lead elsewhere a moment later."""

    def __init__(self, networks: Networks) -> None:
        self._real = httpcore2.AnyIOBackend()
        self._networks = networks

    async def connect_tcp(  # long: as the backend it stands before
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        local = [str(one[4][0]) for one in found if self._is_local(str(one[4][0]))]
        if not local:
            raise NotLocal(host)
        return await self._real.connect_tcp(local[0], port, timeout, local_address, socket_options)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def _is_local(self, address: str) -> bool:
        found = ipaddress.ip_address(address.partition("%")[0])
        return any(found.version == one.version and found in one for one in self._networks)


class NexrenderClient:
    """One client for all slots of a process. Redirects are not followed."""

    def __init__(self, url: str, *, secret: str, networks: Networks, post_seconds: float = POST_SECONDS) -> None:
        self._url = f"{url.rstrip('/')}/api/v1"
        self._headers = {HEADER: secret} if secret else {}
        self._networks = networks
        self._post_seconds = post_seconds
        self._client: httpx2.AsyncClient | None = None

    async def health(self) -> float:
        """How many milliseconds it took to answer."""
        began = elapsed()
        await self._ask("GET", "/health")
        return (elapsed() - began) * 1000

    async def create(self, job: dict[str, Any]) -> NexJob:
        content = await self._ask("POST", "/jobs", body=job, seconds=self._post_seconds)
        made = read_job(_read_json(content))
        if made is None:
            # it may be there all the same: whoever asks for it will see
            raise NexrenderAway("an answer that is no job", was_sent=True)
        return made

    async def find(self, uid: str) -> NexJob | None:
        """A job it does not know is an empty answer, with 200; other servers say 404."""
        content = await self._ask("GET", f"/jobs/{quote(uid, safe='')}")
        return read_job(_read_json(content)) if content.strip() else None

    async def list_jobs(self) -> list[NexJob]:
        listed = _read_json(await self._ask("GET", "/jobs"))
        if not isinstance(listed, list):
            raise NexrenderAway("an answer that is no list of jobs")
        return [job for one in listed if (job := read_job(one)) is not None]

    async def set_state(self, uid: str, state: str) -> None:
        """As its workers do: merged with what is there."""
        await self._ask("PUT", f"/jobs/{quote(uid, safe='')}", body={"state": state})

    async def delete(self, uid: str) -> None:
        """One row of this uid; whatever renders goes on."""
        await self._ask("DELETE", f"/jobs/{quote(uid, safe='')}")

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def _ask(
        self, verb: str, path: str, *, body: dict[str, Any] | None = None, seconds: float = ASK_SECONDS
    ) -> bytes:
        began, result = elapsed(), "away"
        try:
            status, content = await self._send(verb, path, body, seconds)
            result = "ok" if status < 300 else "refused"
        finally:
            emit("nexrender.asked", verb=verb, result=result, seconds=elapsed() - began)
        if status == 404 and verb != "POST":
            return b""
        if status >= 500:
            raise NexrenderAway(f"HTTP {status}", was_sent=True)
        if status >= 300:
            raise NexrenderRefused(f"HTTP {status}: {_first_line(content)}")
        return content

    async def _send(self, verb: str, path: str, body: dict[str, Any] | None, seconds: float) -> tuple[int, bytes]:
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        headers = {**self._headers, **({} if body is None else {"Content-Type": "application/json"})}
        try:
            async with asyncio.timeout(seconds):
                response = await self._find_client().request(
                    verb, f"{self._url}{path}", content=content, headers=headers
                )
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, OSError) as error:
            # a timeout of ours is an OSError too, and may have come after all was sent
            raise NexrenderAway(type(error).__name__, was_sent=isinstance(error, TimeoutError)) from error
        except httpx2.RequestError as error:
            raise NexrenderAway(type(error).__name__, was_sent=True) from error
        if len(response.content) > LARGEST_ANSWER:
            raise NexrenderAway("too large an answer", was_sent=True)
        return response.status_code, response.content

    def _find_client(self) -> httpx2.AsyncClient:
        if self._client is None:
            transport = httpx2.AsyncHTTPTransport(limits=httpx2.Limits(max_connections=100, keepalive_expiry=5))
            transport._pool._network_backend = _LocalOnly(self._networks)
            self._client = httpx2.AsyncClient(
                transport=transport, timeout=httpx2.Timeout(ASK_SECONDS), follow_redirects=False, trust_env=False
            )
        return self._client


def _read_json(content: bytes) -> object:
    try:
        return json.loads(content) if content.strip() else None
    except ValueError as error:
        raise NexrenderAway("an answer that is no JSON", was_sent=True) from error


def _first_line(content: bytes) -> str:
    """nexrender answers some mistakes with a whole stack."""
    return content.decode("utf-8", "replace").strip().partition("\n")[0][:300]
