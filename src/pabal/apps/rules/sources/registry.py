"""Which sources there are: ours, and those of the modules an operator named. Reading goes through here, with limits."""

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from pabal.apps.rules.outside.fetching import Fetcher
from pabal.apps.rules.sources.errors import (
    SourceNotFound,
    SourcesBroken,
    SourceTooSlow,
    SourceUnavailable,
    SourceUnreadable,
)
from pabal.apps.rules.sources.http_json import HttpJson
from pabal.apps.rules.sources.model import NAME, Source
from pabal.apps.rules.sources.offline import OfflineQuotes
from pabal.apps.rules.sources.yahoo import YahooQuotes
from pabal.base.errors import PabalError
from pabal.base.settings import split_list
from pabal.base.telemetry import declare, emit
from pabal.platform.loading import AppBroken, AppNotFound, import_module

# What a rule names when it wants a price, whoever gives it: the setting `rules.quote_source` says who does.
QUOTE = "quote"
SECONDS = 30.0
LARGEST = 256 * 1024

declare("rules.source.read", "Data sources read by rules", labels=("source",), level=10)
declare("rules.source.failed", "Data sources that gave nothing", labels=("source", "code"), level=30)


class Sources:
    """By name. `quote` is no source but a role: whichever source of quotes the setting names."""

    def __init__(self, sources: Iterable[Source], *, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._by_name: dict[str, Source] = {}
        for one in sources:
            if NAME.fullmatch(one.name) is None or one.name == QUOTE or one.name in self._by_name:
                raise SourcesBroken(one.name)
            self._by_name[one.name] = one

    def __iter__(self) -> Iterator[Source]:
        return iter(self._by_name.values())

    def find(self, name: str, *, quote_source: str) -> Source:
        found = self._by_name.get(quote_source if name == QUOTE else name)
        if found is None:
            raise SourceNotFound(name[:100])
        return found

    def is_local(self, name: str, *, quote_source: str) -> bool:
        """Whether it answers without waiting for anything. One that is not there is asked like any other."""
        found = self._by_name.get(quote_source if name == QUOTE else name)
        return getattr(found, "is_local", False)

    async def read(
        self, name: str, params: Mapping[str, Any], *, moment: datetime, quote_source: str
    ) -> Mapping[str, Any]:
        """What the source gives, as JSON can hold it, or one of its errors. Never longer than the limit."""
        source = self.find(name, quote_source=quote_source)
        emit("rules.source.read", source=source.name)
        try:
            async with asyncio.timeout(self._seconds):
                return _check(source, await source.read(params, moment=moment))
        except PabalError as error:
            emit("rules.source.failed", source=source.name, code=error.code, detail=error.detail)
            raise
        except TimeoutError as error:
            emit("rules.source.failed", source=source.name, code=SourceTooSlow.code, detail="")
            raise SourceTooSlow(f"{self._seconds:g} s") from error
        except Exception as error:  # a source of a user's own may raise anything; no run but its own may suffer
            emit("rules.source.failed", source=source.name, code=SourceUnavailable.code, detail=repr(error))
            raise SourceUnavailable(f"{type(error).__name__}: {error}"[:200]) from error


def make_sources(fetcher: Fetcher, modules: str = "") -> Sources:
    return Sources([YahooQuotes(), OfflineQuotes(), HttpJson(fetcher), *_load(modules)])


def _load(modules: str) -> Iterator[Source]:
    """`mine.sources:SOURCES, theirs:LIST`"""
    for named in split_list(modules):
        module, _, attribute = named.partition(":")
        try:
            yield from getattr(import_module(module), attribute)
        except (AppNotFound, AppBroken, AttributeError, TypeError) as error:
            raise SourcesBroken(f"{named}: {error}") from error


def _check(source: Source, given: Mapping[str, Any]) -> Mapping[str, Any]:
    missing = [field.name for field in source.fields if field.name not in given]
    if missing:
        raise SourceUnreadable(f"no {', '.join(missing)}")
    try:
        kept = json.dumps(dict(given), allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise SourceUnreadable(f"{error}"[:200]) from error
    if len(kept.encode()) > LARGEST:
        raise SourceUnreadable(f"more than {LARGEST} bytes")
    found: dict[str, Any] = json.loads(kept)
    return found
