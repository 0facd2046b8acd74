"""The promises of rendering, each a function of the evidence alone."""

from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise

from chaos.rendering.evidence import Evidence, MachineRender, RenderRow
from chaos.rendering.ground import MOST_RECOVERIES
from chaos.report import Finding
from pabal.engine.transitions import HistoryBroken, replay

ENDS = ("completed", "failed", "cancelled")
# After one of these it is rendered again under another name, while After Effects may still be at the first: nothing
# stops it there.
AGAIN = {"render_timeout", "stalled", "nexrender_forgot"}
# Why a render may fail in a run, and whose fault that is: a fault of nexrender's by name, or something that was taken
# away from everybody.
BAD_FILES = {"no_file", "short_file", "broken_file"}
TAKEN_AWAY = {"nexrender_unreachable", "nas_unavailable", *AGAIN}


def one_end(e: Evidence) -> Finding:
    wrong = [] if not e.open_jobs else [f"{e.open_jobs} jobs are open"]
    known = {one.id for one in e.renders}
    wrong += [f"render {one} was taken, and nobody knows of it" for one in e.asked if one not in known]
    for row in e.renders:
        made = e.transitions.get(row.id, [])
        ends = [one for one in made if one.target in ENDS]
        try:
            state = replay(made)
        except HistoryBroken as error:
            wrong.append(f"render {row.id}: {error}")
            continue
        if row.state not in ENDS or len(ends) != 1:
            wrong.append(f"render {row.id} is {row.state} and came to {len(ends)} ends")
        elif (state, len(made)) != (row.state, row.version):
            wrong.append(f"render {row.id} is {row.state} {row.version}, and its history says {state} {len(made)}")
        if row.is_held or row.is_winding_down:
            wrong.append(f"render {row.id} is {row.state} and still in a slot")
    told = f"{len(e.renders)} renders, each with one end"
    return Finding("end", told, wrong, {"renders ended": sum(one.state in ENDS for one in e.renders)})


def reasons_are_true(e: Evidence) -> Finding:
    wrong = []
    for row in e.renders:
        if (row.error_code is None) != (row.state == "completed"):
            wrong.append(f"render {row.id} is {row.state} ({row.error_code})")
        elif row.state == "cancelled" and row.id not in e.cancelled and row.id in e.asked:
            wrong.append(f"render {row.id} is cancelled, and nobody did that")
        elif row.state == "failed" and not _is_excused(e, row):
            wrong.append(f"render {row.id} failed of nothing: {row.error_code}, {row.error_message}")
    kept = {row.id for row in e.renders if row.state == "cancelled"}
    wrong += [f"render {one} was cancelled, and is not" for one in e.cancelled if one not in kept]
    return Finding("why", f"{len(e.renders)} reasons", wrong, {"cancelled": len(kept)})


def _is_excused(e: Evidence, row: RenderRow) -> bool:
    faults = e.faults.get((row.id, row.attempt), set())
    lost = any(one.is_lost for one in e.rendered if (one.render_id, one.attempt) == (row.id, row.attempt))
    match row.error_code:
        case "nexrender_error":
            return "fail" in faults
        case "output_missing" | "output_invalid":
            return bool(faults & BAD_FILES) or lost
        case "poison_job":
            return row.recovery_count > MOST_RECOVERIES
    return row.error_code in TAKEN_AWAY


def never_two_at_once(e: Evidence) -> Finding:
    """Of one attempt never; of two attempts only where the first was given up, and nobody could stop it."""
    by_render: dict[int, list[MachineRender]] = defaultdict(list)
    for one in e.rendered:
        by_render[one.render_id].append(one)
    wrong, again = [], 0
    for render_id, made in by_render.items():
        made.sort(key=lambda one: one.began)
        again += len(made) > 1
        for first, second in pairwise(made):
            if not _may_follow(e, first, second):
                told = f"a{first.attempt} {first.state} and a{second.attempt} {second.state}"
                wrong.append(f"render {render_id} was rendered twice: {told}")
    told = f"{len(e.rendered)} renders at nexrender, {again} of them again where that is allowed"
    return Finding("once", told, wrong, {"rendered": len(e.rendered), "again": again})


def _may_follow(e: Evidence, first: MachineRender, second: MachineRender) -> bool:
    key = (first.render_id, first.attempt)
    if first.attempt == second.attempt:
        # nexrender knew nothing of it any more; or handed it out twice by itself
        return first.is_lost or "doubled" in e.faults.get(key, set())
    _, reason = e.attempts.get(key, (None, None))
    return first.attempt < second.attempt and reason in AGAIN


def completed_are_whole(e: Evidence) -> Finding:
    wrong = []
    completed = [one for one in e.renders if one.state == "completed"]
    for row in completed:
        there, made = e.nas.get(row.id), e.written.get((row.id, row.attempt), [])
        if there is None:
            wrong.append(f"render {row.id} is completed, and nothing is on the NAS")
        elif there not in made or (there.size, there.sha256) != (row.output_size, row.output_sha256):
            wrong.append(f"render {row.id} is completed with {there}, which nobody rendered for it")
        elif e.faults.get((row.id, row.attempt), set()) & BAD_FILES and len(made) == 1:
            wrong.append(f"render {row.id} is completed with a bad film")
    told = f"{len(completed)} films on the NAS as nexrender wrote them"
    return Finding("film", told, wrong, {"completed": len(completed)})


def nothing_half(e: Evidence) -> Finding:
    """Whoever opens a finished name at any moment finds a whole film; and what was cancelled leaves none."""
    wrong = []
    for render_id, size in sorted(e.seen):
        whole = {film.size for (of, _), films in e.written.items() for film in films if of == render_id}
        if size not in whole:
            wrong.append(f"render {render_id} stood on the NAS with {size} bytes")
    states = {one.id: one.state for one in e.renders}
    wrong += [
        f"render {one} is cancelled, and its film is on the NAS" for one in e.nas if states.get(one) == "cancelled"
    ]
    ended_well = all(state == "completed" for state in states.values())
    wrong += [f"{one} was left" for one in e.parts if ended_well]
    return Finding("half", f"{len(e.seen)} films seen on the NAS, all whole", wrong, {"seen on the NAS": len(e.seen)})


def nothing_goes_on(e: Evidence) -> Finding:
    """A licence is taken for as long as nexrender has something to do: it has nothing of those that ended in order."""
    states = {(one.id, one.attempt): one.state for one in e.renders}
    going = [(key, state) for key, state in e.left.items() if state not in ("finished", "error")]
    wrong = [
        f"render {key[0]} is {states[key]}, and {state} in nexrender"
        for key, state in going
        if states.get(key) in ("completed", "cancelled")
    ]
    return Finding("left", f"{len(e.left)} jobs left in nexrender, {len(going)} of them not over", wrong)


CHECKS: tuple[Callable[[Evidence], Finding], ...] = (
    one_end,
    reasons_are_true,
    never_two_at_once,
    completed_are_whole,
    nothing_half,
    nothing_goes_on,
)
