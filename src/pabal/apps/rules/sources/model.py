"""A data source: what a rule reads from outside before its condition is checked. The seam; the real ones stand beside.

A source of your own is any object of this shape, named in PABAL_RULES_SOURCES:

    class Gold:
        name = "gold"
        label = ("Gold", "금 시세")
        asks = ()
        fields = (Field("price", ("Price", "가격"), "91.2"),)

        async def read(self, params, *, moment):
            return {"price": await ask_the_mint()}

    SOURCES = (Gold(),)
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from pabal.apps.rules.sources.errors import BadSourceParams
from pabal.platform.language.pairs import Pair

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
# of Yahoo and others: AAPL, 005930.KS, ^KS11, KRW=X, BTC-USD, BRK.B
_TICKER = re.compile(r"[A-Z0-9.^=-]{1,20}")


@dataclass(frozen=True, slots=True)
class Field:
    """Something a source asks for or gives."""

    name: str
    label: Pair
    example: str


class Source(Protocol):
    """`asks` are the parameters it needs, `fields` what it gives. `moment` is the run's: for what depends on the time.

    Failing is raising one of `errors`; whatever else is raised counts as unavailable. Nothing in it may block.
    One that answers from memory, without waiting for anything, may say so: `is_local = True`. Then it is read within
    the commit that ends the run.
    """

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> Pair: ...
    @property
    def asks(self) -> tuple[Field, ...]: ...
    @property
    def fields(self) -> tuple[Field, ...]: ...
    async def read(self, params: Mapping[str, Any], *, moment: datetime) -> Mapping[str, Any]: ...


TICKER = Field("ticker", ("Ticker", "종목"), "005930.KS")
# the same of every source of quotes, so that one can stand in for another
QUOTE_FIELDS = (
    TICKER,
    Field("price", ("Price", "가격"), "71500"),
    Field("currency", ("Currency", "통화"), "KRW"),
    Field("previous_close", ("Previous close", "전일 종가"), "70900"),
    Field("change_percent", ("Change in %", "등락률(%)"), "0.85"),
)


def read_ticker(params: Mapping[str, Any]) -> str:
    ticker = params.get("ticker")
    if not isinstance(ticker, str) or _TICKER.fullmatch(ticker.strip().upper()) is None:
        raise BadSourceParams("ticker")
    return ticker.strip().upper()


def make_quote(ticker: str, price: float, currency: str, previous_close: float | None) -> dict[str, Any]:
    change = None if not previous_close else round(100 * (price / previous_close - 1), 2)
    return {
        "ticker": ticker,
        "price": price,
        "currency": currency,
        "previous_close": previous_close,
        "change_percent": change,
    }
