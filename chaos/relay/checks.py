"""The promises of the relay, each a function of the evidence alone."""

from collections import Counter, defaultdict
from collections.abc import Callable

from chaos.relay import words
from chaos.relay.evidence import Bubble, Call, Evidence, Message, Reply, Use
from chaos.relay.ground import LIFE
from chaos.report import Finding
from pabal.apps.relay import settings as own
from pabal.engine.transitions import HistoryBroken, replay

ENDS = {
    "acked": {"called_back", "answered_directly"},
    "expired": {"nobody_answered", "answered_late"},
    "failed": {"refused_by_kakao", "callback_unknown", "callback_unreachable", "address_not_allowed", "withdrawn"},
}
# After one of these an address is used up.
CONSUMING = {"shown", "bad_skill", "refused", "error", "died"}
REFUSED = {"refused", "error"}
# What a reply may be in the end; a deferred one waits for its user's next message.
REPLY_ENDS = {"sent", "deferred", "expired", "unknown", "failed"}
MARKS = [one.default for one in own.LATE_MARK]
SENTENCES = {one.default for both in own.TEXTS for one in both}
KAKAO_SECONDS = 5.0
# Not found; or the database was away.
NOT_TAKEN = (404, 500, 502, 503, 504)
# How long before something came a fault may still be the reason that it was not dealt with: the time to live.
BEFORE = 10.0
# From an answer until it is with Kakao: it is gathered, and the machine is busy.
CALLING = 1.0


def one_end(e: Evidence) -> Finding:
    wrong = [] if not e.open_jobs else [f"{e.open_jobs} jobs are open"]
    for message in e.messages:
        made = e.transitions.get(message.id, [])
        ends = [one for one in made if one.target in ENDS]
        try:
            state = replay(made)
        except HistoryBroken as error:
            wrong.append(f"{_name(message)}: {error}")
            continue
        if message.reason not in ENDS.get(message.state, ()) or len(ends) != 1:
            wrong.append(f"{_name(message)} is {message.state} ({message.reason}) and came to {len(ends)} ends")
        elif (state, len(made)) != (message.state, message.version) or ends[0].reason != message.reason:
            told = f"{state} {len(made)} ({ends[0].reason})"
            wrong.append(f"{_name(message)} is {message.state} {message.version} ({message.reason}), not {told}")
    wrong += [f"{one.text!r} is {one.state} for ever" for one in e.replies if one.state not in REPLY_ENDS]
    told = f"{len(e.messages)} messages, each with one end and its reason"
    return Finding("end", told, wrong, {"messages ended": len(e.messages)})


def used_once(e: Evidence) -> Finding:
    by_address: dict[str, list[Use]] = defaultdict(list)
    for use in e.uses:
        by_address[use.address].append(use)
    wrong, again = [], 0
    for uses in by_address.values():
        outcomes = [one.outcome for one in uses]
        again += len(uses) > 1
        consumed = sum(one in CONSUMING for one in outcomes)
        if consumed > 1 or "used" in outcomes or "bad_skill" in outcomes:
            wrong.append(f"the address of {uses[0].text} was used {len(uses)} times: {', '.join(outcomes)}")
    told = f"{len(by_address)} addresses used; {again} tried again that were not used up"
    return Finding("once", told, wrong, {"addresses used": len(by_address)})


def right_user(e: Evidence) -> Finding:
    wrong, answers, rescued = [], 0, 0
    marked = {(one.number, one.origin) for one in e.bubbles if any(mark in one.text for mark in MARKS)}
    for bubble in e.bubbles:
        found = words.list_answers(bubble.text)
        if words.is_foreign(bubble.text) or not (found or bubble.text in SENTENCES):
            wrong.append(f"{bubble.user} saw {bubble.text!r}")
        for one in found:
            answers += 1
            rescued += one.asked != bubble.asked
            is_theirs = one.user == bubble.user and e.users.get(bubble.user) == one.account
            is_marked = one.asked == bubble.asked or (bubble.number, bubble.origin) in marked
            if not is_theirs or not is_marked:
                wrong.append(f"{bubble.user} asked {bubble.asked} and saw {bubble.text!r}")
    told = f"{answers} answers shown to those who asked, {rescued} of them late and marked so"
    return Finding("whom", told, wrong, {"answers shown": answers, "rescued": rescued})


