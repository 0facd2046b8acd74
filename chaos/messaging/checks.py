"""The promises of messaging, each a function of the evidence alone."""

from collections import Counter, defaultdict
from itertools import pairwise

from chaos.messaging.evidence import Delivery, Evidence, Occurrence, Part
from chaos.messaging.server import RECONNECT_WAIT
from chaos.report import Finding

ENDS = ("sent", "partial", "failed", "unknown", "missed")
# What the engine's ledger may say where a delivery ended so.
LEDGER: dict[str, set[str | None]] = {
    "sent": {"done"},
    "unknown": {"partial", "failed", "missed", "cancelled"},
    "partial": {"partial", "failed", "missed", "cancelled"},
    "failed": {"failed"},
    "missed": {"missed", "cancelled", None},
}
# As the settings say.
WINDOWS = {"window": 300.0, "send_late": 86_400.0, "ask": 30.0, "skip": 30.0}
# Between two clocks that were compared once.
SLACK = 1.0


def one_end(e: Evidence) -> Finding:
    wrong = [] if e.open == 0 else [f"{e.open} jobs are open"]
    for one in e.occurrences:
        name = f"schedule {one.schedule} of {one.bot}"
        if len(one.deliveries) != 1:
            wrong.append(f"{name} has {len(one.deliveries)} deliveries")
            continue
        [delivery] = one.deliveries
        if delivery.state not in ENDS or delivery.ends != 1:
            wrong.append(f"{name}: its delivery is {delivery.state} and came to {delivery.ends} ends")
        elif one.end not in LEDGER[delivery.state] or (one.decision == "enqueued" and one.end is None):
            wrong.append(f"{name}: {delivery.state}, but the ledger says {one.decision} {one.end}")
        # A message that is due once has no more to do after it.
        if one.schedule_state not in ("completed", "error"):
            wrong.append(f"{name} is {one.schedule_state} after its only moment")
    return Finding("end", f"{len(e.occurrences)} occurrences, each with one end", wrong)


def received_once(e: Evidence) -> Finding:
    """A part left unknown went out once at most; one that was sent again says how often."""
    received = e.received()
    wrong, again = [], 0
    for one, delivery in e.deliveries():
        for part in delivery.parts:
            number = len(received[one.bot, part.content])
            again += number > 1
            most = part.resent + (part.state != "planned")
            if number > most:
                wrong.append(f"{_name(one, delivery, part)} arrived {number} times, {part.state}, resent {part.resent}")
    return Finding("once", f"{len(e.arrivals)} arrivals, {again} parts twice as marked", wrong)


def handled_arrived(e: Evidence) -> Finding:
    """What the log calls handled was written down by the phone, whatever became of either side."""
    received, wrong, handled = e.received(), [], 0
    for one, delivery in e.deliveries():
        for part in delivery.parts:
            handled += part.state == "handled"
            if part.state == "handled" and not received[one.bot, part.content]:
                wrong.append(f"{_name(one, delivery, part)} is handled, and its phone never had it")
    unknown = [(o, p) for o, d in e.deliveries() for p in d.parts if p.state == "unknown"]
    there = sum(bool(received[one.bot, part.content]) for one, part in unknown)
    return Finding("true", f"{handled} parts handled; {len(unknown)} unknown, of which {there} had arrived", wrong)


def reasons_are_given(e: Evidence) -> Finding:
    wrong = []
    for one, delivery in e.deliveries():
        states = Counter(part.state for part in delivery.parts)
        name = f"delivery {delivery.id} of {one.bot}"
        if delivery.state != "sent" and not delivery.reason:
            wrong.append(f"{name} is {delivery.state} without a reason")
        if not delivery.parts or states["writing"] or states["written"]:
            wrong.append(f"{name} is {delivery.state} with parts {dict(states)}")
        if not _fits(delivery.state, states):
            wrong.append(f"{name} is {delivery.state} with parts {dict(states)}")
    return Finding("why", "what was not sent has a reason, and its parts agree", wrong)


def _fits(state: str, states: Counter[str]) -> bool:
    """What the parts say of the end."""
    out, planned = states["handled"] + states["unknown"], states["planned"]
    match state:
        case "sent":
            return not planned and not states["unknown"]
        case "unknown":
            return states["unknown"] > 0 and not planned
        case "partial":
            return out > 0 and planned > 0
        case _:
            return out == 0


