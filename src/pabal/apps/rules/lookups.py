"""What a run looks up before its condition is judged: a data source, or articles on a topic with their summary.

Which source and which model are settings, so they are chosen in `prepare` and asked in `perform`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from pabal.apps.rules.skills import settings as own
from pabal.apps.rules.skills.choosing import Tools, open_summarising, take_call
from pabal.apps.rules.skills.errors import BadSearch
from pabal.apps.rules.skills.search import Query
from pabal.apps.rules.skills.summarise import Summarising
from pabal.apps.rules.sources.registry import QUOTE
from pabal.base.database import Tx
from pabal.engine.kinds import Job
from pabal.engine.outcome import Limited
from pabal.platform import settings
from pabal.platform.language.pairs import Lang

NEWS = "news_summary"
_NOTHING = Decimal(0)


@dataclass(frozen=True, slots=True)
class Lookup:
    """What is to be asked, as the settings say now."""

    source: str
    quote_source: str
    summarising: Summarising | None = None


@dataclass(frozen=True, slots=True)
class LookedUp:
    """`data` is what conditions and templates look into; tokens and cost are a language model's."""

    data: Mapping[str, Any] = field(repr=False)
    tokens: int = 0
    cost: Decimal = _NOTHING


class Lookups:
    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    @property
    def names(self) -> tuple[str, ...]:
        """What a rule may name."""
        return (QUOTE, *(one.name for one in self._tools.sources), NEWS)

    async def choose(self, tx: Tx, job: Job, source: str) -> Lookup | Limited:
        """In `prepare`. Limited: the day's calls of a language model are used up; return it as the outcome."""
        quote_source = await settings.value(tx, own.QUOTE_SOURCE)
        if source != NEWS:
            return Lookup(source, quote_source)
        limited = await take_call(tx, job)
        return limited or Lookup(source, quote_source, await open_summarising(tx, self._tools))

    async def ask(self, lookup: Lookup, payload: Mapping[str, Any], *, moment: datetime, lang: Lang) -> LookedUp:
        """In `perform`. Raises an error of sources or skills, which says why in both languages."""
        if lookup.summarising is not None:
            return await _summarise(lookup.summarising, payload, moment, lang)
        given = await self._tools.sources.read(lookup.source, payload, moment=moment, quote_source=lookup.quote_source)
        return LookedUp(given)


async def _summarise(skill: Summarising, payload: Mapping[str, Any], moment: datetime, lang: Lang) -> LookedUp:
    summary = await skill.run(read_query(payload), moment=moment, lang=lang)
    answer = summary.answer
    if answer is None:
        return LookedUp(summary.as_data())
    return LookedUp(summary.as_data(), answer.tokens_in + answer.tokens_out, answer.cost)


def read_query(payload: Mapping[str, Any]) -> Query:
    """`{"topic": "AI", "feeds": ["https://…"]}`"""
    topic, feeds = payload.get("topic"), payload.get("feeds", [])
    if not isinstance(topic, str) or not isinstance(feeds, list) or not all(isinstance(one, str) for one in feeds):
        raise BadSearch("topic, feeds")
    return Query(topic, tuple(feeds))