def promises_are_kept(e: Evidence) -> Finding:
    """What Kakao was told is queued has a row and an end; what is acked was seen."""
    messages, shown = e.by_text(), e.shown()
    promised = [text for text, calls in e.webhooks().items() if any(one.is_promised for one in calls)]
    wrong = [f"{text} was promised, and nobody knows of it" for text in promised if text not in messages]
    unseen = [one for one in e.messages if one.state == "acked" and not _was_seen(e, one, shown)]
    wrong += [f"{_name(one)} is acked ({one.reason}), and its user saw nothing" for one in unseen]
    unheard = [one for one in e.replies if one.state == "sent" and not _was_heard(e, one, shown)]
    wrong += [f"{one.text!r} is sent ({one.detail}), and nobody saw it" for one in unheard]
    states = Counter(message.state for text in promised for message in messages.get(text, ()))
    told = f"{len(promised)} promises: {', '.join(f'{state} {number}' for state, number in sorted(states.items()))}"
    return Finding("kept", told, wrong, {"promises": len(promised)})


def answers_arrive(e: Evidence) -> Finding:
    """An answer in time is shown; where it is not, something was done to a server, to the database or by Kakao."""
    shown, replies = e.shown(), defaultdict(list)
    for reply in e.replies:
        replies[reply.message_id].append(reply)
    promised = {one.text for one in e.calls if one.is_promised}
    # a late one that has been shown since is called pending as well, when it is said again
    taken = {one.uid for one in e.sent if one.delivery == "pending" and not one.is_repeat}
    taken |= {one.uid for one in e.messages if one.answered_at is not None}
    judged, arrived, wrong = 0, 0, []
    for message in e.messages:
        if message.address is None or message.text not in promised or message.uid not in taken:
            continue
        judged += 1
        if message.state == "acked" and _was_seen(e, message, shown):
            arrived += 1
        elif (fault := _find_fault(e, message, replies[message.id])) is not None:
            wrong.append(f"{_name(message)} was answered in time and is {message.state} ({message.reason}): {fault}")
    told = f"{judged} answers in time, {arrived} shown; the others have somebody to blame"
    return Finding("time", told, wrong, {"answers in time": judged})


def nothing_doubled(e: Evidence) -> Finding:
    messages, accounts = e.by_text(), {one.uid: one.account for one in e.messages}
    wrong, repeated = [], 0
    for text, calls in e.webhooks().items():
        # without either of them nothing tells a repetition from a user who says the same twice
        if any(one.address or one.event_id for one in calls):
            repeated += sum(one.is_heard for one in calls) > 1
            if len(messages.get(text, ())) > 1:
                wrong.append(f"{text} was said once, in {len(calls)} requests, and is {len(messages[text])} messages")
    for text, bubbles in e.shown().items():
        # two that nothing tells apart are two messages, and each may be answered
        asked = [messages.get(one.asked, ()) for one in words.list_answers(text)]
        if len(bubbles) > max([1, *map(len, asked)]) and not _is_one_webhook(bubbles):
            wrong.append(f"{text!r} was shown {len(bubbles)} times")
    said = Counter((one.uid, one.text) for one in e.sent if one.status in (200, 202))
    foreign = [one for one in e.sent if accounts.get(one.uid, one.account) != one.account and one.status is not None]
    wrong += [f"{one.text!r} was answered {one.status}" for one in foreign if one.status not in NOT_TAKEN]
    again = sum(number - 1 for number in said.values())
    told = f"{repeated} webhooks repeated, {again} replies repeated, {len(foreign)} foreign replies: none had an effect"
    judged = {"webhooks repeated": repeated, "replies repeated": again, "foreign replies": len(foreign)}
    return Finding("same", told, wrong, judged)


def own_mailbox(e: Evidence) -> Finding:
    accounts = {one.uid: one.account for one in e.messages}
    wrong = [f"an instance was sent away: {one}" for one in e.dead]
    foreign = [one for one in e.got if {accounts.get(one.uid), e.users.get(words.user_of(one.text))} != {one.account}]
    wrong += [f"{one.text} was handed to an instance of {one.account}" for one in foreign]
    again = len(e.got) - len({one.uid for one in e.got})
    told = f"{len(e.got)} messages handed out to their own account, {again} of them again"
    return Finding("mail", told, wrong, {"handed out": len(e.got)})


