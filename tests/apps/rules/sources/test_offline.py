"""Quotes without a network: the same every time, and failing on demand."""

from datetime import UTC, datetime, timedelta

import pytest

from pabal.apps.rules.sources.errors import BadSourceParams, SourceTooSlow, SourceUnavailable, SymbolUnknown
from pabal.apps.rules.sources.offline import OfflineQuotes

NOON = datetime(2026, 11, 17, 3, 0, tzinfo=UTC)


@pytest.mark.req("D-50", "D-51")
async def test_a_symbol_has_one_price_at_a_moment_and_another_later():
    first, again = [await OfflineQuotes().read({"ticker": "AAPL"}, moment=NOON) for _ in range(2)]
    later = await OfflineQuotes().read({"ticker": "AAPL"}, moment=NOON + timedelta(hours=3))

    assert first == again
    assert (first["ticker"], first["currency"]) == ("AAPL", "USD")
    assert later["price"] != first["price"]
    assert abs(later["price"] / first["price"] - 1) < 0.07


async def test_a_fixed_price_is_that_price():
    quotes = OfflineQuotes({"AAPL": 501.5})

    assert (await quotes.read({"ticker": " aapl "}, moment=NOON))["price"] == 501.5
    assert (await quotes.read({"ticker": "AAPL", "price": 7}, moment=NOON))["price"] == 7.0


@pytest.mark.parametrize(
    ("symbol", "error"),
    [("DOWN.TEST", SourceUnavailable), ("SLOW.TEST", SourceTooSlow), ("NONE.TEST", SymbolUnknown)],
)
async def test_some_symbols_fail_on_purpose(symbol: str, error: type[Exception]):
    with pytest.raises(error):
        await OfflineQuotes().read({"ticker": symbol}, moment=NOON)


@pytest.mark.parametrize("given", [{}, {"ticker": ""}, {"ticker": 5}, {"ticker": "A; DROP"}, {"ticker": "A" * 21}])
async def test_what_is_no_symbol_is_refused(given: dict[str, object]):
    with pytest.raises(BadSourceParams):
        await OfflineQuotes().read(given, moment=NOON)
