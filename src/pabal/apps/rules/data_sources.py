"""Data sources: what a rule reads before its condition is judged or its script runs. A skill is one more of them.

A source is a name and a function of the rule's payload. Adding one is a class and a line in `make_sources`.
"""

import asyncio
import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pabal.apps.rules.startup import RulesStartup

MOST_ARTICLES = 20
LONGEST_ANSWER = 8_000


class SourceFailed(Exception):
    """A source gave no answer. Its text is shown to people."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """`data` is what conditions and templates look into. `tokens` are a language model's."""

    data: dict[str, Any] = field(repr=False)
    summary: str = ""
    tokens: int = 0


class DataSource(Protocol):
    async def fetch(self, payload: Mapping[str, Any]) -> Fetched: ...


Sources = Mapping[str, DataSource]
# what a rule may name here, whether this server has it or not
NAMES = ("quote", "offline_quote", "news_summary")


def make_sources(startup: RulesStartup) -> Sources:
    model = CommandModel(startup.llm_command, startup.llm_seconds) if startup.llm_command else OfflineModel()
    return {"quote": YFinanceQuotes(), "offline_quote": OfflineQuotes(), "news_summary": NewsSummary(model)}


def read_ticker(payload: Mapping[str, Any]) -> str:
    ticker = payload.get("ticker")
    if not isinstance(ticker, str) or not 1 <= len(ticker) <= 20:
        raise SourceFailed("The payload names no ticker.")
    return ticker.upper()


class YFinanceQuotes:
    """Prices of yfinance, an optional extra that reads a public site: it may be slow, blocked or gone."""

    async def fetch(self, payload: Mapping[str, Any]) -> Fetched:
        ticker = read_ticker(payload)
        try:
            price, currency = await asyncio.to_thread(self._read, ticker)
        except ImportError as error:
            raise SourceFailed("yfinance is not installed: pip install 'pabal[quotes]'.") from error
        except Exception as error:  # an unofficial library raises whatever its site did to it
            raise SourceFailed(f"No quote of {ticker}: {str(error)[:200]}") from error
        if price is None:
            raise SourceFailed(f"No quote of {ticker}.")
        return Fetched({"ticker": ticker, "price": price, "currency": currency}, f"{ticker} {price} {currency}")

    def _read(self, ticker: str) -> tuple[float | None, str]:
        import yfinance  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415 -- an optional extra

        found = yfinance.Ticker(ticker).fast_info
        price = found["last_price"]
        return (None if price is None else float(price)), str(found["currency"])


class OfflineQuotes:
    """Made-up prices that stay the same: for demos, tests, and rules that are tried without a network.

    A payload may say the price itself: `{"ticker": "AAPL", "price": 512.5}`.
    """

    async def fetch(self, payload: Mapping[str, Any]) -> Fetched:
        ticker = read_ticker(payload)
        given = payload.get("price")
        price = float(given) if isinstance(given, int | float) and not isinstance(given, bool) else _invent(ticker)
        return Fetched({"ticker": ticker, "price": price, "currency": "USD"}, f"{ticker} {price} USD")


def _invent(ticker: str) -> float:
    digest = hashlib.sha256(ticker.encode()).digest()
    return round(50 + int.from_bytes(digest[:2]) / 100, 2)


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    text: str
    tokens: int


class Model(Protocol):
    async def ask(self, prompt: str) -> ModelAnswer: ...


class OfflineModel:
    """A stand-in that shortens each line, without a network and without cost."""

    async def ask(self, prompt: str) -> ModelAnswer:
        lines = [line.removeprefix("- ") for line in prompt.splitlines() if line.startswith("- ")]
        return ModelAnswer("\n".join(f"• {line[:60]}" for line in lines), 0)


class CommandModel:
    """Any command that reads a prompt on its standard input. JSON of the Gemini CLI is understood, plain text too."""

    def __init__(self, command: str, seconds: float) -> None:
        self._words = shlex.split(command)
        self._seconds = seconds

    async def ask(self, prompt: str) -> ModelAnswer:
        try:
            process = await asyncio.create_subprocess_exec(
                *self._words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            raise SourceFailed(f"The language model's command did not start: {error.strerror}.") from error
        try:
            async with asyncio.timeout(self._seconds):
                out, err = await process.communicate(prompt.encode())
        except TimeoutError as error:
            raise SourceFailed(f"The language model did not answer within {self._seconds:g} s.") from error
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode != 0:
            told = err.decode(errors="replace").strip().splitlines()
            raise SourceFailed(
                f"The language model's command ended with {process.returncode}. {''.join(told[-1:])[:200]}"
            )
        return read_answer(out.decode(errors="replace"), prompt)


def read_answer(text: str, prompt: str) -> ModelAnswer:
    """Where nothing is said of tokens, four characters count as one."""
    guessed = (len(prompt) + len(text)) // 4
    try:
        told = json.loads(text)
    except ValueError:
        return ModelAnswer(text.strip()[:LONGEST_ANSWER], guessed)
    if not isinstance(told, dict) or not isinstance(told.get("response"), str):
        return ModelAnswer(text.strip()[:LONGEST_ANSWER], guessed)
    return ModelAnswer(told["response"].strip()[:LONGEST_ANSWER], _count_tokens(told) or guessed)


def _count_tokens(told: Mapping[str, Any]) -> int:
    stats = told.get("stats")
    models = stats.get("models") if isinstance(stats, dict) else None
    counts = [one.get("tokens") for one in models.values() if isinstance(one, dict)] if isinstance(models, dict) else []
    totals = [one.get("total") for one in counts if isinstance(one, dict)]
    return sum(each for each in totals if isinstance(each, int))


class NewsSummary:
    """Searches articles on a topic and lets a language model summarise them: `{"topic": "AI"}`.

    A payload may bring its own `articles`; without them a small offline shelf is searched.
    """

    def __init__(self, model: Model) -> None:
        self._model = model

    async def fetch(self, payload: Mapping[str, Any]) -> Fetched:
        topic = payload.get("topic")
        if not isinstance(topic, str) or not topic.strip():
            raise SourceFailed("The payload names no topic.")
        found = search(payload, topic)
        if not found:
            return Fetched({"topic": topic, "count": 0, "summary": "", "articles": []}, f"{topic}: 0")
        prompt = "\n".join([f"Summarise these articles on {topic} in a few lines.", "", *(f"- {one}" for one in found)])
        answer = await self._model.ask(prompt)
        data = {"topic": topic, "count": len(found), "summary": answer.text, "articles": found}
        return Fetched(data, f"{topic}: {len(found)}", answer.tokens)


SHELF = (
    "AI 반도체 수요가 3분기에도 늘었다",
    "AI 규제 법안이 상임위를 통과했다",
    "환율이 이틀째 내렸다",
    "반도체 수출이 열 달 연속 늘었다",
    "오픈소스 AI 모델이 새 기록을 세웠다",
)


def search(payload: Mapping[str, Any], topic: str) -> list[str]:
    given = payload.get("articles")
    shelf = [one for one in given if isinstance(one, str)] if isinstance(given, list) else SHELF
    return [one[:500] for one in shelf if topic.lower() in one.lower()][:MOST_ARTICLES]
