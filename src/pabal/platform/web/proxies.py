"""Whom a request comes from: what trusted proxies say about it, and whether it was made on this machine."""

import ipaddress
from collections.abc import Callable, Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import Headers

from pabal.base.settings import parse_networks, trusts_everybody
from pabal.platform.web.headers import Asgi, Receive, Scope, Send

FORWARDED_FOR = "x-forwarded-for"
FORWARDED_PROTO = "x-forwarded-proto"
# An entry that is no address, such as nginx's "unix:": somebody, and nobody we could name.
UNKNOWN = "unknown"

_BY_PROXY = "came_by_trusted_proxy"
_MARKS = ("forwarded", "x-real-ip", "via")
_MARK_PREFIX = "x-forwarded-"


class TrustedProxies:
    """ASGI. Behind a trusted proxy the client is the right-hand address that is no trusted proxy itself: what stands
    further left was sent by the client and may be anything. uvicorn's own would take the left one for `*`.
    """

    def __init__(self, app: Asgi, *, trusted: str) -> None:
        self._app = app
        self._is_trusted = trusts(trusted)
        self._trusts_everybody = trusts_everybody(trusted)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        peer = (scope.get("client") or ("", 0))[0]
        if scope["type"] == "http" and self._is_trusted(peer):
            self._believe(scope, Headers(scope=scope))
        await self._app(scope, receive, send)

    def _believe(self, scope: Scope, headers: Headers) -> None:
        hops = _split(headers.getlist(FORWARDED_FOR))
        if hops:
            scope["client"] = (self._choose(hops), 0)
            scope.setdefault("state", {})[_BY_PROXY] = True
        scheme = _split(headers.getlist(FORWARDED_PROTO))[-1:]
        if scheme in (["http"], ["https"]):
            scope["scheme"] = scheme[0]

    def _choose(self, hops: Sequence[str]) -> str:
        addresses = [_read_address(hop) for hop in hops]
        if self._trusts_everybody:
            return addresses[-1]
        return next((one for one in reversed(addresses) if not self._is_trusted(one)), addresses[0])


def trusts(trusted: str) -> Callable[[str], bool]:
    """Whether an address is one of these proxies."""
    networks = parse_networks(trusted)

    # asked with every request, mostly of the same few
    @lru_cache(maxsize=1024)
    def is_trusted(host: str) -> bool:
        address = as_address(host)
        return address is not None and any(address in network for network in networks)

    return is_trusted


def is_this_machine(request: Request, public_url: str) -> bool:
    """Whether whoever asks sits at the machine this server runs on. In doubt not: a proxy on this machine makes every
    stranger 127.0.0.1, and tells so by its headers, by the name that was asked for, or by the public address.
    """
    client = as_address(request.client.host if request.client else "")
    names = [request.headers.get("Host", ""), *([urlsplit(public_url).netloc] if public_url else [])]
    came_by_proxy = request.scope.get("state", {}).get(_BY_PROXY, False)
    if client is None or not client.is_loopback or not all(map(_names_this_machine, names)):
        return False
    return came_by_proxy or not (_has_proxy_marks(request) or request.scope["http_version"] == "1.0")


def as_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An IPv4 address that came in over IPv6 is the same address."""
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def _has_proxy_marks(request: Request) -> bool:
    return any(name in _MARKS or name.startswith(_MARK_PREFIX) for name in request.headers)


def _names_this_machine(netloc: str) -> bool:
    try:
        host = urlsplit(f"//{netloc}").hostname or ""
    except ValueError:
        return False
    address = as_address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def _split(values: Sequence[str]) -> list[str]:
    """A header may come several times; each proxy appends to the right."""
    return [part.strip() for part in ",".join(values).split(",") if part.strip()]


def _read_address(hop: str) -> str:
    """`203.0.113.7`, `203.0.113.7:4711`, `2001:db8::1`, `[2001:db8::1]:4711`."""
    if hop.startswith("["):
        found = as_address(hop[1:].partition("]")[0])
    else:
        found = as_address(hop.partition(":")[0] if hop.count(":") == 1 else hop)
    return UNKNOWN if found is None else str(found)
