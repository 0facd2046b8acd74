"""The organisation as pages show it: depths, paths from the top one may see, words of its levels, choices."""

from collections.abc import Iterable
from functools import cached_property

from pabal.base.database import Tx
from pabal.platform import tenants
from pabal.platform.language.pairs import Pair
from pabal.platform.tenants import Level, Scope, Unit

LEVELS: dict[Level, Pair] = {
    Level.HQ: ("HQ", "본사"),
    Level.DISTRIBUTOR: ("distributor", "총판"),
    Level.AGENCY: ("agency", "대리점"),
    Level.BRANCH: ("branch", "지점"),
}
_ORDER = list(Level)


def levels_below(level: Level) -> list[Level]:
    return _ORDER[_ORDER.index(level) + 1 :]


class Tree:
    """Some units in the order of the tree. Nobody learns from it who stands above its top."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self.units = list(units)

    @cached_property
    def by_id(self) -> dict[int, Unit]:
        return {unit.id: unit for unit in self.units}

    @cached_property
    def depths(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for unit in self.units:
            found[unit.id] = found.get(unit.parent_id or 0, -1) + 1
        return found

    def path(self, unit_id: int | None) -> list[Unit]:
        """From the top down to the unit itself; nothing for one that is not here."""
        found: list[Unit] = []
        while unit_id is not None and unit_id in self.by_id:
            found.append(self.by_id[unit_id])
            unit_id = found[-1].parent_id
        return found[::-1]

    def names(self, unit_id: int | None) -> list[str]:
        return [unit.name for unit in self.path(unit_id)]

    def parents_for(self, unit: Unit) -> list[Unit]:
        """Where it could be moved: to one of a higher level, other than where it is. What is below it never is."""
        return [one for one in self.units if unit.level in levels_below(one.level) and one.id != unit.parent_id]

    def choices(self, units: Iterable[Unit] | None = None) -> list[tuple[int, str]]:
        """For a select: indented with spaces that a browser keeps."""
        wanted = self.units if units is None else units
        return [(unit.id, "\u2003" * self.depths[unit.id] + unit.name) for unit in wanted]


async def load_tree(tx: Tx, scope: Scope) -> Tree:
    return Tree(await tenants.list_units(tx, scope.listed))
