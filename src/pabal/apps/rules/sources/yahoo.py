"""Quotes from Yahoo by the package yfinance, which is optional. In a process of its own: it may hang, and is heavy."""

import json
import os
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pabal.apps.rules.outside.processes import Finished, NotStarted, Program, TimedOut, TooMuchOutput, run_program
from pabal.apps.rules.sources.errors import (
    SourceNotInstalled,
    SourceTooSlow,
    SourceUnavailable,
    SourceUnreadable,
    SymbolUnknown,
)
from pabal.apps.rules.sources.model import QUOTE_FIELDS, TICKER, make_quote, read_ticker

EXTRA = "pabal[quotes]"
SECONDS = 20.0
MOST_OUTPUT = 1 << 16
# how this server reaches the world; nothing else of its environment is needed
_PASSED = ("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "CURL_CA_BUNDLE")
_CHILD = "from pabal.apps.rules.sources.yahoo_child import main; main()"


class YahooQuotes:
    """`path` is put before what Python finds by itself: a yfinance of one's own."""

    name = "yfinance"
    label = ("Quote (Yahoo Finance)", "시세(야후 파이낸스)")
    asks = (TICKER,)
    fields = QUOTE_FIELDS

    def __init__(self, *, seconds: float = SECONDS, path: str = "") -> None:
        self._seconds, self._path = seconds, path

    async def read(self, params: Mapping[str, Any], *, moment: datetime) -> Mapping[str, Any]:
        ticker = read_ticker(params)
        given = json.dumps({"ticker": ticker}).encode()
        ended = await run_program(
            Program(
                argv=(sys.executable, "-c", _CHILD),
                given=given,
                environment=self._environment(),
                seconds=self._seconds,
                most_output=MOST_OUTPUT,
            )
        )
        match ended:
            case Finished(code=0, output=output):
                return _read_answer(ticker, output)
            case TimedOut(seconds=seconds):
                raise SourceTooSlow(f"{seconds:g} s")
            case Finished(code=code, errors=errors):
                raise SourceUnavailable(_last_line(errors) or f"ended with {code}")
            case TooMuchOutput():
                raise SourceUnreadable("too much output")
            case NotStarted(reason=reason):
                raise SourceUnavailable(reason)

    def _environment(self) -> dict[str, str]:
        passed = {name: os.environ[name] for name in _PASSED if name in os.environ}
        where = [self._path, *sys.path]
        return {**passed, "PYTHONPATH": os.pathsep.join(one for one in where if one)}


def _read_answer(ticker: str, output: bytes) -> Mapping[str, Any]:
    try:
        answer = json.loads(output.splitlines()[-1])
        failed = answer.get("failed")
        if failed is None:
            before = answer["previous_close"]
            close = None if before is None else float(before)
            return make_quote(ticker, float(answer["price"]), str(answer["currency"] or ""), close)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise SourceUnreadable(type(error).__name__) from error
    detail = str(answer.get("detail", ""))[:200]
    match failed:
        case "not_installed":
            raise SourceNotInstalled(f'pip install "{EXTRA}"')
        case "unknown":
            raise SymbolUnknown(ticker)
        case _:
            raise SourceUnavailable(detail)


def _last_line(errors: bytes) -> str:
    lines = errors.decode("utf-8", "replace").split("\n")
    return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "")
