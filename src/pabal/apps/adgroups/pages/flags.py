"""USE_SSM_STATUS: whose state is shown, by ad group, campaign, percentage or for new ones; set and taken back."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response

from pabal.apps.adgroups.errors import AdGroupNotFound, BadFlag, CampaignNotFound, FlagNotFound
from pabal.apps.adgroups.legacy import flags
from pabal.apps.adgroups.legacy.model import FlagKind
from pabal.apps.adgroups.pages.faults import tell_fault
from pabal.apps.adgroups.pages.migration import HERE, show_migration
from pabal.base.database import Tx
from pabal.engine import ids
from pabal.engine.ids import BadId
from pabal.platform.language.pairs import Pair
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import Word, read_number
from pabal.platform.web.visit import Visit

router = APIRouter(prefix=HERE, include_in_schema=False)
_WRONG = (AdGroupNotFound, BadFlag, BadId, CampaignNotFound, FlagNotFound)
_NOT_SET: Pair = ("The flag was not changed", "플래그를 바꾸지 못했습니다")
_CHANGED: Pair = (
    "{n} ad group shows the other state now|{n} ad groups show the other state now",
    "이제 광고그룹 {n}개가 다른 쪽 상태로 보입니다",
)


@router.get("/flags")
@router.get("/flags/clear")
async def look_again(visit: Visitor) -> Response:
    """Where one stands after one that could not be set."""
    return visit.go(f"{HERE}#flags")


@router.post("/flags")
async def set_flag(
    visit: Visitor,
    kind: Annotated[FlagKind, Form()],
    value: Annotated[Word, Form()] = "",
    is_on: Annotated[Word, Form()] = "on",
) -> Response:
    async def act(tx: Tx) -> int:
        return await flags.set_flag(tx, visit.actor, kind, read_value(kind, value), is_on=is_on == "on")

    return await _do(visit, act, kind, value)


@router.post("/flags/clear")
async def clear_flag(
    visit: Visitor, kind: Annotated[FlagKind, Form()], value: Annotated[Word, Form()] = ""
) -> Response:
    async def act(tx: Tx) -> int:
        return await flags.clear_flag(tx, visit.actor, kind, read_number(value) or 0)

    return await _do(visit, act, kind, "")


@router.post("/calculator/off")
async def switch_off(visit: Visitor) -> Response:
    async with visit.change() as tx:
        changed = await flags.switch_off_calculator(tx, visit.actor)
    return visit.go(HERE, said=_CHANGED, n=changed)


async def _do(visit: Visit, act: Callable[[Tx], Awaitable[int]], kind: FlagKind, typed: str) -> Response:
    try:
        async with visit.change() as tx:
            changed = await act(tx)
    except _WRONG as error:
        fault = tell_fault(visit, error, _NOT_SET, field=f"flag-{kind}", typed=typed)
        return await show_migration(visit, fault=fault)
    return visit.go(f"{HERE}#flags", said=_CHANGED, n=changed)


def read_value(kind: FlagKind, text: str) -> int:
    """An ad group as any page shows its number: 12, adgroup:12, adg_…"""
    if kind is FlagKind.NEW:
        return 0
    if kind is FlagKind.PERCENT:
        if not (text.isascii() and text.isdigit() and len(text) <= 3):
            raise BadFlag(text[:50])
        return int(text)
    number = read_number(text.rpartition(":")[2])
    if number is None and kind is FlagKind.ID and text.startswith("adg_"):
        number = ids.read("adg", text)
    if number is None:
        raise (AdGroupNotFound if kind is FlagKind.ID else CampaignNotFound)(text[:50])
    return number
