"""yfinance in a process of its own. A module of the same shape stands in for it: it needs Yahoo, which tests have not.

What the real package does, tried by hand, is in decision 68.
"""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pabal.apps.rules.sources.errors import (
    SourceNotInstalled,
    SourceTooSlow,
    SourceUnavailable,
    SourceUnreadable,
    SymbolUnknown,
)
from pabal.apps.rules.sources.yahoo import YahooQuotes

NOON = datetime(2026, 11, 17, 3, 0, tzinfo=UTC)
# As yfinance has it: fast_info asks Yahoo when a key is read.
STAND_IN = """
class YFRateLimitError(Exception):
    pass
class FastInfo(dict):
    def __getitem__(self, key):
        if dict.__getitem__(self, "symbol") == "LIMITED":
            raise YFRateLimitError("Too Many Requests. Rate limited. Try after a while.")
        return dict.__getitem__(self, key)
print("a warning on stdout")
class Ticker:
    def __init__(self, symbol):
        known = {"lastPrice": 512.25, "previousClose": 500.0, "currency": "USD"}
        none = {"lastPrice": float("nan"), "previousClose": None, "currency": None}
        self.fast_info = FastInfo({"LOST": {}, "EMPTY": none}.get(symbol, known), symbol=symbol)
"""
SLOW = """
import time
class Ticker:
    def __init__(self, symbol):
        time.sleep(600)
"""


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    (tmp_path / "yfinance.py").write_text(STAND_IN, encoding="utf-8")
    return tmp_path


@pytest.mark.req("D-25", "D-50", "D-86")
async def test_a_quote_of_yfinance_is_a_quote_like_any_other(stand_in: Path):
    quote = await YahooQuotes(path=str(stand_in)).read({"ticker": "aapl"}, moment=NOON)

    assert quote == {
        "ticker": "AAPL",
        "price": 512.25,
        "currency": "USD",
        "previous_close": 500.0,
        "change_percent": 2.45,
    }


@pytest.mark.parametrize(
    ("symbol", "error", "detail"),
    [
        ("LOST", SymbolUnknown, "LOST"),
        ("EMPTY", SymbolUnknown, "EMPTY"),
        ("LIMITED", SourceUnavailable, "YFRateLimitError: Too Many Requests"),
    ],
)
async def test_what_yahoo_refuses_says_why(stand_in: Path, symbol: str, error: type[Exception], detail: str):
    with pytest.raises(error, match=detail):
        await YahooQuotes(path=str(stand_in)).read({"ticker": symbol}, moment=NOON)


async def test_one_that_hangs_is_ended(tmp_path: Path):
    (tmp_path / "yfinance.py").write_text(SLOW, encoding="utf-8")

    with pytest.raises(SourceTooSlow):
        await YahooQuotes(path=str(tmp_path), seconds=0.5).read({"ticker": "AAPL"}, moment=NOON)


async def test_without_the_package_it_says_what_to_install(tmp_path: Path):
    (tmp_path / "yfinance.py").write_text("raise ModuleNotFoundError('No module named yfinance')", encoding="utf-8")

    with pytest.raises(SourceNotInstalled, match=r"pabal\[quotes\]"):
        await YahooQuotes(path=str(tmp_path)).read({"ticker": "AAPL"}, moment=NOON)


@pytest.mark.parametrize(
    ("module", "error"),
    [
        ("import os; os._exit(3)", SourceUnavailable),
        ("class Ticker:\n    fast_info = {'lastPrice': 'much', 'previousClose': 1}\n", SourceUnavailable),
        ("import sys\nsys.stderr.write('x' * 500_000)\nimport os\nos._exit(0)", SourceUnreadable),
    ],
)
async def test_a_broken_package_hurts_nobody(tmp_path: Path, module: str, error: type[Exception]):
    (tmp_path / "yfinance.py").write_text(module, encoding="utf-8")

    with pytest.raises(error):
        await YahooQuotes(path=str(tmp_path)).read({"ticker": "AAPL"}, moment=NOON)
