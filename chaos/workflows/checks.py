"""The promises of workflows, each a function of the evidence alone."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from chaos.report import Finding
from chaos.workflows.evidence import PLAIN, Evidence, Run, StepRow
from pabal.engine.transitions import HistoryBroken, replay
from pabal.engine.workflows.model import DEEPEST, FlowStep

OVER = ("done", "failed", "cancelled")
OPEN = ("ready", "running", "waiting", "retrying")
PASSED = ("done", "skipped")
# Why a step of each kind may fail here for good. One that took its servers with it too often is lost.
LOST = "step_lost"
EXCUSED = {
    "chaos.do": {LOST},
    "chaos.write": {LOST},
    "chaos.flaky": {LOST, "step_failed"},
    "chaos.break": {LOST, "step_failed"},
    "chaos.ask": {LOST, "refused", "time_limit"},
    "": {LOST, "time_limit", "workflow_failed", "too_deep"},
}


def one_end(e: Evidence) -> Finding:
    """No run is stuck, its history replays to its state, and nothing of it is left."""
    found = {run.id for run in e.runs}
    wrong = [f"run {one} was started, and is not there" for one in sorted(e.started - found)]
    for name, count in (("jobs", e.open_jobs), ("waits", e.waits), ("kept signals", e.kept)):
        wrong += [f"{count} {name} are left"] if count else []
    for run in e.runs:
        wrong += [f"run {run.id}: {text}" for text in _wrong_ends(run)]
    ended = Counter(run.state for run in e.runs if run.state in OVER)
    judged = {"runs ended": ended.total(), "runs done": ended["done"]}
    return Finding("end", f"{len(e.runs)} runs, {ended['done']} of them done", wrong, judged)


def _wrong_ends(run: Run) -> Iterator[str]:
    try:
        state = replay(run.transitions)
    except HistoryBroken as error:
        yield str(error)
        return
    if run.state not in OVER:
        yield f"stuck as {run.state}"
        return
    if (state, len(run.transitions)) != (run.state, run.version):
        yield f"{run.state} {run.version}, its history says {state} {len(run.transitions)}"
    yield from (f"{_name(run, row)} is {row.state}" for row in run.steps if row.state in OPEN)
    if not run.opened == run.ended == len(run.steps):
        yield f"opened {run.opened}, ended {run.ended}, has {len(run.steps)} steps"
    numbers = Counter(row.ended_no for row in run.steps if row.ended_no is not None)
    yield from (f"{count} steps ended as number {number}" for number, count in numbers.items() if count > 1)


def as_declared(e: Evidence) -> Finding:
    """The recorded steps, played again in the order of their ends, lead to what is stored."""
    wrong: list[str] = []
    counted: Counter[str] = Counter()
    for run in e.runs:
        wrong += [f"run {run.id}: {text}" for text in _wrong_order(run)]
        for row in run.plain.values():
            wrong += [f"run {run.id}: {_name(run, row)} {text}" for text in _wrong_step(run, row)]
        for row in run.steps:
            wrong += [f"run {run.id}: {_name(run, row)} {text}" for text in _wrong_failure(run, row)]
            counted["steps done"] += row.state == "done"
            counted["steps tried again"] += row.failures > 0
            counted["items"] += row.item != PLAIN and row.state == "done"
    told = f"{counted['steps done']} steps done, {counted['items']} of them items"
    return Finding("flow", told, wrong, dict(counted))


def _wrong_order(run: Run) -> Iterator[str]:
    plain = run.plain
    over: set[int] = set()
    for row in sorted((one for one in plain.values() if one.ended_no is not None), key=lambda one: one.ended_no or 0):
        missing = [run.flow.steps[need].name for need in run.flow.needed[row.step] if need not in over]
        if missing:
            yield f"{_name(run, row)} ended before {', '.join(missing)}"
        if row.state in PASSED:
            over.add(row.step)
    for row in plain.values():
        before = [plain[need].ended_at for need in run.flow.needed[row.step] if need in plain]
        # the commit that opens it may have begun before one that it had to wait for, not before the one it ends
        if before and not any(at is not None and at <= row.opened_at for at in before):
            yield f"{_name(run, row)} was opened before what it needs was over"
    if run.state == "done" and over != set(range(len(run.flow.steps))):
        yield f"done after {len(over)} of {len(run.flow.steps)} steps"
    if run.state == "done" and run.output != _expected(dict(run.flow.output), plain, run):
        yield f"gave {run.output}"
    if run.state == "failed" and not _has_reason(run):
        yield f"failed of nothing: {run.reason}"


def _has_reason(run: Run) -> bool:
    has_failed = any(row.state == "failed" and not row.undo for row in run.steps)
    return has_failed or run.reason == "its time is over"


def _wrong_step(run: Run, row: StepRow) -> Iterator[str]:
    step = run.declared(row)
    is_met = step.when is None or run.input["odd"] is step.when["value"]
    if not is_met and row.state != "skipped":
        yield f"is {row.state}, and its condition is not met"
    if is_met and row.state == "skipped" and row.error is None and not run.was_skipped_by_hand(row):
        yield "was skipped for nothing"
    if is_met and step.for_each is not None:
        yield from _wrong_items(run, row, len(step.for_each))
    for one in _called(run, row):
        wanted = _expected(dict(step.input), run.plain, run)
        if step.kind and one.input != wanted:
            yield f"was given {one.input}, not {wanted}"


def _called(run: Run, row: StepRow) -> list[StepRow]:
    """The rows that have what a step was given: its items', or its own."""
    if run.declared(row).for_each is None:
        return [] if row.state == "skipped" else [row]
    return [one for one in run.steps if one.step == row.step and one.item != PLAIN and not one.undo]


