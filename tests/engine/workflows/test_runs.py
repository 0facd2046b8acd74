"""Runs: steps in their order, what they give, waits, failures, compensations, and what people may do to them."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine.workflows import definitions, listing, signals
from pabal.engine.workflows.mistakes import WorkflowRefused
from pabal.engine.workflows.model import DEEPEST, LARGEST_OUTPUT, LARGEST_RUN, MOST_ITEMS, MOST_OPENED
from pabal.engine.workflows.runs import RunGoesOn, RunNotFound, RunOver, StepOver
from pabal.engine.workflows.schema import Schema
from pabal.engine.workflows.step_kinds import StepCall, StepFailed, StepKind, StepKinds
from pabal.engine.workflows.writing import BadRunInput
from tests.support.flows import OWNER, House, Works, flowing, timer_loop
from tests.support.servers import until

SQL = load(__file__)
pytestmark = pytest.mark.req("D-33")


@pytest.fixture
def works() -> Works:
    return Works()


@pytest.fixture
async def house(db: Database, works: Works, tmp_path: Path) -> AsyncIterator[House]:
    async with flowing(db, works, tmp_path / "locks") as (house, _):
        yield house


def flow(*steps: str, **more: str) -> str:
    head = "\n".join(f"{name}: {value}" for name, value in more.items())
    return f"name: a\n{head}\nsteps:\n" + "\n".join(f"  - {{{step}}}" for step in steps)


@pytest.mark.req("D-18")
async def test_steps_run_in_their_order_and_see_what_came_before(house: House, works: Works):
    run = await house.start(
        flow(
            "name: one, kind: test.do, input: {x: {from: input.n}}",
            "name: two, kind: test.write, input: {x: {from: steps.one.got.x}, t: {text: 'is {input.n}'}}",
            "name: three, kind: test.do, input: {all: {from: steps.two}}",
            input="{n: {type: integer, default: 7}}",
            output="{end: {from: steps.three.got.all.got.t}}",
        )
    )

    over = await house.until_over(run)

    assert (over.state, over.output, works.names()) == ("done", {"end": "is 7"}, ["one", "two", "three"])
    assert await house.steps(run) == {"one": "done", "two": "done", "three": "done"}


@pytest.mark.req("D-18")
async def test_a_step_waits_for_all_it_needs_and_branches_run_side_by_side(house: House, works: Works):
    left, right = works.hold("left"), works.hold("right")
    run = await house.start(
        flow(
            "name: left, kind: test.do, needs: []",
            "name: right, kind: test.do, needs: []",
            "name: both, kind: test.do, needs: [left, right]",
        )
    )
    await until(lambda: len(works.calls) == 2)
    left.set()
    await house.until_step(run, "left", "done")
    assert "both" not in await house.steps(run)

    right.set()
    over = await house.until_over(run)

    assert (over.state, works.names()[-1], len(works.done)) == ("done", "both", 3)


@pytest.mark.req("D-18")
async def test_a_step_whose_condition_is_not_met_is_skipped_and_the_rest_goes_on(house: House, works: Works):
    run = await house.start(
        flow(
            "name: one, kind: test.do, when: {path: input.n, op: '>', value: 5}",
            "name: two, kind: test.do, input: {x: {from: steps.one.got}}",
            input="{n: integer}",
        ),
        n=3,
    )

    await house.until_over(run)

    assert await house.steps(run) == {"one": "skipped", "two": "done"}
    assert works.calls[0].input == {"x": None}


async def test_a_step_runs_for_each_item_and_gives_the_list(house: House, works: Works):
    works.answers["each"] = lambda call: {"twice": call.input["x"] * 2}
    run = await house.start(
        flow(
            "name: each, kind: test.do, for_each: {from: input.all}, input: {x: {from: item}}",
            "name: sum, kind: test.do, input: {list: {from: steps.each}, second: {from: steps.each.1.twice}}",
            "name: none, kind: test.do, for_each: []",
            input="{all: list}",
        ),
        all=list(range(30)),
    )

    await house.until_over(run)

    told = next(call.input for call in works.calls if call.step == "sum")
    assert told == {"list": [{"twice": 2 * n} for n in range(30)], "second": 2}
    assert (await house.steps(run))["none"] == "done"


@pytest.mark.parametrize("number", [0, 1, 3])
async def test_the_list_that_items_gave_is_kept_as_a_list(house: House, works: Works, number: int):
    """Whoever goes on with the run after a crash knows only what is kept."""
    works.answers["each"] = lambda call: {"n": call.item}
    run = await house.start(
        flow("name: each, kind: test.do, for_each: {from: input.all}", "name: end, kind: test.do", input="{all: list}"),
        all=list(range(number)),
    )

    await house.until_over(run)

    async with house.db.transaction() as tx:
        kept = {(one.name, one.item): one.output for one in await listing.list_steps(tx, run)}
    assert kept["each", -1] == [{"n": n} for n in range(number)]


async def test_a_failed_item_may_be_skipped(house: House, works: Works):
    works.answers["each"] = lambda call: StepFailed("no", is_final=True) if call.item == 1 else {"n": call.item}
    run = await house.start(
        flow(
            "name: each, kind: test.do, for_each: [a, b, c], on_error: skip",
            "name: end, kind: test.do",
            output="{all: {from: steps.each}}",
        )
    )

    over = await house.until_over(run)

    assert (over.state, over.output) == ("done", {"all": [{"n": 0}, None, {"n": 2}]})


async def test_a_failed_step_is_tried_again_after_its_time_and_then_fails_the_run(
    house: House, works: Works, db: Database
):
    works.answers["one"] = lambda call: ValueError(f"attempt {call.attempt}")
    run = await house.start(flow("name: one, kind: test.do, retries: 2, retry_after: 10s", "name: two, kind: test.do"))

    async def attempts() -> list[int]:
        async with db.transaction() as tx:
            return [note.data["attempt"] for note in await listing.list_notes(tx, run)]

    async def until_noted(count: int) -> None:
        async def is_so() -> bool:
            return len(await attempts()) == count

        await until(is_so)

    # it stays "retrying" from its first failure on, so what is waited for is the note of each
    for count in (1, 2):
        await until_noted(count)
        await _move(db, 100)

    over = await house.until_over(run)

    assert (over.state, over.reason) == ("failed", "one: ValueError: attempt 3")
    assert await house.steps(run) == {"one": "failed"}
    assert await attempts() == [1, 2]


async def test_the_key_of_a_step_is_the_same_in_every_attempt_also_where_the_clock_moved_as_it_was_opened(
    house: House, works: Works, db: Database
):
    async def move(tx: Tx, call: StepCall) -> dict[str, str]:
        await tx.run(clock.SQL.advance, by=timedelta(seconds=5))
        return {}

    works.kinds.add(StepKind("test.move", 1, act=move))
    works.answers["two"] = lambda call: StepFailed("not yet") if call.attempt == 1 else {}
    run = await house.start(flow("name: one, kind: test.move", "name: two, kind: test.do, retries: 1"))
    await house.until_step(run, "two", "retrying")
    await _move(db, 100)

    await house.until_over(run)

    first, second = [call.key for call in works.calls]
    assert first == second


async def test_a_wait_for_a_time_ends_at_its_moment(house: House, works: Works, db: Database):
    run = await house.start(flow("name: pause, wait: {for: 1h}", "name: two, kind: test.do"))
    await house.until_step(run, "pause", "waiting")

    await _move(db, 3601)

    assert (await house.until_over(run)).state == "done"
    assert works.names() == ["two"]


async def test_a_wait_for_a_moment_from_the_input(house: House, db: Database):
    run = await house.start(
        flow("name: pause, wait: {until: {from: input.at}}", input="{at: string}"), at="2026-11-17T12:00:00+09:00"
    )
    await house.until_step(run, "pause", "waiting")

    await _move(db, 7200)

    assert (await house.until_over(run)).state == "done"


async def test_an_event_with_the_right_key_lets_a_run_go_on(house: House, db: Database):
    run = await house.start(
        flow(
            "name: paid, wait: {event: order.paid, key: {from: input.order}}",
            input="{order: string}",
            output="{sum: {from: steps.paid.sum}}",
        ),
        order="o7",
    )
    await house.until_step(run, "paid", "waiting")

    told = [signals.event_signal("order.paid", key) for key in ("o8", "o7")]
    assert await house.do(signals.find_awaited, told) == told[1:]
    assert await house.do(signals.send, signals.event_signal("order.paid", "o8"), {"sum": 1}) == 0
    assert await house.do(signals.send, signals.event_signal("order.paid", "o7"), {"sum": 2}) == 1

    over = await house.until_over(run)
    assert (over.state, over.output) == ("done", {"sum": 2})


async def test_a_signal_that_comes_before_the_wait_is_kept_for_its_run(house: House, works: Works):
    gate = works.hold("one")
    run = await house.start(flow("name: one, kind: test.do", "name: paid, wait: {event: paid}"))
    await until(lambda: works.calls)
    await house.do(signals.send_to_run, run, signals.event_signal("paid"), {"sum": 3})

    gate.set()

    assert (await house.until_over(run)).state == "done"


async def test_an_event_that_does_not_come_in_time_fails_the_step(house: House, db: Database):
    run = await house.start(flow("name: paid, wait: {event: paid}, time_limit: 5m, on_error: skip"))
    await house.until_step(run, "paid", "waiting")

    await _move(db, 301)

    assert (await house.until_over(run)).state == "done"
    assert await house.steps(run) == {"paid": "skipped"}
    assert await house.do(signals.send, signals.event_signal("paid"), {}) == 0


async def test_what_a_kind_asked_for_is_answered_by_a_signal(house: House, works: Works):
    run = await house.start(flow("name: ask, kind: test.ask", output="{said: {from: steps.ask.word}}"))
    await house.until_step(run, "ask", "waiting")

    await house.do(signals.send, f"ask:{run}:ask:None", {"word": "yes"})

    assert (await house.until_over(run)).output == {"said": "yes"}


async def test_a_kind_may_read_a_signal_as_a_failure(house: House, works: Works):
    run = await house.start(flow("name: ask, kind: test.ask", "name: two, kind: test.do"))
    await house.until_step(run, "ask", "waiting")

    await house.do(signals.send, f"ask:{run}:ask:None", {"no": True})

    assert (await house.until_over(run)).reason == "ask: no"


async def test_a_run_waits_for_another_workflow_and_gets_what_it_gave(house: House, works: Works):
    await house.save(
        "name: inner\ninput: {n: integer}\nsteps:\n  - {name: one, kind: test.do}\noutput: {m: {from: input.n}}"
    )
    run = await house.start(
        flow("name: other, wait: {workflow: inner}, input: {n: 5}", output="{m: {from: steps.other.m}}")
    )

    over = await house.until_over(run)

    assert (over.state, over.output) == ("done", {"m": 5})


async def test_workflows_start_each_other_only_so_deep(house: House, works: Works):
    run = await house.start(flow("name: one, kind: test.do", "name: other, wait: {workflow: a}"))

    over = await house.until_over(run)

    assert (over.state, over.reason) == ("failed", "other: a ended as failed")
    async with house.db.transaction() as tx:
        deepest, *above = (await listing.list_runs(tx, listing.WantedRuns(None))).items
    assert [one.parent_id for one in (deepest, *above)] == [one.id for one in above] + [None]
    assert len(above) == DEEPEST, "so many below the first, and not one more"
    assert deepest.reason == f"other: workflows start each other {DEEPEST} deep at most"
    assert works.names() == ["one"] * (DEEPEST + 1)


async def test_a_workflow_that_is_over_as_soon_as_it_begins_is_waited_for_by_nobody_for_ever(
    house: House, works: Works
):
    never = flow("name: never, kind: test.do, when: {path: run.id, op: '<', value: 0}")
    await house.save(never.replace("name: a\n", "name: quick\n"))
    run = await house.start(flow("name: other, wait: {workflow: quick}", "name: after, kind: test.do"))

    over = await house.until_over(run)

    assert over.state == "done"
    assert works.names() == ["after"]


async def test_an_input_whose_only_name_is_text_or_from_is_an_input_like_any_other(house: House, works: Works):
    step = "name: one, kind: test.do, input: {text: {from: input.text}}"
    run = await house.start(flow(step, input="{text: {type: string, required: true}}"), text="{input.text}")

    await house.until_over(run)

    assert works.calls[0].input == {"text": "{input.text}"}, "what somebody gave is no sentence of ours"
    with pytest.raises(BadRunInput):
        await house.start(flow(step, input="{text: {type: string, required: true}}"), **{"from": "steps.one"})


async def test_a_workflow_that_is_not_there_is_a_mistake(house: House):
    with pytest.raises(WorkflowRefused, match="no workflow named nobody"):
        await house.save(flow("name: other, wait: {workflow: nobody}"))


async def test_a_failure_takes_back_what_was_done_last_first(house: House, works: Works):
    works.answers["three"] = lambda call: StepFailed("broken", is_final=True)
    run = await house.start(
        flow(
            "name: one, kind: test.do, compensate: {kind: test.write, input: {of: {from: steps.one.got}}}",
            "name: each, kind: test.do, for_each: [x, y], compensate: {kind: test.write, input: {of: {from: item}}}",
            "name: two, kind: test.do",
            "name: three, kind: test.do, on_error: compensate",
            "name: four, kind: test.do",
        )
    )

    over = await house.until_over(run)

    undone = works.calls[-3:]
    assert (over.state, over.reason) == ("failed", "three: broken")
    assert [call.step for call in undone] == ["each", "each", "one"]
    assert {call.input["of"] for call in undone[:2]} == {"x", "y"}
    assert undone[2].input == {"of": {}}
    assert (await house.steps(run))["undo one"] == "done"


async def test_a_compensation_that_fails_leaves_the_others_to_be_done(house: House, works: Works, db: Database):
    works.answers["three"] = lambda call: StepFailed("broken", is_final=True)
    works.answers["two"] = lambda call: {} if call.key.count("undo") == 0 else StepFailed("cannot", is_final=True)
    run = await house.start(
        flow(
            "name: one, kind: test.do, compensate: {kind: test.do}",
            "name: two, kind: test.do, compensate: {kind: test.do}",
            "name: three, kind: test.do, on_error: compensate",
        )
    )

    assert (await house.until_over(run)).state == "failed"

    steps = await house.steps(run)
    assert (steps["undo two"], steps["undo one"]) == ("failed", "done")


async def test_a_paused_run_begins_nothing_until_it_is_resumed(house: House, works: Works):
    gate = works.hold("one")
    run = await house.start(flow("name: one, kind: test.do", "name: two, kind: test.do"))
    await until(lambda: works.calls)
    await house.do(house.runs.pause, run, actor=OWNER)
    gate.set()
    await house.until_step(run, "two", "ready")
    assert works.names() == ["one"]

    await house.do(house.runs.resume, run, actor=OWNER)

    assert (await house.until_over(run)).state == "done"


async def test_what_comes_due_in_a_paused_run_waits_until_it_is_resumed(house: House, works: Works, db: Database):
    works.answers["one"] = lambda call: StepFailed("not yet") if call.attempt == 1 else {}
    run = await house.start(flow("name: one, kind: test.do, retries: 1"))
    await house.until_step(run, "one", "retrying")
    await house.do(house.runs.pause, run, actor=OWNER)
    await _move(db, 100)
    await house.until_step(run, "one", "ready")
    assert len(works.calls) == 1

    await house.do(house.runs.resume, run, actor=OWNER)

    assert (await house.until_over(run)).state == "done"
    assert len(works.calls) == 2


async def test_a_run_that_ended_its_last_step_while_paused_is_over_when_resumed(house: House, works: Works):
    gate = works.hold("one")
    run = await house.start(flow("name: one, kind: test.do"))
    await until(lambda: works.calls)
    await house.do(house.runs.pause, run, actor=OWNER)
    gate.set()
    await house.until_step(run, "one", "done")

    await house.do(house.runs.resume, run, actor=OWNER)

    assert (await house.run(run)).state == "done"


async def test_cancelling_stops_what_runs_and_takes_back_what_was_done(house: House, works: Works):
    works.hold("two")
    run = await house.start(flow("name: one, kind: test.do, compensate: {kind: test.do}", "name: two, kind: test.do"))
    await until(lambda: len(works.calls) == 2)

    await house.do(house.runs.cancel, run, actor=OWNER, reason="enough")

    over = await house.until_over(run)
    assert (over.state, over.reason) == ("cancelled", "enough")
    assert await house.steps(run) == {"one": "done", "two": "cancelled", "undo one": "done"}
    with pytest.raises(RunOver):
        await house.do(house.runs.cancel, run, actor=OWNER, reason="again")


async def test_cancelling_ends_waits_and_children_and_takes_back_what_was_asked(house: House, works: Works):
    await house.save("name: inner\nsteps:\n  - {name: ask, kind: test.ask}\n")
    run = await house.start(
        flow("name: other, wait: {workflow: inner}, needs: []", "name: mine, kind: test.ask, needs: []")
    )
    await house.until_step(run, "mine", "waiting")
    await until(lambda: len(works.calls) == 2)

    await house.do(house.runs.cancel, run, actor=OWNER, reason="enough")

    assert (await house.until_over(run)).state == "cancelled"
    await until(lambda: sorted(works.released) == ["ask", "mine"])
    async with house.db.transaction() as tx:
        [child] = [one for one in (await listing.list_runs(tx, listing.WantedRuns(None))).items if one.name == "inner"]
    assert (await house.until_over(child.id)).state == "cancelled"


async def test_a_failed_run_goes_on_from_a_step(house: House, works: Works):
    works.answers["two"] = lambda call: StepFailed("broken", is_final=True)
    run = await house.start(flow("name: one, kind: test.do", "name: two, kind: test.do", "name: three, kind: test.do"))
    assert (await house.until_over(run)).state == "failed"
    del works.answers["two"]

    await house.do(house.runs.retry_from, run, "two", actor=OWNER)

    assert (await house.until_over(run)).state == "done"
    assert works.names() == ["one", "two", "three"]
    with pytest.raises(RunGoesOn):
        await house.do(house.runs.retry_from, run, "two", actor=OWNER)


async def test_what_was_taken_back_is_done_again_when_the_run_is_retried(house: House, works: Works):
    works.answers["last"] = lambda call: StepFailed("broken", is_final=True)
    run = await house.start(
        flow(
            "name: first, kind: test.do, compensate: {kind: test.do}",
            "name: last, kind: test.do, on_error: compensate",
        )
    )
    assert (await house.until_over(run)).state == "failed"
    del works.answers["last"]

    await house.do(house.runs.retry_from, run, "last", actor=OWNER)

    assert (await house.until_over(run)).state == "done"
    assert works.names() == ["first", "first", "first", "last"], "done, taken back, and done again"


async def test_after_a_retry_what_was_done_last_is_still_taken_back_first(house: House, works: Works):
    aside, last = works.hold("aside"), works.hold("last")
    undone = "kind: test.do, compensate: {kind: test.do}"
    run = await house.start(
        flow(
            f"name: one, {undone}, needs: []",
            f"name: two, {undone}",
            f"name: aside, {undone}, needs: []",
            "name: last, kind: test.do, needs: [two, aside], on_error: compensate",
        )
    )
    await house.until_step(run, "two", "done")
    aside.set()
    await house.until_step(run, "last", "running")
    await house.do(house.runs.cancel, run, actor=OWNER, reason="again", compensates=False)
    await house.until_state(run, "cancelled")
    works.answers["last"] = lambda call: StepFailed("broken", is_final=True)
    last.set()

    await house.do(house.runs.retry_from, run, "one", actor=OWNER)

    assert (await house.until_over(run)).state == "failed"
    assert [call.step for call in works.calls[-3:]] == ["two", "one", "aside"]


async def test_a_person_who_skips_a_step_takes_back_what_it_asked_for(house: House, works: Works):
    run = await house.start(flow("name: ask, kind: test.ask", "name: two, kind: test.do"))
    await house.until_step(run, "ask", "waiting")

    await house.do(house.runs.skip_step, run, "ask", actor=OWNER, reason="nobody is there")

    assert (await house.until_over(run)).state == "done"
    assert works.released == ["ask"]


async def test_a_person_skips_a_step_that_waits_with_a_reason(house: House, works: Works, db: Database):
    run = await house.start(flow("name: paid, wait: {event: paid}", "name: two, kind: test.do"))
    await house.until_step(run, "paid", "waiting")

    await house.do(house.runs.skip_step, run, "paid", actor=OWNER, reason="paid in cash")

    assert (await house.until_over(run)).state == "done"
    assert (await house.steps(run))["paid"] == "skipped"
    async with db.transaction() as tx:
        [note] = await listing.list_notes(tx, run)
    assert (note.what, note.actor, note.data) == ("skipped", OWNER, {"reason": "paid in cash"})
    with pytest.raises(StepOver):
        await house.do(house.runs.skip_step, run, "paid", actor=OWNER, reason="again")


async def test_a_person_skips_a_step_that_runs_and_its_result_changes_nothing(house: House, works: Works):
    gate = works.hold("one")
    run = await house.start(
        flow("name: one, kind: test.do", "name: two, kind: test.do", output="{x: {from: steps.one}}")
    )
    await until(lambda: works.calls)

    await house.do(house.runs.skip_step, run, "one", actor=OWNER, reason="too slow")
    gate.set()

    over = await house.until_over(run)
    assert (over.state, over.output) == ("done", {"x": None})


async def test_a_run_is_started_again_with_another_input_and_keeps_its_version(house: House, works: Works):
    old = flow("name: one, kind: test.do, input: {n: {from: input.n}}", input="{n: integer}")
    run = await house.start(old, n=1)
    await house.until_over(run)
    await house.save(old.replace("name: one", "name: other"))

    again = await house.do(house.runs.again, run, {"n": 2}, owner=OWNER)

    over = await house.until_over(again)
    assert (over.again_of, over.number, works.calls[-1].input, works.names()) == (run, 1, {"n": 2}, ["one", "one"])


async def test_saying_the_same_again_makes_no_version(house: House):
    first = await house.save(flow("name: one, kind: test.do"))
    second = await house.save(flow("name: one, kind: test.do"))
    third = await house.save(flow("name: two, kind: test.do"))

    assert [one.number for one in (first, second, third)] == [1, 1, 2]


async def test_a_wrong_input_starts_nothing(house: House):
    with pytest.raises(BadRunInput, match="n: a whole number"):
        await house.start(flow("name: one, kind: test.do", input="{n: integer}"), n="x")


async def test_a_run_of_another_unit_is_not_there(house: House, db: Database):
    run = await house.start(flow("name: one, kind: test.do"))

    async with db.transaction() as tx:
        with pytest.raises(RunNotFound):
            await listing.get_run(tx, run, units=[99])


async def test_a_kind_that_open_runs_need_cannot_be_removed_and_its_schema_only_grows(house: House, works: Works):
    run = await house.start(flow("name: paid, wait: {event: paid}", "name: one, kind: test.do"))
    await house.until_step(run, "paid", "waiting")
    await house.do(definitions.check_kinds, works.kinds)

    with pytest.raises(definitions.StepKindMissing, match=r"test\.do@1 \(1 runs of a\)"):
        await house.do(definitions.check_kinds, StepKinds())
    narrow: Schema = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}
    with pytest.raises(definitions.SchemaShrank, match=r"test\.do@1: it changed its type"):
        await house.do(definitions.check_kinds, StepKinds([StepKind("test.do", 1, input=narrow, act=works._act)]))


async def test_the_limit_of_output_is_a_failure_of_the_step(house: House, works: Works):
    works.answers["one"] = lambda call: {"x": "y" * 300_000}
    run = await house.start(flow("name: one, kind: test.do"))

    assert "more than 262144" in ((await house.until_over(run)).reason or "")


async def test_why_a_step_waits_and_what_comes_next(house: House, db: Database):
    run = await house.start(
        flow("name: paid, wait: {event: paid}", "name: two, kind: test.do", "name: three, kind: test.do")
    )
    await house.until_step(run, "paid", "waiting")

    async with db.transaction() as tx:
        row, steps = await listing.get_run(tx, run, units=None), await listing.list_steps(tx, run)

    why = listing.explain(row, steps)
    assert (why["paid"].why, why["paid"].what, why["two"].why, why["two"].what) == ("event", "paid", "needs", "paid")
    assert listing.next_steps(row, steps) == ["two"]


async def _move(db: Database, seconds: int) -> None:
    await clock.advance(db, timedelta(seconds=seconds))


async def test_a_run_whose_time_is_over_fails_and_is_wound_up(works: Works, db: Database, tmp_path: Path):
    async with flowing(db, works, tmp_path / "locks") as (house, server):
        server.add_loops([timer_loop(db)])
        run = await house.start(flow("name: w, wait: {event: never}", time_limit="1h"))
        await house.until_step(run, "w", "waiting")

        await clock.advance(db, timedelta(hours=1, seconds=1))

        over = await house.until_over(run)
        assert (over.state, over.reason, await house.steps(run)) == ("failed", "its time is over", {"w": "cancelled"})


async def test_a_list_that_is_too_long_opens_nothing(house: House, works: Works):
    works.answers["a"] = lambda _: {"many": list(range(MOST_ITEMS + 1))}
    run = await house.start(flow("name: a, kind: test.do", "name: b, kind: test.do, for_each: {from: steps.a.many}"))

    over = await house.until_over(run)

    assert (over.state, over.reason) == ("failed", f"b: {MOST_ITEMS + 1} items are too many")
    assert works.names() == ["a"]


async def test_all_that_the_steps_of_a_run_gave_has_a_limit(house: House, works: Works):
    whole = LARGEST_RUN // LARGEST_OUTPUT + 1
    works.answers["a"] = lambda _: {"x": "x" * (LARGEST_OUTPUT - 100)}

    run = await house.start(flow(f"name: a, kind: test.do, for_each: {list(range(whole))}"))

    over = await house.until_over(run)
    assert (over.state, (over.reason or "").partition(": ")[2]) == (
        "failed",
        f"the run gave more than {LARGEST_RUN} bytes",
    )


@pytest.mark.parametrize(("left", "state"), [(0, "failed"), (1, "done")])
async def test_a_run_opens_so_many_steps_and_no_more(house: House, works: Works, left: int, state: str):
    run = await house.start(flow("name: ask, kind: test.ask", "name: two, kind: test.do"))
    await house.until_step(run, "ask", "waiting")
    async with house.db.transaction() as tx:
        await tx.run(SQL.note_opened, run=run, opened=MOST_OPENED - left)

    await house.do(signals.send, f"ask:{run}:ask:None", {})

    over = await house.until_over(run)
    assert (over.state, works.names()) == (state, ["two"] * left)
    assert over.reason == (None if left else "two: a run opens 25000 steps at most")
