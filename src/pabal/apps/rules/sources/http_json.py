"""JSON at an address: any service that answers a plain GET."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pabal.apps.rules.outside.fetching import Fetcher, NotFetched
from pabal.apps.rules.sources.errors import BadSourceParams, SourceTooSlow, SourceUnavailable, SourceUnreadable
from pabal.apps.rules.sources.model import Field


class HttpJson:
    name = "http_json"
    label = ("JSON at an address", "주소의 JSON")
    asks = (Field("url", ("Address", "주소"), "https://api.example.com/price?of=gold"),)
    fields = (Field("body", ("What it answered", "응답 내용"), '{"price": 91.2}'),)

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher

    async def read(self, params: Mapping[str, Any], *, moment: datetime) -> Mapping[str, Any]:
        url = params.get("url")
        if not isinstance(url, str) or not url:
            raise BadSourceParams("url")
        found = await self._fetcher.get(url, accept="application/json")
        if isinstance(found, NotFetched):
            raise (SourceTooSlow if found.is_slow else SourceUnavailable)(found.reason)
        try:
            return {"body": json.loads(found.body, parse_constant=_refuse)}
        except (ValueError, RecursionError) as error:
            raise SourceUnreadable("no JSON") from error


def _refuse(name: str) -> None:
    """NaN and the infinities are no JSON, whatever Python thinks, and PostgreSQL keeps none of them."""
    raise ValueError(name)
