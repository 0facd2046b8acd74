"""Addresses of the network: what counts as one sender."""

from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network


@lru_cache(4096)
def group_address(host: str) -> str:
    """Whoever has one IPv6 address has all of its /64; an IPv4 address that came in over IPv6 is that address."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped) if mapped is not None else str(ip_network((address, 64), strict=False))
    return str(address)
