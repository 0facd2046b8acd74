"""How a run begins and ends, in the commit of its attempt: its row, its machine, the condition's memory, callbacks."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from pabal.apps.rules import artifacts
from pabal.apps.rules import settings as own
from pabal.apps.rules.actions import calling
from pabal.apps.rules.actions.calling import RunResult
from pabal.apps.rules.machine import RULE_RUN, RunEvent
from pabal.apps.rules.model.cleaning import clean_data, clean_text
from pabal.apps.rules.model.rules import LONGEST_LOG, LONGEST_SUMMARY, Rule, RuleRunState, Run, RunReason, Trigger
from pabal.apps.rules.store import rules as rule_store
from pabal.apps.rules.store import runs
from pabal.apps.rules.store.runs import RunEnd
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import conditions, occurrences
from pabal.engine.transitions import Because, begin, begin_in, transition
from pabal.platform import settings
from pabal.platform.actor import ENGINE

declare("rules.run_ended", "Runs that ended", labels=("state", "reason"))
# of one run: more moments than that were skipped while it ran
_MOST_SKIPPED = 200
# uncommitted files that are named; of more, the first
_MOST_DIRTY = 200


async def begin_run(tx: Tx, rule: Rule, at: datetime, trigger: Trigger, *, attempt: int, work_id: int) -> Run | None:
    """None: its moment had its end already, so there is nothing to do."""
    number = await runs.find_at(tx, rule.number, at)
    if number is None:
        number = await runs.insert_run(tx, rule, trigger=trigger, scheduled_at=at, work_id=work_id)
        if number is None:
            return None
        await begin(tx, RULE_RUN, [number], actor=ENGINE.name)
    [run] = await runs.load_runs(tx, [number])
    if not run.is_open:
        return None
    await runs.begin_attempt(tx, number, attempt=attempt, work_id=work_id)
    [run] = await runs.load_runs(tx, [number])
    return run


async def end_run(tx: Tx, rule: Rule, run: Run, ended: RunEnd, *, ok: bool) -> RuleRunState:
    """Judges the condition, tells whom it concerns, and remembers, all in this commit."""
    ended = _clean(ended)
    judged = _judge(rule, ended) if ok else None
    state = RuleRunState.SUCCESS if ok else RuleRunState.FAILURE
    met = None if judged is None else judged.met
    captured = await calling.tell(tx, rule, run, RunResult(state, ended.summary, ended.data, met))
    if judged is not None and not run.is_dry:
        told = judged.met and calling.was_told(captured)
        await rule_store.remember(tx, rule.number, met=judged.met, told_at=tx.now if told else None)
    if ok:
        captured += await calling.send(tx, rule, run, ended.sends)
        await _keep_memory(tx, rule, run, ended)
    await artifacts.hold(tx, run, ended.artifacts)
    checks = [] if judged is None else [one.as_data() for one in judged.checks]
    until = await _keep_until(tx, rule, ended)
    kept = _trim(ended, met=met, checks=checks, captured=captured, artifacts_until=until)
    await _close(tx, run, kept, state)
    await _note_skipped(tx, rule, run)
    return state


async def retry_run(tx: Tx, run: Run, ended: RunEnd) -> None:
    await runs.note_failed_attempt(tx, run.number, _trim(_clean(ended)))
    await transition(
        tx, RULE_RUN, run.number, RunEvent.RETRY, actor=ENGINE.name, reason=clean_text(ended.summary)[:200]
    )


async def stop_run(tx: Tx, rule: Rule, at: datetime, reason: RunReason, summary: str) -> None:
    """The engine ended its job: cancelled, or lost with its server too often. That is a failure like any other."""
    number = await runs.find_at(tx, rule.number, at)
    found = [] if number is None else await runs.load_runs(tx, [number])
    if found and found[0].is_open:
        await end_run(tx, rule, found[0], RunEnd(reason=reason, summary=summary), ok=False)


async def note_missed(tx: Tx, rule: Rule, at: datetime, *, count: int) -> None:
    await _note_unrun(tx, rule, at, RunReason.MISSED, count)


async def _keep_memory(tx: Tx, rule: Rule, run: Run, ended: RunEnd) -> None:
    """For its script's next run. A dry run leaves no trace."""
    if rule.execution_script_path is not None and not run.is_dry:
        await rule_store.keep_memory(tx, rule.number, ended.data)


async def _keep_until(tx: Tx, rule: Rule, ended: RunEnd) -> datetime | None:
    """When its files go: by the rule's own time, or else by the setting as it is now."""
    if not ended.artifacts:
        return None
    days = rule.artifact_days
    return tx.now + (await settings.value(tx, own.KEEP_ARTIFACTS) if days is None else timedelta(days=days))


def _judge(rule: Rule, ended: RunEnd) -> conditions.ConditionResult | None:
    return None if rule.condition is None else conditions.judge(rule.condition, ended.data, rule.payload)


async def _close(tx: Tx, run: Run, ended: RunEnd, state: RuleRunState) -> None:
    await runs.note_end(tx, run.number, ended)
    event = RunEvent.SUCCEED if state is RuleRunState.SUCCESS else RunEvent.FAIL
    reason = None if ended.reason is None else ended.reason.value
    await transition(tx, RULE_RUN, run.number, event, actor=ENGINE.name, reason=reason)
    emit("rules.run_ended", state=state.value, reason=reason or "", run=run.number)


async def _note_skipped(tx: Tx, rule: Rule, run: Run) -> None:
    """Moments that came while this one ran, and were skipped for it: the engine's ledger has them."""
    if rule.timetable_id is None:
        return
    for one in await occurrences.list_occurrences(tx, rule.timetable_id, limit=_MOST_SKIPPED):
        if one.fire_at <= run.scheduled_at:
            return
        if one.reason == "overlap" and one.decision != "enqueued":
            await _note_unrun(tx, rule, one.fire_at, RunReason.SKIPPED_OVERLAP, one.count)


async def _note_unrun(tx: Tx, rule: Rule, at: datetime, reason: RunReason, count: int) -> None:
    number = await runs.insert_unrun(tx, rule, scheduled_at=at, reason=reason, count=count)
    if number is not None:
        because = Because(ENGINE.name, reason.value)
        await begin_in(tx, RULE_RUN, {number: RuleRunState.FAILURE.value}, because)


def _clean(ended: RunEnd) -> RunEnd:
    """What a source or a script answered must not keep its run from ending."""
    return replace(
        ended,
        summary=clean_text(ended.summary),
        log=clean_text(ended.log),
        data=clean_data(ended.data),
        sends=[clean_data(one) for one in ended.sends],
        artifacts=[clean_data(one) for one in ended.artifacts],
        dirty={clean_text(name): digest for name, digest in sorted(ended.dirty.items())[:_MOST_DIRTY]},
    )


def _trim(ended: RunEnd, **more: Any) -> RunEnd:
    """A log that is too long keeps its end, where the failure is."""
    return replace(ended, summary=ended.summary[:LONGEST_SUMMARY], log=ended.log[-LONGEST_LOG:], **more)
