"""The promises about long work and bad work: I21 beginnings and deadlines, I22 poison, I26 checkpoints, children."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from chaos.checks_work import SLACK
from chaos.evidence import Attempt, Evidence, Outcome
from chaos.long import SLOTS, STALL
from chaos.report import Finding

# What was claimed begins within this or is handed back.
BEGINS = 1.0
# How long a busy machine may keep a loop from its turn.
BUSY = 4.0
# The engine's clock of an attempt starts before its handler's first line is on disk, and stops after its last.
EARLY = 0.3
DEATH = 0.5


def i21_what_is_claimed_begins(e: Evidence) -> Finding:
    """From the claim to the handler's first line; steps have a transaction before it."""
    waits: list[float] = []
    wrong = []
    for key, attempt in e.attempts.items():
        outcome = e.outcomes.get(key)
        if outcome is None or outcome.started is None or attempt.kind not in AT_ONCE:
            continue
        if e.was_hurt(attempt.server, outcome.started - SLACK, attempt.start):
            continue
        waits.append(attempt.start - outcome.started)
        if waits[-1] > BEGINS + BUSY:
            wrong.append(f"job {attempt.job} token {attempt.token} began {waits[-1]:.1f} s after its claim")
    wrong += _too_many_at_once(e)
    text = f"{len(waits)} attempts begun within {max(waits, default=0):.1f} s of their claim"
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
