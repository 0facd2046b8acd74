"""The promises about several jobs: I7 and I27 lanes, I8 limits, I11 and I23 routes, labels and keys."""

from collections import Counter, defaultdict
from itertools import pairwise
from math import inf

from chaos.checks_work import SLACK, overlaps
from chaos.evidence import Attempt, Evidence
from chaos.kinds import WIDE, WINDOWS
from chaos.report import Finding
from chaos.worker import has_label
from pabal.engine.limits import Window

# A job whose announcement was lost is found by the sweep, at the latest.
UNHEARD = 6.0


def i7_lanes_keep_order(e: Evidence) -> Finding:
    lanes: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in e.attempts.values():
        if attempt.kind == "chaos.lane":
            lanes[attempt.data["lane"]].append(attempt)
    wrong = [text for attempts in lanes.values() for text in overlaps(e, attempts)]
    for lane, attempts in lanes.items():
        valid = sorted((a.start, a.job) for a in attempts if e.valid_until(a) is not None)
        # Nothing in these lanes is ever delayed, and one producer fills them: whoever is first stays first.
        wrong += [
            f"{lane}: job {later} started before job {earlier}"
            for (_, later), (_, earlier) in pairwise(valid)
            if later > earlier
        ]
    starts = sum(len(attempts) for attempts in lanes.values())
    text = f"{starts} starts in {len(lanes)} lanes, one at a time and in order"
    return Finding("I7", text, wrong, {"starts in lanes": starts})


def i27_at_most_n_at_once(e: Evidence) -> Finding:
    """Over all servers, whatever dies: as many of a shared lane run at once as it is wide, and no more."""
    lanes: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in e.attempts.values():
        if attempt.kind == "chaos.wide":
            lanes[attempt.data["lane"]].append(attempt)
    highest = {lane: _most_at_once(e, attempts) for lane, attempts in lanes.items()}
    wrong = [f"{lane}: {most} at once, at most {WIDE}" for lane, most in highest.items() if most > WIDE]
    starts = sum(map(len, lanes.values()))
    text = f"{starts} starts in {len(lanes)} shared lanes, at most {max(highest.values(), default=0)} of {WIDE} at once"
    return Finding("I27", text, wrong, {"starts in shared lanes": starts})


def labels_are_kept(e: Evidence) -> Finding:
    """What needs a label runs only on servers that have it."""
    slots = {line.data["pid"]: line.data["slot"] for line in e.said("started")}
    ran = [attempt for attempt in e.attempts.values() if attempt.kind == "chaos.labelled"]
    wrong = [
        f"job {attempt.job} token {attempt.token} ran where the label is not: slot {slots[attempt.pid]}"
        for attempt in ran
        if not has_label(slots[attempt.pid])
    ]
    return Finding("have", f"{len(ran)} attempts ran on servers that have what they need", wrong)


def i8_limits_hold(e: Evidence) -> Finding:
    by_key: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for row in e.starts:
        by_key[row["limit_key"]].append((row["at"], row["weight"]))
    wrong = [text for key, starts in by_key.items() for window in WINDOWS for text in _overfull(key, starts, window)]
    taken = Counter(row["id"] for row in e.starts)
    performed = Counter(a.job for a in e.attempts.values() if a.kind == "chaos.limited")
    wrong += [
        f"job {job} was performed {n} times with {taken[job]} starts" for job, n in performed.items() if n > taken[job]
    ]
    fullest = max((_fullest(starts, WINDOWS[0]) for starts in by_key.values()), default=0)
    text = f"{len(e.starts)} starts of {len(by_key)} limits, at most {fullest} of {WINDOWS[0].most} a second"
    return Finding("I8", text, wrong, {"starts under a limit": len(e.starts)})