def kakao_is_answered(e: Evidence) -> Finding:
    judged = [one for one in e.calls if e.was_up(one.slot, one.asked_at, one.at)]
    wrong = [
        f"{one.text} at server {one.slot}: {one.fault or 'answered'} after {one.seconds:.1f} s"
        for one in judged
        if one.fault or one.seconds > KAKAO_SECONDS
    ]
    slowest = max((one.seconds for one in judged), default=0.0)
    left = len(e.calls) - len(judged)
    told = f"{len(judged)} webhooks answered by servers that were up, at most in {slowest:.1f} s; {left} at others"
    return Finding("five", told, wrong, {"webhooks": len(judged)})


def _name(message: Message) -> str:
    return f"message {message.id} ({message.text})"


def _was_seen(e: Evidence, message: Message, shown: dict[str, list[Bubble]]) -> bool:
    """By callback: in any case. On the line: unless its connection broke with a server."""
    seen = any(one.asked == message.text for one in shown.get(words.answer(message.text, message.account), ()))
    if message.reason == "called_back" or seen:
        return seen
    ended_at = _ended_at(e, message)
    return any(_is_broken(e, one, ended_at) for one in e.calls if one.text == message.text)


def _was_heard(e: Evidence, reply: Reply, shown: dict[str, list[Bubble]]) -> bool:
    """Late ones that went along on the line break with it, too."""
    if reply.text in shown:
        return True
    [answer] = words.list_answers(reply.text)
    ended_at = reply.ended_at or 0.0
    of_user = [one for one in e.calls if one.user == answer.user]
    return reply.detail == "answered_directly" and any(_is_broken(e, one, ended_at) for one in of_user)


def _is_broken(e: Evidence, call: Call, at: float) -> bool:
    is_then = call.asked_at - 1 < at < call.at + 1
    return is_then and (bool(call.fault) or e.was_hurt(call.asked_at, call.at))


def _find_fault(e: Evidence, message: Message, replies: list[Reply]) -> str | None:
    """None: it is nobody's fault here that this answer was not shown, and it is not lost."""
    if lost := [one.state for one in replies if one.state in ("pending", "carried")]:
        return f"its answers are {lost}"
    outcomes = [one.outcome for one in e.uses if one.address == message.address]
    is_hurt = e.was_hurt((message.answered_at or message.created_at) - BEFORE, _ended_at(e, message))
    is_dead = "expired" in outcomes and (is_hurt or _is_beyond(e, message))
    match message.reason:
        case "callback_unknown" if "died" in outcomes or e.was_hurt(message.called_at or 0.0, _ended_at(e, message)):
            return None
        case "refused_by_kakao" if REFUSED & set(outcomes) or is_dead:
            return _find_lost(replies)
        case "answered_late" if is_hurt:
            return _find_lost(replies)
        case "withdrawn" if any(not one.is_promised for one in e.calls if one.text == message.text):
            return None
    return f"uses {outcomes or 'none'}, {message.detail}"


def _is_beyond(e: Evidence, message: Message) -> bool:
    """Kakao's own time had begun when it asked: what a slow server took for in time was not."""
    asked_at = min(one.asked_at for one in e.calls if one.text == message.text)
    return (message.answered_at or 0.0) > asked_at + LIFE.total_seconds() - CALLING


def _find_lost(replies: list[Reply]) -> str | None:
    return "its answer is lost" if any(one.state == "failed" for one in replies) else None


def _ended_at(e: Evidence, message: Message) -> float:
    made = e.transitions.get(message.id, [])
    return made[-1].at.timestamp() if made else message.expires_at


def _is_one_webhook(bubbles: list[Bubble]) -> bool:
    """One request that was made twice without an address: each gets the answer, and Kakao shows one."""
    asked, numbers = {one.asked for one in bubbles}, {one.number for one in bubbles}
    is_on_the_line = all(one.origin == "answer" for one in bubbles)
    return is_on_the_line and len(asked) == 1 and len(numbers) == len(bubbles)


CHECKS: tuple[Callable[[Evidence], Finding], ...] = (
    one_end,
    used_once,
    right_user,
    promises_are_kept,
    answers_arrive,
    nothing_doubled,
    own_mailbox,
    kakao_is_answered,
)
