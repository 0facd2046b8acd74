"""rules.run: one moment of a rule. Reads its source, runs its script, judges its condition, tells whom it concerns."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from pabal.apps.rules.actions import ending
from pabal.apps.rules.lookups import LookedUp, Lookup, Lookups
from pabal.apps.rules.model.cleaning import clean_text
from pabal.apps.rules.model.rules import RUN, Rule, RuleState, Run, RunReason, Trigger
from pabal.apps.rules.running import ScriptCall, Scripts
from pabal.apps.rules.store import rules as store
from pabal.apps.rules.store import runs
from pabal.apps.rules.store.runs import RunEnd
from pabal.base.database import Tx
from pabal.base.errors import Invalid, PabalError
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import DONE, Cancel, Fail, Limited, Outcome, Retry

_NOTHING = LookedUp({})
# what the engine calls the end of a job that nobody cancelled: its servers died under it, again and again
_LOST = ("quarantined", "lost")


@dataclass(frozen=True, slots=True)
class RunToPerform:
    """`lookup` is what is to be asked, or why nothing can be."""

    rule: Rule
    run: Run
    is_last_attempt: bool
    lookup: Lookup | PabalError | None


@dataclass(frozen=True, slots=True)
class Performed:
    ok: bool
    ended: RunEnd


class RunRule:
    def __init__(self, lookups: Lookups, scripts: Scripts) -> None:
        self._lookups, self._scripts = lookups, scripts

    async def prepare(self, tx: Tx, job: Job) -> RunToPerform | Outcome:
        found = await store.load_rules(tx, [job.args["rule"]])
        if not found or found[0].state is RuleState.DELETED:
            return Cancel("the rule is gone")
        rule, at = found[0], read_moment(job)
        trigger = Trigger(job.args.get("trigger", Trigger.SCHEDULE.value))
        run = await ending.begin_run(tx, rule, at, trigger, attempt=job.attempt, work_id=job.id)
        if run is None:
            return Cancel("this moment has had its run")
        lookup = await self._choose(tx, job, rule)
        if isinstance(lookup, Limited):
            await runs.note_waiting(tx, run.number)
            return lookup
        return RunToPerform(rule, run, job.attempt >= job.max_failures, lookup)

    async def perform(self, job: Job, prepared: RunToPerform) -> Performed:
        rule = prepared.rule
        try:
            async with asyncio.timeout(rule.timeout_seconds):
                return await self._perform(prepared)
        except TimeoutError:
            said = f"Stopped: it took longer than {rule.timeout_seconds} s."
            return Performed(False, RunEnd(reason=RunReason.TIMEOUT, summary=said))

    async def record(self, tx: Tx, prepared: RunToPerform, result: Performed) -> Outcome:
        rule, run, ended = prepared.rule, prepared.run, result.ended
        if not result.ok and not prepared.is_last_attempt:
            await ending.retry_run(tx, run, ended)
            return Retry(clean_text(ended.summary)[:200], after=timedelta(seconds=rule.retry_seconds))
        # what the condition said may have changed meanwhile, where runs overlap
        found = await store.load_rules(tx, [rule.number])
        if not found:
            return Cancel("the rule is gone")
        remembered = replace(rule, last_met=found[0].last_met, told_at=found[0].told_at)
        await ending.end_run(tx, remembered, run, ended, ok=result.ok)
        return DONE if result.ok else Fail((ended.reason or RunReason.SCRIPT_FAILED).value)

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        """Also after a Fail of its own, when the run has its end already."""
        found = await store.load_rules(tx, [job.args["rule"]])
        if found:
            why = RunReason.INTERRUPTED if reason in _LOST else RunReason.CANCELLED
            await ending.stop_run(tx, found[0], read_moment(job), why, _SENTENCES[why])

    async def _choose(self, tx: Tx, job: Job, rule: Rule) -> Lookup | Limited | PabalError | None:
        """A server that was set up wrongly is the run's failure, to be told like any other."""
        try:
            return None if rule.source is None else await self._lookups.choose(tx, job, rule.source)
        except Invalid as error:
            return error

    async def _perform(self, prepared: RunToPerform) -> Performed:
        rule = prepared.rule
        try:
            found = await self._look_up(prepared)
        except PabalError as error:
            return Performed(False, RunEnd(reason=RunReason.SOURCE_FAILED, summary=str(error)))
        if rule.execution_script_path is None:
            cost = float(found.cost)
            return Performed(True, RunEnd(summary=found.summary, data=dict(found.data), tokens=found.tokens, cost=cost))
        return await self._run_script(prepared, rule.execution_script_path, found)

    async def _look_up(self, prepared: RunToPerform) -> LookedUp:
        lookup, rule = prepared.lookup, prepared.rule
        if isinstance(lookup, PabalError):
            raise lookup
        if lookup is None:
            return _NOTHING
        return await self._lookups.ask(lookup, rule.payload, moment=prepared.run.scheduled_at)

    async def _run_script(self, prepared: RunToPerform, script: str, found: LookedUp) -> Performed:
        lines: list[str] = []
        call = ScriptCall(
            run_id=str(prepared.run.id),
            script=script,
            payload=prepared.rule.payload,
            context=context_of(prepared, found),
            seconds=prepared.rule.timeout_seconds,
        )
        end = await self._scripts.run(call, on_line=lines.append, stop=asyncio.Event())
        ended = RunEnd(
            reason=end.reason,
            summary=end.message,
            log=end.log or "\n".join(lines),
            exit_code=end.exit_code,
            commit=end.commit,
            is_dirty=end.is_dirty,
            artifact_path=end.artifact_path,
            data=end.value,
            tokens=found.tokens,
            cost=float(found.cost),
        )
        return Performed(end.ok, ended)


_SENTENCES: Mapping[RunReason, str] = {
    RunReason.INTERRUPTED: "Its server stopped while it ran, several times.",
    RunReason.CANCELLED: "Cancelled before it ended.",
}


def read_moment(job: Job) -> datetime:
    return datetime.fromisoformat(job.args["fire_at"])


def context_of(prepared: RunToPerform, found: LookedUp) -> dict[str, Any]:
    rule, run = prepared.rule, prepared.run
    return {
        "rule_id": str(rule.id),
        "rule_name": rule.name,
        "run_id": str(run.id),
        "scheduled_at": run.scheduled_at.isoformat(),
        "attempt": run.attempt,
        "is_dry": run.is_dry,
        "data": dict(found.data),
    }


def make_kinds(lookups: Lookups, scripts: Scripts) -> Kinds:
    kinds = Kinds()
    kinds.steps(RUN, RunRule(lookups, scripts))
    return kinds
