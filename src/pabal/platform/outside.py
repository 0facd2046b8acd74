"""Calls to addresses that people or programs named: never into a private network, unless that one was allowed."""

import asyncio
import ipaddress
import socket
from collections.abc import Iterable, Iterator

import httpcore2
import httpx2

from pabal.base.settings import Network

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# IPv4 addresses inside IPv6 ones, as a translator at the network's edge reads them
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")


class PrivateAddress(OSError):
    """A name that leads into a private network."""


class PublicOnly(httpcore2.AsyncNetworkBackend):
    """Connects to the address that was looked at, so that a name cannot lead elsewhere a moment later.

    `also` are networks that may be private; with `only_these` nothing else is called at all.
    """

    def __init__(self, also: Iterable[Network] = (), *, only_these: bool = False) -> None:
        self._real = httpcore2.AnyIOBackend()
        self._also, self._only_these = tuple(also), only_these

    async def connect_tcp(  # long: as the backend it stands before
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        try:
            address = await self.find_address(host, port)
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        return await self._real.connect_tcp(address, port, timeout, local_address, socket_options)

    async def find_address(self, host: str, port: int) -> str:
        """The one to connect to; raises where any address of this name may not be called."""
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise OSError(f"no address of {host}") from error
        addresses = [str(one[4][0]) for one in found]
        if not addresses or not all(map(self._may_call, addresses)):
            raise PrivateAddress(PrivateAddress.__doc__)
        return addresses[0]

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def _may_call(self, address: str) -> bool:
        is_allowed = any(ipaddress.ip_address(address) in network for network in self._also)
        return is_allowed or (not self._only_these and is_public(address))


def is_public(address: str) -> bool:
    """Also of every address that is written inside it."""
    return all(one.is_global and not one.is_multicast for one in _unfold(ipaddress.ip_address(address)))


def _unfold(address: _Address) -> Iterator[_Address]:
    yield address
    if isinstance(address, ipaddress.IPv6Address):
        inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if address in _TRANSLATED:
            inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        yield from (one for one in inner if one is not None)


def make_pool(backend: httpcore2.AsyncNetworkBackend | None) -> httpcore2.AsyncConnectionPool:
    """Without a client around it, whose redirects, cookies and encodings cost more than the call."""
    return httpcore2.AsyncConnectionPool(
        ssl_context=httpx2.create_ssl_context(), max_connections=200, keepalive_expiry=5, network_backend=backend
    )


def split_url(url: str) -> httpcore2.URL:
    """As a browser would write it."""
    parts = httpx2.URL(url)
    return httpcore2.URL(scheme=parts.raw_scheme, host=parts.raw_host, port=parts.port, target=parts.raw_path)
