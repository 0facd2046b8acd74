"""A rule of a user's own repository: its script runs at its moments, its files are kept, and Telegram tells."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal.apps.rules import artifacts
from pabal.apps.rules.actions import rules as actions
from pabal.apps.rules.actions.retention import Cleaning
from pabal.apps.rules.artifacts import Shelf
from pabal.apps.rules.model.rules import Rule, RuleRunState, Run, RunReason
from pabal.apps.rules.permissions import ScriptCeiling
from pabal.apps.rules.running import RepositoryScripts
from pabal.base.database import Database
from pabal.engine.kinds import merge
from pabal.platform.actor import ENGINE
from pabal.platform.storage import store
from pabal.testing import Parts, advance, drain
from tests.apps.rules.skills.test_choosing import put
from tests.support.rule_scripts import Repository, list_marked
from tests.support.rules import HOUSE, RulesWorld, make_rules
from tests.support.telegram import Office, open_office

WATCH = """
    print("looking at", payload["ticker"])
    quote = await context.source("quote")(ticker=payload["ticker"], price=payload["price"])
    context.artifact("report.csv", f"ticker,price\\n{quote['ticker']},{quote['price']}\\n")
    if quote["price"] >= payload["target"]:
        context.notify(f"{quote['ticker']} has reached {quote['price']}.")
    before = context.memory["price"] if context.memory else None
    return {"message": f"{quote['ticker']} {quote['price']}", "price": quote["price"], "before": before}
"""
PAYLOAD = {"ticker": "AAPL", "price": 512.5, "target": 500}
REACHED = {"path": "price", "op": ">=", "value_from": "target"}
TELL = [{"type": "telegram", "config": {"template": "{status_emoji} {rule_name}: {message}"}}]


@dataclass
class House:
    world: RulesWorld
    office: Office
    repository: Repository

    @property
    def parts(self) -> Parts:
        ours = self.world.parts
        kinds = merge([ours.kinds, self.office.parts.kinds])
        return Parts(self.world.db, kinds, machines=ours.machines, subscribers=ours.subscribers)

    async def rule(self, **given: Any) -> Rule:
        return await self.world.rule("애플", schedule="* * * * *", execution_script_path="check.py", **given)

    async def pass_minutes(self, minutes: int = 1) -> None:
        await advance(self.parts, timedelta(minutes=minutes))

    async def read_file(self, run: Run) -> tuple[str, str | None]:
        async with self.world.db.transaction() as tx:
            found = await artifacts.find_files(tx, HOUSE, run)
        [one] = await artifacts.show(self.office.files, run, found, {})
        return one.file.name, one.text


@pytest.fixture
async def house(db: Database, tmp_path: Path) -> AsyncIterator[House]:
    async with open_office(db, tmp_path) as office:
        world, repository = await make_rules(db), Repository(tmp_path / "scripts")
        shelf = Shelf(db, office.files)
        scripts = RepositoryScripts(repository.folder, tmp_path / "cache", shelf, ScriptCeiling())
        world.scripts = scripts  # type: ignore[assignment]  # the real one of the seam
        await put(db, quote_source="offline_quote")
        await office.add_channel(world.tree.haeundae)
        yield House(world, office, repository)


@pytest.mark.req("D-02", "D-24", "D-48", "D-49", "D-58")
async def test_a_script_runs_every_minute_and_telegram_tells(house: House):
    commit = house.repository.commit_body(WATCH)
    rule = await house.rule(payload=PAYLOAD, condition=REACHED, on_success=TELL)

    await house.pass_minutes(2)

    first, second = await house.world.runs(rule)
    assert (first.state, first.reason, first.met, first.exit_code) == (RuleRunState.SUCCESS, None, True, 0)
    assert (first.commit, first.dirty, first.log) == (commit, {}, "looking at AAPL")
    assert [run.data["before"] for run in (first, second) if run.data] == [None, 512.5]
    # the condition has a memory, and what the script says it says each time
    told = [text.split("\n")[0] for text in house.office.texts()]
    assert sum("✅ 애플: AAPL 512.5" in text for text in told) == 1
    assert sum("AAPL has reached 512.5." in text for text in told) == 2


async def test_an_uncommitted_file_runs_and_is_named(house: House):
    house.repository.commit_body(WATCH)
    house.repository.commit_body("return {'message': 'committed'}")
    house.repository.write("check.py", (house.repository.folder / "check.py").read_text().replace("committed", "new"))
    rule = await house.rule()

    await house.pass_minutes()

    [run] = await house.world.runs(rule)
    assert (run.log_summary, run.is_dirty, list(run.dirty)) == ("new", True, ["check.py"])


@pytest.mark.req("D-58")
async def test_a_script_that_hangs_ends_with_timeout_and_leaves_no_process(house: House):
    house.repository.commit_body("import asyncio\nprint('waiting', flush=True)\nawait asyncio.Event().wait()")
    rule = await house.rule(timeout_seconds=1, on_failure=TELL)

    await house.pass_minutes()

    [run] = await house.world.runs(rule)
    assert (run.state, run.reason, run.log) == (RuleRunState.FAILURE, RunReason.TIMEOUT, "waiting")
    assert list_marked(str(run.id)) == []
    assert any("❌ 애플" in text for text in house.office.texts())


async def test_a_script_that_raises_sends_nothing_but_what_its_rule_says(house: House):
    house.repository.commit_body("context.notify('never')\nraise ValueError('no price')")
    rule = await house.rule(on_failure=TELL)

    await house.pass_minutes()

    [run] = await house.world.runs(rule)
    assert (run.reason, "no price" in run.log_summary) == (RunReason.RAISED, True)
    assert [text for text in house.office.texts() if "never" in text] == []


async def test_a_dry_run_shows_what_would_have_been_sent(house: House):
    house.repository.commit_body(WATCH)
    rule = await house.rule(payload=PAYLOAD, on_success=TELL)
    async with house.world.db.transaction() as tx:
        await actions.dry_run(tx, ENGINE, rule.id)

    await drain(house.parts)

    [run] = await house.world.runs(rule)
    assert [(one["type"], one["is_sent"]) for one in run.captured] == [("telegram", False), ("notify", False)]
    assert run.captured[1]["text"] == "AAPL has reached 512.5."
    assert house.office.texts() == []
    assert (await house.read_file(run))[0] == "report.csv"


@pytest.mark.req("D-20", "D-75", "D-76")
async def test_a_file_is_kept_with_its_run_and_goes_with_it(house: House):
    house.repository.commit_body(WATCH)
    rule = await house.rule(payload=PAYLOAD)
    await house.pass_minutes()
    [run] = await house.world.runs(rule)
    [file] = [int(one["file"]) for one in run.artifacts]
    assert await house.read_file(run) == ("report.csv", "ticker,price\nAAPL,512.5\n")
    assert run.artifact_path == f"/api/v1/files/{run.artifacts[0]['id']}/content"

    async with house.world.db.transaction() as tx:
        assert await store.list_uses(tx, file) == [run.about]
        await actions.pause_rule(tx, ENGINE, rule.id)
    await house.pass_minutes(31 * 24 * 60)
    await Cleaning(house.world.db).run_once()

    async with house.world.db.transaction() as tx:
        assert await store.list_uses(tx, file) == []
