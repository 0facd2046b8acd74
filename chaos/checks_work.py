"""The promises about single jobs: I1 to I6, inside work, cancel, keys and delays."""

from collections import Counter, defaultdict
from itertools import pairwise
from math import inf

from chaos.evidence import Attempt, Evidence
from chaos.report import Finding

# Where two clocks are compared: the steady one, on which all histories are, and the database's. Nowhere else.
SLACK = 0.1
RESCUE_SLACK = 4.0
# A rescued job stands behind others that are ready.
RERUN_SLACK = 10.0
SWEEP = 1.0
# A signal comes with a wake-up, or else with the next beat; a handler in a child is told by its server.
SIGNAL = 4.0
# A server that sleeps with a transaction open keeps its locks until the database ends that transaction.
OPEN_TRANSACTION = 13.0
# They fail on purpose; of what, checks_long looks at.
OWN_FAILURES = {"chaos.failing", "chaos.timed", "chaos.reporting"}


def i1_nothing_is_lost(e: Evidence) -> Finding:
    marks = {body.args.get("mark"): body.id for body in e.bodies.values()}
    ran = {attempt.data.get("mark") for attempt in e.attempts.values()}
    committed = [(mark, job) for line in e.said("committed") for mark, job in line.data["jobs"]]
    undone = [mark for line in e.said("rolled back") for mark in line.data["marks"]]
    unknown = [mark for line in e.said("unknown") for mark in line.data["marks"]]
    wrong = [f"job {job} (mark {mark}) was committed and is gone" for mark, job in committed if marks.get(mark) != job]
    wrong += [
        f"job {body.id} {body.kind} has no end; it is in {e.places.get(body.id, 'no place at all')}"
        for body in e.bodies.values()
        if e.final(body.id) is None
    ]
    wrong += [f"job {job} has ended and is in {place} too" for job, place in e.places.items() if e.final(job)]
    wrong += [f"mark {mark} was rolled back and is there" for mark in undone if mark in marks or mark in ran]
    done = [body for body in e.bodies.values() if (end := e.final(body.id)) is not None and end.result == "done"]
    unseen = [body for body in done if body.kind != "chaos.inside" and not _ran(e, body.id)]
    wrong += [f"job {body.id} {body.kind} is done and never ran" for body in unseen]
    text = f"{len(committed)} committed jobs ended, {len(undone)} rolled back never ran, {len(unknown)} in doubt"
    return Finding("I1", text, wrong)


def i2_one_attempt_at_a_time(e: Evidence) -> Finding:
    wrong = []
    for job, outcomes in e.by_job.items():
        tokens = [outcome.token for outcome in outcomes]
        if tokens != list(range(1, len(tokens) + 1)):
            wrong.append(f"job {job} has ends for tokens {tokens}")
    wrong += [
        f"job {job} token {token} ran and has no end"
        for job, token in e.attempts
        if (job, token) not in e.outcomes and job not in e.places
    ]
    by_job: dict[int, list[Attempt]] = defaultdict(list)
    for attempt in e.attempts.values():
        by_job[attempt.job].append(attempt)
    for attempts in by_job.values():
        wrong += overlaps(e, attempts)
        # By the handlers' files: the moment of an outcome is that of a transaction's beginning, which may have waited.
        in_time = [a.token for a in sorted(attempts, key=lambda a: a.start) if e.valid_until(a) is not None]
        if in_time != sorted(in_time):
            wrong.append(f"job {attempts[0].job}: its attempts began in the order {in_time}")
    several = sum(len(attempts) > 1 for attempts in by_job.values())
    return Finding("I2", f"{len(e.attempts)} attempts, {several} jobs with several: one valid one at a time", wrong)


def i3_zombies_write_nothing(e: Evidence) -> Finding:
    recorded = Counter((row["job"], row["token"]) for row in e.recorded)
    wrong = [f"job {job} token {token} recorded {n} times" for (job, token), n in recorded.items() if n > 1]
    for job, token in recorded:
        end = e.final(job)
        if end is None or end.token != token or end.result != "done":
            wrong.append(f"job {job} keeps what token {token} recorded, but ended as {end}")
    for body in e.bodies.values():
        end = e.final(body.id)
        has_record = end is not None and (body.id, end.token) in recorded
        if body.kind in STEPS and end is not None and end.result == "done" and not has_record:
            wrong.append(f"job {body.id} {body.kind} is done without its record")
    late = [a for key, a in e.attempts.items() if a.how == "end" and _is_lost(e, key)]
    text = (
        f"{len(recorded)} records, each of the token that ended its job; {len(late)} results of lost attempts not kept"
    )
    return Finding("I3", f"{text}, {len(e.stale)} stale ones noted", wrong)


