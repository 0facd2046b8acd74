"""The promises of ad groups, each a function of the evidence alone."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

from chaos.adgroups.evidence import Evidence
from chaos.report import Finding
from pabal.apps.adgroups.machine import AD_GROUP, Subject
from pabal.apps.adgroups.model.adgroups import Event, State
from pabal.engine.transitions import HistoryBroken, Transition, replay

# At more moves than this something waits for the others.
MOVES_A_SECOND = 1000
BROKER = "broker"


def history_is_whole(e: Evidence) -> Finding:
    wrong = []
    for subject in e.subjects.values():
        made = e.transitions.get(subject.id, [])
        try:
            state = replay(made)
        except HistoryBroken as error:
            wrong.append(str(error))
            continue
        if state != subject.state or len(made) != subject.version:
            wrong.append(f"{subject.id} is {subject.state} {subject.version}, its history says {state} {len(made)}")
    number = sum(map(len, e.transitions.values()))
    return Finding("past", f"{len(e.subjects)} histories without a gap, {number} transitions, lead to the state", wrong)


def windows_are_kept(e: Evidence) -> Finding:
    """Nobody runs early; nobody runs on for more than two seconds while somebody could have ended it."""
    moves = sorted(one.at for made in e.transitions.values() for one in made)
    wrong, runs, worst = [], 0, 0.0
    for subject in e.subjects.values():
        for start, end in _list_runs(e.transitions.get(subject.id, []), e.ended_at):
            runs += 1
            if not _is_allowed(subject, start):
                wrong.append(f"{subject.id} began to run at {start}, outside its window")
                continue
            for leaves, until in _list_outside(subject, start, end):
                waits = (bisect_right(moves, until) - bisect_left(moves, leaves)) / MOVES_A_SECOND
                late = (until - leaves).total_seconds() - e.seconds_out(leaves, until) - waits
                worst = max(worst, late)
                if late > e.patience:
                    wrong.append(f"{subject.id} should have left at {leaves}, and ran until {until}: {late:.2f} s")
    return Finding("time", f"{runs} runs inside their windows; the longest went on for {max(worst, 0.0):.2f} s", wrong)


def everything_came(e: Evidence) -> Finding:
    """Whoever should run, runs, unless it was paused; the timers are those that its state declares."""
    wrong = []
    for subject in e.subjects.values():
        made = e.transitions[subject.id]
        # a timer that came when its hours were back was refused, and the next one armed
        moments = (made[-1].at, e.ended_at)
        declared = [dict(AD_GROUP.due(subject.state, subject, moment)) for moment in moments]
        armed = e.timers.get(subject.id, {})
        if armed not in declared:
            wrong.append(f"{subject.id} is {subject.state} with the timers {armed}, not {declared}")
        if late := [event for event, due_at in armed.items() if due_at <= e.ended_at]:
            wrong.append(f"{subject.id} is {subject.state} and {late} are still to come")
    states = Counter(subject.state for subject in e.subjects.values())
    told = ", ".join(f"{state} {number}" for state, number in sorted(states.items()))
    return Finding("came", f"everything that was due came: {told}", wrong)


def outside_once(e: Evidence) -> Finding:
    """However often it was said: one end, and one transition if it was applied."""
    led_to = Counter(one.reason for made in e.transitions.values() for one in made if _is_outside(one))
    taken = {one.id: one for one in e.taken}
    wrong = [f"{name} was said and is not known" for name in set(e.said) - taken.keys()]
    for name, one in taken.items():
        expected = 1 if one.result == "applied" else 0
        if one.result not in ("applied", "refused") or led_to[name] != expected:
            wrong.append(f"{name} is {one.result} ({one.code}) and led to {led_to[name]} transitions")
    wrong += [f"{name} led to a transition and was never said" for name in led_to.keys() - set(e.said)]
    results = Counter(one.result for one in e.taken)
    doubles = len(e.said) - len(set(e.said))
    told = f"{len(set(e.said))} events from outside, {doubles} said again: {dict(sorted(results.items()))}"
    return Finding("once", told, wrong)


def redis_agrees(e: Evidence) -> Finding:
    """After the reconciler's pass there is nothing left to mend."""
    wrong = [] if e.differences and e.differences[-1] == 0 else [f"{e.differences} differences"]
    return Finding("same", f"Redis equals the database; the first pass had mended {e.differences[0]}", wrong)


def _list_runs(made: list[Transition], ended_at: datetime) -> Iterator[tuple[datetime, datetime]]:
    for one, after in pairwise(made):
        if one.target == State.RUNNING:
            yield one.at, after.at
    if made and made[-1].target == State.RUNNING:
        yield made[-1].at, ended_at


def _is_allowed(subject: Subject, moment: datetime) -> bool:
    schedule = subject.schedule
    return schedule.start_at <= moment < schedule.end_at and schedule.calendar.is_inside(moment)


def _list_outside(subject: Subject, start: datetime, end: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Of one run: each stretch outside its hours or after its end. What an outage hid altogether is one, too."""
    calendar, over = subject.schedule.calendar, subject.schedule.end_at
    moment: datetime | None = start
    while (leaves := calendar.next_end(moment) if moment is not None else None) and leaves < min(end, over):
        moment = calendar.next_start(leaves)
        yield leaves, min(one for one in (moment, end, over) if one is not None)
    if over < end:
        yield over, end


def _is_outside(made: Transition) -> bool:
    return made.actor == BROKER and made.event in (Event.PAUSE, Event.RESUME)
