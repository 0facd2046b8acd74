"""The broker: whether it answers, how far facts are behind, what came in and what became of it, what went out."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.base.database import Tx
from pabal.engine import listing
from pabal.engine.listing import Page
from pabal.engine.listing.facts import Wanted
from pabal.engine.reading import Fact
from pabal.platform import broker, settings
from pabal.platform.broker import DUPLICATE, Described, Kept, Result
from pabal.platform.broker.settings import FACTS_OUT, read_patterns
from pabal.platform.broker.words import FAMILY
from pabal.platform.language import errors
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import Word, turn
from pabal.platform.web.visit import Visit

router = APIRouter()
FACTS = 10


class Filters(BaseModel):
    result: Word = ""
    subject: Word = ""
    cursor: str = ""

    @property
    def is_any(self) -> bool:
        return bool(self.result or self.subject)


@dataclass(frozen=True, slots=True)
class Out:
    """A fact that goes out, or waits to."""

    fact: Fact
    link: str | None
    is_waiting: bool


@router.get("/broker")
async def show(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    async with visit.read() as tx:
        described = await broker.describe(tx, visit.actor)
        page = await _load_events(tx, visit, filters)
        values = [await settings.get_setting(tx, setting) for setting in broker.SETTINGS]
        out = await _load_facts(tx, visit, described)
    return await visit.show(
        "broker.html",
        described=described,
        is_set=bool(visit.services.settings.broker_url),
        events=page.items,
        links={one.subject: visit.site.link(one.subject) for one in page.items},
        filters=filters,
        results=_list_results(visit),
        out=out,
        values=values,
        told={one.seq: _tell(visit, one) for one in page.items},
        family=FAMILY,
        dump=_dump,
        pager=turn(visit, page.cursor),
        live_topics="*",
    )


async def _load_events(tx: Tx, visit: Visit, filters: Filters) -> Page[Kept]:
    wanted: dict[str, Any] = {
        "result": filters.result if filters.result in (*Result, DUPLICATE) else None,
        "subject": filters.subject or None,
    }
    return await read_page(lambda cursor: broker.list_events(tx, visit.actor, **wanted, cursor=cursor), filters.cursor)


async def _load_facts(tx: Tx, visit: Visit, described: Described) -> list[Out]:
    """The newest of those the setting names; nothing where it names none."""
    names = read_patterns(await settings.value(tx, FACTS_OUT))
    if not names:
        return []
    found = await listing.list_facts(tx, Wanted(None, names), limit=FACTS)
    # older ones are out, or from before there was a broker
    waiting_since = None if not described.lag else tx.now - timedelta(seconds=described.lag)
    return [
        Out(fact, visit.site.link(fact.subject), waiting_since is not None and fact.at >= waiting_since)
        for fact in found.items
    ]


def _list_results(visit: Visit) -> list[tuple[str, str]]:
    said = [(str(one), visit.voice.status_word(FAMILY, one)) for one in Result]
    return [*said, (DUPLICATE, visit.say("came again", "다시 옴"))]


def _tell(visit: Visit, event: Kept) -> str:
    """Why it was not applied. It is kept in English, with the facts of the case; a code says the same in Korean."""
    known = errors.korean().get(event.code or "") if visit.lang == "ko" else None
    return known or event.reason or ""


def _dump(said: Any, indent: int | None = None) -> str:
    """In its own letters: Korean stays readable."""
    return json.dumps(said, ensure_ascii=False, indent=indent)
