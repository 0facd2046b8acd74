"""Rules: what runs by itself on a schedule, and tells people. SLICE is all that anybody outside may import."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pabal.apps.rules.slice import SLICE as SLICE


def __getattr__(name: str) -> Any:
    """SLICE is made when it is asked for, so that a command of `cli` can be listed without the rest of the app."""
    if name != "SLICE":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pabal.apps.rules.slice import SLICE  # noqa: PLC0415 -- that is the point of it

    return SLICE
