"""What surrounds every page: the menu with what waits for a person, the scope, the bell, the demo's ribbon."""

from typing import TYPE_CHECKING, Any

from pabal.base.database import Tx
from pabal.platform import demo, notifications, tenants
from pabal.platform.actor import Right
from pabal.platform.language.pairs import put
from pabal.platform.tenants import Scope, Unit

if TYPE_CHECKING:
    from pabal.platform.slice import Slice
    from pabal.platform.web.visit import Visit


async def load_shell(tx: Tx, visit: "Visit") -> dict[str, Any]:
    own = await tenants.visible_to(tx, visit.actor)
    path = [] if visit.scope.unit_id is None else await tenants.list_path(tx, visit.scope.unit_id)
    has_choice = own.units is None or len(own.units) > 1
    units = await tenants.list_units(tx, own.listed) if has_choice else []
    return {
        "nav": await _menu(tx, visit, own),
        # a branch does not learn who stands above it
        "scope_path": [unit for unit in path if own.holds(unit.id)],
        "scope_choices": _choices(units, visit.scope),
        "unread": await notifications.count_unread(tx, visit.actor) if visit.may("read", notifications.AREA) else 0,
        "is_demo": await demo.is_loaded(tx),
        "may_travel": visit.site.is_demo,
        "may_run_demo": visit.site.is_demo and own.units is None and visit.may("manage", demo.AREA),
        "demo_now": tx.now,
    }


async def _menu(tx: Tx, visit: "Visit", own: Scope) -> list[dict[str, Any]]:
    overview = {
        "key": "overview",
        "label": put(visit.lang, ("Overview", "관제")),
        "icon": "layout-dashboard",
        "href": "/",
        "items": [],
        "need": 0,
        "current": visit.path == "/",
        "goto": "o",
    }
    groups = [group for one in visit.site.slices if (group := await _group(tx, visit, one, own)) is not None]
    return [overview, *groups]


async def _group(tx: Tx, visit: "Visit", one: "Slice", own: Scope) -> dict[str, Any] | None:
    items = [
        {
            "label": put(visit.lang, item.label),
            "href": item.href,
            "need": 0 if item.need is None else await item.need(tx, visit.scope),
            "current": _is_at(visit.path, item.href),
            "goto": item.goto,
        }
        for item in one.nav
        if visit.actor.may(Right.READ, item.area) and (own.units is None or not item.is_of_house)
    ]
    if not items:
        return None
    return {
        "key": one.name,
        "label": put(visit.lang, one.label),
        "icon": one.icon,
        "items": items,
        "need": sum(item["need"] for item in items),
        "current": any(item["current"] for item in items),
    }


def _choices(units: list[Unit], scope: Scope) -> list[dict[str, Any]]:
    """Indented by how deep they stand below the top one."""
    depths: dict[int, int] = {}
    for unit in units:
        depths[unit.id] = depths.get(unit.parent_id or 0, -1) + 1
    return [
        {"id": unit.id, "name": unit.name, "depth": depths[unit.id], "current": unit.id == scope.unit_id}
        for unit in units
    ]


def _is_at(path: str, href: str) -> bool:
    return path == href or path.startswith(f"{href}/")
