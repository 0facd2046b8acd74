"""Data sources of this server: what each asks for and gives, how many rules read it, who answers for quotes."""

from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import Response

from pabal.apps.rules.lookups import Lookups
from pabal.apps.rules.model.rules import AREA
from pabal.apps.rules.skills import settings as own
from pabal.apps.rules.skills.choosing import make_tools
from pabal.apps.rules.skills.startup import SkillsStartup
from pabal.apps.rules.sources.model import Field
from pabal.apps.rules.sources.registry import QUOTE
from pabal.apps.rules.store import rules as store
from pabal.base.settings import read_app_settings
from pabal.platform import settings
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair
from pabal.platform.web.identify import Visitor

router = APIRouter(prefix="/rules/sources", include_in_schema=False)


@dataclass(frozen=True, slots=True)
class ListedSource:
    """`asks` and `gives` are empty for what is no source of its own: a role, or a search with its summary."""

    name: str
    label: Pair
    asks: tuple[Field, ...] = ()
    gives: tuple[Field, ...] = ()


@router.get("")
async def show_list(visit: Visitor) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        used = await store.count_by_source(tx, visit.scope)
        chosen = await settings.value(tx, own.QUOTE_SOURCE)
    return await visit.show("rules/sources.html", sources=_list_sources(), used=used, chosen=chosen, role=QUOTE)


def _list_sources() -> list[ListedSource]:
    tools = make_tools(read_app_settings(SkillsStartup))
    known = {one.name: one for one in tools.sources}
    return [
        ListedSource(name, label, known[name].asks, known[name].fields) if name in known else ListedSource(name, label)
        for name, label in Lookups(tools).labels.items()
    ]
