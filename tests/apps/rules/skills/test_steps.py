"""Steps of the skills: what they give, what becomes of a failure, and that their work is done by a job."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pabal.apps.rules.skills.settings import CALLS_PER_DAY, SEARCH
from pabal.apps.rules.skills.step_jobs import name_report, write_report
from pabal.apps.rules.skills.steps import FoundArticle, ReportInput
from pabal.base.database import Database
from pabal.engine import ids
from pabal.engine.workflows import listing
from pabal.platform import storage
from pabal.platform.actor import Actor
from tests.support.planning import HOUSE, PlansWorld, make_planning

FLOW = """\
name: news
steps:
  - {name: search, kind: rules.search, input: {topic: 반도체, days: 2, most: 3}}
  - {name: short, kind: rules.summarise, input: {topic: 반도체, articles: {from: steps.search.articles}}}
  - name: report
    kind: rules.report
    input: {title: "반도체 / 주간", text: {from: steps.short.text}, articles: {from: steps.search.articles}}
output: {file: {from: steps.report.file}}
"""


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> PlansWorld:
    return await make_planning(db, tmp_path)


async def start(world: PlansWorld, kim: Actor, text: str = FLOW) -> int:
    async with world.db.transaction() as tx:
        saved = await world.flows.save(tx, kim, text)
        run = await world.flows.start(tx, kim, saved.id, {})
    await world.drain()
    return run


async def look(world: PlansWorld, run: int) -> listing.RunRow:
    async with world.db.transaction() as tx:
        return await listing.get_run(tx, run, units=None)


async def test_articles_are_found_summarised_and_kept_as_a_file(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)

    over = await look(world, await start(world, kim))

    assert over.state == "done", over.reason
    async with world.db.transaction() as tx:
        number = ids.read("file", over.output["file"])
        file = (await storage.find_files(tx, HOUSE, [number]))[number]
    content = await storage.read(world.files, file)
    text = b"".join([chunk async for chunk in content.chunks]).decode()
    assert text.startswith("# 반도체 / 주간\n")
    assert "반도체 관련 발표가 이어졌다" in text
    assert text.count("<https://news.example.com/") == 3
    assert (file.unit_id, file.name) == (world.tree.haeundae.id, f"{file.created_at:%Y%m%d}-반도체-주간.md")
    assert file.keep_until is not None


async def test_a_search_that_fails_for_good_fails_its_step_with_the_reason(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    await world.set(SEARCH, "feeds")

    run = await start(world, kim)
    await world.advance(hours=1)

    over = await look(world, run)
    assert (over.state, "search" in (over.reason or "")) == ("failed", True)


async def test_a_summary_waits_for_a_call_of_the_next_day(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    await world.set(CALLS_PER_DAY, 1)
    await start(world, kim)

    run = await start(world, kim)
    assert (await look(world, run)).state == "running"

    await world.advance(hours=25)
    assert (await look(world, run)).state == "done"


def test_a_report_says_titles_and_addresses_as_plain_lines():
    article = FoundArticle(title="AI\n# not a heading", link="https://a.example.com/\n1")
    given = ReportInput(title="../AI: 지난주", text="요약", articles=[article])

    now = datetime(2026, 3, 3, tzinfo=UTC)
    assert "- AI # not a heading <https://a.example.com/ 1>" in write_report(given, now)
    assert name_report(given, now) == "20260303-AI-지난주.md"