def order_is_kept(e: Evidence) -> Finding:
    """In one delivery part after part; a bot's deliveries one by one, as they were enqueued, unless put off."""
    where = {(o.bot, part.content): (o, d, part) for o, d in e.deliveries() for part in d.parts}
    by_bot: dict[str, list[tuple[Occurrence, Delivery, Part]]] = defaultdict(list)
    for arrival in e.arrivals:
        found = (where.get((arrival.bot, content)) for content in arrival.parts)
        by_bot[arrival.bot] += [one for one in found if one is not None]
    wrong, overtaken = [], 0
    for bot, seen in by_bot.items():
        for (_, before, earlier), (_, after, later) in pairwise(seen):
            if before is after and later.no < earlier.no and not later.resent:
                wrong.append(f"{bot}: part {later.no} of delivery {after.id} came after part {earlier.no}")
        firsts = list({delivery.id: (one, delivery) for one, delivery, _ in seen}.values())
        for (_, before), (one, after) in pairwise(firsts):
            if after.turn < before.turn:
                overtaken += 1
                if not _was_put_off(one, after):
                    wrong.append(f"{bot}: delivery {before.id} overtook {after.id}, which waited for {after.waits}")
        wrong += _mingled(bot, [(one, delivery) for one, delivery, _ in seen])
    return Finding("turn", f"{len(by_bot)} bots in order; {overtaken} deliveries overtook one that was put off", wrong)


def _mingled(bot: str, seen: list[tuple[Occurrence, Delivery]]) -> list[str]:
    """Once the next one has begun, nothing of the one before comes, unless it was put off in the middle."""
    over: set[int] = set()
    wrong = []
    for (_, before), (one, after) in pairwise(seen):
        if before is not after:
            over.add(before.id)
        if after.id in over and not _was_put_off(one, after):
            wrong.append(f"{bot}: delivery {after.id} went on after {before.id} had begun")
    return wrong


def _was_put_off(one: Occurrence, delivery: Delivery) -> bool:
    """A limit, a retry or a snooze let others go first; or its window was over and somebody was about to end it."""
    is_waiting = delivery.deferred_by is not None or bool({"limited", "retry", "snoozed"} & set(delivery.waits))
    return is_waiting or _seconds_over(one, delivery) > 0


def _seconds_over(one: Occurrence, delivery: Delivery) -> float:
    """How long after its window it began."""
    if delivery.started_at is None:
        return 0.0
    return delivery.started_at - delivery.scheduled_at - WINDOWS[one.late_policy]


def windows_are_kept(e: Evidence) -> Finding:
    """What begins later than its window begins at a server that has just started: its bots were on their way."""
    wrong, late = [], 0
    for one, delivery in e.deliveries():
        over = _seconds_over(one, delivery)
        if delivery.started_at is None or over <= 0:
            continue
        late += 1
        began, allowed = e.real.read(delivery.started_at), RECONNECT_WAIT.total_seconds() + SLACK
        if not any(-SLACK <= began - start <= allowed for start in e.starts):
            wrong.append(f"delivery {delivery.id} of {one.bot} began {over:.1f} s after its window")
    begun = sum(delivery.started_at is not None for _, delivery in e.deliveries())
    return Finding("late", f"{begun} deliveries begun, {late} after their window while bots came back", wrong)


def nothing_strange(e: Evidence) -> Finding:
    """Every arrival is a part of a delivery that went out, in the right room."""
    where = {(one.bot, part.content): (one, part) for one, delivery in e.deliveries() for part in delivery.parts}
    wrong = list(e.unreadable)
    for arrival in e.arrivals:
        for content in arrival.parts:
            found = where.get((arrival.bot, content))
            if found is None:
                wrong.append(f"{arrival.bot} received {content[:40]}, which is nobody's")
            elif arrival.channel and found[0].channel != arrival.channel:
                wrong.append(f"{arrival.bot} received {content[:40]} in {arrival.channel}, not {found[0].channel}")
    return Finding("room", "every arrival is a part that was to go there", wrong)


def _name(one: Occurrence, delivery: Delivery, part: Part) -> str:
    return f"part {part.no} of delivery {delivery.id} to {one.bot} ({part.content[:24]})"
