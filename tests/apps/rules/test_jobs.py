"""What a rule does at its moments, told from outside: time passes, and its runs are looked at."""

import asyncio
from dataclasses import asdict
from datetime import timedelta

import pytest

from pabal.apps.rules.actions import rules as actions
from pabal.apps.rules.actions.runs import cancel_run
from pabal.apps.rules.jobs import RunRule, RunToPerform
from pabal.apps.rules.lookups import LookedUp, Lookups
from pabal.apps.rules.machine import RULE_RUN
from pabal.apps.rules.model.rules import RUN, RuleRunState, RunReason, Trigger
from pabal.apps.rules.running import NoScripts, ScriptEnd
from pabal.apps.rules.skills.choosing import make_tools
from pabal.apps.rules.skills.startup import SkillsStartup
from pabal.base import clock
from pabal.base.sql import Statement
from pabal.engine import queue, ticks, withdrawals
from pabal.engine.misfires import Overlap
from pabal.engine.outcome import DONE, Fail
from pabal.engine.ticks import Ticks
from pabal.engine.transitions import history
from pabal.platform import notifications
from pabal.platform.actor import ENGINE
from pabal.testing import Parts, drain
from tests.apps.rules.skills.test_choosing import put
from tests.support.rules import ABOVE, QUOTE, RulesWorld, failed
from tests.support.work import begin_life, claim

SCRIPT = {"execution_script_path": "stock/check_price.py"}
EXTENSIONS = Statement("list_extensions", "select extname as name from pg_extension order by 1", ())


@pytest.mark.req("D-27")
async def test_a_rule_runs_at_the_minute_it_says_and_not_before(world: RulesWorld):
    """The clock begins half a minute past 10:20."""
    rule = await world.rule()
    due = rule.next_run_at
    await world.advance(minutes=4, seconds=29)
    early = await world.runs(rule)

    await world.advance(seconds=1)

    [run] = await world.runs(rule)
    assert (early, run.scheduled_at, run.scheduled_at.second) == ([], due, 0)


@pytest.mark.req("D-15", "D-46", "D-51", "D-57", "D-58")
async def test_at_its_moment_a_rule_reads_its_source_and_judges_its_condition(world: RulesWorld):
    rule = await world.rule(condition=ABOVE)

    await world.advance(minutes=5)

    [run] = await world.runs(rule)
    assert (run.state, run.reason, run.trigger, run.met) == (RuleRunState.SUCCESS, None, Trigger.SCHEDULE, True)
    assert run.checks == [{"path": "price", "op": ">=", "wanted": 500, "found": 512.5, "met": True}]
    assert run.data is not None
    assert (run.data["ticker"], run.data["price"], run.log_summary) == ("AAPL", 512.5, "AAPL 512.5 USD")
    assert run.finished_at is not None


