"""Data sources of this server: what each asks for and gives, how many rules read it, who answers for quotes."""

from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import Response

from pabal.apps.rules.lookups import NEWS, OFFLINE_NEWS, Lookups
from pabal.apps.rules.model.rules import AREA
from pabal.apps.rules.skills import settings as own
from pabal.apps.rules.skills.choosing import make_tools
from pabal.apps.rules.skills.startup import SkillsStartup
from pabal.apps.rules.sources.model import QUOTE_FIELDS, TICKER, Field
from pabal.apps.rules.sources.registry import QUOTE
from pabal.apps.rules.store import rules as store
from pabal.base.settings import read_app_settings
from pabal.platform import settings
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair
from pabal.platform.web.identify import Visitor

_TOPIC = (Field("topic", ("Topic", "주제"), "AI"),)
_SUMMARY = (Field("summary", ("Summary", "요약"), "…"), Field("count", ("Articles", "기사 수"), "4"))
# of what is no source of its own: a role, and a search with its summary
_OTHERS = {QUOTE: ((TICKER,), QUOTE_FIELDS), NEWS: (_TOPIC, _SUMMARY), OFFLINE_NEWS: (_TOPIC, _SUMMARY)}

router = APIRouter(prefix="/rules/sources", include_in_schema=False)


@dataclass(frozen=True, slots=True)
class ListedSource:
    name: str
    label: Pair
    asks: tuple[Field, ...]
    gives: tuple[Field, ...]


@router.get("")
async def show_list(visit: Visitor) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        used = await store.count_by_source(tx, visit.scope)
        chosen = await settings.value(tx, own.QUOTE_SOURCE)
    return await visit.show("rules/sources.html", sources=list_sources(), used=used, chosen=chosen, role=QUOTE)


def list_sources() -> list[ListedSource]:
    tools = make_tools(read_app_settings(SkillsStartup))
    known = {**_OTHERS, **{one.name: (one.asks, one.fields) for one in tools.sources}}
    return [ListedSource(name, label, *known[name]) for name, label in Lookups(tools).labels.items()]