def i4_one_end(e: Evidence) -> Finding:
    finals = Counter(outcome.job for outcome in e.outcomes.values() if outcome.final)
    wrong = [f"job {job} ended {n} times" for job, n in finals.items() if n > 1]
    wrong += [
        f"job {outcome.job} went on after its end"
        for outcomes in e.by_job.values()
        for outcome in outcomes[:-1]
        if outcome.final
    ]
    given_up = Counter(row["job"] for row in e.given_up)
    for body in e.bodies.values():
        end = e.final(body.id)
        expected = int(body.kind in STEPS and end is not None and end.result != "done")
        if given_up[body.id] != expected:
            wrong.append(f"job {body.id} {body.kind} was given up {given_up[body.id]} times, ended as {end}")
    results = Counter(e_.result for e_ in e.outcomes.values() if e_.final)
    return Finding("I4", f"{len(finals)} jobs with one end: {_counted(results)}", wrong)


def i5_failures_are_the_handlers_own(e: Evidence) -> Finding:
    wrong = []
    crashes = failures = 0
    for body in e.bodies.values():
        results = Counter(outcome.result for outcome in e.by_job[body.id])
        own = results["retry"] + results["failed"]
        lost = results["lost"] + results["quarantined"]
        crashes, failures = crashes + lost, failures + own
        if own > body.max_failures or lost > body.max_recoveries + 1:
            wrong.append(f"job {body.id} failed {own} of {body.max_failures}, was lost {lost} of {body.max_recoveries}")
        if own and body.kind not in OWN_FAILURES and not body.args.get("bad"):
            reasons = {o.reason for o in e.by_job[body.id] if o.result in ("retry", "failed")}
            wrong.append(f"job {body.id} {body.kind} never fails, yet {own} failures were counted: {reasons}")
        # The jobs of schedules have no more recoveries than others; innocent ones may be lost as often as that.
        if results["quarantined"] and not body.args.get("poison") and lost <= body.max_recoveries:
            wrong.append(f"job {body.id} {body.kind} was quarantined")
        if results["failed"] and own != body.max_failures:
            wrong.append(f"job {body.id} failed for good after {own} of {body.max_failures}")
    text = f"{failures} failures within their limits, {crashes} crashes counted apart"
    return Finding("I5", text, wrong)


def i6_rescued_in_time(e: Evidence) -> Finding:
    """From the kill until the job is handed back, and until it runs again; an outage of the database puts both off."""
    killed = {line.data["pid"]: line.at for line in e.said("kill")}
    # A life that lapsed is noted as 0, and so is the server of an inside job, which has none.
    pid_of = {line.data["worker"]: line.pid for line in e.said("life") if line.data["worker"]}
    waits: list[float] = []
    reruns: list[float] = []
    wrong = []
    for outcome in e.outcomes.values():
        at = killed.get(pid_of.get(outcome.worker or 0, 0))
        if outcome.result not in ("lost", "quarantined") or at is None:
            continue
        waits.append(outcome.ended - at)
        due = _rescued_by(e, at)
        if outcome.ended > due:
            wrong.append(f"job {outcome.job} was handed back {outcome.ended - at:.1f} s after its worker was killed")
        after = e.attempts.get((outcome.job, outcome.token + 1))
        if after is not None and after.kind in AT_ONCE:
            reruns.append(after.start - at)
            if after.start > e.after_service(due, RERUN_SLACK):
                wrong.append(f"job {outcome.job} ran again {after.start - at:.1f} s after its worker was killed")
    asleep, kept = _kept_by_sleepers(e, pid_of)
    wrong += kept
    text = f"{len(waits)} attempts of killed servers handed back within {max(waits, default=0):.1f} s"
    text += f" and {len(reruns)} run again within {max(reruns, default=0):.1f} s (TTL {e.ttl:g} s)"
    judged = {"attempts of killed servers": len(waits), "run again after a rescue": len(reruns)}
    return Finding("I6", f"{text}; {asleep} of a long sleeper rescued meanwhile", wrong, judged)


def _rescued_by(e: Evidence, at: float) -> float:
    """After a start of the database everybody has one TTL to beat again, the dead too; then somebody must be there."""
    due = e.after_service(at + e.ttl, SWEEP + RESCUE_SLACK)
    for down, up in e.outages(and_after=0.0):
        if up + e.ttl > at and down < due:
            due = max(due, e.after_service(up + e.ttl, SWEEP + RESCUE_SLACK))
    return due


def _kept_by_sleepers(e: Evidence, pid_of: dict[int, int]) -> tuple[int, list[str]]:
    """Jobs that a stopped server held when it fell asleep, and those it kept for longer than its locks may last."""
    most = slept(e)
    stopped = {line.data["pid"]: line.at for line in e.said("stop") if line.data["seconds"] > most}
    outages = e.outages(and_after=0.0)
    held, wrong = 0, []
    for outcome in e.outcomes.values():
        at = stopped.get(pid_of.get(outcome.worker or 0, 0))
        if at is None or outcome.started is None or not outcome.started < at < outcome.ended:
            continue
        if any(at < up and at + most > down for down, up in outages):
            continue
        held += 1
        if outcome.ended > at + most:
            wrong.append(f"job {outcome.job} was kept {outcome.ended - at:.1f} s by a server that slept")
    return held, wrong