def i11_routed_work_runs_where_the_route_is(e: Evidence) -> Finding:
    held = {row["epoch"]: row for row in e.held}
    epochs = Counter(row["epoch"] for row in e.held)
    wrong = [f"epoch {epoch} was given {n} times" for epoch, n in epochs.items() if n > 1]
    routed = [a for a in e.attempts.values() if a.kind == "chaos.routed"]
    for attempt in routed:
        holder = held.get(attempt.data["epoch"])
        if holder is None or holder["route"] != e.bodies[attempt.job].queue or holder["pid"] != attempt.pid:
            wrong.append(f"job {attempt.job} token {attempt.token} ran where its route was not: {holder}")
    records = [row for row in e.recorded if row["route"] is not None]
    wrong += [
        f"job {row['job']} recorded under epoch {row['epoch']}, current was {row['current_epoch']}"
        for row in records
        if row["epoch"] != row["current_epoch"]
    ]
    moved = sum(o.result == "returned" for (job, _), o in e.outcomes.items() if e.bodies[job].kind == "chaos.routed")
    text = f"{len(routed)} routed attempts and {len(records)} records under {len(held)} epochs, {moved} handed back"
    return Finding("I11", text, wrong, {"routed attempts": len(routed)})


def i23_urgent_work_of_any_route_goes_first(e: Evidence) -> Finding:
    """While one waits on a route that its server has had for a while, that server claims nothing less urgent."""
    held = {line.data["epoch"]: line.at for line in e.said("held")}
    routed = [(o, e.attempts[key]) for key, o in e.outcomes.items() if key in e.attempts and o.token == 1]
    routed = [(o, a) for o, a in routed if a.kind == "chaos.routed" and o.started is not None]
    urgent = [(o, a) for o, a in routed if e.bodies[o.job].priority == 0]
    wrong = []
    for outcome, attempt in urgent:
        since = max(e.bodies[outcome.job].created, held.get(attempt.data["epoch"], inf)) + UNHEARD
        wrong += [
            f"job {other.job} was claimed before urgent job {outcome.job}, which had waited since {since:.1f}"
            for other, _ in routed
            if other.worker == outcome.worker
            and e.bodies[other.job].priority > 0
            and since < (other.started or 0.0) < (outcome.started or 0.0)
        ]
    text = f"{len(urgent)} urgent ones of {len(routed)} on routes went first"
    return Finding("I23", text, wrong, {"urgent ones on routes": len(urgent)})


def keys_are_open_once(e: Evidence) -> Finding:
    """No two run at once; and when one was committed, the one before had ended, as its producer's file has it."""
    keys: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in e.attempts.values():
        if attempt.kind == "chaos.keyed":
            keys[attempt.data["key"]].append(attempt)
    wrong = [text for attempts in keys.values() for text in overlaps(e, attempts)]
    committed = {job: line.at for line in e.said("committed") for _, job in line.data["jobs"]}
    bodies = sorted((body.args["key"], body.id) for body in e.bodies.values() if body.kind == "chaos.keyed")
    for (key, earlier), (same, later) in pairwise(bodies):
        end = e.final(earlier)
        if key == same and later in committed and end is not None and end.ended > committed[later] + SLACK:
            wrong.append(
                f"{key}: job {later} was enqueued {end.ended - committed[later]:.2f} s before job {earlier} ended"
            )
    text = f"{sum(map(len, keys.values()))} attempts of {len(keys)} keys, one open at a time"
    return Finding("keys", text, wrong, {"jobs with a key": len(bodies)})


def _most_at_once(e: Evidence, attempts: list[Attempt]) -> int:
    """As in overlaps: slack only where no file says when an attempt ended."""
    edges: list[tuple[float, int]] = []
    for attempt in attempts:
        until = e.valid_until(attempt)
        if until is not None:
            until -= 0.0 if e.is_witnessed(attempt) else SLACK
            edges += [(attempt.start, 1), (max(until, attempt.start), -1)]
    running = most = 0
    for _, change in sorted(edges):
        running += change
        most = max(most, running)
    return most


def _overfull(key: str, starts: list[tuple[float, int]], window: Window) -> list[str]:
    most = _fullest(starts, window)
    return [f"{key}: {most} in one window of {window.name}, at most {window.most}"] if most > window.most else []


def _fullest(starts: list[tuple[float, int]], window: Window) -> int:
    """The most that any window of this span ever held."""
    span, most, weight, first = window.span.total_seconds(), 0, 0, 0
    for at, added in starts:
        weight += added
        # The float of a moment is good to a microsecond; a start exactly one span later is allowed.
        while starts[first][0] <= at - span + 2e-6:
            weight -= starts[first][1]
            first += 1
        most = max(most, weight)
    return most
