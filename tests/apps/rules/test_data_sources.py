"""Sources answer data or say why not, and the model's command is any that reads a prompt."""

import sys
from typing import Any

import pytest

from pabal.apps.rules import data_sources
from pabal.apps.rules.data_sources import (
    NAMES,
    CommandModel,
    NewsSummary,
    OfflineModel,
    OfflineQuotes,
    SourceFailed,
    YFinanceQuotes,
    make_sources,
    read_answer,
)
from pabal.apps.rules.startup import RulesStartup
from pabal.base.settings import read_app_settings

ECHO = f'{sys.executable} -c "import sys; print(sys.stdin.read().upper())"'


@pytest.mark.req("D-91")
def test_every_name_a_rule_may_say_is_a_source_here():
    assert set(make_sources(read_app_settings(RulesStartup))) == set(NAMES)


async def test_an_offline_quote_stays_the_same_and_may_be_said():
    quotes = OfflineQuotes()

    first, second = await quotes.fetch({"ticker": "aapl"}), await quotes.fetch({"ticker": "AAPL"})
    said = await quotes.fetch({"ticker": "AAPL", "price": 3})

    assert first.data == second.data
    assert first.data["ticker"] == "AAPL"
    assert said.data["price"] == 3.0


@pytest.mark.req("D-50", "D-86")
async def test_a_quote_comes_from_yfinance_where_that_is_installed(monkeypatch: pytest.MonkeyPatch):
    class Found:
        def __init__(self, ticker: str) -> None:
            self.fast_info = {"last_price": 512.5 if ticker == "NVDA" else None, "currency": "USD"}

    class Library:
        Ticker = Found

    monkeypatch.setitem(sys.modules, "yfinance", Library)

    assert (await YFinanceQuotes().fetch({"ticker": "nvda"})).data["price"] == 512.5
    with pytest.raises(SourceFailed, match="No quote of NONE"):
        await YFinanceQuotes().fetch({"ticker": "none"})


@pytest.mark.req("D-97")
async def test_without_yfinance_a_quote_says_what_is_missing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "yfinance", None)

    with pytest.raises(SourceFailed, match="not installed"):
        await YFinanceQuotes().fetch({"ticker": "NVDA"})


@pytest.mark.parametrize("payload", [{}, {"ticker": ""}, {"ticker": 3}, {"ticker": "x" * 21}])
async def test_a_quote_without_a_ticker_is_refused(payload: dict[str, Any]):
    with pytest.raises(SourceFailed):
        await OfflineQuotes().fetch(payload)


async def test_articles_of_the_payload_are_searched_and_summarised():
    articles = ["AI 하나", "환율", 3, "둘 AI"]

    found = await NewsSummary(OfflineModel()).fetch({"topic": "ai", "articles": articles})

    assert (found.data["count"], found.data["summary"]) == (2, "• AI 하나\n• 둘 AI")
    assert (await NewsSummary(OfflineModel()).fetch({"topic": "없는 주제"})).data["count"] == 0


async def test_any_command_that_reads_a_prompt_is_a_model():
    answer = await CommandModel(ECHO, 30).ask("abcd")

    assert (answer.text, answer.tokens) == ("ABCD", 2)


@pytest.mark.parametrize(
    ("command", "seconds", "said"),
    [
        ("/nowhere/at/all", 5, "did not start"),
        (f"{sys.executable} -c \"import sys; sys.exit('no key')\"", 30, "ended with 1. no key"),
        (f'{sys.executable} -c "import threading; threading.Event().wait()"', 0.2, "did not answer"),
    ],
)
async def test_a_command_that_fails_says_so(command: str, seconds: float, said: str):
    with pytest.raises(SourceFailed, match=said):
        await CommandModel(command, seconds).ask("x")


def test_the_json_of_the_gemini_cli_is_understood():
    text = '{"response": " ok ", "stats": {"models": {"a": {"tokens": {"total": 7}}, "b": {"tokens": {"total": 5}}}}}'

    assert read_answer(text, "p") == data_sources.ModelAnswer("ok", 12)
    assert read_answer('{"response": "ok", "stats": 3}', "p" * 38).text == "ok"
    assert read_answer("[1]", "p").text == "[1]"
