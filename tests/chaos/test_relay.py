"""Servers, instances and the database die while users talk, and no promise is broken; the checks would see it."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from chaos.history import Line
from chaos.plan import least_of_app
from chaos.relay import checks, words
from chaos.relay.evidence import (
    FOREVER,
    Bubble,
    Call,
    Evidence,
    Got,
    Hurt,
    Life,
    Message,
    Reply,
    Sent,
    Use,
    read_hurts,
    read_lives,
)
from chaos.relay.plan import JUDGED, make_plan
from chaos.relay.report import Report
from chaos.relay.run import Chosen, run
from chaos.report import Finding
from pabal.engine.transitions import Transition

ASKED, OTHER = "user-1/3", "user-1/2"
MINE = words.answer(ASKED, "account-1")
LATE = words.answer(OTHER, "account-1")
MARK = checks.MARKS[0]


@pytest.mark.slow
@pytest.mark.beside
@pytest.mark.usefixtures("forked_crew")
@pytest.mark.req("C-50", "C-54", "C-63")
async def test_every_message_has_one_end_and_its_own_answer_when_servers_instances_and_database_die():
    report = await run(Chosen(seconds=4, seed=7, users=12, is_any_enough=True), print)

    assert [finding for finding in report.findings if finding.violations] == []
    assert report.kills
    assert report.done["database"]
    assert report.judged["answers shown"]
    assert report.judged["webhooks"]


def test_the_seed_decides_the_faults():
    assert make_plan(3, 45) == make_plan(3, 45)
    assert make_plan(3, 45) != make_plan(4, 45)


class Story:
    """Evidence made by hand: user-1 is paired with account-1, speaks at 100, and both servers were always up."""

    def __init__(self) -> None:
        self.evidence = Evidence(users={"user-1": "account-1", "user-2": "account-2"})
        self.evidence.lives = [Life(0, 0.0), Life(1, 0.0)]

    def said(self, text: str = ASKED, *, at: float = 100.0, **more: Any) -> "Story":
        """A webhook, whose answer promised a callback unless something else is said."""
        number = len(self.evidence.calls) + 1
        given = {"slot": 0, "is_promised": "fault" not in more, "address": f"of {text}", "seconds": 0.1} | more
        self.evidence.calls.append(Call(number, text, at, at + given["seconds"], **given))
        return self

    def known(
        self, text: str = ASKED, state: str = "acked", reason: str | None = "called_back", **more: Any
    ) -> "Story":
        """A row and its history, which ends three seconds after it began."""
        number = len(self.evidence.messages) + 1
        given = {"version": 3, "created_at": 100.0, "expires_at": 110.0, "address": f"of {text}", "answered_at": 101.0}
        account = self.evidence.users[words.user_of(text)]
        made = Message(number, f"uid {text}", account, text, state=state, reason=reason, **(given | more))
        self.evidence.messages.append(made)
        steps = ((None, "queued", 0), ("queued", "delivered", 1), ("delivered", state, 3))
        self.evidence.transitions[number] = [
            Transition(
                "relay_message", number, version, "event", source, target, 1, "engine",
                reason if target == state else None, None, datetime.fromtimestamp(100.0 + after, UTC),
            )
            for version, (source, target, after) in enumerate(steps, start=1)
        ]  # fmt: skip
        return self

    def used(self, outcome: str = "shown", text: str = ASKED, *, at: float = 102.0) -> "Story":
        self.evidence.uses.append(Use(at, f"of {text}", text, outcome))
        return self

    def saw(self, text: str = MINE, **more: Any) -> "Story":
        given = {"user": "user-1", "origin": "callback", "number": 1, "asked": ASKED} | more
        self.evidence.bubbles.append(Bubble(102.0, text=text, **given))
        return self

    def handed(self, text: str = ASKED, account: str = "account-1") -> "Story":
        self.evidence.got.append(Got(account, f"uid {text}", text))
        return self

    def answered(self, text: str = MINE, *, asked: str = ASKED, account: str = "account-1", **more: Any) -> "Story":
        given = {"status": 200, "delivery": "pending"} | more
        self.evidence.sent.append(Sent(account, 101.0, f"uid {asked}", text, **given))
        return self

    def replied(self, state: str = "sent", text: str = MINE, detail: str | None = "called_back") -> "Story":
        self.evidence.replies.append(Reply(len(self.evidence.messages), text, state, detail, 103.0))
        return self

    def hurt(self, at: float, *, until: float | None = None) -> "Story":
        self.evidence.hurts.append(Hurt(at, at if until is None else until, "kill"))
        return self

    def ended(self, slot: int, at: float) -> "Story":
        self.evidence.lives = [replace(one, until=at) if one.slot == slot else one for one in self.evidence.lives]
        return self

    def without_the_second(self) -> "Story":
        del self.evidence.transitions[1][1]
        return self

    def with_two_ends(self) -> "Story":
        made = self.evidence.transitions[1]
        made.append(replace(made[-1], version=4, source=made[-1].target))
        return self

    def with_job(self) -> "Story":
        self.evidence.open_jobs = 1
        return self

    def with_dead_instance(self) -> "Story":
        self.evidence.dead.append("account-1: dead HTTP 401")
        return self


def lived() -> Story:
    """Everything as it should be."""
    return Story().said().known().handed().answered().used().saw().replied()


def failed(reason: str, **more: Any) -> Story:
    """Answered in time, and not shown."""
    state = "expired" if reason == "answered_late" else "failed"
    return Story().said().known(ASKED, state, reason, called_at=101.5, **more).answered()


Check = Callable[[Evidence], Finding]
BROKEN: dict[str, tuple[Check, Story]] = {
    # every accepted message has exactly one end with a reason
    "a message without an end": (checks.one_end, Story().known(ASKED, "delivered", None)),
    "an end without a reason": (checks.one_end, Story().known(ASKED, "failed", None)),
    "a reason of another end": (checks.one_end, Story().known(ASKED, "acked", "nobody_answered")),
    "two ends": (checks.one_end, Story().known().with_two_ends()),
    "a transition is missing": (checks.one_end, Story().known().without_the_second()),
    "the history says less than the row": (checks.one_end, Story().known(version=4)),
    "a job is left": (checks.one_end, Story().known().with_job()),
    "an answer that is on its way for ever": (checks.one_end, Story().known().replied("pending")),
    # no callback address is used twice
    "an address was used twice": (checks.used_once, Story().used().used("used")),
    "an address was used again after nobody heard": (checks.used_once, Story().used("died").used("died")),
    "an address was used again after it was refused": (checks.used_once, Story().used("refused").used("shown")),
    "Kakao cannot read what it got": (checks.used_once, Story().used("bad_skill")),
    # no text reaches a user it was not for
    "an answer to somebody else": (checks.right_user, Story().saw(words.answer("user-2/3", "account-1"))),
    "an answer of another account": (checks.right_user, Story().saw(words.answer(ASKED, "account-2"))),
    "a late answer that does not say so": (checks.right_user, Story().saw(LATE).saw()),
    "a foreign reply was shown": (checks.right_user, Story().saw(words.answer_foreign(ASKED, "account-2"))),
    "a text that nobody said": (checks.right_user, Story().saw("hello")),
    # nothing that Kakao was told is queued is lost
    "a promise without a message": (checks.promises_are_kept, Story().said()),
    "acked, and the user saw nothing": (checks.promises_are_kept, Story().said().known()),
    "acked on the line, and the user saw nothing": (
        checks.promises_are_kept,
        Story().said(is_promised=False, address=None).known(reason="answered_directly", address=None),
    ),
    "a late answer is sent, and nobody saw it": (checks.promises_are_kept, lived().replied(text=LATE)),
    "answered in time, and nobody cared": (checks.answers_arrive, failed("answered_late").replied("deferred")),
    "answered in time, and the server says that it died": (checks.answers_arrive, failed("callback_unknown")),
    "a fault long after it is no excuse": (checks.answers_arrive, failed("callback_unknown").hurt(106.0)),
    "answered in time, and said to be refused": (checks.answers_arrive, failed("refused_by_kakao").replied("deferred")),
    "called back too late, and nobody knows why": (
        checks.answers_arrive,
        failed("refused_by_kakao").used("expired").replied("deferred"),
    ),
    "Kakao was up, and not reached": (checks.answers_arrive, failed("callback_unreachable").hurt(101.0)),
    "refused by Kakao, and not kept": (
        checks.answers_arrive,
        failed("refused_by_kakao").used("refused").replied("failed"),
    ),
    "withdrawn, and Kakao was told something else": (checks.answers_arrive, failed("withdrawn").hurt(101.0)),
    "answered in time, and said to be unanswered": (
        checks.answers_arrive,
        Story().said().known(ASKED, "expired", "nobody_answered").answered().hurt(101.0),
    ),
    # duplicates
    "a webhook that was repeated is two messages": (checks.nothing_doubled, Story().said().said().known().known()),
    "an event that was repeated is two messages": (
        checks.nothing_doubled,
        Story().said(address=None, event_id="e").said(address=None, event_id="e").known().known(),
    ),
    "a reply was shown twice": (checks.nothing_doubled, Story().saw().saw()),
    "a reply was shown on the line, and by its callback": (
        checks.nothing_doubled,
        Story().saw(origin="answer").saw(number=2),
    ),
    "a late answer was shown twice": (
        checks.nothing_doubled,
        Story().saw(f"{MARK}\n\n{LATE}").saw(f"{MARK}\n\n{LATE}", number=2, asked="user-1/4"),
    ),
    "two messages alike, and three answers": (
        checks.nothing_doubled,
        Story().said(address=None).said(address=None).known().known().saw().saw(number=2).saw(number=3),
    ),
    "a foreign reply was taken": (checks.nothing_doubled, Story().known().answered(account="account-2")),
    # mailboxes
    "handed to another account": (checks.own_mailbox, Story().known().handed(account="account-2")),
    "handed out, and nobody knows of it": (checks.own_mailbox, Story().handed()),
    "an instance was sent away": (checks.own_mailbox, Story().with_dead_instance()),
    # Kakao's five seconds
    "no answer": (checks.kakao_is_answered, Story().said(fault="no answer within 5 s", seconds=5.0)),
    "no valid answer": (checks.kakao_is_answered, Story().said(fault="HTTP 503")),
    "an answer too late": (checks.kakao_is_answered, Story().said(seconds=5.2)),
    "that the other server died is no excuse": (
        checks.kakao_is_answered,
        Story().ended(1, 100.0).said(fault="HTTP 500"),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_checks_see_a_broken_promise(name: str):
    check, story = BROKEN[name]

    assert check(story.evidence).violations != []


KEPT: dict[str, tuple[Check, Story]] = {
    "Kakao had not seen the first": (checks.used_once, Story().used("overtaking").used()),
    "a late answer that says so": (checks.right_user, Story().saw(f"{MARK}\n\n{LATE}").saw()),
    "a sentence of the relay": (checks.right_user, Story().saw(checks.own.FALLBACK[0].default)),
    "an answer on the line broke with its server": (
        checks.promises_are_kept,
        Story()
        .said(at=101.0, fault="ReadError", address=None, seconds=2.5)
        .known(reason="answered_directly", address=None)
        .replied(detail="answered_directly"),
    ),
    "a server died during the callback": (checks.answers_arrive, failed("callback_unknown").hurt(102.0)),
    "Kakao hung up": (checks.answers_arrive, failed("callback_unknown").used("died")),
    "refused by Kakao, and kept": (
        checks.answers_arrive,
        failed("refused_by_kakao").used("refused").replied("deferred"),
    ),
    "the webhook took so long that Kakao had given up": (
        checks.answers_arrive,
        failed("refused_by_kakao", answered_at=109.5).used("expired", at=110.5).replied("deferred"),
    ),
    "nobody was there to call back": (checks.answers_arrive, failed("answered_late").replied("deferred").hurt(98.0)),
    "withdrawn, and one request was told so": (checks.answers_arrive, failed("withdrawn").said(is_promised=False)),
    "an answer that came late": (
        checks.answers_arrive,
        Story().said().known(ASKED, "expired", "nobody_answered", answered_at=None).answered(delivery="deferred"),
    ),
    "the same request on the line, twice": (
        checks.nothing_doubled,
        Story().saw(origin="answer").saw(origin="answer", number=2),
    ),
    "the same words without address and event": (
        checks.nothing_doubled,
        Story().said(address=None).said(address=None).known().known(),
    ),
    "the same words without address and event, each answered late": (
        checks.nothing_doubled,
        Story().said(address=None).said(address=None).known().known().saw(number=3).saw(number=4),
    ),
    "a foreign reply is not found": (
        checks.nothing_doubled,
        Story().known().answered(account="account-2", status=404, delivery=""),
    ),
    "its server died meanwhile": (checks.kakao_is_answered, Story().ended(0, 100.2).said(fault="ReadError")),
}


@pytest.mark.parametrize("name", KEPT)
def test_the_checks_bear_what_is_allowed(name: str):
    check, story = KEPT[name]

    assert check(story.evidence).violations == []


@pytest.mark.parametrize("check", checks.CHECKS)
def test_nothing_is_wrong_with_a_message_that_was_answered(check: Check):
    assert check(lived().evidence).violations == []


def test_whatever_must_be_judged_is_counted_by_a_check():
    counted = {name for check in checks.CHECKS for name in check(lived().evidence).judged}

    assert counted == set(JUDGED)


def test_a_server_is_up_while_it_serves_and_is_not_stopped():
    told = [
        (0.0, "began", {"host": 1000.0}, 1),
        (2.0, "serving", {"slot": 0}, 7),
        (3.0, "serving", {"slot": 1}, 8),
        (10.0, "stop", {"pid": 7, "seconds": 5}, 1),
        (15.0, "continue", {"pid": 7}, 1),
        (20.0, "database down", {}, 1),
        (21.0, "database up", {}, 1),
        (30.0, "kill", {"pid": 8, "slot": 1}, 1),
        (30.1, "gone", {"pid": 8, "code": -9}, 1),
    ]
    lines = [Line("who", pid, at, what, data) for at, what, data, pid in told]

    evidence = Evidence(lives=read_lives(lines), hurts=read_hurts(lines))

    assert evidence.lives == [Life(0, 1004.0, FOREVER, ((1010.0, 1017.0),)), Life(1, 1005.0, 1030.0)]
    assert [(one.since, one.until) for one in evidence.hurts] == [
        (1010.0, 1015.0),
        (1020.0, 1021.0),
        (1030.0, 1030.0),
        (1030.1, 1030.1),
    ]
    assert evidence.was_up(0, 1004.0, 1005.0)
    assert not evidence.was_up(0, 1003.0, 1005.0)
    assert not evidence.was_up(0, 1009.0, 1011.0)
    assert evidence.was_up(0, 1018.0, 1030.0)
    assert not evidence.was_up(1, 1029.0, 1029.5)


def test_a_run_that_did_too_little_does_not_count():
    judged = Finding("all", "everything", [], {**least_of_app(JUDGED, 45), "rescued": 0})
    report = Report([judged])
    report.judge(Counter(kill=3, point=2), seconds=45)

    assert report.lacking == ["rescued 0 of 3", "database 0 of 1"]
    assert not report.is_good