def i10_a_cancelled_job_starts_no_more(e: Evidence) -> Finding:
    """By the database's clock alone: the cancel read it when it had every job in its hands."""
    cancelled = [(job, line.data["moment"] - e.behind) for line in e.said("cancelled") for job in line.data["jobs"]]
    wrong = []
    for job, at in cancelled:
        wrong += [
            f"job {job} token {o.token} started {o.started - at:.3f} s after its cancel"
            for o in e.by_job[job]
            if o.started is not None and o.started > at
        ]
        wrong += [
            f"job {job} token {o.token} went on {o.ended - at:.3f} s after its cancel: {o.result}"
            for o in e.by_job[job]
            if o.ended > at and not o.final
        ]
        end = e.final(job)
        if end is not None and end.result not in ("cancelled", "done"):
            wrong.append(f"job {job} was cancelled and ended as {end.result}")
    return Finding("I10", f"{len(cancelled)} cancelled jobs started no more", wrong)


def i10_a_running_one_gets_the_signal(e: Evidence) -> Finding:
    """From the cancel until the handler came to its end, as its own file has it, and what it was told."""
    waits: list[float] = []
    wrong = []
    signalled = {job: line.at for line in e.said("cancelled") for job in line.data["signalled"]}
    for attempt in e.attempts.values():
        at = signalled.get(attempt.job)
        if at is None or not _was_running(attempt, at):
            continue
        due = e.put_off(at + SIGNAL, at, and_after=e.ttl + SIGNAL)
        ended = attempt.ended or inf
        if e.was_hurt(attempt.server, attempt.start, min(ended, due)) or e.valid_until(attempt) is None:
            continue
        waits.append(max(ended - at, 0.0))
        if ended > due:
            wrong.append(
                f"job {attempt.job} token {attempt.token} {attempt.kind} ran on {ended - at:.1f} s after its cancel"
            )
        elif attempt.told != "cancel" and attempt.how == "cut" and not e.is_away(attempt.start, ended):
            wrong.append(f"job {attempt.job} token {attempt.token} was cancelled and told {attempt.told}")
    text = f"{len(waits)} running ones came to their end within {max(waits, default=0):.1f} s and knew why"
    return Finding("told", text, wrong, {"signals": len(waits)})


def _was_running(attempt: Attempt, at: float) -> bool:
    """The signal may be quicker than the line of the one who cancelled."""
    return attempt.start <= at and (attempt.ended is None or attempt.ended > at or attempt.told == "cancel")


def inside_effects_happen_once(e: Evidence) -> Finding:
    wrong = []
    inside = [body for body in e.bodies.values() if body.kind == "chaos.inside"]
    for body in inside:
        end = e.final(body.id)
        expected = int(end is not None and end.result == "done")
        if e.effects.get(body.id, 0) != expected or (expected and body.args["bad"]):
            wrong.append(f"job {body.id} left {e.effects.get(body.id, 0)} effects and ended as {end}")
    return Finding("once", f"{len(inside)} inside jobs left their effect exactly once, failed ones none", wrong)


def delays_are_kept(e: Evidence) -> Finding:
    later = [body for body in e.bodies.values() if body.kind == "chaos.later"]
    wrong = []
    for body in later:
        first = e.attempts.get((body.id, 1))
        if first is not None and first.start < body.created + body.args["delay"] - SLACK:
            wrong.append(f"job {body.id} started {body.created + body.args['delay'] - first.start:.2f} s too early")
    return Finding("due", f"{len(later)} delayed jobs did not start early", wrong)


# They wait for nothing but a free slot.
AT_ONCE = {"chaos.plain", "chaos.lane", "chaos.keyed", "chaos.later", "chaos.steps"}
STEPS = {"chaos.steps", "chaos.routed", "chaos.expiring", "chaos.limited", "chaos.snoozing"}


def slept(e: Evidence) -> float:
    """How long a server that sleeps, with whatever locks, may keep its jobs."""
    return max(e.ttl, OPEN_TRANSACTION) + SWEEP + RESCUE_SLACK


def overlaps(e: Evidence, attempts: list[Attempt]) -> list[str]:
    """Pairs of attempts that both held what only one may hold. Two handlers' files are on one clock: no slack."""
    valid = [(a.start, until, a) for a in attempts if (until := e.valid_until(a)) is not None]
    valid.sort(key=lambda entry: entry[:2])
    return [
        f"job {a.job} token {a.token} until {until:.3f} and job {b.job} token {b.token} from {start:.3f}"
        for (_, until, a), (start, _, b) in pairwise(valid)
        if start < until - (0.0 if e.is_witnessed(a) else SLACK)
    ]


def _ran(e: Evidence, job: int) -> bool:
    return any((job, outcome.token) in e.attempts for outcome in e.by_job[job])


def _is_lost(e: Evidence, key: tuple[int, int]) -> bool:
    outcome = e.outcomes.get(key)
    return outcome is not None and outcome.result in ("lost", "quarantined")


def _counted(results: Counter[str]) -> str:
    return ", ".join(f"{result} {n}" for result, n in results.most_common())
