"""The promises about several jobs: I7 and I27 lanes, I8 limits, I11 and I23 routes, turns, priorities, labels, keys."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from math import inf

from chaos.checks_work import SLACK, overlaps
from chaos.evidence import Attempt, AttemptKey, Body, Evidence
from chaos.kinds import LABEL, WIDE, WINDOWS
from chaos.report import Finding
from chaos.worker import has_label
from pabal.engine.limits import Window


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
    """Over all servers, whatever dies: no more run at once than the lane was wide when the last of them was claimed.

    What runs when it becomes narrower goes on; so the width that counts is that of the last claim.
    """
    lanes: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in e.attempts.values():
        if attempt.kind == "chaos.wide":
            lanes[attempt.data["lane"]].append(attempt)
    most, wrong = 0, []
    for lane, attempts in lanes.items():
        widths = _widths(e, lane)
        for running in _at_once(e, attempts):
            last = max(running, key=lambda attempt: _claimed(e, attempt))
            since, until = _claimed(e, last) - SLACK, last.start
            width = max(width for width, begins, ends in widths if begins <= until and ends >= since)
            most = max(most, len(running))
            if len(running) > width:
                jobs = sorted(attempt.job for attempt in running)
                wrong.append(f"{lane}: {len(running)} at once, at most {width}: jobs {jobs}")
    starts, changes = sum(map(len, lanes.values())), len(e.said("width"))
    text = f"{starts} starts in {len(lanes)} shared lanes, at most {most} at once, {changes} changes of width"
    return Finding("I27", text, wrong, {"starts in shared lanes": starts, "changes of width": changes})


def _widths(e: Evidence, lane: str) -> list[tuple[int, float, float]]:
    """Each with from when, and until when, it may have been the one that counts."""
    found: list[tuple[int, float, float]] = [(WIDE, -inf, inf)]
    for line in e.said("width"):
        if line.data["lane"] == lane:
            if line.data["is_known"]:
                found = [(width, since, min(until, line.at)) for width, since, until in found]
            found.append((line.data["width"], line.data["asked"], inf))
    return found


def labels_are_kept(e: Evidence) -> Finding:
    """What needs a label, by its kind or by itself, runs only on servers that have it."""
    slots = {line.data["pid"]: line.data["slot"] for line in e.said("started")}
    ran = [one for one in e.attempts.values() if one.kind == "chaos.labelled" or _needs_label(e, one)]
    wrong = [
        f"job {attempt.job} token {attempt.token} ran where the label is not: slot {slots[attempt.pid]}"
        for attempt in ran
        if not has_label(slots[attempt.pid])
    ]
    of_schedules = sum(_needs_label(e, attempt) for attempt in ran)
    judged = {"where a label is needed": len(ran) - of_schedules, "scheduled where a label is": of_schedules}
    text = f"{len(ran)} attempts ran on servers that have what they need, {of_schedules} of them of a schedule"
    return Finding("have", text, wrong, judged)


def _needs_label(e: Evidence, attempt: Attempt) -> bool:
    return e.bodies[attempt.job].queue.endswith(f"@{LABEL}")


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
    """A server that has heard of an urgent job on one of its routes claims nothing less urgent from another before it.

    Judged are the pairs of which it had heard before it claimed either: both had to wait, and one had to be chosen.
    """
    known: dict[int, float] = {}
    by_worker: dict[int | None, list[tuple[float, Body]]] = defaultdict(list)
    for key, outcome in e.outcomes.items():
        attempt = e.attempts.get(key)
        if (
            attempt is not None
            and attempt.kind == "chaos.routed"
            and outcome.token == 1
            and outcome.started is not None
        ):
            known[outcome.job] = _known_since(e, attempt) + SLACK
            by_worker[outcome.worker].append((outcome.started, e.bodies[outcome.job]))
    pairs = [
        (urgent, other, at - then)
        for claims in by_worker.values()
        for at, urgent in claims
        for then, other in claims
        if urgent.priority == 0 < other.priority
        and urgent.queue != other.queue
        and max(known[urgent.id], known[other.id]) < min(at, then)
    ]
    wrong = [
        f"job {other.id} of {other.queue} was claimed {late:.2f} s before urgent job {urgent.id} of {urgent.queue}"
        for urgent, other, late in pairs
        if late > 0
    ]
    waited, behind = len({urgent.id for urgent, _, _ in pairs}), len({other.id for _, other, _ in pairs})
    text = f"{waited} urgent ones that had to wait were claimed before {behind} of another route"
    return Finding("I23", text, wrong, {"urgent ones before another route's": waited})


def _known_since(e: Evidence, attempt: Attempt) -> float:
    """Since when its server knew for sure: it heard of the route after the commit, or took it later than that."""
    committed = e.committed.get(attempt.job, inf)
    held = e.holding.get(attempt.data["epoch"], inf)
    if held > committed:
        return held
    heard = e.hearing.get((attempt.pid, e.bodies[attempt.job].queue), ())
    return next((at for at in heard if at >= committed), inf)


def turns_are_kept(e: Evidence) -> Finding:
    """What was handed back because no slot began it is claimed next with the turn it had, and not in that very commit.

    By the database's clock alone: the moment it became ready, and those of transactions.
    """
    back = [(job, token) for line in e.said("handed back") for job, token in line.data["jobs"]]
    claims: dict[tuple[int | None, str, float | None], list[int]] = defaultdict(list)
    for outcome in e.outcomes.values():
        claims[outcome.worker, e.bodies[outcome.job].queue, outcome.started].append(outcome.job)
    judged, wrong = 0, []
    for job, token in back:
        before, after = e.ready_at.get((job, token)), e.ready_at.get((job, token + 1))
        returned = e.outcomes.get((job, token))
        # Who waits for a lane that became narrower meanwhile has no turn in the queue.
        if before is not None and after is not None and e.bodies[job].lane is None:
            judged += 1
            wrong += (
                [f"job {job} was handed back and lost {after - before:.3f} s of its turn"] if after != before else []
            )
        if returned is not None:
            others = claims[returned.worker, e.bodies[job].queue, returned.ended]
            wrong += [f"job {job} was handed back, and job {one} claimed in the same commit" for one in others]
    text = f"{len(back)} handed back before they began, {judged} of them claimed again in their turn"
    return Finding("turn", text, wrong, {"turns kept": judged})


def moved_priorities_stay(e: Evidence) -> Finding:
    """The last one that was committed, as far as that is known."""
    unknown = {line.data["job"] for line in e.said("move unknown")}
    moved = {line.data["job"]: line.data["priority"] for line in e.said("moved")}
    wrong = [
        f"job {job} was given priority {priority} and has {e.bodies[job].priority}"
        for job, priority in moved.items()
        if job not in unknown and e.bodies[job].priority != priority
    ]
    return Finding("move", f"{len(moved)} priorities moved", wrong, {"priorities moved": len(moved)})


def keys_are_open_once(e: Evidence) -> Finding:
    """No two run at once; and when one was committed, the one before had ended, as its producer's file has it."""
    keys: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in e.attempts.values():
        if attempt.kind == "chaos.keyed":
            keys[attempt.data["key"]].append(attempt)
    wrong = [text for attempts in keys.values() for text in overlaps(e, attempts)]
    committed = e.committed
    bodies = sorted((body.args["key"], body.id) for body in e.bodies.values() if body.kind == "chaos.keyed")
    for (key, earlier), (same, later) in pairwise(bodies):
        end = e.final(earlier)
        if key == same and later in committed and end is not None and end.ended > committed[later] + SLACK:
            wrong.append(
                f"{key}: job {later} was enqueued {end.ended - committed[later]:.2f} s before job {earlier} ended"
            )
    text = f"{sum(map(len, keys.values()))} attempts of {len(keys)} keys, one open at a time"
    return Finding("keys", text, wrong, {"jobs with a key": len(bodies)})


def _claimed(e: Evidence, attempt: Attempt) -> float:
    outcome = e.outcomes.get((attempt.job, attempt.token))
    return attempt.start if outcome is None or outcome.started is None else outcome.started


def _at_once(e: Evidence, attempts: list[Attempt]) -> Iterator[list[Attempt]]:
    """Who runs at each start. As in overlaps: slack only where no file says when an attempt ended."""
    edges: list[tuple[float, int, AttemptKey]] = []
    for attempt in attempts:
        until = e.valid_until(attempt)
        if until is not None:
            until -= 0.0 if e.is_witnessed(attempt) else SLACK
        if until is not None and until > attempt.start:
            key = (attempt.job, attempt.token)
            edges += [(attempt.start, 1, key), (until, -1, key)]
    running: dict[AttemptKey, Attempt] = {}
    for _, change, key in sorted(edges):
        if change < 0:
            running.pop(key, None)
        else:
            running[key] = e.attempts[key]
            yield list(running.values())


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
