"""The promises of workflows, each a function of the evidence alone. A run is played again from its recorded ends."""

from collections.abc import Callable, Iterator

from chaos.report import Finding
from chaos.workflows.evidence import Evidence, Life, Step
from chaos.workflows.flows import DO, WRITE

OVER = ("done", "skipped")


def histories_lead_to_states(e: Evidence) -> Finding:
    wrong = [
        f"run {one.id} is {one.state}, its history says {one.replayed}" for one in e.lives if one.state != one.replayed
    ]
    wrong += [f"run {one.id}: {text}" for one in e.lives for text in _replay(one)]
    return Finding(
        "replay", f"{len(e.lives)} runs played again from their recorded ends", wrong, {"runs": len(e.lives)}
    )


def no_run_is_stuck(e: Evidence) -> Finding:
    wrong = [f"run {one.id} is {one.state}" for one in e.lives if one.state not in ("done", "failed", "cancelled")]
    wrong += [
        f"run {one.id} opened {one.opened} steps and ended {one.ended}" for one in e.lives if one.opened != one.ended
    ]
    wrong += [f"{e.waits} waits or signals are left"] if e.waits else []
    wrong += [f"{e.left} runs or jobs are left"] if e.left else []
    ended = sum(len(one.steps) for one in e.lives)
    return Finding("end", f"{ended} steps of {len(e.lives)} runs came to an end", wrong, {"steps": ended})


def effects_are_once(e: Evidence) -> Finding:
    """What acts wrote exactly one row for each recorded end, and none without; what performs did it at least once."""
    wrong = [f"{key} wrote {times} times" for key, times in e.effects.items() if times != 1]
    written = {step.key for one in e.lives for step in one.steps if _is_done(one, step, WRITE)}
    earlier = {key for one in e.lives for key in one.earlier}
    wrong += [f"{key} is done and wrote nothing" for key in written - set(e.effects)]
    wrong += [f"{key} wrote and is not done" for key in set(e.effects) - written - earlier]
    performed = {step.key for one in e.lives for step in one.steps if _is_done(one, step, DO)}
    wrong += [f"{key} is done and nobody did it" for key in performed - set(e.did)]
    again = sum(times > 1 for times in e.did.values())
    told = f"{len(written)} acts written once each, {len(performed)} performed, {again} of them again after a fault"
    return Finding("once", told, wrong, {"acts": len(written), "performed": len(performed)})


def compensations_are_complete(e: Evidence) -> Finding:
    wrong, undone = [], 0
    for one in e.lives:
        did = {(step.step, step.item): step for step in one.steps if not step.undo and _can_undo(one, step)}
        undos = [step for step in one.steps if step.undo]
        undone += len(undos)
        wants = one.compensates and one.state in ("failed", "cancelled")
        found = {(step.step, step.item) for step in undos}
        if wants and found != set(did):
            wrong.append(f"run {one.id} undid {sorted(found)} of {sorted(did)}")
        if undos and not wants:
            wrong.append(f"run {one.id} is {one.state} and undid {sorted(found)}")
        order = [did[step.step, step.item].ended_no or 0 for step in undos if (step.step, step.item) in did]
        if order != sorted(order, reverse=True):
            wrong.append(f"run {one.id} undid in the order {order}")
    return Finding("undo", f"{undone} compensations, the last done first", wrong, {"undone": undone})


def _replay(life: Life) -> Iterator[str]:
    """Each step was opened when what it needs was over, and all that could be opened was."""
    over: set[int] = set()
    seen: set[int] = set()
    for step in life.steps:
        if step.item >= 0 or step.undo:
            continue
        seen.add(step.step)
        if step.ended_no is not None and not over.issuperset(life.flow.needed[step.step]):
            yield f"step {step.step} ended before what it needs"
        if step.state in OVER:
            over.add(step.step)
        yield from _fan_out(life, step)
        yield from _condition(life, step)
    if life.state == "done":
        yield from (f"step {n} was never opened" for n in range(len(life.flow.steps)) if n not in seen)
        yield from (f"step {n} is not over" for n in seen - over)


def _fan_out(life: Life, parent: Step) -> Iterator[str]:
    items = life.flow.steps[parent.step].for_each
    if items is None or parent.state != "done":
        return
    found = sorted(
        (one for one in life.steps if one.step == parent.step and one.item >= 0 and not one.undo),
        key=lambda one: one.item,
    )
    if len(found) != len(items):
        yield f"step {parent.step} has {len(found)} items of {len(items)}"
    if [one.output for one in found] != (parent.output or []):
        yield f"step {parent.step} gave another list than its items did"


def _condition(life: Life, step: Step) -> Iterator[str]:
    """A step that was skipped without an error and without a person did not meet its condition; all others did."""
    when = life.flow.steps[step.step].when
    is_met = when is None or life.input["n"] >= when["value"]
    is_left = step.state == "skipped" and step.error is None and step.step not in life.skipped
    if is_left == is_met:
        yield f"step {step.step} is {step.state} and its condition is {'met' if is_met else 'not met'}"


def _is_done(life: Life, step: Step, kind: str) -> bool:
    flow_step = life.flow.steps[step.step]
    is_parent = flow_step.for_each is not None and step.item < 0
    undo = flow_step.compensate.kind if step.undo and flow_step.compensate is not None else ""
    name = undo if step.undo else flow_step.kind
    return step.state == "done" and not is_parent and name.partition("@")[0] == kind


def _can_undo(life: Life, step: Step) -> bool:
    flow_step = life.flow.steps[step.step]
    is_fan_out = flow_step.for_each is not None
    return flow_step.compensate is not None and step.state == "done" and (step.item >= 0) == is_fan_out


CHECKS: tuple[Callable[[Evidence], Finding], ...] = (
    histories_lead_to_states,
    no_run_is_stuck,
    effects_are_once,
    compensations_are_complete,
)
