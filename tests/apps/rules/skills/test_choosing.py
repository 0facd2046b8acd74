"""Which model the settings name, and how often it may be asked."""

import sys
from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import cast

import pytest

from pabal.apps.rules import SLICE
from pabal.apps.rules.outside.fetching import Fetcher
from pabal.apps.rules.skills import choosing
from pabal.apps.rules.skills import settings as own
from pabal.apps.rules.skills.choosing import Role, Tools, make_tools
from pabal.apps.rules.skills.errors import BadModelCommand
from pabal.apps.rules.skills.llm import ApiLlm, CommandLlm, GeminiLlm, OfflineLlm
from pabal.apps.rules.skills.search import FeedSearch, OfflineSearch
from pabal.apps.rules.skills.startup import SkillsStartup
from pabal.apps.rules.sources.registry import make_sources
from pabal.base import clock
from pabal.base.database import Database
from pabal.base.settings import SettingsInvalid, read_app_settings
from pabal.engine.life import Life
from pabal.engine.outcome import Limited
from pabal.platform import settings
from pabal.platform.actor import ENGINE
from pabal.platform.services import Services
from pabal.platform.settings import Catalogue
from tests.support.work import start

BY_KEY = Catalogue(own.ALL)


async def put(db: Database, **values: str) -> None:
    async with db.transaction() as tx:
        for name, value in values.items():
            await settings.change(tx, ENGINE, BY_KEY[f"rules.{name}"], value)


async def test_a_server_that_stops_closes_its_tools():
    closed = []

    class Noting(Fetcher):
        async def close(self) -> None:
            closed.append(self)

    fetcher = Noting()
    services = cast("Services", SimpleNamespace(kept={}))
    services.kept[choosing.KEPT_AS] = Tools(SkillsStartup(), fetcher, make_sources(fetcher))
    [gateway] = SLICE.gateways(services, cast("Life", None)) if SLICE.gateways is not None else []

    await gateway.start()
    gateway.refuse_new()
    assert closed == []
    await gateway.close()

    assert (closed, gateway.loops) == ([fetcher], [])


@pytest.mark.req("D-85")
async def test_rules_are_written_by_one_model_and_run_by_another(db: Database):
    tools = make_tools(SkillsStartup(llm_command='["ask", "{model}"]'))
    await put(db, llm="command", generating_model="strong", running_model="cheap", running_price_in="0.1")

    async with db.transaction() as tx:
        writes, runs = [await choosing.choose_model(tx, tools, role) for role in Role]

    assert (writes.model, runs.model) == ("strong", "cheap")
    assert isinstance(writes.llm, CommandLlm)
    assert isinstance(runs.llm, CommandLlm)
    assert (writes.llm.price.tokens_in, runs.llm.price.tokens_in) == (0, Decimal("0.1"))


@pytest.mark.parametrize(("way", "kind"), [("offline", OfflineLlm), ("gemini", GeminiLlm), ("api", ApiLlm)])
async def test_how_a_model_is_asked_is_a_setting(db: Database, way: str, kind: type):
    await put(db, llm=way)

    async with db.transaction() as tx:
        chosen = await choosing.choose_model(tx, make_tools(SkillsStartup()), Role.RUNNING)

    assert isinstance(chosen.llm, kind)


async def test_a_program_that_nobody_named_cannot_be_chosen(db: Database):
    await put(db, llm="command")

    async with db.transaction() as tx:
        with pytest.raises(BadModelCommand):
            await choosing.choose_model(tx, make_tools(SkillsStartup()), Role.RUNNING)


async def test_where_articles_are_searched_is_a_setting(db: Database):
    tools = make_tools(SkillsStartup())
    async with db.transaction() as tx:
        first = await choosing.open_summarising(tx, tools)
    await put(db, search="offline")
    async with db.transaction() as tx:
        second = await choosing.open_summarising(tx, tools)

    assert isinstance(first.search, FeedSearch)
    assert isinstance(second.search, OfflineSearch)


@pytest.mark.req("D-09")
async def test_after_the_day_s_calls_the_next_one_waits_for_tomorrow(db: Database):
    await put(db, llm_calls_per_day="2")
    jobs = [await start(db) for _ in range(4)]

    async with db.transaction() as tx:
        taken = [await choosing.take_call(tx, job) for job in jobs[:3]]
    assert taken[:2] == [None, None]
    assert isinstance(taken[2], Limited)
    assert taken[2].limit == "rules:llm llm_calls_a_day"

    await clock.advance(db, timedelta(days=1, seconds=1))
    async with db.transaction() as tx:
        assert await choosing.take_call(tx, jobs[3]) is None


def test_what_the_environment_says_wrong_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PABAL_RULES_LLM_COMMAND", "ollama run secret")
    monkeypatch.setenv("PABAL_RULES_NETWORKS", "everything")

    with pytest.raises(SettingsInvalid) as raised:
        read_app_settings(SkillsStartup)

    assert "PABAL_RULES_LLM_COMMAND" in str(raised.value)
    assert "PABAL_RULES_NETWORKS" in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_program_gets_the_variables_that_are_named_and_no_others():
    startup = SkillsStartup(llm_environment="A_KEY, B_KEY")

    assert startup.read_environment({"A_KEY": "a", "PABAL_SECRET_KEY": "s"}) == {"A_KEY": "a"}
    assert sys.executable not in str(startup)
