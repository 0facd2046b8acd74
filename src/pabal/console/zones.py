"""Time zones to choose from: those people here are likely in first, then the rest of the world."""

from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

FIRST = (
    "Asia/Seoul",
    "Asia/Tokyo",
    "Asia/Shanghai",
    "Asia/Singapore",
    "America/Los_Angeles",
    "America/New_York",
    "Europe/London",
    "UTC",
)


def list_zones(now: datetime) -> list[tuple[str, str]]:
    """Name and how it reads: Asia/Seoul (KST, UTC+09:00)."""
    return [(name, _show(name, now)) for name in _names()]


@lru_cache(maxsize=1)
def _names() -> tuple[str, ...]:
    rest = sorted(
        name
        for name in available_timezones()
        if "/" in name and not name.startswith(("Etc/", "posix/", "right/", "SystemV/", "US/"))
    )
    return (*FIRST, *(name for name in rest if name not in FIRST))


def _show(name: str, now: datetime) -> str:
    local = now.astimezone(ZoneInfo(name))
    offset = local.strftime("%z")
    return f"{name} ({local.tzname()}, UTC{offset[:3]}:{offset[3:]})"
