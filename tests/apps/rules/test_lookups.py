"""What a run looks up: chosen by the settings in one step, asked in another."""

from datetime import UTC, datetime
from typing import Any

import pytest

from pabal.apps.rules.labels import SOURCES
from pabal.apps.rules.lookups import NEWS, LookedUp, Lookups, list_labels, read_language, read_query
from pabal.apps.rules.skills.choosing import make_tools
from pabal.apps.rules.skills.errors import BadSearch
from pabal.apps.rules.skills.startup import SkillsStartup
from pabal.apps.rules.sources.errors import SourceNotFound, SymbolUnknown
from pabal.base.database import Database
from pabal.engine.outcome import Limited
from tests.apps.rules.skills.test_choosing import put
from tests.support.work import start

NINE = datetime(2026, 11, 17, 0, 0, tzinfo=UTC)


class Gold:
    name, label, asks, fields = "gold", ("Gold", "금 시세"), (), ()


GOLD = (Gold(),)


@pytest.fixture
def lookups() -> Lookups:
    return Lookups(make_tools(SkillsStartup()))


async def look_up(db: Database, lookups: Lookups, source: str, payload: dict[str, Any]) -> LookedUp | Limited:
    job = await start(db)
    async with db.transaction() as tx:
        chosen = await lookups.choose(tx, job, source, quote_source=await lookups.read_quote_source(tx))
    if isinstance(chosen, Limited):
        return chosen
    return await lookups.ask(chosen, payload, moment=NINE)


@pytest.mark.req("D-06", "D-97")
async def test_a_quote_comes_from_the_source_of_the_settings(db: Database, lookups: Lookups):
    await put(db, quote_source="offline_quote")

    found = await look_up(db, lookups, "quote", {"ticker": "AAPL", "price": 512.5})

    assert isinstance(found, LookedUp)
    assert (found.data["price"], found.tokens) == (512.5, 0)


@pytest.mark.req("D-05")
async def test_news_of_a_topic_are_searched_and_summarised_with_their_cost(db: Database, lookups: Lookups):
    await put(db, search="offline", running_price_in="1000")

    found = await look_up(db, lookups, NEWS, {"topic": "AI"})

    assert isinstance(found, LookedUp)
    assert "AI" in found.data["summary"]
    assert found.data["count"] == 4
    assert found.tokens > 0
    assert found.cost > 0


@pytest.mark.req("D-09")
async def test_when_the_day_s_calls_are_used_up_the_run_waits(db: Database, lookups: Lookups):
    await put(db, search="offline", llm_calls_per_day="1")

    first, second = [await look_up(db, lookups, NEWS, {"topic": "AI"}) for _ in range(2)]

    assert isinstance(first, LookedUp)
    assert isinstance(second, Limited)


@pytest.mark.parametrize(
    ("source", "payload", "error"),
    [
        ("offline_quote", {"ticker": "NONE.TEST"}, SymbolUnknown),
        ("nothing", {}, SourceNotFound),
        (NEWS, {"topic": 5}, BadSearch),
    ],
)
async def test_what_cannot_be_looked_up_says_why(
    db: Database, lookups: Lookups, source: str, payload: dict[str, Any], error: type[Exception]
):
    with pytest.raises(error):
        await look_up(db, lookups, source, payload)


@pytest.mark.req("D-91")
def test_a_rule_may_name_every_source_the_role_of_quotes_and_the_news(lookups: Lookups):
    assert lookups.labels == list_labels() == SOURCES


def test_a_source_of_the_operator_s_own_can_be_named_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PABAL_RULES_SOURCES", "tests.apps.rules.test_lookups:GOLD")

    assert list_labels()["gold"] == ("Gold", "금 시세")


def test_a_summary_is_in_the_language_that_the_rule_says():
    assert [read_language(payload) for payload in ({}, {"lang": "en"}, {"lang": 5})] == ["ko", "en", "ko"]


@pytest.mark.parametrize("payload", [{}, {"topic": "AI", "feeds": "https://a"}, {"topic": "AI", "feeds": [1]}])
def test_a_search_of_another_shape_is_refused(payload: dict[str, Any]):
    with pytest.raises(BadSearch):
        read_query(payload)