def _wrong_items(run: Run, row: StepRow, number: int) -> Iterator[str]:
    items = [one for one in run.steps if one.step == row.step and one.item != PLAIN and not one.undo]
    if row.state != "done":
        return
    if [one.item for one in items] != list(range(number)) or any(one.state not in PASSED for one in items):
        yield f"is done with {Counter(one.state for one in items)} of {number} items"
    elif row.output != [one.output for one in items]:
        yield "is done with another list than its items gave"


def _wrong_failure(run: Run, row: StepRow) -> Iterator[str]:
    step = run.declared(row)
    most = max(step.retries, 3) if row.undo else step.retries
    notes = [note for note in run.notes if _place(note) == _place(row) and note.what == "attempt_failed"]
    if row.failures > most:
        yield f"failed {row.failures} times and may {most}"
    if len(notes) < row.failures:
        yield f"failed {row.failures} times, {len(notes)} of them noted"
    if row.error is not None and row.state in ("failed", "skipped"):
        code = row.error["code"]
        if code not in EXCUSED[run.kind_of(row)]:
            yield f"failed of {code}: {row.error['reason']}"
        elif run.kind_of(row) == "chaos.flaky" and code == "step_failed" and row.failures < most and _decides(run, row):
            yield f"was given up after {row.failures} of {most} failures"


def _decides(run: Run, row: StepRow) -> bool:
    """Its run went on, or failed of it: in a run that is stopped already nothing is tried again."""
    return run.state == "done" or (run.reason or "").startswith(f"{_name(run, row)}:")


def done_once(e: Evidence) -> Finding:
    """What a finished step left is there once, as recorded; what did not finish left nothing that counts."""
    left: dict[str, Counter[str]] = {}
    names: dict[str, set[str]] = {}
    for key, what, name in e.effects:
        left.setdefault(key, Counter())[what] += 1
        names.setdefault(key, set()).add(name)
    wrong = [f"attempt {number} of {key} began {count} times" for (key, number), count in e.began.items() if count > 1]
    counted: Counter[str] = Counter()
    for run in e.runs:
        for row, state, output in _finished(run):
            key, kind = run.key_of(row), run.kind_of(row)
            found = left.pop(key, Counter())
            if kind == "chaos.write":
                counted["written"] += found["written"]
                if found["written"] != (state == "done"):
                    wrong.append(f"{key} is {state} and wrote {found['written']} times")
                elif state == "done" and names[key] != {output["n"]}:
                    wrong.append(f"{key} recorded another name than it wrote")
            elif kind in ("chaos.do", "chaos.flaky") and state == "done":
                counted["performed"] += 1
                if output["n"] not in e.given.get(key, ()):
                    wrong.append(f"{key} recorded what no attempt gave")
            elif kind == "chaos.ask":
                wrong += [f"{key} is {state}, {text}" for text in _wrong_asks(row, found)]
            if isinstance(row, StepRow):
                counted["lost attempts"] += row.attempt > row.failures + 1
    wrong += [f"{key} left {dict(found)} and is no step" for key, found in left.items()]
    told = f"{counted['written']} written, {counted['performed']} performed, {counted['lost attempts']} lost before"
    return Finding("once", told, wrong, dict(counted))


