"""What a run asks people, by its callback `approval`: a yes, from the web, Telegram or a command, runs another rule."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from pabal.apps.rules.actions import rules
from pabal.apps.rules.actions.asking import REQUEST
from pabal.apps.rules.errors import NoSuchRun
from pabal.apps.rules.machine import RULE_RUN
from pabal.apps.rules.model.rules import AREA, Run
from pabal.apps.rules.store import runs
from pabal.base.database import Tx
from pabal.platform import approvals, audit
from pabal.platform.actor import Actor, Right
from pabal.platform.approvals import Approvable, Approval, Told, Verdict
from pabal.platform.language.pairs import Pair


async def approve(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    """The right to run a rule is asked for where it is run, too."""
    run, asked = await _find(tx, actor, approval)
    await _close(tx, actor, run, Verdict.APPROVE, reason)
    if asked.get("then"):
        await rules.run_now(tx, actor, UUID(asked["then"]))


async def reject(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    run, _ = await _find(tx, actor, approval)
    await _close(tx, actor, run, Verdict.REJECT, reason)


async def tell(tx: Tx, asked: Sequence[Approval]) -> dict[int, Told]:
    found = {run.number: run for run in await runs.load_runs(tx, [one.subject for one in asked])}
    return {one.id: _tell(found[one.subject]) for one in asked if one.subject in found}


def _tell(run: Run) -> Told:
    asked = _asked_by(run)
    text = asked.get("text") or run.rule_name
    goes_on: Pair = ("A rule runs that waits for this", "이 승인을 기다리는 룰을 실행합니다")
    noted: Pair = ("The answer is noted with the run", "답을 실행 기록에 남깁니다")
    return Told(
        title=(text[:200], text[:200]),
        will=(goes_on if asked.get("then") else noted,),
        why=((f"Rule: {run.rule_name}", f"룰: {run.rule_name}"), (run.log_summary, run.log_summary)),
        href=f"/rules/runs/{run.id}",
    )


async def _find(tx: Tx, actor: Actor, approval: Approval) -> tuple[Run, dict[str, Any]]:
    actor.require(Right.WRITE, AREA)
    found = await runs.load_runs(tx, [approval.subject])
    if not found:
        raise NoSuchRun(str(approval.subject))
    return found[0], _asked_by(found[0])


def _asked_by(run: Run) -> dict[str, Any]:
    return next((one for one in run.captured if one.get("type") == "approval" and one.get("is_sent")), {})


async def _close(tx: Tx, actor: Actor, run: Run, verdict: Verdict, reason: str | None) -> None:
    await approvals.close(tx, REQUEST, [run.number], verdict, actor=actor.name, reason=reason)
    after = {"verdict": verdict.value, "reason": reason}
    await audit.record(tx, actor, "rules.run_decide", run.about, unit_id=run.unit_id, after=after)


APPROVABLES = (
    Approvable(
        REQUEST,
        RULE_RUN,
        AREA,
        Right.WRITE,
        label=("Rule asks", "룰의 승인 요청"),
        icon="rubber-stamp",
        tell=tell,
        approve=approve,
        reject=reject,
        then=("then nobody is asked any more", "지나면 더 묻지 않습니다"),
    ),
)