@pytest.mark.req("D-52", "D-55", "D-59", "D-69", "D-81")
async def test_the_next_moment_is_there_before_the_run_has_ended(world: RulesWorld):
    rule = await world.rule()
    made, first = rule.created_at, rule.next_run_at
    assert first == made.replace(minute=made.minute // 5 * 5, second=0, microsecond=0) + timedelta(minutes=5)
    await clock.advance(world.db, first - made - timedelta(seconds=1))
    early = await ticks.tick_once(world.db)
    await clock.advance(world.db, timedelta(seconds=1))

    taken = await ticks.tick_once(world.db)

    assert (early, taken) == (0, 1)
    assert (await world.look(rule)).next_run_at == first + timedelta(minutes=5)
    assert await world.runs(rule) == []


@pytest.mark.req("D-52", "D-56", "D-59", "D-81")
async def test_the_server_s_own_loop_looks_within_a_minute_and_goes_by_the_next_run(world: RulesWorld):
    """Nobody calls tick: the loop rests until the moment in the column, and never a minute."""
    rule = await world.rule(schedule="30 * * * *")
    loop = Ticks(world.db)

    due, now = await loop.next_due()
    early = await loop.run_once()
    await clock.advance(world.db, timedelta(minutes=17))
    taken = await loop.run_once()
    await world.drain()

    assert (due, early, taken) == (rule.next_run_at, 0, 1)
    assert 0 < loop.rest_seconds() <= 60
    assert due is not None
    assert due - now < timedelta(minutes=10)
    [run] = await world.runs(rule)
    assert run.scheduled_at == due
    # seven minutes late, and still by the clock
    assert (await world.look(rule)).next_run_at == due + timedelta(hours=1)


async def test_runs_that_are_there_together_are_begun_and_ended_together_and_each_for_itself(world: RulesWorld):
    """One is gone, one fails for good, one is tried again: the others do not notice."""
    good = [await world.rule(condition=ABOVE, **SCRIPT, payload={"target": 500}) for _ in range(3)]
    gone, again = await world.rule("gone"), await world.rule("again", **SCRIPT, max_attempts=2)
    wrong = await world.rule("wrong", **SCRIPT)
    prices = [ScriptEnd(True, None, "done", {"price": price}) for price in (1, 2, 900)]
    world.scripts.answers = [*prices, failed(), failed()]
    await clock.advance(world.db, timedelta(minutes=5))
    await ticks.tick_once(world.db)
    async with world.db.transaction() as tx:
        await actions.delete_rule(tx, ENGINE, gone.id)
    handler = RunRule(world.lookups, world.scripts, world.db)
    jobs = await claim(world.db, await begin_life(world.db), RUN)

    async with world.db.transaction() as tx:
        prepared = await handler.prepare_all(tx, jobs)
    there = [(job, one) for job, one in zip(jobs, prepared, strict=True) if isinstance(one, RunToPerform)]
    performed = [(one, await handler.perform(job, one)) for job, one in there]
    async with world.db.transaction() as tx:
        outcomes = await handler.record_all(tx, performed)

    assert len(jobs) == len(there) + 1
    assert sorted(type(one).__name__ for one in outcomes) == ["Done", "Done", "Done", "Fail", "Retry"]
    assert [[run.met for run in await world.runs(one)] for one in good] == [[False], [False], [True]]
    assert [run.reason for run in await world.runs(wrong)] == [RunReason.SCRIPT_FAILED]
    assert [run.reason for run in await world.runs(again)] == [RunReason.RETRYING]


async def test_a_run_that_has_nobody_outside_to_ask_is_over_in_the_commit_that_begins_it(world: RulesWorld):
    """One is tried again, and one was begun before: they go the way of those that wait for an answer."""
    prices = [{"source": "offline_quote", "payload": {"ticker": "A", "price": n, "target": 500}} for n in (1, 2, 900)]
    rules = [await world.rule(condition=ABOVE, **one) for one in prices]
    wrong = await world.rule("wrong", source="offline_quote", payload={})
    again = await world.rule("again", source="offline_quote", payload={}, max_attempts=2)
    asked = await world.rule("asked", schedule="0 3 * * *")
    async with world.db.transaction() as tx:
        await actions.run_now(tx, ENGINE, asked.id)
    await clock.advance(world.db, timedelta(minutes=5))
    await ticks.tick_once(world.db)
    handler = RunRule(world.lookups, world.scripts, world.db)
    jobs = await claim(world.db, await begin_life(world.db), RUN)

    async with world.db.transaction() as tx:
        prepared = await handler.prepare_all(tx, jobs)

    by_rule = {job.args["rule"]: one for job, one in zip(jobs, prepared, strict=True)}
    assert [by_rule[one.number] for one in rules] == [DONE] * 3
    assert by_rule[wrong.number] == Fail("source_failed")
    assert all(isinstance(by_rule[one.number], RunToPerform) for one in (again, asked))
    assert [[run.met for run in await world.runs(one)] for one in rules] == [[False], [False], [True]]
    [ended], [open_run] = await world.runs(wrong), await world.runs(again)
    assert (ended.state, ended.reason) == (RuleRunState.FAILURE, RunReason.SOURCE_FAILED)
    assert (open_run.state, open_run.reason) == (RuleRunState.RUNNING, None)
    async with world.db.transaction() as tx:
        [begun] = await history(tx, RULE_RUN, ended.number)
    assert (begun.event, begun.source, begun.target) == ("begin", None, "failure")


async def test_a_run_that_is_over_at_once_is_the_same_as_one_that_had_to_wait(world: RulesWorld):
    """What was asked by hand takes the long way: both leave the same behind."""
    told = [{"type": "event", "config": {"name": "price.reached"}, "when": "always"}]
    rule = await world.rule(condition=ABOVE, on_success=told)

    await world.advance(minutes=5)
    async with world.db.transaction() as tx:
        await actions.run_now(tx, ENGINE, rule.id)
    await world.drain()

    at_once, by_hand = [asdict(one) for one in await world.runs(rule)]
    alike = set(at_once) - {"id", "number", "version", "trigger", "scheduled_at", "executed_at", "finished_at"}
    alike -= {"work_id", "requested_by"}
    assert {name: at_once[name] for name in alike} == {name: by_hand[name] for name in alike}
    assert at_once["executed_at"] == at_once["finished_at"]


async def test_of_two_runs_of_a_rule_that_end_together_the_second_remembers_the_first(world: RulesWorld):
    told = [{"type": "event", "config": {"name": "price.reached"}, "when": "changed"}]
    rule = await world.rule(condition=ABOVE, on_success=told, overlap=Overlap.ALLOW, **SCRIPT, payload={"target": 1})
    world.scripts.answers = [ScriptEnd(True, None, "done", {"price": 2}) for _ in range(2)]
    handler = RunRule(world.lookups, world.scripts, world.db)
    for _ in range(2):
        await clock.advance(world.db, timedelta(minutes=5))
        await ticks.tick_once(world.db)
    jobs = await claim(world.db, await begin_life(world.db), RUN)

    async with world.db.transaction() as tx:
        prepared = await handler.prepare_all(tx, jobs)
    performed = [(one, await handler.perform(job, one)) for job, one in zip(jobs, prepared, strict=True)]
    async with world.db.transaction() as tx:
        await handler.record_all(tx, performed)

    assert [[one["is_due"] for one in run.captured] for run in await world.runs(rule)] == [[True], [False]]
    assert (await world.look(rule)).last_met is True


@pytest.mark.req("D-53")
async def test_time_needs_no_extension_of_postgresql(world: RulesWorld):
    rule = await world.rule()
    async with world.db.transaction() as tx:
        assert [row["name"] for row in await tx.rows(EXTENSIONS)] == ["plpgsql"]

    await world.advance(minutes=5)

    assert len(await world.runs(rule)) == 1


@pytest.mark.req("D-56", "D-57", "D-60")
async def test_two_ticks_at_once_run_nothing_twice(world: RulesWorld):
    rule = await world.rule()
    await clock.advance(world.db, timedelta(minutes=5))

    await asyncio.gather(*(ticks.tick_once(world.db) for _ in range(5)))
    await world.drain()

    assert len(await world.runs(rule)) == 1


@pytest.mark.req("D-57")
async def test_only_what_is_due_and_active_is_taken(world: RulesWorld):
    due, paused, later = await world.rule(), await world.rule(is_active=False), await world.rule(schedule="0 23 * * *")
    await clock.advance(world.db, timedelta(minutes=5))

    assert await ticks.tick_once(world.db) == 1
    await world.drain()

    assert [len(await world.runs(one)) for one in (due, paused, later)] == [1, 0, 0]


@pytest.mark.req("D-58")
async def test_a_script_is_given_its_payload_and_what_its_source_said(world: RulesWorld):
    rule = await world.rule(**QUOTE, **SCRIPT)
    world.scripts.answers = [
        ScriptEnd(
            True, None, "5개 기사 요약 완료", {"n": 5}, exit_code=0, commit="4f1c2e9", log="line", dirty={"a.py": "12"}
        )
    ]

    await world.advance(minutes=5)

    [run] = await world.runs(rule)
    [call] = world.scripts.calls
    assert (call.script, call.payload, call.run_id) == ("stock/check_price.py", QUOTE["payload"], str(run.id))
    assert call.context["data"]["price"] == 512.5
    assert (run.log_summary, run.exit_code, run.commit, run.log) == ("5개 기사 요약 완료", 0, "4f1c2e9", "line")
    assert (run.artifact_path, run.data, run.is_dirty, run.dirty) == (None, {"n": 5}, True, {"a.py": "12"})


@pytest.mark.req("D-72")
async def test_a_failed_attempt_is_tried_again_and_the_last_one_counts(world: RulesWorld):
    rule = await world.rule(**SCRIPT, schedule="0 12 * * *", max_attempts=3, retry_seconds=30)
    world.scripts.answers = [failed(), failed()]
    async with world.db.transaction() as tx:
        await actions.run_now(tx, ENGINE, rule.id)

    await world.drain()
    [run] = await world.runs(rule)
    assert (run.state, run.reason, run.attempt, run.finished_at) == (RuleRunState.RUNNING, RunReason.RETRYING, 1, None)
    await world.advance(seconds=30)
    await world.advance(seconds=30)

    [run] = await world.runs(rule)
    assert (run.state, run.reason, run.attempt) == (RuleRunState.SUCCESS, None, 3)
    assert len(world.scripts.calls) == 3


@pytest.mark.req("D-72")
async def test_what_fails_to_the_end_is_a_failure_with_its_reason(world: RulesWorld):
    rule = await world.rule(**SCRIPT)
    world.scripts.answers = [failed("no answer in 30 s")]

    await world.advance(minutes=5)

    [run] = await world.runs(rule)
    assert (run.state, run.reason, run.exit_code) == (RuleRunState.FAILURE, RunReason.SCRIPT_FAILED, 1)
    assert run.log_summary == "no answer in 30 s"


async def test_a_server_without_scripts_says_so(world: RulesWorld):
    rule = await world.rule(**SCRIPT)
    world.scripts = NoScripts()  # type: ignore[assignment]  # the other one of the seam

    await world.advance(minutes=5)

    [run] = await world.runs(rule)
    assert (run.state, run.reason) == (RuleRunState.FAILURE, RunReason.SCRIPTS_OFF)


@pytest.mark.req("D-97")
async def test_a_source_that_does_not_answer_is_a_failure_and_not_the_end_of_the_rule(world: RulesWorld):
    rule = await world.rule(source="offline_quote", payload={})

    await world.advance(minutes=10)

    assert [run.reason for run in await world.runs(rule)] == [RunReason.SOURCE_FAILED] * 2
    assert (await world.look(rule)).next_run_at is not None


async def test_a_source_that_takes_too_long_is_stopped(world: RulesWorld):
    class Slow(Lookups):
        async def ask(self, *_: object, **__: object) -> LookedUp:
            await asyncio.Event().wait()
            raise AssertionError

    rule = await world.rule(timeout_seconds=1)
    world.lookups = Slow(make_tools(SkillsStartup()))

    await world.advance(minutes=5)

    [run] = await world.runs(rule)
    assert (run.state, run.reason) == (RuleRunState.FAILURE, RunReason.TIMEOUT)


@pytest.mark.req("D-98")
async def test_after_a_night_off_it_runs_once_and_what_was_missed_is_recorded(world: RulesWorld):
    rule = await world.rule(schedule="0 * * * *")

    await clock.advance(world.db, timedelta(hours=8))
    await world.drain()

    found = await world.runs(rule)
    assert [run.reason for run in found].count(RunReason.MISSED) == 7
    assert [run.state for run in found if run.reason is None] == [RuleRunState.SUCCESS]


async def test_all_that_was_missed_is_run_up_to_a_number(world: RulesWorld):
    rule = await world.rule(schedule="0 * * * *", misfire="run_all", misfire_max=3, overlap=Overlap.ALLOW)

    await clock.advance(world.db, timedelta(hours=8))
    await world.drain()

    found = await world.runs(rule)
    assert sum(run.state is RuleRunState.SUCCESS for run in found) == 3
    assert sum(run.reason is RunReason.MISSED for run in found) == 5


async def test_a_moment_while_the_run_before_goes_on_is_skipped_and_recorded(world: RulesWorld):
    async def five_minutes_pass() -> None:
        await clock.advance(world.db, timedelta(minutes=5))
        await ticks.tick_once(world.db)

    class Long:
        async def run(self, *_: object, **__: object) -> ScriptEnd:
            await five_minutes_pass()
            return ScriptEnd(True, None, "done")

    rule = await world.rule(**SCRIPT)
    world.scripts = Long()  # type: ignore[assignment]  # the other one of the seam
    await clock.advance(world.db, timedelta(minutes=5))

    await drain(Parts(world.db, world.parts.kinds))

    assert [run.reason for run in await world.runs(rule)] == [None, RunReason.SKIPPED_OVERLAP]


@pytest.mark.parametrize(
    ("overlap", "begins", "open_jobs", "stop"),
    [
        (Overlap.SKIP, 0, 1, None),
        (Overlap.QUEUE, 0, 2, None),
        (Overlap.ALLOW, 1, 2, None),
        (Overlap.CANCEL_PREVIOUS, 0, 2, "cancel"),
    ],
)
async def test_what_becomes_of_a_moment_while_the_run_before_goes_on_is_the_rule_s_to_say(
    world: RulesWorld, overlap: Overlap, begins: int, open_jobs: int, stop: str | None
):
    rule, worker = await world.rule(**SCRIPT, overlap=overlap), await begin_life(world.db)
    await clock.advance(world.db, timedelta(minutes=5))
    await ticks.tick_once(world.db)
    [first] = await claim(world.db, worker, RUN)

    await clock.advance(world.db, timedelta(minutes=5))
    await ticks.tick_once(world.db)
    await withdrawals.obey_once(world.db, world.parts.kinds)

    assert len(await claim(world.db, worker, RUN)) == begins
    async with world.db.transaction() as tx:
        found, place = await queue.find_open(tx, about=rule.about), await queue.find_place(tx, first.id)
    assert place is not None
    assert (len(found), place.stop) == (open_jobs, stop)


async def test_a_paused_rule_runs_by_hand_only_and_makes_nothing_up(world: RulesWorld):
    rule = await world.rule()
    async with world.db.transaction() as tx:
        await actions.pause_rule(tx, ENGINE, rule.id)

    await world.advance(minutes=30)
    assert await world.runs(rule) == []
    async with world.db.transaction() as tx:
        await actions.run_now(tx, ENGINE, rule.id)
    await world.drain()
    async with world.db.transaction() as tx:
        await actions.resume_rule(tx, ENGINE, rule.id)
    await world.drain()

    assert [run.trigger for run in await world.runs(rule)] == [Trigger.MANUAL]
    await world.advance(minutes=5)
    assert [run.trigger for run in await world.runs(rule)] == [Trigger.MANUAL, Trigger.SCHEDULE]


@pytest.mark.req("D-02", "D-06")
async def test_somebody_is_told_when_the_condition_changes_and_not_every_five_minutes(world: RulesWorld):
    told = {"type": "telegram", "config": {"template": "{ticker} {price} {missing}"}}
    rule = await world.rule(condition=ABOVE, on_success=[told])

    await world.advance(minutes=20)

    found = await world.runs(rule)
    assert [run.captured[0]["is_due"] for run in found] == [True, False, False, False]
    assert found[0].captured[0]["text"] == "AAPL 512.5 {missing}"
    async with world.db.transaction() as tx:
        notices = await notifications.list_notifications(tx, ENGINE)
    assert [one.name for one in notices] == ["rules.run_ended"]


async def test_a_failure_tells_whom_it_concerns(world: RulesWorld):
    rule = await world.rule(**SCRIPT, on_failure={"type": "log", "config": {"template": "{status_emoji} {message}"}})
    world.scripts.answers = [failed("boom")]

    await world.advance(minutes=5)

    [run] = await world.runs(rule)
    assert run.captured == [{"type": "log", "is_sent": True, "text": "❌ boom", "is_due": True}]


async def test_a_dry_run_sends_nothing_remembers_nothing_and_shows_what_it_would_have_sent(world: RulesWorld):
    told = [{"type": "telegram", "config": {}}, {"type": "event", "config": {"name": "price.reached"}}]
    rule = await world.rule(condition=ABOVE, on_success=told)
    async with world.db.transaction() as tx:
        made = await actions.dry_run(tx, ENGINE, rule.id)

    await world.drain()

    [run] = await world.runs(rule)
    assert (run.id, run.is_dry, run.state, run.met) == (made.id, True, RuleRunState.SUCCESS, True)
    assert [(one["is_due"], one["is_sent"]) for one in run.captured] == [(True, False), (True, False)]
    assert (await world.look(rule)).last_met is None
    async with world.db.transaction() as tx:
        assert await notifications.list_notifications(tx, ENGINE) == []


async def test_a_run_that_waits_is_cancelled_and_says_so(world: RulesWorld):
    rule = await world.rule()
    async with world.db.transaction() as tx:
        run = await actions.run_now(tx, ENGINE, rule.id)
        assert (run.state, run.reason) == (RuleRunState.RUNNING, RunReason.WAITING)
        await cancel_run(tx, ENGINE, run.id)

    await world.drain()

    [run] = await world.runs(rule)
    assert (run.state, run.reason) == (RuleRunState.FAILURE, RunReason.CANCELLED)


async def test_a_deleted_rule_runs_no_more_and_its_runs_stay(world: RulesWorld):
    rule = await world.rule()
    await world.advance(minutes=5)
    async with world.db.transaction() as tx:
        await actions.delete_rule(tx, ENGINE, rule.id)

    await world.advance(minutes=30)

    assert len(await world.runs(rule)) == 1


@pytest.mark.req("D-05", "D-09")
async def test_articles_on_a_topic_are_summarised_and_told_and_the_run_keeps_what_that_cost(world: RulesWorld):
    await put(world.db, search="offline", running_price_in="1000")
    told = {"type": "log", "config": {"template": "{topic}: {summary}"}}
    rule = await world.rule(source="news_summary", payload={"topic": "AI"}, on_success=[told])

    await world.advance(minutes=5)

    [run] = await world.runs(rule)
    assert run.data is not None
    assert (run.data["count"], run.log_summary) == (4, "AI: 4")
    assert run.captured[0]["text"].startswith("AI: AI")
    assert run.tokens > 0
    assert run.cost == float(run.data["cost"]) > 0


async def test_made_up_articles_need_no_network_and_no_call_of_the_day(world: RulesWorld):
    await put(world.db, llm_calls_per_day="1")
    rule = await world.rule(source="offline_news", payload={"topic": "AI", "lang": "en"})

    await world.advance(minutes=10)

    assert [(run.state, run.log_summary) for run in await world.runs(rule)] == [(RuleRunState.SUCCESS, "AI: 4")] * 2


@pytest.mark.req("D-09")
async def test_when_the_day_s_calls_are_used_up_a_run_waits_until_there_is_one_again(world: RulesWorld):
    await put(world.db, search="offline", llm_calls_per_day="1")
    rule = await world.rule(source="news_summary", payload={"topic": "AI"}, overlap=Overlap.ALLOW)

    await world.advance(minutes=10)

    first, second = await world.runs(rule)
    assert (first.state, second.state, second.reason) == (
        RuleRunState.SUCCESS,
        RuleRunState.RUNNING,
        RunReason.WAITING,
    )
    async with world.db.transaction() as tx:
        await actions.pause_rule(tx, ENGINE, rule.id)
    await world.advance(days=1)
    assert (await world.runs(rule))[1].state is not RuleRunState.RUNNING


async def test_a_model_s_program_that_is_not_set_up_is_said_by_the_run(world: RulesWorld):
    await put(world.db, search="offline", llm="command")
    rule = await world.rule(source="news_summary", payload={"topic": "AI"})

    await world.advance(minutes=5)

    [run] = await world.runs(rule)
    assert (run.state, run.reason) == (RuleRunState.FAILURE, RunReason.SOURCE_FAILED)
    assert "PABAL_RULES_LLM_COMMAND" in run.log_summary


async def test_whatever_a_script_answers_its_run_ends(world: RulesWorld):
    told = {"type": "log", "config": {"template": "{odd} {message}"}}
    rule = await world.rule(**SCRIPT, on_success=[told])
    odd = {"odd": "a\0\ud800", "number": float("nan"), "object": object}
    world.scripts.answers = [ScriptEnd(True, None, "m\0", odd, log="l\0\ud800")]

    await world.advance(minutes=5)

    [run] = await world.runs(rule)
    assert (run.state, run.log_summary, run.log) == (RuleRunState.SUCCESS, "m", "l?")
    assert run.data is not None
    assert (run.data["odd"], run.data["number"]) == ("a?", None)
    assert run.captured[0]["text"] == "a? m"