def _finished(run: Run) -> Iterator[tuple[Any, str, Any]]:
    """Every step there is, and those that were put away by a retry."""
    yield from ((row, row.state, row.output) for row in run.steps)
    for note in run.notes:
        if note.what == "before_retry":
            yield note, note.data["state"], note.data["output"]


def _wrong_asks(row: Any, found: Counter[str]) -> Iterator[str]:
    """What was asked for is answered, or taken back."""
    is_answered = (
        row.state == "done" or (row.error or {}).get("code") == "refused" if isinstance(row, StepRow) else None
    )
    if found["asked"] > 1 or found["released"] > found["asked"]:
        yield f"asked {found['asked']} times and took back {found['released']}"
    elif is_answered is not None and found["asked"] and found["released"] == is_answered:
        yield "took back what was answered" if is_answered else "never took back what it asked"


def undone_in_reverse(e: Evidence) -> Finding:
    """A run that takes back what it did takes back all of it, one at a time, what ended last first."""
    wrong: list[str] = []
    counted: Counter[str] = Counter()
    for run in e.runs:
        undone = sorted((row for row in run.steps if row.undo), key=lambda row: row.ended_no or 0)
        wanted = {(row.step, row.item): row for row in run.steps if _can_undo(run, row)}
        if run.state == "done" or not run.compensates:
            wrong += [f"run {run.id} is {run.state} and took back {len(undone)} steps"] if undone else []
            continue
        counted["undone"] += len(undone)
        counted["runs undone"] += bool(undone)
        missing = wanted.keys() - {(row.step, row.item) for row in undone if row.state in ("done", "failed")}
        wrong += [f"run {run.id}: {_name(run, wanted[one])} was not undone" for one in sorted(missing)]
        extra = {(row.step, row.item) for row in undone} - wanted.keys()
        wrong += [f"run {run.id}: step {one} was undone and not done" for one in sorted(extra)]
        order = [wanted[row.step, row.item].ended_no or 0 for row in undone if (row.step, row.item) in wanted]
        if order != sorted(order, reverse=True):
            wrong.append(f"run {run.id} was undone in the order {order}")
        for one, after in pairwise(undone):
            if one.ended_at is None or one.ended_at > after.opened_at:
                wrong.append(f"run {run.id}: {_name(run, after)} was opened before {_name(run, one)} was over")
    return Finding("undo", f"{counted['undone']} compensations of {counted['runs undone']} runs", wrong, dict(counted))


def _can_undo(run: Run, row: StepRow) -> bool:
    step = run.declared(row)
    is_whole_fan = row.item == PLAIN and step.for_each is not None
    return not row.undo and row.state == "done" and step.compensate is not None and not is_whole_fan


def waited(e: Evidence) -> Finding:
    """No wait ends before its moment, or with what nobody sent."""
    wrong: list[str] = []
    counted: Counter[str] = Counter()
    for run in e.runs:
        for row in run.steps:
            step = run.declared(row)
            name = f"run {run.id}: {_name(run, row)}"
            is_late = (row.error or {}).get("code") == "time_limit"
            is_moment = step.wait is not None and not step.wait.event and not step.wait.workflow
            if (is_late or (is_moment and row.state == "done")) and (
                row.due_at is None or row.ended_at is None or row.ended_at < row.due_at
            ):
                wrong.append(f"{name} was over at {row.ended_at}, before {row.due_at}")
            counted["too late"] += is_late
            counted["moments waited for"] += is_moment and row.state == "done"
            signal = _signal(run, step, row)
            if signal is not None and row.state == "done":
                counted["signals taken"] += 1
                if row.output.get("n") not in e.sent.get(signal, ()):
                    wrong.append(f"{name} took what nobody sent")
    told = (
        f"{counted['moments waited for']} moments, {counted['signals taken']} signals, {counted['too late']} too late"
    )
    return Finding("wait", told, wrong, dict(counted))


