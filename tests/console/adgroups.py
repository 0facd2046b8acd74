"""An app with one machine, eight states, guards and timers: the ad groups of the engine's tests, and some words."""

from pabal.platform.controls import ByHand, MachineControls
from pabal.platform.language.status import Status
from pabal.platform.slice import Slice
from tests.support.adgroup import AD_GROUP

HOSTILE = "<script>alert(1)</script>"


def find_page(about: str) -> str | None:
    """It has a page of its own for one of them only."""
    return "/ads/1" if about == "adgroup:1" else None


CONTROLS = MachineControls(AD_GROUP, "adgroups", {event: ByHand() for event in AD_GROUP.events})
SLICE = Slice(
    "adgroups",
    machines=(AD_GROUP,),
    controls=(CONTROLS,),
    link=find_page,
    status={
        "adgroup": {
            "draft": Status("wait", ("draft", "임시저장")),
            "running": Status("work", ("running", "송출중")),
            "pending": Status("wait", (HOSTILE, HOSTILE)),
        }
    },
)
