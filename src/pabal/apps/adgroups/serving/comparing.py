"""What Redis has of an ad group against what it should have. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from pabal.apps.adgroups.serving.layout import Served


class Difference(StrEnum):
    """Runs and is not there; is there as it was; does not run any more; never existed; in the wrong inventory."""

    MISSING = "missing"
    STALE = "stale"
    NOT_RUNNING = "not_running"
    UNKNOWN = "unknown"
    WRONG_INVENTORY = "wrong_inventory"


@dataclass(frozen=True, slots=True)
class Seen:
    """`codes`: in which of the inventory it belongs to it is listed."""

    value: str | None
    is_listed: bool
    codes: frozenset[str]


def compare(served: Served, seen: Seen) -> Difference | None:
    """Of one that runs. That it is listed where it should not be is found from the lists' side."""
    if seen.value is None or not seen.is_listed:
        return Difference.MISSING
    if seen.value != served.text:
        return Difference.STALE
    return None if seen.codes >= set(served.codes) else Difference.WRONG_INVENTORY
