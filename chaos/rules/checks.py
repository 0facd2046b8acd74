"""The promises of rules, each a function of the evidence alone."""

from collections import Counter
from collections.abc import Callable

from chaos.report import Finding
from chaos.rules.evidence import Evidence
from chaos.rules.ground import ENDED, expected_of
from pabal.apps.rules.scripts.running import LEASE_SECONDS
from pabal.engine.transitions import HistoryBroken, replay

ENDS = ("success", "failure")
# Why a run may fail here, after all its attempts: its processes were ended, or its servers died under it.
EXCUSED = {"crashed", "interrupted", "skipped_overlap", "missed"}
UNRUN = {"skipped_overlap", "missed"}
# A busy machine ends processes and looks at them when it comes to that.
MARGIN = 5.0


def one_end(e: Evidence) -> Finding:
    wrong = [] if not e.open_jobs else [f"{e.open_jobs} jobs are open"]
    twice = Counter((one.rule_id, one.scheduled_at) for one in e.runs)
    wrong += [f"moment {key} has {count} runs" for key, count in twice.items() if count > 1]
    for row in e.runs:
        made = e.transitions.get(row.number, [])
        ends = [one for one in made if one.target in ENDS]
        try:
            state = replay(made)
        except HistoryBroken as error:
            wrong.append(f"run {row.number}: {error}")
            continue
        if row.state not in ENDS or len(ends) != 1:
            wrong.append(f"run {row.number} is {row.state} and came to {len(ends)} ends")
        elif (state, len(made)) != (row.state, row.version):
            wrong.append(f"run {row.number} is {row.state} {row.version}, its history says {state} {len(made)}")
        if row.state == "failure" and row.reason not in EXCUSED:
            wrong.append(f"run {row.number} failed of nothing: {row.reason}")
    succeeded = sum(one.state == "success" for one in e.runs)
    judged = {"runs ended": sum(one.state in ENDS for one in e.runs), "succeeded": succeeded}
    return Finding("end", f"{len(e.runs)} runs, each with one end, {succeeded} of them well", wrong, judged)


def every_moment(e: Evidence) -> Finding:
    """What the engine enqueued has its run; what it did not is told by a run of its own, alone or with others."""
    known = {(one.rule_id, one.scheduled_at) for one in e.runs}
    wrong = [
        f"rule {one.rule_id} at {one.fire_at} was enqueued, and has no run"
        for one in e.moments
        if one.decision == "enqueued" and (one.rule_id, one.fire_at) not in known
    ]
    wrong += [
        f"rule {one.rule_id} at {one.fire_at} has no end"
        for one in e.moments
        if one.decision == "enqueued" and one.end is None
    ]
    return Finding("due", f"{len(e.moments)} moments", wrong)


def callbacks_once(e: Evidence) -> Finding:
    """Its event is in the commit that ends a run: none without the other, and none twice."""
    ran = [one for one in e.runs if one.reason not in UNRUN]
    wanted = {f"{one.id}:{ENDED}" for one in ran}
    found = Counter(e.events)
    wrong = [f"{one} was lost" for one in sorted(wanted - found.keys())]
    wrong += [f"{one} of nobody" for one in sorted(found.keys() - wanted)]
    wrong += [f"{one} came {count} times" for one, count in found.items() if count > 1]
    return Finding("told", f"{len(e.events)} callbacks", wrong, {"callbacks": len(e.events)})


def files_whole(e: Evidence) -> Finding:
    by_id = {one.id: one for one in e.files}
    wrong = [f"file {one.id} is not what its row says" for one in e.files if one.found != one.sha256]
    kept = 0
    for row in e.runs:
        files = [by_id.get(int(one["file"])) for one in row.artifacts]
        kept += len(files)
        for file in files:
            if file is None or f"rule_run:{row.number}" not in file.uses:
                wrong.append(f"run {row.number} has a file that nobody keeps")
            elif file.sha256 != expected_of(row.id):
                wrong.append(f"run {row.number} has a file that its script did not make")
        if row.state == "success" and row.has_script and len(files) != 1:
            wrong.append(f"run {row.number} succeeded with {len(files)} files")
    return Finding("file", f"{len(e.files)} files in the store, {kept} of runs", wrong, {"files": kept})


def none_left(e: Evidence) -> Finding:
    """Whoever started it is gone, or was not heard of for its lease: then it is gone, too."""
    wrong = [f"a process of run {one.run} was there at the end" for one in e.processes if one.until is None]
    lost = [one for one in e.processes if one.server in e.lost]
    for one in lost:
        gone_at = max(e.lost[one.server or 0], one.since)
        if one.until is not None and one.until > gone_at + LEASE_SECONDS + MARGIN:
            late = one.until - gone_at
            wrong.append(f"a process of run {one.run} was there {late:.1f} s after its server")
    ended_by = sum(one.until is not None and one.until > e.lost[one.server or 0] for one in lost)
    told = f"{len(e.processes)} processes of scripts, {ended_by} of them of a server that was lost"
    return Finding("left", told, wrong, {"processes": len(e.processes), "of a lost server": ended_by})


CHECKS: tuple[Callable[[Evidence], Finding], ...] = (one_end, every_moment, callbacks_once, files_whole, none_left)
