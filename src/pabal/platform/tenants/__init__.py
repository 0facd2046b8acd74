"""The tree HQ › distributor › agency › branch, and the one door to what somebody may see."""

from pabal.platform.tenants.actions import add_unit, move_unit, remove_unit, rename_unit
from pabal.platform.tenants.model import BadLevel, HeadOfficeOnly, Level, Unit, UnitNotEmpty, UnitNotFound
from pabal.platform.tenants.store import ensure_hq, get_unit, list_path, list_units
from pabal.platform.tenants.visibility import Scope, may_see, require_house, visible_to

__all__ = [
    "BadLevel",
    "HeadOfficeOnly",
    "Level",
    "Scope",
    "Unit",
    "UnitNotEmpty",
    "UnitNotFound",
    "add_unit",
    "ensure_hq",
    "get_unit",
    "list_path",
    "list_units",
    "may_see",
    "move_unit",
    "remove_unit",
    "rename_unit",
    "require_house",
    "visible_to",
]
