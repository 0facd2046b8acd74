"""Quotes without a network, for the demo and for tests: the same ticker has the same price at the same moment."""

import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from pabal.apps.rules.sources.errors import SourceTooSlow, SourceUnavailable, SymbolUnknown
from pabal.apps.rules.sources.model import QUOTE_FIELDS, TICKER, make_quote, read_ticker
from pabal.base.errors import PabalError

# What fails on purpose, so that a person can see how a rule takes it.
FAILING: Mapping[str, type[PabalError]] = {
    "DOWN.TEST": SourceUnavailable,
    "SLOW.TEST": SourceTooSlow,
    "NONE.TEST": SymbolUnknown,
}
_DAY = timedelta(days=1)
# a price moves by this much of itself within a day
_SWING = 0.03


class OfflineQuotes:
    """`prices` are fixed ones, by ticker; all others move in a wave over the day. Who asks may say a `price`."""

    name = "offline_quote"
    label = ("Quote (made up, offline)", "시세(연습용)")
    asks = (TICKER,)
    fields = QUOTE_FIELDS
    is_local = True

    def __init__(self, prices: Mapping[str, float] | None = None) -> None:
        self.prices = dict(prices or {})
        self.failing = dict(FAILING)

    async def read(self, params: Mapping[str, Any], *, moment: datetime) -> Mapping[str, Any]:
        ticker = read_ticker(params)
        if ticker in self.failing:
            raise self.failing[ticker](ticker)
        price = _read_price(params) or self.prices.get(ticker) or _price(ticker, moment)
        before = _price(ticker, moment.replace(hour=0, minute=0, second=0, microsecond=0))
        return make_quote(ticker, price, "KRW" if ticker.endswith((".KS", ".KQ")) else "USD", before)


def _read_price(params: Mapping[str, Any]) -> float | None:
    price = params.get("price")
    return float(price) if isinstance(price, int | float) and not isinstance(price, bool) and price > 0 else None


def _price(ticker: str, moment: datetime) -> float:
    """Between 100 and 1,000; tens of thousands in Seoul."""
    number = int.from_bytes(sha256(ticker.encode()).digest()[:4])
    base = 100 + number % 900
    of_day = (moment - moment.replace(hour=0, minute=0, second=0, microsecond=0)) / _DAY
    price = base * (1 + _SWING * math.sin(2 * math.pi * (of_day + number % 97 / 97)))
    return float(round(price * 100)) if ticker.endswith((".KS", ".KQ")) else round(price, 2)
