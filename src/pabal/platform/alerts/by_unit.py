"""Readings that count something for each unit: an alert of each, under the name people know the unit by."""

from collections import Counter
from collections.abc import Mapping

from pabal.base.database import Tx
from pabal.platform import tenants
from pabal.platform.alerts.model import Reading
from pabal.platform.alerts.store import list_open
from pabal.platform.tenants import Scope

EVERYTHING = Scope(None, None)


async def read_by_unit(tx: Tx, rule: str, counts: Mapping[int, float]) -> list[Reading]:
    """Of two units with one name the number tells them apart."""
    units = {unit.id: unit.name for unit in await tenants.list_units(tx, list(counts))}
    times = Counter(units.values())
    named = {key: name if times[name] == 1 else f"{name} #{key}" for key, name in units.items()}
    return await and_ended(tx, rule, [Reading(counts[key], name, key) for key, name in named.items()])


async def and_ended(tx: Tx, rule: str, readings: list[Reading]) -> list[Reading]:
    """What has nothing to count any more counts nothing, so that its alert ends."""
    there = {one.about for one in readings}
    fired = [one for one in await list_open(tx, EVERYTHING) if one.rule == rule and one.about not in there]
    return [*readings, *(Reading(0, one.about, one.unit_id) for one in fired)] or [Reading(0)]
