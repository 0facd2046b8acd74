"""Approvals: what waits for a person's yes or no in any app, and deciding it."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from pabal.engine import ids
from pabal.platform.actor import Right
from pabal.platform.language.pairs import put
from pabal.platform.resources import Ask, Filter, Noun, View, Viewer, ask, field

if TYPE_CHECKING:
    from pabal.platform.approvals import Seen

_ROWS, _VERBS = "pabal.resources.rows", "pabal.resources.verbs"
STATES = ("open", "approved", "rejected", "withdrawn", "expired")


class ApprovalView(View):
    """One request. `subject` is what it is about: its app's own state is the truth, and deciding moves that."""

    id: str = field(("ID", "ID"), example="apr_01h2xcejqtf2n")
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    state: str = field(("State", "상태"), status="approval", example="open")
    version: int = field(("Version", "판"), example=1)
    kind: str = field(("Kind", "종류"), example="adgroups.ready")
    title: str = field(("What", "내용"), example="Summer drinks is ready", is_told=True)
    will: list[str] = field(("If approved", "승인하면"), example=["It goes on air Mon 6 Jul 09:00 KST"], is_told=True)
    why: list[str] = field(("Why", "까닭"), example=["Campaign: Summer"], is_told=True)
    subject: str = field(("About", "대상"), example="adgroup:7")
    requested_by: str = field(("Asked by", "요청"), example="Lee Do-yun", is_told=True)
    opened_at: datetime = field(("Since", "요청한 때"))
    deadline_at: datetime | None = field(("Until", "기한"))
    needed: int = field(("People", "사람 수"), description="How many people must say yes.", example=1)
    voices: list[str] = field(("Said yes", "승인한 사람"), description="Where it takes two.", example=[], is_told=True)
    may_decide: bool = field(("Yours", "내 차례"), description="You may decide it now.", example=True, is_told=True)
    decided_by: str | None = field(("Decided by", "결정"), example=None, is_told=True)
    decided_at: datetime | None = field(("Decided", "결정한 때"))
    reason: str | None = field(("Reason", "이유"), example=None)
    similar_approved: int = field(
        ("Similar, approved", "비슷한 승인"), description="Of the last 20 like it.", example=3, is_told=True
    )
    similar_rejected: int = field(("Similar, rejected", "비슷한 반려"), example=0, is_told=True)


class ApprovalFilter(Filter):
    state: Literal["open", "approved", "rejected", "withdrawn", "expired"] = ask("In this state.", default="open")
    kind: str | None = ask("Only of this kind.", example="adgroups.ready", default=None)


class ApprovalDecision(Ask):
    verdict: Literal["approve", "reject"] = ask("Yes or no.", example="approve")
    reason: str = ask("Why, for whoever asked and whoever looks later.", example="the dates are wrong", default="")


class ApprovalReason(Ask):
    reason: str = ask("Why, for whoever asked and whoever looks later.", example="the dates are wrong", default="")


def view_approval(seen: "Seen", viewer: Viewer) -> ApprovalView:
    approval, told = seen.approval, seen.told
    return ApprovalView.of(
        approval,
        id=ids.show("apr", approval.id),
        title=put(viewer.lang, told.title),
        will=[put(viewer.lang, one) for one in told.will],
        why=[put(viewer.lang, one) for one in told.why],
        subject=f"{approval.machine}:{approval.subject}",
        requested_by=put(viewer.lang, seen.wants),
        voices=[put(viewer.lang, one) for one in seen.voices],
        may_decide=seen.may_decide,
        decided_by=put(viewer.lang, seen.who) or None,
        similar_approved=seen.similar[0],
        similar_rejected=seen.similar[1],
    )


APPROVAL = Noun(
    "approval",
    "approvals",
    "approvals",
    ApprovalView,
    view=f"{__name__}:view_approval",
    find=f"{_ROWS}:get_approval",
    hold=f"{_ROWS}:hold_approval",
    named="pabal.cli.finding:find_approval",
    prefix="apr",
    columns=(
        *(
            "id",
            "state",
            "kind",
            "title",
            "will",
            "why",
            "subject",
            "requested_by",
            "opened_at",
            "deadline_at",
            "needed",
        ),
        *("voices", "decided_by", "decided_at", "reason", "similar_approved", "similar_rejected"),
    ),
    which="Like apr_01h2xcejqtf2n.",
    get_help="Shows one approval.",
    is_versioned=True,
    needs=("approvables", "reader"),
    title="title",
    page="/approvals/{id}",
)
APPROVAL.lists(
    "list_approvals",
    "Lists what waits for a decision, or what was decided; the newest first.",
    f"{_ROWS}:list_approvals",
    columns=("id", "state", "title", "requested_by", "opened_at", "deadline_at", "decided_by"),
    empty=("Nothing waits for you.", "기다리는 승인이 없습니다."),
    wanted=ApprovalFilter,
    command="",
)
APPROVAL.verb(
    "decision",
    f"{_VERBS}:decide_approval",
    "Approves or rejects. It is the app's own action, with its right and checks; the first answer counts.",
    ApprovalDecision,
    operation="decide_approval",
    in_commands=False,
)
_WHY = {"reason": ("Reason", "사유")}
# to decide takes the right of the app that asks, and of the inbox no more than to look into it
_DECIDED: dict[str, Any] = {"asks": ApprovalReason, "undo": "undo", "labels": _WHY, "right": Right.READ}
APPROVAL.on_many("approve", ("Approve", "승인"), f"{_VERBS}:approve", **_DECIDED)
APPROVAL.on_many("reject", ("Reject", "반려"), f"{_VERBS}:reject", is_grave=True, **_DECIDED)
APPROVAL.on_many("undo", ("Take back", "되돌리기"), f"{_VERBS}:undo_decision", is_offered=False, right=Right.READ)
