"""The promises about long work and bad work: I21 beginnings and deadlines, I22 poison, I26 checkpoints, children."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from math import inf

from chaos.evidence import Attempt, Evidence, Outcome
from chaos.long import SLOTS, STALL
from chaos.report import Finding

# What was claimed begins within this or is handed back: by its server's own file, which also says for how long its loop
# was kept from its turn. The rest is what the loop needs to come to a timer, and a start to the disk.
BEGINS, TURN = 1.0, 0.25
# How long a busy machine may keep a loop from its turn.
BUSY = 4.0
# A stopping server lets the steps of its loops finish, then gives handlers a grace: chaos/worker.py.
STOPS = 5.0 + 2.0 + BUSY
BEAT = 2.0
# The engine's clock of an attempt starts before its handler's first line is on disk, and stops after its last.
EARLY = 0.3
DEATH = 0.5


def i21_what_is_claimed_begins(e: Evidence) -> Finding:
    """From when its server had it to the handler's first line; steps have a transaction before it."""
    waits: list[float] = []
    wrong = []
    for key, at in e.claimed.items():
        attempt = e.attempts.get(key)
        if attempt is None or attempt.kind not in AT_ONCE or e.was_hurt(attempt.server, at, attempt.start):
            continue
        waits.append(attempt.start - at - e.lag(attempt.server, at, attempt.start))
        if waits[-1] > BEGINS + TURN:
            wrong.append(f"job {attempt.job} token {attempt.token} began {waits[-1]:.2f} s after its claim")
    wrong += _too_many_at_once(e)
    text = f"{len(waits)} attempts begun within {max(waits, default=0):.2f} s of their claim"
    return Finding("I21", text, wrong, {"begun after their claim": len(waits)})


def i21_deadlines_count_from_the_start(e: Evidence) -> Finding:
    """An attempt fails of its deadline, or of its stall limit, only after its handler had that long; and then soon."""
    wrong: list[str] = []
    told: Counter[str] = Counter()
    for attempt, outcome in _failed_of_time(e):
        if attempt is None:
            wrong.append(f"job {outcome.job} token {outcome.token} failed without having begun: {outcome.reason}")
            continue
        until = outcome.ended if attempt.ended is None else attempt.ended
        is_stall = attempt.kind == "chaos.reporting"
        span = STALL if is_stall else e.bodies[attempt.job].deadline or 0.0
        since = max([attempt.start, *attempt.steps]) if is_stall else attempt.start
        if until - since < span - EARLY:
            wrong.append(f"job {attempt.job} token {attempt.token} had {until - since:.2f} s: {outcome.reason}")
        if e.was_hurt(attempt.server, attempt.start, until) or attempt.how != "cut":
            continue
        name = "stall" if is_stall else "deadline"
        told[name] += 1
        if attempt.told != name or until - since > span + BUSY:
            wrong.append(f"job {attempt.job} token {attempt.token} was told {attempt.told} after {until - since:.1f} s")
    text = (
        f"{told['deadline']} told that their deadline passed, {told['stall']} that they stalled, none before it was so"
    )
    return Finding("time", text, wrong, {"deadlines told": told["deadline"], "stalls told": told["stall"]})


def i22_poison_is_quarantined(e: Evidence) -> Finding:
    """What takes its server or its connection along ends in quarantine with its reason; nobody else does (I5)."""
    poisons = [body for body in e.bodies.values() if body.args.get("poison")]
    wrong = []
    for body in poisons:
        end = e.final(body.id)
        if end is not None and (end.result != "quarantined" or not end.reason):
            wrong.append(f"job {body.id} {body.kind} is poison ({body.args['poison']}) and ended as {end}")
    return Finding("I22", f"{len(poisons)} poisons ended in quarantine", wrong, {"poisons": len(poisons)})


def i26_checkpoints_are_handed_on(e: Evidence) -> Finding:
    """What an attempt was told is saved, a later one is given; and nothing that none of them ever had."""
    saved: dict[int, list[tuple[int, int]]] = defaultdict(list)
    tried: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for line in e.said("saving", "saved"):
        kept = saved if line.what == "saved" else tried
        kept[line.data["job"]].append((line.data["token"], line.data["step"]))
    wrong = []
    judged = 0
    for attempt in e.attempts.values():
        if attempt.kind != "chaos.reporting":
            continue
        least = max((step for token, step in saved[attempt.job] if token < attempt.token), default=0)
        most = max((step for token, step in tried[attempt.job] if token < attempt.token), default=0)
        judged += least > 0
        if not least <= attempt.data["given"] <= most:
            wrong.append(
                f"job {attempt.job} token {attempt.token} was given step {attempt.data['given']}, saved was {least}"
            )
    text = f"{sum(map(len, saved.values()))} checkpoints saved, {judged} attempts went on where another had stopped"
    return Finding("I26", text, wrong, {"checkpoints handed on": judged})


