"""Sources by name: those every server has, and those of an operator's modules."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pabal.apps.rules.outside.fetching import Fetcher
from pabal.apps.rules.sources import errors
from pabal.apps.rules.sources.errors import (
    KO,
    SourceNotFound,
    SourcesBroken,
    SourceTooSlow,
    SourceUnavailable,
    SourceUnreadable,
)
from pabal.apps.rules.sources.model import Field
from pabal.apps.rules.sources.registry import QUOTE, Sources, make_sources

NOON = datetime(2026, 11, 17, 3, 0, tzinfo=UTC)
OWN_MODULE = """
from pabal.apps.rules.sources.model import QUOTE_FIELDS, TICKER, make_quote
class Vantage:
    name, label, asks, fields = "vantage", ("Vantage", "밴티지"), (TICKER,), QUOTE_FIELDS
    async def read(self, params, *, moment):
        return make_quote(params["ticker"], 77.0, "USD", 70.0)
SOURCES = [Vantage()]
NONE = None
"""


class Given:
    """A source that does what it is told."""

    name, label, asks = "given", ("Given", "주어진 값"), ()
    fields = (Field("price", ("Price", "가격"), "1"),)

    def __init__(self, answer: Callable[[], Any]) -> None:
        self._answer = answer

    async def read(self, params: Mapping[str, Any], *, moment: datetime) -> Mapping[str, Any]:
        answer = self._answer()
        return await answer if asyncio.iscoroutine(answer) else answer


async def read(source: Given, *, seconds: float = 30) -> Mapping[str, Any]:
    return await Sources([source], seconds=seconds).read("given", {}, moment=NOON, quote_source="")


@pytest.mark.req("D-91", "D-97")
async def test_quotes_come_from_the_source_the_setting_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "own_sources_of_a_test.py").write_text(OWN_MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    sources = make_sources(Fetcher(), "own_sources_of_a_test:SOURCES")

    offline = await sources.read(QUOTE, {"ticker": "AAPL"}, moment=NOON, quote_source="offline_quote")
    own = await sources.read(QUOTE, {"ticker": "AAPL"}, moment=NOON, quote_source="vantage")

    assert own["price"] == 77.0
    assert offline["price"] != 77.0
    assert set(own) == set(offline)


@pytest.mark.parametrize("named", ["no_such_module_of_ours:SOURCES", "json:NOTHING", "json:loads", "json"])
def test_a_module_without_sources_is_named_when_the_server_starts(named: str):
    with pytest.raises(SourcesBroken, match=named.partition(":")[0]):
        make_sources(Fetcher(), named)


def test_every_source_says_what_it_is_in_both_languages():
    sources = list(make_sources(Fetcher()))

    assert [one.name for one in sources] == ["yfinance", "offline_quote", "http_json"]
    assert all(all(pair) for one in sources for pair in (one.label, *(field.label for field in one.fields)))


async def test_an_unknown_source_is_not_found():
    with pytest.raises(SourceNotFound, match="nothing"):
        await make_sources(Fetcher()).read("nothing", {}, moment=NOON, quote_source="yfinance")


async def test_what_a_source_raises_is_a_reason_and_no_accident():
    def fail() -> Any:
        raise ZeroDivisionError("1 / 0")

    with pytest.raises(SourceUnavailable, match="ZeroDivisionError"):
        await read(Given(fail))


async def test_a_source_has_its_time_and_no_more():
    with pytest.raises(SourceTooSlow):
        await read(Given(lambda: asyncio.sleep(600)), seconds=0.05)


@pytest.mark.parametrize(
    "answer", [{}, {"price": float("nan")}, {"price": object()}, {"price": "x" * 300_000}, {"price": {1: {2, 3}}}]
)
async def test_only_what_can_be_kept_is_taken(answer: dict[str, Any]):
    with pytest.raises(SourceUnreadable):
        await read(Given(lambda: answer))


def test_every_error_has_its_korean_sentence():
    codes = {one.code for one in vars(errors).values() if isinstance(one, type) and one.__module__ == errors.__name__}

    assert codes == set(KO)
