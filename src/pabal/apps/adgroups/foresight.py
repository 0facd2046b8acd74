"""What an ad group will do if nobody interferes: the machine itself, run ahead of the clock. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pabal.apps.adgroups.machine import AD_GROUP, Subject
from pabal.apps.adgroups.model.adgroups import Event, State
from pabal.engine.machine import Refusal

# two years of one window a day; a week of hourly ones is 168
MOST = 1000


FURTHEST = timedelta(days=366)
# its end is part of its life
_AFTER = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Stretch:
    """In this state until `until`; `by` is the event that began it, None where it already was."""

    state: State
    since: datetime
    until: datetime
    by: Event | None


def foresee(subject: Subject, now: datetime, until: datetime) -> list[Stretch]:
    """From now on, without a gap; not as far as asked where more than a thousand changes lie between."""
    return list(_walk(subject, now, until))


def foresee_life(subject: Subject, now: datetime, *, after: tuple[Event, State] | None = None) -> list[Stretch]:
    """To its end, a year at most; `after` is an event that somebody might send, and where it would lead."""
    until = min(max(subject.schedule.end_at, now) + _AFTER, now + FURTHEST)
    if after is None:
        return foresee(subject, now, until)
    event, target = after
    first, *rest = foresee(replace(subject, state=target), now, until)
    return [replace(first, by=first.by or event), *rest]


def _walk(subject: Subject, now: datetime, until: datetime) -> Iterator[Stretch]:
    since, by = now, None
    for _ in range(MOST):
        moved = _next(subject, since, until)
        if moved is None:
            break
        moment, event, state = moved
        if moment > since:
            yield Stretch(State(subject.state), since, moment, by)
        subject = replace(subject, state=state, version=subject.version + 1)
        since, by = moment, event
    else:
        return
    if since < until:
        yield Stretch(State(subject.state), since, until, by)


def _next(subject: Subject, now: datetime, until: datetime) -> tuple[datetime, Event, State] | None:
    """The first timer that its guard lets through, as the engine fires them: the earliest, then as declared."""
    order = {event: number for number, event in enumerate(AD_GROUP.events)}
    due = sorted(AD_GROUP.due(subject.state, subject, now), key=lambda one: (one[1], order[one[0]]))
    for event, moment in due:
        at = max(moment, now)
        if at >= until:
            continue
        decided = AD_GROUP.decide(subject, event, at)
        if not isinstance(decided, Refusal):
            return at, Event(event), State(decided)
    return None
