"""Check: how one thing stands."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """`state`: ok, warn (it works, but badly or not for long) or fail."""

    name: str
    state: str
    detail: str
