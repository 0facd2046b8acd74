"""Finds what a command names: by id as lists show it, by number, or by name where only one has it."""

from collections.abc import Sequence
from typing import TypeVar

from pabal.apps.adgroups.errors import AdGroupNotFound, CampaignNotFound, MismatchNotFound
from pabal.apps.adgroups.legacy import shadow
from pabal.apps.adgroups.legacy.shadow import Mismatch
from pabal.apps.adgroups.model.adgroups import AdGroup, Campaign
from pabal.apps.adgroups.resources.names import CAMPAIGN_PREFIX, GROUP_PREFIX
from pabal.apps.adgroups.store import adgroups as store
from pabal.apps.adgroups.store import campaigns
from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.engine import ids
from pabal.platform.commands.options import NameAmbiguous
from pabal.platform.tenants import Scope

Named = TypeVar("Named", AdGroup, Campaign)


async def find_group(tx: Tx, scope: Scope, text: str) -> AdGroup:
    number = _number(GROUP_PREFIX, text)
    if number is not None:
        return await store.get_ad_group(tx, scope, number)
    return _only(await store.find_named(tx, scope, text.strip()), text, GROUP_PREFIX, AdGroupNotFound)


async def find_groups(tx: Tx, scope: Scope, texts: Sequence[str]) -> list[AdGroup]:
    """Each once, in the order they are named."""
    found = [await find_group(tx, scope, text) for text in texts]
    return list({one.id: one for one in found}.values())


async def find_campaign(tx: Tx, scope: Scope, text: str) -> Campaign:
    number = _number(CAMPAIGN_PREFIX, text)
    if number is not None:
        return await campaigns.get_campaign(tx, scope, number)
    return _only(await campaigns.find_named(tx, scope, text.strip()), text, CAMPAIGN_PREFIX, CampaignNotFound)


async def find_campaign_id(tx: Tx, scope: Scope, text: str) -> int:
    return (await find_campaign(tx, scope, text)).id


async def find_mismatch(tx: Tx, scope: Scope, text: str) -> Mismatch:
    number = _number("", text)
    if number is None:
        raise MismatchNotFound(text[:100])
    return await shadow.get_mismatch(tx, scope, number)


def _number(prefix: str, text: str) -> int | None:
    said = text.strip()
    if said.isascii() and said.isdigit() and len(said) < 19:
        return int(said)
    if not said.lower().startswith(f"{prefix}_"):
        return None
    try:
        number = ids.read(prefix, said)
    except ids.BadId:
        return None
    return number if number <= ids.LAST else None


def _only(found: Sequence[Named], text: str, prefix: str, missing: type[NotFound]) -> Named:
    if not found:
        raise missing(text[:100])
    if len(found) > 1:
        raise NameAmbiguous(", ".join(ids.show(prefix, one.id) for one in found))
    return found[0]
