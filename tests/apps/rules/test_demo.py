"""The demo of rules: a question waits for an answer, and whatever a visitor did goes with it."""

from pathlib import Path
from zoneinfo import ZoneInfo

from pabal.apps.rules import SLICE
from pabal.apps.rules.artifacts import FoundFile, Shelf
from pabal.apps.rules.model.rules import Rule, RuleRunState, RunReason, Trigger
from pabal.apps.rules.running import ScriptEnd
from pabal.apps.rules.store import rules
from pabal.base.database import Database
from pabal.platform import approvals, demo
from pabal.platform.actor import ENGINE
from pabal.platform.approvals import Verdict, Wanted
from pabal.platform.approvals import store as approval_store
from pabal.platform.slice import list_approvables, load_slices
from pabal.platform.storage import Files, store
from tests.support.rules import HOUSE, RulesWorld

SLICES = load_slices(["pabal.apps.rules"])


async def fill(db: Database) -> dict[str, Rule]:
    async with db.transaction() as tx:
        await demo._fill(tx, SLICES, ENGINE)
        return {one.name: one for one in (await rules.list_rules(tx, HOUSE)).items}


async def test_a_question_of_the_demo_waits_and_a_yes_runs_the_other_rule(world: RulesWorld):
    made = await fill(world.db)

    async with world.db.transaction() as tx:
        [asked] = await approval_store.list_approvals(tx, HOUSE, Wanted(("rules.request",), ("open",)), limit=5)
        await approvals.decide(tx, ENGINE, asked.id, approvables=list_approvables([SLICE]), verdict=Verdict.APPROVE)
    await world.drain()

    assert [run.trigger for run in await world.runs(made["원두 발주"])] == [Trigger.MANUAL]
    await demo.clear(world.db, SLICES, ENGINE)
    assert await _list_rules(world.db) == []


async def test_the_demo_s_rules_missed_nothing_but_what_it_shows_on_purpose(world: RulesWorld):
    made = await fill(world.db)

    await world.advance(minutes=1)

    by_rule = {name: await world.runs(rule) for name, rule in made.items()}
    missed = [(name, one.count) for name, found in by_rule.items() for one in found if one.reason is RunReason.MISSED]
    assert missed == [("아침 기사 요약", 1)]
    watched = by_rule["미국 주가 감시 · NVDA"]
    assert [one.state for one in watched[-12:]] == [RuleRunState.SUCCESS] * 12
    zone = ZoneInfo("Asia/Seoul")
    assert {one.scheduled_at.astimezone(zone).hour for one in watched} <= {23, 0, 1, 2, 3, 4, 5}
    [asking] = by_rule["원두 시세 확인"]
    assert asking.captured[0]["is_sent"]


async def test_files_of_a_visitors_run_are_released_with_the_demo(world: RulesWorld, tmp_path: Path):
    unit_id = (await fill(world.db))["환율 점검"].unit_id
    rule = await world.rule(execution_script_path="a.py", unit_id=unit_id)
    (tmp_path / "a.txt").write_text("made")
    found = [FoundFile("a.txt", tmp_path / "a.txt", "text/plain")]
    [kept] = await Shelf(world.db, Files(tmp_path / "files")).keep(unit_id, found)
    world.scripts.answers = [ScriptEnd(True, None, "", artifacts=[kept])]
    await world.advance(minutes=5)
    assert await _list_uses(world.db, kept["file"]) == [(await world.runs(rule))[0].about]

    await demo.clear(world.db, SLICES, ENGINE)

    assert await _list_uses(world.db, kept["file"]) == []


async def _list_rules(db: Database) -> list[Rule]:
    async with db.transaction() as tx:
        return (await rules.list_rules(tx, HOUSE)).items


async def _list_uses(db: Database, file_id: int) -> list[str]:
    async with db.transaction() as tx:
        return await store.list_uses(tx, file_id)
