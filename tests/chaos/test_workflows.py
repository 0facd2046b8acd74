"""Servers and the database are taken away under random workflows, and no promise is broken: the checks see it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from chaos.history import Line
from chaos.plan import least_of_app
from chaos.report import Finding
from chaos.survival import Chosen
from chaos.workflows import checks
from chaos.workflows.evidence import PLAIN, Evidence, Note, Run, StepRow, read_history, read_logs
from chaos.workflows.flows import INNER, draw_flows
from chaos.workflows.kinds import Steps
from chaos.workflows.plan import JUDGED, SECONDS_PER, make_plan
from chaos.workflows.report import Report
from chaos.workflows.run import run
from pabal.engine.transitions import Transition
from pabal.engine.workflows import checking

AT = datetime(2026, 11, 17, 9, 0, tzinfo=UTC)


@pytest.mark.slow
@pytest.mark.beside
@pytest.mark.usefixtures("forked_crew")
async def test_every_run_comes_to_its_end_as_declared_when_everything_is_taken_away():
    report = await run(Chosen(seconds=5, seed=3, is_any_enough=True), print)

    assert [finding for finding in report.findings if finding.violations] == []
    assert report.kills + report.done["point"]
    assert report.done["database"]
    assert report.judged["runs done"]
    assert report.judged["performed"]


def test_the_seed_decides_the_faults_and_the_workflows():
    assert make_plan(3, 45) == make_plan(3, 45)
    assert make_plan(3, 45) != make_plan(4, 45)
    assert draw_flows(3, 1) == draw_flows(3, 1)
    assert draw_flows(3, 1) != draw_flows(3, 2)


def test_what_is_drawn_has_every_kind_of_wait_and_can_be_saved():
    drawn = draw_flows(24, 1)

    waits = {name for flow in drawn for step in flow["steps"] for name in step.get("wait", {})}
    kinds = {step.get("kind") for flow in drawn for step in flow["steps"]}
    assert waits >= {"for", "until", "event", "workflow"}
    assert kinds >= {one.name for one in Steps().kinds}
    assert drawn[0]["name"] == INNER
    assert len({checking.read_data(flow, Steps().kinds).name for flow in drawn}) == 25


FLOW = {
    "name": "flow",
    "input": {"odd": {"type": "boolean"}, "order": {"type": "string"}},
    "steps": [
        {"name": "one", "kind": "chaos.do@1", "needs": [], "compensate": {"kind": "chaos.do@1"}},
        {"name": "two", "kind": "chaos.write@1", "input": {"of": {"from": "steps.one.n"}}},
        {"name": "each", "kind": "chaos.write@1", "for_each": [0, 1], "compensate": {"kind": "chaos.do@1"}},
        {"name": "rest", "wait": {"for": "30s"}},
        {"name": "paid", "wait": {"event": "paid", "key": {"from": "input.order"}}},
        {"name": "ask", "kind": "chaos.ask@1"},
        {"name": "other", "wait": {"workflow": "inner"}},
        {
            "name": "odd",
            "kind": "chaos.flaky@1",
            "retries": 1,
            "when": {"path": "input.odd", "op": "==", "value": True},
        },
    ],
}
INNER_FLOW = {"name": "inner", "steps": [{"name": "first", "kind": "chaos.do@1"}], "output": {}}


class Story:
    """Evidence made by hand: run 1, which is done, and run 2, which it waited for."""

    def __init__(self) -> None:
        self.evidence = Evidence(started={1})
        self.run = _run(1, FLOW, input={"odd": False, "order": "o1"})
        self.child = _run(2, INNER_FLOW, parent_id=1, depth=1, input={"odd": False, "order": "o1"}, output={})
        self.evidence.runs = [self.run, self.child]
        self._number = 0
        self.done("one", output={"n": "a"})
        self.done("two", input={"of": "a"}, output={"n": "b"})
        for item in (0, 1):
            self.done("each", item=item, output={"n": f"i{item}"})
        self.done("each", output=[{"n": "i0"}, {"n": "i1"}], open_items=0, input=None)
        self.done("rest", due_at=AT, input=None)
        self.done("paid", output={"n": "s1"}, signal="event:paid#o1", input=None)
        self.done("ask", output={"n": "s2"}, signal="ask")
        self.done("other", output={}, signal="run:2", input=None)
        self.done("odd", state="skipped", input=None)
        self.done("first", output={"n": "c"}, run=self.child)
        self.evidence.sent = {"event:paid#o1": {"s1"}, "ask": {"s2"}}

    def done(self, name: str, *, run: Run | None = None, state: str = "done", item: int = PLAIN, **more: Any) -> None:
        run = run or self.run
        self._number += 1
        moment = AT + timedelta(seconds=self._number)
        given = {"input": {}, "output": None, "error": None, "signal": None, "due_at": None, "open_items": None}
        row = StepRow(
            run_id=run.id,
            step=run.flow.numbers[name],
            item=item,
            state=state,
            attempt=1,
            failures=0,
            opened_at=moment,
            ended_at=moment,
            ended_no=self._number,
            **(given | {"undo": False} | more),
        )
        run.steps.append(row)
        run.opened = run.ended = len(run.steps)
        key, output = run.key_of(row), row.output
        match run.kind_of(row), output:
            case "chaos.write", {"n": name_given}:
                self.evidence.effects.append((key, "written", name_given))
            case "chaos.do", {"n": name_given}:
                self.evidence.given[key] = {name_given}
                self.evidence.began[key, 1] += 1
            case "chaos.ask", _:
                self.evidence.effects.append((key, "asked", ""))

    def but(self, name: str, *, item: int = PLAIN, **changed: Any) -> "Story":
        """The same with one step as it should not be."""
        number = self.run.flow.numbers[name]
        at = next(n for n, row in enumerate(self.run.steps) if (row.step, row.item, row.undo) == (number, item, False))
        self.run.steps[at] = replace(self.run.steps[at], **changed)
        return self

    def without(self, name: str) -> "Story":
        number = self.run.flow.numbers[name]
        self.run.steps = [row for row in self.run.steps if row.step != number]
        return self

    def has(self, **changed: Any) -> "Story":
        for name, value in changed.items():
            setattr(self.evidence, name, value)
        return self

    def ran(self, **changed: Any) -> "Story":
        for name, value in changed.items():
            setattr(self.run, name, value)
        return self

    def left(self, name: str, what: str, *, times: int = 1) -> "Story":
        row = next(one for one in self.run.steps if one.step == self.run.flow.numbers[name])
        self.evidence.effects += [(self.run.key_of(row), what, "x")] * times
        return self

    def failed(self, *undone: tuple[str, int]) -> "Story":
        """Compensated in this order."""
        moves = ("running", "stopping", "compensating", "failed")
        self.run.state, self.run.version, self.run.compensates = "failed", 4, True
        self.run.transitions = [_moved(1, n + 1, moves[n - 1] if n else None, moves[n]) for n in range(4)]
        self.but("odd", state="failed", input={}, error={"code": "step_failed", "reason": ""}, failures=1)
        self.run.input["odd"] = True
        self.run.notes.append(Note(1, self.run.flow.numbers["odd"], PLAIN, False, "attempt_failed", {}))
        for name, item in undone:
            self.done(name, item=item, undo=True, output={"n": "u"})
        return self


def _run(number: int, definition: dict[str, Any], **more: Any) -> Run:
    given = {"parent_id": None, "depth": 0, "compensates": False, "reason": None, "output": {}, "opened": 0, "ended": 0}
    made = Run(id=number, definition=definition, state="done", version=2, **(given | more))
    made.transitions = [_moved(number, 1, None, "running"), _moved(number, 2, "running", "done")]
    return made


def _moved(run: int, version: int, source: str | None, target: str) -> Transition:
    return Transition("workflow_run", run, version, "event", source, target, None, "engine", None, None, AT)


Check = Callable[[Evidence], Finding]
EARLIER = AT - timedelta(minutes=1)
LAST_FIRST = (("each", 1), ("each", 0), ("one", PLAIN))
BROKEN: dict[str, tuple[Check, Callable[[], Story]]] = {
    # no run is stuck, and its history leads to where it is
    "stuck": (checks.one_end, lambda: Story().ran(state="running")),
    "the history says less": (checks.one_end, lambda: Story().ran(version=3)),
    "an open step": (checks.one_end, lambda: Story().but("rest", state="waiting")),
    "counted wrong": (checks.one_end, lambda: Story().ran(ended=3)),
    "two ends of one number": (checks.one_end, lambda: Story().but("two", ended_no=1)),
    "a job is left": (checks.one_end, lambda: Story().has(open_jobs=1)),
    "a wait is left": (checks.one_end, lambda: Story().has(waits=1)),
    "a start that is not there": (checks.one_end, lambda: Story().has(started={9})),
    # what is recorded leads to what is stored
    "done without a step": (checks.as_declared, lambda: Story().without("rest")),
    "ended before its need": (checks.as_declared, lambda: Story().but("two", ended_no=0)),
    "opened before its need was over": (checks.as_declared, lambda: Story().but("two", opened_at=EARLIER)),
    "a condition is not asked": (checks.as_declared, lambda: Story().but("odd", state="done")),
    "skipped for nothing": (checks.as_declared, lambda: Story().but("rest", state="skipped")),
    "given something else": (checks.as_declared, lambda: Story().but("two", input={"of": "z"})),
    "an item too few": (checks.as_declared, lambda: Story().but("each", item=1, state="running")),
    "another list": (checks.as_declared, lambda: Story().but("each", output={"n": "i0"})),
    "another output": (checks.as_declared, lambda: Story().ran(output={"n": "z"})),
    "too many failures": (checks.as_declared, lambda: Story().but("one", failures=1)),
    "failed of nothing": (
        checks.as_declared,
        lambda: Story().but("one", state="failed", error={"code": "step_raised", "reason": ""}),
    ),
    "given up too early": (
        checks.as_declared,
        lambda: Story().failed().ran(reason="odd: no").but("odd", state="failed", failures=0),
    ),
    # once, as recorded
    "written twice": (checks.done_once, lambda: Story().left("two", "written")),
    "written and not done": (checks.done_once, lambda: Story().but("two", state="cancelled")),
    "another name than was written": (checks.done_once, lambda: Story().but("two", output={"n": "z"})),
    "what no attempt gave": (checks.done_once, lambda: Story().but("one", output={"n": "z"})),
    "one attempt began twice": (checks.done_once, lambda: Story().has(began={("k", 1): 2})),
    "left by nobody": (checks.done_once, lambda: Story().without("two")),
    "answered and taken back": (checks.done_once, lambda: Story().left("ask", "released")),
    "never taken back": (checks.done_once, lambda: Story().but("ask", state="cancelled")),
    # all is taken back, last first
    "not all is taken back": (checks.undone_in_reverse, lambda: Story().failed(*LAST_FIRST[:2])),
    "first first": (checks.undone_in_reverse, lambda: Story().failed(*reversed(LAST_FIRST))),
    "what was not done is taken back": (checks.undone_in_reverse, lambda: Story().failed(*LAST_FIRST, ("two", PLAIN))),
    "nobody asked for it": (checks.undone_in_reverse, lambda: Story().failed(*LAST_FIRST).ran(compensates=False)),
    # waits
    "before its moment": (checks.waited, lambda: Story().but("rest", ended_at=EARLIER)),
    "a signal of nobody": (checks.waited, lambda: Story().has(sent={"ask": {"s2"}})),
    "an answer of nobody": (checks.waited, lambda: Story().but("ask", output={"n": "z"})),
    # other workflows
    "another end than it had": (checks.children, lambda: Story().but("other", output={"n": "z"})),
    "waited for by nobody": (checks.children, lambda: Story().without("other")),
    "a deadlock": (checks.no_deadlock, lambda: Story().has(deadlocks=1)),
    "not its own": (checks.children, lambda: Story().but("other", signal="run:1")),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_checks_see_a_broken_promise(name: str):
    check, story = BROKEN[name]

    assert check(story().evidence).violations != []


@pytest.mark.parametrize("check", checks.CHECKS)
def test_nothing_is_wrong_with_runs_that_went_well_or_were_taken_back(check: Check):
    assert check(Story().evidence).violations == []
    assert check(Story().failed(*LAST_FIRST).evidence).violations == []


def test_histories_say_who_began_what_was_given_and_what_was_sent():
    evidence = Evidence()

    read_history(
        [
            Line("server", 1, 1.0, "step began", {"key": "k", "attempt": 1}),
            Line("server", 1, 2.0, "step ended", {"key": "k", "attempt": 1, "n": "a"}),
            Line("monkey", 2, 3.0, "run started", {"run": 7}),
            Line("monkey", 2, 4.0, "sending", {"signal": "paid", "n": "s"}),
        ],
        evidence,
    )

    assert (evidence.began["k", 1], evidence.given, evidence.started, evidence.sent) == (
        1,
        {"k": {"a"}},
        {7},
        {"paid": {"s"}},
    )


def test_only_a_deadlock_over_rows_of_workflows_is_theirs():
    evidence = Evidence()
    told = "ERROR:  deadlock detected\nDETAIL:  Process 1: {}\nHINT:  See.\nSTATEMENT:  update pabal.workflow_step\n"

    read_logs([told.format("select from pabal.workflow_run") + told.format("delete from pabal.lease")], evidence)

    assert (evidence.deadlocks, evidence.other_deadlocks) == (1, 1)


def test_whatever_must_be_judged_is_counted_by_a_check_and_a_run_that_did_too_little_does_not_count():
    evidence = Story().evidence
    report = Report.of([check(evidence) for check in checks.CHECKS], evidence)
    assert set(JUDGED) <= {name for finding in report.findings for name in finding.judged} | {"undone", "runs undone"}

    report.judge(report.judged, seconds=60)

    assert not report.is_good
    assert {one.rpartition(" of ")[0].rpartition(" ")[0] for one in report.lacking} >= {*SECONDS_PER, "undone"}
    assert least_of_app(JUDGED, 8) == dict.fromkeys(JUDGED, 0)
