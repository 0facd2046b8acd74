"""Opens the way to the ad servers' Redis, where the extra for it is installed."""

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from pabal.apps.adgroups.errors import BadServingAddress, ServingNeedsExtra

if TYPE_CHECKING:
    from pabal.apps.adgroups.serving.links import Link

SCHEMES = ("redis://", "rediss://", "unix://")


def open_link(url: str) -> AbstractAsyncContextManager["Link"]:
    """Connects when it is used. Raises ServingNeedsExtra or BadServingAddress."""
    if not url.startswith(SCHEMES):
        raise BadServingAddress(url.partition("://")[0][:20])
    try:
        from pabal.apps.adgroups.serving.links import open_redis  # noqa: PLC0415 -- an extra that may be absent
    except ModuleNotFoundError as error:
        raise ServingNeedsExtra(str(error)) from error
    return open_redis(url)
