"""What a step asks people. The engine knows a signal only: deciding the approval sends it in the same commit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, Field

from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.base.sql import load
from pabal.engine.machine import Machine, move
from pabal.engine.transitions import begin, transition
from pabal.engine.workflows import signals
from pabal.engine.workflows.machine import WORKFLOW_RUN, RunEvent
from pabal.engine.workflows.model import SeenBy, read_duration
from pabal.engine.workflows.step_kinds import AwaitSignal, Effect, StepCall, StepFailed
from pabal.platform import approvals, audit
from pabal.platform.actor import Actor, Right, Role, right_of
from pabal.platform.approvals import Approvable, Approval, Asked, Kind, Told
from pabal.platform.controls import MachineControls, NotByHand
from pabal.platform.workflows.steps import SliceStep

SQL = load(__file__)
AREA = "workflows"


class QuestionState(StrEnum):
    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


class QuestionEvent(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"
    WITHDRAW = "withdraw"


WORKFLOW_QUESTION = Machine(
    name="workflow_question",
    table="pabal.workflow_question",
    states=QuestionState,
    initial=QuestionState.OPEN,
    final=(QuestionState.APPROVED, QuestionState.REJECTED, QuestionState.WITHDRAWN),
    moves=(
        move(QuestionEvent.APPROVE, QuestionState.OPEN, QuestionState.APPROVED),
        move(QuestionEvent.REJECT, QuestionState.OPEN, QuestionState.REJECTED),
        move(QuestionEvent.WITHDRAW, QuestionState.OPEN, QuestionState.WITHDRAWN),
    ),
)
# A verb of a run says more than an event's name.
_VERBS = {
    RunEvent.PAUSE: "POST /api/v1/workflow-runs/{id}/pause",
    RunEvent.RESUME: "POST /api/v1/workflow-runs/{id}/resume",
    RunEvent.STOP: "POST /api/v1/workflow-runs/{id}/cancel",
    RunEvent.RETRY: "POST /api/v1/workflow-runs/{id}/retry",
}
_DECISION = NotByHand("POST /api/v1/approvals/{id}/decision")
QUESTION_CONTROLS = MachineControls(
    WORKFLOW_QUESTION,
    AREA,
    {QuestionEvent.APPROVE: _DECISION, QuestionEvent.REJECT: _DECISION, QuestionEvent.WITHDRAW: NotByHand()},
    sees=Right.MANAGE,
)
RUN_CONTROLS = MachineControls(
    WORKFLOW_RUN,
    AREA,
    {event: NotByHand(_VERBS[event]) if event in _VERBS else NotByHand() for event in RunEvent},
    sees=Right.MANAGE,
)


def _kind(name: str) -> Kind:
    return Kind(name, WORKFLOW_QUESTION.name, QuestionEvent.APPROVE, QuestionEvent.REJECT)


# Whoever may see the workflow sees what it asks: one kind for each role of `seen_by`.
REQUESTS = {
    SeenBy.VIEWER: _kind("workflows.question"),
    SeenBy.OPERATOR: _kind("workflows.question_operators"),
    SeenBy.ADMIN: _kind("workflows.question_admins"),
}


class NoSuchQuestion(NotFound, code="workflow_question_not_found"):
    """There is no such question of a workflow, or it is not yours to see."""


@dataclass(frozen=True, slots=True)
class Question:
    id: int
    unit_id: int | None
    run_id: int
    step: str
    title: str
    text: str
    asked_at: datetime
    workflow: str


class ApprovalInput(BaseModel):
    title: str = Field(min_length=1, max_length=200)
    text: str = Field(default="", max_length=3000)
    # how many people must say yes
    people: int = Field(default=1, ge=1, le=2)
    within: str = Field(default="", max_length=20, description="How long it waits, such as 2h or 3d.")
    on_reject: Literal["fail", "go_on"] = "fail"


class ApprovalOutput(BaseModel):
    approved: bool
    by: str = ""
    reason: str = ""


async def _ask(tx: Tx, actor: Actor, given: ApprovalInput, call: StepCall) -> AwaitSignal | StepFailed:
    within = read_duration(given.within) if given.within else None
    if given.within and (within is None or within <= timedelta(0)):
        return StepFailed(f"within is a duration such as 2h, not {given.within}", "bad_step_input", is_final=True)
    question = await tx.value(
        SQL.insert_question,
        unit_id=call.unit_id,
        state=str(QuestionState.OPEN),
        run=call.run_id,
        step=call.step,
        key=call.key,
        title=given.title,
        text=given.text,
    )
    await begin(tx, WORKFLOW_QUESTION, [question], actor=actor.name)
    deadline = None if within is None else tx.now + within
    asked = Asked(question, call.unit_id, actor.name, alike=call.step, deadline_at=deadline, needed=given.people)
    seen_by = SeenBy(await tx.value(SQL.find_seen_by, run=call.run_id))
    await approvals.ask(tx, REQUESTS[seen_by], [asked])
    return AwaitSignal(signal_of(question))


def _read(call: StepCall, data: Mapping[str, Any]) -> ApprovalOutput | StepFailed:
    answer = ApprovalOutput.model_validate(dict(data))
    if answer.approved or call.input.get("on_reject") == "go_on":
        return answer
    return StepFailed(answer.reason or "it was not approved", "not_approved", is_final=True)


async def _withdraw(tx: Tx, actor: Actor, call: StepCall) -> None:
    for row in await tx.rows(SQL.find_open_question, key=call.key):
        await transition(tx, WORKFLOW_QUESTION, row["id"], QuestionEvent.WITHDRAW, actor=actor.name)
        await _settle(tx, row["id"])


def signal_of(question_id: int) -> str:
    return f"question:{question_id}"


APPROVAL_STEP = SliceStep(
    name="platform.approval",
    version=1,
    title=("Ask for an approval", "승인 요청"),
    input=ApprovalInput,
    output=ApprovalOutput,
    area=AREA,
    right=Right.WRITE,
    run=_ask,
    effects=(Effect.MESSAGES,),
    on_signal=_read,
    release=_withdraw,
)


async def approve(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    await _answer(tx, actor, approval, QuestionEvent.APPROVE, reason)


async def reject(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    await _answer(tx, actor, approval, QuestionEvent.REJECT, reason)


async def expire(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    """At its deadline: the answer is no."""
    await transition(tx, WORKFLOW_QUESTION, approval.subject, QuestionEvent.REJECT, actor=actor.name)
    data = {"approved": False, "by": actor.name, "reason": "nobody decided in time"}
    await signals.send(tx, signal_of(approval.subject), data)


async def tell(tx: Tx, asked: Sequence[Approval]) -> dict[int, Told]:
    rows = await tx.all(Question, SQL.load_questions, ids=[one.subject for one in asked])
    found = {row.id: row for row in rows}
    return {one.id: _tell(found[one.subject]) for one in asked if one.subject in found}


async def _answer(tx: Tx, actor: Actor, approval: Approval, event: QuestionEvent, reason: str | None) -> None:
    actor.require(Right.WRITE, AREA)
    found = await tx.all(Question, SQL.load_questions, ids=[approval.subject])
    if not found:
        raise NoSuchQuestion(str(approval.subject))
    await transition(tx, WORKFLOW_QUESTION, approval.subject, event, actor=actor.name, reason=reason)
    await _settle(tx, approval.subject)
    is_yes = event is QuestionEvent.APPROVE
    await signals.send(tx, signal_of(approval.subject), {"approved": is_yes, "by": actor.name, "reason": reason or ""})
    after = {"approved": is_yes, "reason": reason}
    about = f"workflow_run:{found[0].run_id}"
    await audit.record(tx, actor, "workflows.decide", about, unit_id=approval.unit_id, after=after)


async def _settle(tx: Tx, question_id: int) -> None:
    for kind in REQUESTS.values():
        await approvals.settle(tx, kind, [question_id])


def _tell(question: Question) -> Told:
    name, step = question.workflow, question.step
    return Told(
        title=(question.title, question.title),
        will=(("The run goes on", "실행을 이어 갑니다"),),
        why=(
            (f"Workflow {name}, step {step}", f"워크플로우 {name}, {step} 단계"),
            *(((question.text, question.text),) if question.text else ()),
        ),
        href=f"/workflows/runs/{question.run_id}",
    )


QUESTIONS = tuple(
    Approvable(
        kind,
        WORKFLOW_QUESTION,
        AREA,
        Right.WRITE,
        label=("Workflow asks", "워크플로우의 승인 요청"),
        icon="rubber-stamp",
        tell=tell,
        approve=approve,
        reject=reject,
        expired=expire,
        then=("then it counts as rejected", "지나면 반려된 것으로 봅니다"),
        sees=right_of(Role(seen_by.value)),
    )
    for seen_by, kind in REQUESTS.items()
)
