"""What a run looks up before its condition is judged: a data source, or articles on a topic with their summary.

Which source and which model are settings, so they are chosen in `prepare` and asked in `perform`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from pabal.apps.rules.labels import SOURCES
from pabal.apps.rules.skills import settings as own
from pabal.apps.rules.skills.choosing import Tools, make_tools, open_summarising, take_call
from pabal.apps.rules.skills.errors import BadSearch
from pabal.apps.rules.skills.llm import OfflineLlm
from pabal.apps.rules.skills.search import OfflineSearch, Query
from pabal.apps.rules.skills.startup import SkillsStartup
from pabal.apps.rules.skills.summarise import Summarising
from pabal.apps.rules.sources.registry import QUOTE
from pabal.base.database import Tx
from pabal.base.settings import read_app_settings
from pabal.engine.kinds import Job
from pabal.engine.outcome import Limited
from pabal.platform import settings
from pabal.platform.language.pairs import LANGS, Lang, Pair

NEWS, OFFLINE_NEWS = "news_summary", "offline_news"
_NOTHING = Decimal(0)
# of what a source gives, what a list of runs shows
_TOLD = 3
_OFFLINE = Summarising(OfflineSearch(), OfflineLlm(), "")


@dataclass(frozen=True, slots=True)
class Lookup:
    """What is to be asked, as the settings say now."""

    source: str
    quote_source: str
    summarising: Summarising | None = None


@dataclass(frozen=True, slots=True)
class LookedUp:
    """`data` is what conditions and templates look into, `summary` a line of it; tokens and cost are a language
    model's."""

    data: Mapping[str, Any] = field(repr=False)
    summary: str = ""
    tokens: int = 0
    cost: Decimal = _NOTHING


class Lookups:
    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    @property
    def labels(self) -> dict[str, Pair]:
        """What a rule may name, and what people call it."""
        sources = {one.name: one.label for one in self._tools.sources}
        return {QUOTE: SOURCES[QUOTE], **sources, NEWS: SOURCES[NEWS], OFFLINE_NEWS: SOURCES[OFFLINE_NEWS]}

    async def read_quote_source(self, tx: Tx) -> str:
        """Once for all runs that begin together."""
        return await settings.value(tx, own.QUOTE_SOURCE)

    def is_local(self, source: str, *, quote_source: str) -> bool:
        """Whether it answers without waiting for anything outside."""
        return self._tools.sources.is_local(source, quote_source=quote_source)

    async def choose(self, tx: Tx, job: Job, source: str, *, quote_source: str) -> Lookup | Limited:
        """In `prepare`. Limited: the day's calls of a language model are used up; return it as the outcome."""
        if source == OFFLINE_NEWS:
            return Lookup(source, quote_source, _OFFLINE)
        if source != NEWS:
            return Lookup(source, quote_source)
        limited = await take_call(tx, job)
        return limited or Lookup(source, quote_source, await open_summarising(tx, self._tools))

    async def ask(self, lookup: Lookup, payload: Mapping[str, Any], *, moment: datetime) -> LookedUp:
        """In `perform`. Raises an error of sources or skills, which says why in both languages."""
        if lookup.summarising is not None:
            return await _summarise(lookup.summarising, payload, moment)
        sources = self._tools.sources
        given = await sources.read(lookup.source, payload, moment=moment, quote_source=lookup.quote_source)
        fields = sources.find(lookup.source, quote_source=lookup.quote_source).fields
        return LookedUp(given, _tell(given, [one.name for one in fields]))


def list_labels() -> dict[str, Pair]:
    """What a rule may name here, sources of the operator's own among it; read when it is asked for."""
    return Lookups(make_tools(read_app_settings(SkillsStartup))).labels


def _tell(given: Mapping[str, Any], names: Sequence[str]) -> str:
    shown = [given[name] for name in names[:_TOLD] if isinstance(given[name], str | int | float)]
    return " ".join(map(str, shown))


async def _summarise(skill: Summarising, payload: Mapping[str, Any], moment: datetime) -> LookedUp:
    query = read_query(payload)
    found = await skill.run(query, moment=moment, lang=read_language(payload))
    summary, answer = f"{query.topic}: {len(found.articles)}", found.answer
    if answer is None:
        return LookedUp(found.as_data(), summary)
    return LookedUp(found.as_data(), summary, answer.tokens_in + answer.tokens_out, answer.cost)


def read_language(payload: Mapping[str, Any]) -> Lang:
    """What a summary is written in: `"lang": "en"`, or else the language of the house."""
    return next((lang for lang in LANGS if lang == payload.get("lang")), LANGS[0])


def read_query(payload: Mapping[str, Any]) -> Query:
    """`{"topic": "AI", "feeds": ["https://…"]}`"""
    topic, feeds = payload.get("topic"), payload.get("feeds", [])
    if not isinstance(topic, str) or not isinstance(feeds, list) or not all(isinstance(one, str) for one in feeds):
        raise BadSearch("topic, feeds")
    return Query(topic, tuple(feeds))