def _signal(run: Run, step: FlowStep, row: StepRow) -> str | None:
    if row.undo or (step.wait is None and run.kind_of(row) != "chaos.ask") or (step.wait and not step.wait.event):
        return None
    return row.signal if step.wait is None else f"event:{step.wait.event}#{run.input['order']}"


def children(e: Evidence) -> Finding:
    """Who waits for another workflow gets what that one gave, and none is without its parent."""
    by_id = {run.id: run for run in e.runs}
    wrong: list[str] = []
    judged = 0
    waiting = {row.signal: (run, row) for run in e.runs for row in run.steps if (row.signal or "").startswith("run:")}
    for run in e.runs:
        if run.parent_id is None:
            continue
        parent = by_id.get(run.parent_id)
        if parent is None or run.depth != parent.depth + 1 or run.depth > DEEPEST:
            wrong.append(f"run {run.id} of {run.parent_id} is {run.depth} deep")
        elif f"run:{run.id}" not in waiting and not parent.was_retried and not _was_put_aside(parent):
            wrong.append(f"run {run.id} was waited for by nobody of run {parent.id}")
    for signal, (run, row) in waiting.items():
        child = by_id.get(int((signal or "").removeprefix("run:")))
        if child is None or child.parent_id != run.id:
            wrong.append(f"run {run.id} waits for {signal}, which is not its own")
        elif row.state == "done" and (child.state != "done" or row.output != (child.output or {})):
            wrong.append(f"run {run.id} went on with another end than {signal} had")
        elif row.state == "failed" and (row.error or {}).get("code") == "workflow_failed" and child.state == "done":
            wrong.append(f"run {run.id} says that {signal} failed, and it is done")
        judged += row.state in ("done", "failed")
    return Finding("kin", f"{judged} ends of other workflows", wrong, {"children": judged})


def no_deadlock(e: Evidence) -> Finding:
    """Whoever gives way loses a commit of others, too; and what gives up a job is not done again."""
    wrong = [f"{e.deadlocks} deadlocks over rows of workflows"] if e.deadlocks else []
    return Finding("lock", f"runs are locked in one order; {e.other_deadlocks} deadlocks over leases", wrong)


def _was_put_aside(run: Run) -> bool:
    """Cancelled or skipped steps forget what they waited for once it was taken back."""
    return any(row.state in ("cancelled", "skipped") and run.declared(row).wait for row in run.steps)


def _expected(written: dict[str, Any], plain: dict[int, StepRow], run: Run) -> dict[str, Any]:
    """An own reading of references, of which these workflows have one form: {from: steps.NAME.n}."""
    return {name: _resolve(value, plain, run) for name, value in written.items()}


def _resolve(value: Any, plain: dict[int, StepRow], run: Run) -> Any:
    if not isinstance(value, dict):
        return value
    where, name, *rest = value["from"].split(".")
    if where == "input":
        return run.input[name]
    row = plain.get(run.flow.numbers[name])
    return row.output.get(rest[0]) if row is not None and isinstance(row.output, dict) else None


def _place(one: Any) -> tuple[int, int, bool]:
    return (one.step, one.item, one.undo)


def _name(run: Run, row: StepRow) -> str:
    item = "" if row.item == PLAIN else f"[{row.item}]"
    return f"{'undo ' if row.undo else ''}{run.declared(row).name}{item}"


CHECKS: tuple[Callable[[Evidence], Finding], ...] = (
    one_end,
    as_declared,
    done_once,
    undone_in_reverse,
    waited,
    children,
    no_deadlock,
)
