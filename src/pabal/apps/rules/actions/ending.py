"""How a run begins and ends, in the commit of its attempt: its row, its machine, the condition's memory, callbacks."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from pabal.apps.rules.store.rules import ConditionMemory
from pabal.apps.rules.store.runs import DueRun, RunEnd
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import conditions, occurrences
from pabal.engine.subjects import Plain
from pabal.engine.transitions import Because, begin, begin_in, begin_loaded, transition, transition_all
from pabal.platform import settings
from pabal.platform.actor import ENGINE

declare("rules.run_ended", "Runs that ended", labels=("state", "reason"))
# of one run: more moments than that were skipped while it ran
_MOST_SKIPPED = 200
# uncommitted files that are named; of more, the first
_MOST_DIRTY = 200
_EVENTS = {RuleRunState.SUCCESS: RunEvent.SUCCEED, RuleRunState.FAILURE: RunEvent.FAIL}


@dataclass(frozen=True, slots=True)
class EndedRun:
    """`rule` is as it was when the run began; what its condition said meanwhile is read again."""

    rule: Rule
    run: Run
    ended: RunEnd
    ok: bool

    @property
    def state(self) -> RuleRunState:
        return RuleRunState.SUCCESS if self.ok else RuleRunState.FAILURE


async def begin_run(tx: Tx, rule: Rule, at: datetime, trigger: Trigger, *, attempt: int, work_id: int) -> Run | None:
    """None: its moment had its end already, so there is nothing to do."""
    [run] = await begin_runs(tx, [DueRun(rule, at, trigger, attempt, work_id)])
    return run


async def begin_runs(tx: Tx, due: Sequence[DueRun]) -> list[Run | None]:
    """The same for many, in the order given, by a few statements for all."""
    found, new = await runs.begin_due(tx, due)
    await begin(tx, RULE_RUN, new, actor=ENGINE.name)
    return [one if one is not None and one.is_open else None for one in found]


async def end_run(tx: Tx, rule: Rule, run: Run, ended: RunEnd, *, ok: bool) -> None:
    await end_runs(tx, [EndedRun(rule, run, ended, ok)])


async def end_runs(tx: Tx, ended: Sequence[EndedRun]) -> list[bool]:
    """Judges their conditions, tells whom it concerns, and remembers, all in this commit. False: its rule is gone."""
    memory = await rule_store.hold_memory(tx, sorted({one.rule.number for one in ended})) if ended else {}
    living = [one for one in ended if one.rule.number in memory]
    if living:
        await _move(tx, living, await _end_all(tx, living, memory))
        await _note_skipped(tx, living)
    return [one.rule.number in memory for one in ended]


async def insert_ended_runs(tx: Tx, ended: Sequence[EndedRun]) -> None:
    """The same for drafts, which nobody has seen begin: each is written once, with its end."""
    if not ended:
        return
    memory = await rule_store.hold_memory(tx, sorted({one.rule.number for one in ended}))
    kept = await _end_all(tx, ended, memory)
    await runs.insert_ended(tx, [(one.run, one.state, kept[one.run.number]) for one in ended])
    for (state, why), alike in _sort_by_end(ended, kept).items():
        subjects = [Plain(one.number, one.unit_id, state.value, one.version) for one in alike]
        await begin_loaded(tx, RULE_RUN, subjects, {one.id: one.state for one in subjects}, Because(ENGINE.name, why))
        _tell_ended(alike, state, why)
    await _note_skipped(tx, ended)


async def _end_all(tx: Tx, ended: Sequence[EndedRun], memory: dict[int, ConditionMemory]) -> dict[int, RunEnd]:
    before = dict(memory)
    kept = {one.run.number: await _end(tx, one, memory) for one in ended}
    await rule_store.remember(tx, {number: said for number, said in memory.items() if said != before[number]})
    return kept


async def _end(tx: Tx, one: EndedRun, memory: dict[int, ConditionMemory]) -> RunEnd:
    """What is kept of it. Of two runs of a rule the second is judged by what the first one said."""
    rule, run, ended, ok = one.rule, one.run, _clean(one.ended), one.ok
    said = memory.get(rule.number, ConditionMemory())
    judged = _judge(rule, ended) if ok else None
    met = None if judged is None else judged.met
    captured = await calling.tell(tx, rule, run, RunResult(one.state, ended.summary, ended.data, met), said)
    if judged is not None and not run.is_dry:
        is_told = judged.met and calling.was_told(captured)
        memory[rule.number] = ConditionMemory(judged.met, tx.now if is_told else said.told_at)
    if ok:
        captured += await calling.send(tx, rule, run, ended.sends)
        await _keep_memory(tx, rule, run, ended)
    if ended.artifacts:
        await artifacts.hold(tx, run, ended.artifacts)
    checks = [] if judged is None else [each.as_data() for each in judged.checks]
    until = await _keep_until(tx, rule, ended)
    return _trim(ended, met=met, checks=checks, captured=captured, artifacts_until=until)


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


async def _move(tx: Tx, ended: Sequence[EndedRun], kept: Mapping[int, RunEnd]) -> None:
    for (state, why), alike in _sort_by_end(ended, kept).items():
        numbers = sorted(one.number for one in alike)
        noting = runs.noting_ends(tx, [kept[one] for one in numbers])
        event = _EVENTS[state]
        await transition_all(tx, RULE_RUN, numbers, event, actor=ENGINE.name, reason=why, noting=noting)
        _tell_ended(alike, state, why)


def _sort_by_end(
    ended: Sequence[EndedRun], kept: Mapping[int, RunEnd]
) -> dict[tuple[RuleRunState, str | None], list[Run]]:
    """Those that ended alike share their statements."""
    alike = defaultdict[tuple[RuleRunState, str | None], list[Run]](list)
    for one in ended:
        reason = kept[one.run.number].reason
        alike[one.state, None if reason is None else reason.value].append(one.run)
    return alike


def _tell_ended(alike: Sequence[Run], state: RuleRunState, why: str | None) -> None:
    for run in alike:
        emit("rules.run_ended", state=state.value, reason=why or "", run=run.number)


async def _note_skipped(tx: Tx, ended: Sequence[EndedRun]) -> None:
    """Moments that came while these ran, and were skipped for them: the engine's ledger has them."""
    rules, after = dict[int, Rule](), dict[int, datetime]()
    for one in ended:
        if one.rule.timetable_id is not None:
            rules[one.rule.timetable_id] = one.rule
            at = one.run.scheduled_at
            after[one.rule.timetable_id] = min(at, after.get(one.rule.timetable_id, at))
    for found in await occurrences.list_overlapped(tx, after, most=_MOST_SKIPPED) if after else ():
        await _note_unrun(tx, rules[found.schedule_id], found.fire_at, RunReason.SKIPPED_OVERLAP, found.count)


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