def children_die_with_their_server(e: Evidence) -> Finding:
    """Every look of a child is in a file of its own: after the kill of its server there is none."""
    killed = {line.data["pid"]: line.at for line in e.said("kill")}
    children = {line.pid for line in e.lines if line.who == "child"}
    late = {
        line.pid: line.at - killed[line.data["server"]]
        for line in e.said("look")
        if line.at > killed.get(line.data["server"], line.at) + DEATH
    }
    wrong = [f"child {pid} was there {seconds:.1f} s after its server was killed" for pid, seconds in late.items()]
    orphaned = {line.data["server"] for line in e.said("look")} & killed.keys()
    text = f"{len(children)} attempts in processes of their own; none outlived its server ({len(orphaned)} killed)"
    return Finding("kin", text, wrong, {"children": len(children)})


def stops_are_told_soon_and_rightly(e: Evidence) -> Finding:
    """Why an attempt had to stop, where its server stopped or its job became somebody else's; cancels are I10's."""
    stopping = {line.pid: line.at for line in e.said("stopping")}
    wrong: list[str] = []
    for attempt in e.attempts.values():
        since = stopping.get(attempt.server, inf)
        found = [_told_wrongly(e, attempt, since), _ran_on(e, attempt, since)]
        wrong += [
            f"job {attempt.job} token {attempt.token} {attempt.kind} {text}" for text in found if text is not None
        ]
    told = Counter(attempt.told for attempt in e.attempts.values())
    text = f"{told['shutdown']} told that their server stops, {told['lease_lost']} that their job is another's"
    return Finding("why", text, wrong, {"stops told": told["shutdown"], "losses told": told["lease_lost"]})


def _told_wrongly(e: Evidence, attempt: Attempt, stopping: float) -> str | None:
    outcome = e.outcomes.get((attempt.job, attempt.token))
    if attempt.how == "cut" and attempt.told is None and attempt.kind != "chaos.failing":
        return "was cut without a word"
    if attempt.told == "shutdown" and (attempt.ended or inf) < stopping:
        return "was told of a stop that was none"
    if attempt.told == "lease_lost" and outcome is not None and outcome.result not in TAKEN:
        return f"was told that its job was another's and ended as {outcome.result}"
    return None


def _ran_on(e: Evidence, attempt: Attempt, stopping: float) -> str | None:
    """Of those that came to an end by themselves: what a kill ended had no time to."""
    outcome = e.outcomes.get((attempt.job, attempt.token))
    if attempt.ended is None:
        return None
    if attempt.start < stopping < attempt.ended - STOPS and not _slept(e, attempt, stopping):
        return f"ran on {attempt.ended - stopping:.1f} s after its server was told to stop"
    if outcome is None or outcome.result not in ("lost", "quarantined"):
        return None
    is_late = attempt.ended > _heard_by(e, attempt, outcome)
    return f"ran on {attempt.ended - outcome.ended:.1f} s after its job was taken" if is_late else None


def _slept(e: Evidence, attempt: Attempt, since: float) -> bool:
    return any(a < since + STOPS and b > since for a, b in e.sleeps.get(attempt.server, ()))


def _heard_by(e: Evidence, attempt: Attempt, outcome: Outcome) -> float:
    """Its server hears of it with the next beat, once it is awake and the database there."""
    due = outcome.ended + BEAT + BUSY
    for since, until in e.sleeps.get(attempt.server, ()):
        if since < due and until > outcome.ended:
            due = max(due, until + BEAT + BUSY)
    return e.put_off(due, outcome.ended, and_after=BEAT + BUSY + e.ttl)


# how an attempt ends that is told that its job is another's
TAKEN = {"lost", "quarantined", "returned", "cancelled", "expired"}
AT_ONCE = {"chaos.plain", "chaos.lane", "chaos.keyed", "chaos.later", "chaos.timed", "chaos.reporting"}


def _failed_of_time(e: Evidence) -> Iterator[tuple[Attempt | None, Outcome]]:
    for key, outcome in e.outcomes.items():
        is_timed = e.bodies[outcome.job].kind in ("chaos.timed", "chaos.reporting")
        if is_timed and outcome.result in ("retry", "failed"):
            yield e.attempts.get(key), outcome


def _too_many_at_once(e: Evidence) -> list[str]:
    """Of a kind that has only some of a server's slots."""
    edges: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for attempt in e.attempts.values():
        if attempt.kind == "chaos.reporting" and attempt.ended is not None:
            edges[attempt.pid] += [(attempt.start, 1), (attempt.ended, -1)]
    wrong = []
    for pid, changes in edges.items():
        running = most = 0
        for _, change in sorted(changes):
            running += change
            most = max(most, running)
        if most > SLOTS:
            wrong.append(f"server {pid} ran {most} at once of a kind that has {SLOTS} slots")
    return wrong
