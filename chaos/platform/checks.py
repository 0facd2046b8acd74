"""The promises of approvals, events, ways out and files, each a function of the evidence alone."""

from collections import Counter, defaultdict
from collections.abc import Callable

from chaos.platform.desk import ASKED, COUNTERS
from chaos.platform.evidence import Card, Delivery, Evidence, Hook
from chaos.report import Finding

ENDS = {"granted": "approved", "refused": "rejected"}
# how a card in Telegram begins to say it (platform/approvals/cards.py)
SAYS = {"approved": "✅", "rejected": "⛔"}
DECIDED_BEFORE = "it was decided before it was sent"


def decided_once(e: Evidence) -> Finding:
    wrong = []
    for one in e.requests:
        is_right = (one.approvals, one.moves, one.approval_moves) == (1, 1, 1)
        if not is_right or ENDS.get(one.state) != one.approval_state:
            counted = f"{one.approvals} requests, {one.moves} and {one.approval_moves} moves"
            wrong.append(f"{one.name} is {one.state}, its approval {one.approval_state}: {counted}")
    ends = {one.approval: one.approval_state for one in e.requests}
    lies = {(which, state) for which, state in e.decided if ends.get(which) != state}
    wrong += [f"{which} was answered as {state} and is {ends.get(which)}" for which, state in sorted(lies)]
    told = f"{len(e.requests)} requests, each with one decision, by {e.presses} presses and {len(e.decided)} answers"
    return Finding("once", told, wrong, {"decisions": len(e.requests), "presses": e.presses})


def events_count(e: Evidence) -> Finding:
    """What was answered is in the log, what is in the log had one effect on each, and nothing else had any."""
    wrong = [f"an event is dead: {one}" for one in e.dead]
    logged = Counter(e.events)
    wrong += [f"{one} is {times} events" for one, times in logged.items() if times > 1]
    taken = [one for one, status in e.said.items() if status in (200, 201)]
    wrong += [f"{one} was taken and is lost" for one in taken if one not in logged]
    for one in logged:
        counted = [e.effects.get((consumer, one), 0) for consumer in COUNTERS]
        if counted != [1, 1]:
            wrong.append(f"{one} had {counted} effects")
    wrong += [f"{event} had an effect and was never said" for _, event in e.effects if event not in logged]
    asked = {one for one in logged if e.names.get(one) == ASKED}
    made = Counter(one.name for one in e.requests)
    wrong += [f"{one} is {made[one]} requests" for one in asked if made[one] != 1]
    told = f"{len(logged)} events, {len(taken)} of them answered, each with one effect on each of {len(COUNTERS)}"
    return Finding("event", told, wrong, {"events": len(logged)})


def nobody_is_left_untold(e: Evidence) -> Finding:
    hooks: dict[str, set[str]] = defaultdict(set)
    for hook in e.hooks:
        hooks[hook.about].add(hook.id)
    wrong = [
        f"delivery {one.id} by {one.kind} is {one.result}: {one.detail}" for one in e.deliveries if not _is_fine(one)
    ]
    # people decide only what they were told of (outside.py)
    known = {one.approval for one in e.deliveries if one.kind == "webhook"}
    wrong += [f"nobody was told of {one.name}" for one in e.requests if one.approval not in known]
    wrong += [f"nobody posted {one}" for one in sorted(known - set(hooks))]
    wrong += [f"{one} was posted under {sorted(found)}" for one, found in hooks.items() if len(found) > 1]
    sent = {one.approval for one in e.deliveries if one.kind == "telegram" and one.result == "sent"}
    seen = {one.approval for one in e.cards}
    wrong += [f"the card of {one} is sent, and nobody saw it" for one in sorted(sent - seen)]
    told = f"{len(e.requests)} requests, {len(known)} told by webhook, {len(sent)} by a card"
    return Finding("told", told, wrong, {"webhooks": len(hooks), "cards": len(sent)})


def _is_fine(one: Delivery) -> bool:
    return one.result == "sent" or (one.result == "failed" and one.detail == DECIDED_BEFORE)


def doubles_are_known(e: Evidence) -> Finding:
    """What comes twice is the same to the letter, under one id, and something was hurt around it."""
    wrong, doubles = [], 0
    hooks: dict[str, list[Hook]] = defaultdict(list)
    for hook in e.hooks:
        hooks[hook.id].append(hook)
    for name, same in hooks.items():
        doubles += len(same) - 1
        if len({one.digest for one in same}) > 1:
            wrong.append(f"{name} came with different words")
        wrong += [f"{name} came again without a reason" for one in same[1:] if not e.was_hurt(same[0].at, one.at)]
    cards: dict[str, list[Card]] = defaultdict(list)
    for card in e.cards:
        cards[card.approval].append(card)
    for approval, same in ((one, found) for one, found in cards.items() if len(found) > 1):
        doubles += len(same) - 1
        wrong += [f"two cards of {approval}" for one in same[1:] if not e.was_hurt(same[0].at, one.at)]
    return Finding("same", f"{doubles} doubles, each the same and with somebody to blame", wrong)


def cards_tell_the_truth(e: Evidence) -> Finding:
    """The last card of each approval; a double whose answer was lost is not known to us, and keeps its buttons."""
    ends = {one.approval: one.approval_state for one in e.requests}
    last = {one.approval: one for one in e.cards}
    by_approval = Counter(one.approval for one in e.cards)
    edited = {one.approval for one in e.cards if one.is_edited}
    wrong = [
        f"the card of {one.approval} says {one.text!r} and it is {ends.get(one.approval)}"
        for one in e.cards
        if one.is_edited and SAYS.get(ends.get(one.approval) or "", "?") not in one.text
    ]
    wrong += [
        f"the card of {which} was never edited" for which in last if which not in edited and by_approval[which] == 1
    ]
    return Finding("card", f"{len(edited)} cards edited to what became of it", wrong)


def files_are_whole(e: Evidence) -> Finding:
    wrong = [f"{one} was taken and is not listed" for one in e.kept if one not in e.files]
    wrong += [f"{one} has another digest" for one, sha in e.kept.items() if one in e.files and e.files[one][0] != sha]
    for name, (_, key, size) in e.files.items():
        found = e.objects.get(f"/pabal/{key}")
        if found != size:
            wrong.append(f"{name} is listed with {size} bytes, and the store has {found}")
    told = f"{len(e.kept)} uploads answered, {len(e.files)} files listed, each whole in the store"
    return Finding("file", told, wrong, {"files": len(e.kept), "cuts": e.cuts})


CHECKS: tuple[Callable[[Evidence], Finding], ...] = (
    decided_once,
    events_count,
    nobody_is_left_untold,
    doubles_are_known,
    cards_tell_the_truth,
    files_are_whole,
)
