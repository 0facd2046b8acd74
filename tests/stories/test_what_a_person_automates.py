"""What rules were made for, from the clock to the chat: the news of the morning, a price that is reached."""

import json
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from pabal.apps.rules.lookups import Lookups
from pabal.apps.rules.model.rules import RuleRunState
from pabal.apps.rules.skills.choosing import make_tools
from pabal.apps.rules.skills.startup import SkillsStartup
from pabal.base.database import Database
from pabal.engine.kinds import merge
from pabal.testing import Parts, advance
from tests.apps.rules.skills.test_choosing import put
from tests.support.documents import Documents, serve_documents
from tests.support.rules import ABOVE, RulesWorld, make_rules
from tests.support.telegram import Office, open_office

SEOUL = ZoneInfo("Asia/Seoul")
# any program that reads a prompt on stdin is a model: this one answers with what it was told
MODEL = [
    sys.executable,
    "-c",
    "import sys; said = sys.stdin.read()\n"
    "print('요약:', *(one in said for one in ('AI 칩', 'AI 규제', '날씨')), sys.argv[1])",
    "{model}",
]
FEED = """<rss><channel>
<item><title>AI 칩</title><link>https://a.example.com/1</link></item>
<item><title>AI 규제</title><link>https://a.example.com/2</link></item>
<item><title>날씨</title><link>https://a.example.com/3</link></item>
</channel></rss>"""
# as yfinance has it; the price is what a file says, so that it can change
YFINANCE = """
import pathlib
class Ticker:
    def __init__(self, symbol):
        price = float(pathlib.Path(__file__).with_name("price").read_text())
        self.fast_info = {"lastPrice": price, "previousClose": 480.0, "currency": "USD"}
"""


@dataclass
class Morning:
    world: RulesWorld
    office: Office
    documents: Documents

    async def pass_time(self, **by: float) -> None:
        ours = self.world.parts
        kinds = merge([ours.kinds, self.office.parts.kinds])
        parts = Parts(self.world.db, kinds, machines=ours.machines, subscribers=ours.subscribers)
        await advance(parts, timedelta(**by))


@pytest.fixture
async def morning(db: Database, tmp_path: Path) -> AsyncIterator[Morning]:
    async with open_office(db, tmp_path) as office, serve_documents() as documents:
        world = await make_rules(db)
        tools = make_tools(SkillsStartup(llm_command=json.dumps(MODEL), networks="127.0.0.0/8"))
        world.lookups = Lookups(tools)
        await office.add_channel(world.tree.haeundae)
        yield Morning(world, office, documents)
        await tools.close()


@pytest.mark.req("D-01", "D-05", "D-09", "D-24", "D-49")
async def test_every_morning_the_articles_on_a_topic_are_summarised_and_come_by_telegram(morning: Morning):
    feed = morning.documents.put("/news", FEED.encode())
    await put(morning.world.db, llm="command", search="feeds", running_model="cheap", running_price_in="2")
    rule = await morning.world.rule(
        "아침 기사",
        schedule="0 7 * * *",
        source="news_summary",
        payload={"topic": "AI", "feeds": [feed]},
        on_success=[{"type": "telegram", "config": {"template": "{rule_name}\n{summary}"}}],
    )

    await morning.pass_time(days=2)

    runs = await morning.world.runs(rule)
    assert [(run.state, run.log_summary) for run in runs] == [(RuleRunState.SUCCESS, "AI: 2")] * 2
    assert [run.scheduled_at.astimezone(SEOUL).timetz().replace(tzinfo=None) for run in runs] == [time(7)] * 2
    assert runs[1].scheduled_at - runs[0].scheduled_at == timedelta(days=1)
    assert all(run.tokens and run.cost for run in runs)
    assert [text for text in morning.office.texts() if "요약: True True False cheap" in text] == morning.office.texts()
    assert len(morning.office.texts()) == 2


@pytest.mark.req("D-06", "D-25", "D-50", "D-51", "D-86")
async def test_a_price_of_yfinance_is_told_when_it_is_reached_and_not_again_while_it_stays(
    morning: Morning, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "yfinance.py").write_text(YFINANCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    await put(morning.world.db, quote_source="yfinance")
    rule = await morning.world.rule(
        "엔비디아",
        source="quote",
        payload={"ticker": "NVDA", "target": 500},
        condition=ABOVE,
        on_success=[{"type": "telegram", "config": {"template": "{ticker} {price}"}, "when": "changed"}],
    )
    told: list[int] = []
    for price in (490, 501, 502, 499, 503):
        (tmp_path / "price").write_text(str(price))
        await morning.pass_time(minutes=5)
        told.append(sum("NVDA 5" in text for text in morning.office.texts()))

    runs = await morning.world.runs(rule)
    assert [(run.met, run.data["price"]) for run in runs if run.data] == [
        (False, 490),
        (True, 501),
        (True, 502),
        (False, 499),
        (True, 503),
    ]
    assert told == [0, 1, 1, 1, 2]
