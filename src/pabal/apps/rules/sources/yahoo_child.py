"""The process that asks yfinance for one price: a ticker on stdin, one line of JSON on stdout."""

import importlib
import json
import math
import os
import sys
from typing import Any


def main() -> None:
    # yfinance and what it imports may print; stdout is for the answer
    out = os.dup(1)
    os.dup2(2, 1)
    ticker = json.loads(sys.stdin.read())["ticker"]
    os.write(out, json.dumps(ask(ticker)).encode() + b"\n")


def ask(ticker: str) -> dict[str, Any]:
    try:
        yfinance = importlib.import_module("yfinance")
    except ModuleNotFoundError as error:
        return {"failed": "not_installed", "detail": str(error)}
    try:
        info = yfinance.Ticker(ticker).fast_info
        price = _number(info["lastPrice"])
        close = _number(info["previousClose"])
        currency = info["currency"]
    except Exception as error:  # noqa: BLE001 -- yfinance raises whatever its version, curl or pandas happen to raise
        return explain(error)
    if price is None:
        return {"failed": "unknown"}
    return {"price": price, "previous_close": close, "currency": currency}


def explain(error: Exception) -> dict[str, Any]:
    """Its own errors by name, which have been the same since 0.2.50; a ticker without a price has no such keys."""
    names = {one.__name__ for one in type(error).__mro__}
    if names & {"YFPricesMissingError", "YFTzMissingError", "YFTickerMissingError", "KeyError"}:
        return {"failed": "unknown"}
    return {"failed": "unavailable", "detail": f"{type(error).__name__}: {error}"[:200]}


def _number(value: Any) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)
