"""What waits for a person's yes or no: the request, its words, the app's own action behind each answer."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from pabal.base.database import Tx
from pabal.base.errors import Conflict, Forbidden, Invalid, NotFound
from pabal.engine import ids
from pabal.engine.machine import Machine
from pabal.platform.actor import Actor, Right
from pabal.platform.language.pairs import Pair

AREA = "approvals"
PREFIX = "apr"
LONGEST_REASON = 500


class Verdict(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Kind:
    """One sort of question, as the machine of the asked-about knows it: which of its events is a yes, which a no."""

    name: str
    machine: str
    approve: str
    reject: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for one subject. `by` wants it; `alike` is what decisions before must share with it to be shown;
    `seen` is what was shown: asked again with another one, the earlier request is withdrawn. `needed` people say yes.
    """

    subject: int
    unit_id: int | None
    by: str
    alike: str = ""
    seen: str = ""
    deadline_at: datetime | None = None
    needed: int = 1


@dataclass(frozen=True, slots=True)
class Approval:
    """`decided_by`, `decided_at` and `reason` are of its last transition: None while it waits."""

    id: int
    unit_id: int | None
    kind: str
    state: str
    version: int
    machine: str
    subject: int
    alike: str
    seen: str
    needed: int
    requested_by: str
    deadline_at: datetime | None
    opened_at: datetime
    decided_by: str | None
    decided_at: datetime | None
    reason: str | None
    voices: list[str]

    @property
    def about(self) -> str:
        return f"approval:{self.id}"

    @property
    def shown_id(self) -> str:
        return ids.show(PREFIX, self.id)

    @property
    def is_open(self) -> bool:
        return self.state == "open"


@dataclass(frozen=True, slots=True)
class Told:
    """A request in words: its name, what a yes does, why it is asked, and where the whole thing is seen.

    `risks` are codes of RISKS.
    """

    title: Pair
    will: tuple[Pair, ...]
    why: tuple[Pair, ...] = ()
    href: str = ""
    risks: tuple[str, ...] = ()


# the app's own verb: it asks for the right, has its guards, writes the audit, and closes the approval in its commit
Answer = Callable[[Tx, Actor, Approval, str | None], Awaitable[Any]]
Tell = Callable[[Tx, Sequence[Approval]], Awaitable[Mapping[int, Told]]]


@dataclass(frozen=True)
class Approvable:
    """What an app lets people decide in the inbox. Deciding takes `right` in `area`, which its actions ask for too.

    `tell` words approvals by their id; one it does not answer for is gone. `expired`: what happens at the deadline
    besides the request's end, done as the engine; `then` says it. `asks_why`: a no needs a reason. `undo`: the app's
    own verb that takes an answer back, where there is one. Seeing one takes `sees` in `area`; what takes more than to
    read is told in the inbox alone.
    """

    kind: Kind
    machine: Machine
    area: str
    right: Right
    label: Pair
    icon: str
    tell: Tell
    approve: Answer
    reject: Answer
    yes: Pair = ("Approve", "승인")
    no: Pair = ("Reject", "반려")
    expired: Answer | None = None
    then: Pair = ("", "")
    asks_why: bool = False
    undo: Mapping[Verdict, Answer] = field(default_factory=dict)
    sees: Right = Right.READ

    def may_decide(self, actor: Actor) -> bool:
        is_seen = actor.may(self.sees, self.area)
        return is_seen and actor.may(Right.WRITE, AREA) and actor.may(self.right, self.area)


Approvables = Mapping[str, Approvable]


@dataclass(frozen=True, slots=True)
class Seen:
    """An approval as somebody is shown it. `who` decided it, as far as they may know; `wants` is who asked.

    `may_decide`: they have the right, and it still waits for them. `similar`: how many like it were approved, and how
    many rejected, among the last ones.
    """

    approval: Approval
    approvable: Approvable
    told: Told
    may_decide: bool
    who: Pair = ("", "")
    wants: Pair = ("", "")
    voices: tuple[Pair, ...] = ()
    similar: tuple[int, int] = field(default=(0, 0))

    @property
    def id(self) -> int:
        return self.approval.id

    @property
    def version(self) -> int:
        return self.approval.version


RISKS: dict[str, tuple[str, Pair]] = {
    "sends": ("send", ("External send", "외부 전송")),
    "costs": ("coin", ("Cost", "비용")),
    "writes": ("file-pencil", ("Writes files", "파일 쓰기")),
}


class ApprovalNotFound(NotFound, code="approval_not_found"):
    """There is no such approval, or it is not yours to see."""


class _Over(Conflict, code="approval_over"):
    """This approval does not wait any more."""

    def __init__(self, approval: Approval, who: Pair) -> None:
        self.approval, self.who = approval, who
        at = approval.decided_at
        said = "" if at is None else at.isoformat(timespec="seconds")
        self.members = {"state": approval.state, "decided_by": who[0], "decided_at": said}
        super().__init__(f"{approval.state}, {who[0]}, {said}")


class ApprovalDecided(_Over, code="approval_decided"):
    """Somebody was quicker: this has been decided. The first answer counts."""


class ApprovalExpired(_Over, code="approval_expired"):
    """The time to decide this is over. It can be asked for again."""


class ApprovalWithdrawn(_Over, code="approval_withdrawn"):
    """This is no longer asked: what it was about has changed. Look at what is asked now."""


class UndoTooLate(Conflict, code="undo_too_late"):
    """It is too late to take this back, or it was not a decision that can be. Look at what it is about instead."""


class AnotherPerson(Conflict, code="another_person"):
    """This takes two people, and neither may be the one who asked for it. Somebody else must say yes, too."""


class PeopleOnly(Forbidden, code="people_only"):
    """This takes two people. Programs and the command line cannot be one of them: sign in to say yes."""


class ReasonNeeded(Invalid, code="reason_needed"):
    """Say why not, in at most 500 characters: whoever asked wants to know what to change."""


OVER: Mapping[str, type[_Over]] = {
    "approved": ApprovalDecided,
    "rejected": ApprovalDecided,
    "expired": ApprovalExpired,
    "withdrawn": ApprovalWithdrawn,
}
