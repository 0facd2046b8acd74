"""The promises about facts and schedules: I12 one decision and one end a moment, I19 facts, ends that are facts."""

from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

from chaos.checks_work import SIGNAL, SWEEP, overlaps, slept
from chaos.evidence import Evidence
from chaos.producer import DEADLINE, MAX_FAILURES
from chaos.report import Finding
from pabal.base.database import Row
from pabal.engine import ids

# how the end of a job reads in the ledger, where it is called something else
ENDS = {"quarantined": "failed", "expired": "missed"}


def i19_facts_are_taken_once_and_in_order(e: Evidence) -> Finding:
    heard = Counter(row["seq"] for row in e.heard)
    aside = {row["seq"] for row in e.aside}
    wrong = []
    for fact in e.facts:
        is_bad = bool(fact["data"].get("poison"))
        if is_bad != (fact["seq"] in aside) or heard[fact["seq"]] != int(not is_bad):
            wrong.append(f"fact {fact['seq']} {fact['data']} was taken {heard[fact['seq']]} times")
    by_subject: dict[str, list[int]] = defaultdict(list)
    for row in e.heard:
        by_subject[row["subject"]].append(row["seq"])
    for subject, seqs in by_subject.items():
        wrong += [
            f"{subject}: fact {later} was taken before {earlier}"
            for later, earlier in pairwise(seqs)
            if later > earlier
        ]
    bad = sum(bool(fact["data"].get("poison")) for fact in e.facts)
    text = f"{len(e.facts)} facts, each taken once and in order; {bad} bad ones put aside"
    return Finding("I19", text, wrong, {"facts": len(e.facts)})


def ends_are_told(e: Evidence) -> Finding:
    """One fact for each job that asked, saying how it ended and what it gave; none for any other."""
    told: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for fact in e.facts:
        if fact["name"] == "job.ended":
            told[fact["subject"]].append(fact["data"])
    asked = [body for body in e.bodies.values() if body.records_end]
    wrong = []
    for body in asked:
        end = e.final(body.id)
        facts = told.pop(ids.show("job", body.id), [])
        results = [fact["result"] for fact in facts]
        if end is not None and results != [end.result]:
            wrong.append(f"job {body.id} {body.kind} ended as {end.result}, told was {results}")
        gave = {"mark": body.args["mark"]} if body.args.get("gives") and results == ["done"] else None
        wrong += [f"job {body.id} gave {gave}, told was {fact['data']}" for fact in facts if fact["data"] != gave]
    wrong += [f"{subject} never asked, told was {facts}" for subject, facts in told.items()]
    return Finding("ends", f"{len(asked)} jobs that asked for it told their end once", wrong, {"ends told": len(asked)})


def i12_each_moment_has_one_decision_and_one_end(e: Evidence) -> Finding:
    plans = {one["id"]: one for line in e.said("scheduled") for one in line.data["schedules"]}
    ledgers: dict[int, list[Row]] = defaultdict(list)
    for row in e.occurrences:
        ledgers[row["schedule_id"]].append(row)
    wrong = [f"schedule {one} was put and has no moments" for one in plans if one not in ledgers]
    replaced = 0
    for schedule, rows in ledgers.items():
        wrong += _missing(schedule, rows, plans[schedule]["every"])
        wrong += [text for row in rows if row["work_id"] is not None for text in _ends(e, row)]
        jobs = {row["work_id"] for row in rows}
        wrong += overlaps(e, [attempt for attempt in e.attempts.values() if attempt.job in jobs])
        if plans[schedule]["overlap"] == "cancel_previous":
            found, late = _replaced(e, rows)
            replaced, wrong = replaced + found, wrong + late
    text = f"{len(e.occurrences)} moments with one decision and one end, never two runs at once, {replaced} replaced"
    return Finding("I12", text, wrong, {"moments decided": len(e.occurrences), "replaced runs": replaced})


def _missing(schedule: int, rows: list[Row], every: float) -> list[str]:
    return [
        f"schedule {schedule}: {later['fire_at'] - earlier['fire_at']:g} s between two moments, {every:g} between all"
        for earlier, later in pairwise(rows)
        if abs(later["fire_at"] - earlier["fire_at"] - every * earlier["count"]) > 1e-3
    ]


def _ends(e: Evidence, row: Row) -> list[str]:
    """As its job ended; and the job is as the schedule wants its jobs."""
    end = e.final(row["work_id"])
    body = e.bodies[row["work_id"]]
    found = []
    if (body.deadline, body.max_failures) != (DEADLINE.total_seconds(), MAX_FAILURES):
        found.append(
            f"job {body.id} has {body.deadline} s and {body.max_failures} failures, which its schedule does not"
        )
    if end is not None and row["end"] != ENDS.get(end.result, end.result):
        found.append(f"job {body.id} ended as {end.result}, its moment as {row['end']}")
    return found


def _replaced(e: Evidence, rows: list[Row]) -> tuple[int, list[str]]:
    """Those that were open when the next moment was decided, by the database's clock; and those that went on."""
    found, wrong = 0, []
    enqueued = [row for row in rows if row["work_id"] is not None]
    for earlier, later in pairwise(enqueued):
        if earlier["ended_at"] is None or earlier["ended_at"] <= later["decided_at"]:
            continue
        found += 1
        at = later["decided_at"]
        if earlier["end"] == "missed" or earlier["ended_at"] > _due(e, earlier["work_id"], at):
            late = earlier["ended_at"] - at
            wrong.append(f"job {earlier['work_id']} was replaced and ended {late:.1f} s later as {earlier['end']}")
    return found, wrong


def _due(e: Evidence, job: int, at: float) -> float:
    """When a replaced job has ended: its server gets the signal; if that is asleep or dead, the job is rescued."""
    quick = SIGNAL + SWEEP
    attempts = [attempt for attempt in e.attempts.values() if attempt.job == job]
    is_well = attempts and not any(e.was_hurt(attempt.server, attempt.start, at + quick) for attempt in attempts)
    most = quick if is_well else quick + slept(e)
    return e.put_off(at + most, at, and_after=e.ttl + most)
