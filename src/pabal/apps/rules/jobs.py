"""rules.run: one moment of a rule. Reads its source, runs its script, judges its condition, tells whom it concerns."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from pabal.apps.rules import artifacts, wording
from pabal.apps.rules.actions import ending
from pabal.apps.rules.live_log import LiveLog
from pabal.apps.rules.lookups import LookedUp, Lookup, Lookups
from pabal.apps.rules.model.cleaning import clean_text
from pabal.apps.rules.model.rules import RUN, Rule, RuleState, Run, RunReason, Trigger
from pabal.apps.rules.permissions import allows_of
from pabal.apps.rules.running import ScriptCall, ScriptEnd, Scripts
from pabal.apps.rules.sources.errors import SourceNotFound
from pabal.apps.rules.sources.registry import QUOTE
from pabal.apps.rules.store import rules as store
from pabal.apps.rules.store import runs
from pabal.apps.rules.store.runs import RunEnd
from pabal.base.clock import elapsed
from pabal.base.database import Database, Tx
from pabal.base.errors import Invalid, PabalError
from pabal.engine.kinds import Job, Kinds, Stop
from pabal.engine.outcome import DONE, Cancel, Fail, Limited, Outcome, Retry
from pabal.engine.recurrence import find_zone

_NOTHING = LookedUp({})
# what the engine calls the end of a job that nobody cancelled: its servers died under it, again and again
_LOST = ("quarantined", "lost")


@dataclass(frozen=True, slots=True)
class RunToPerform:
    """`lookup` is what is to be asked, or why nothing can be. Of a script, `sources` is how it reads those that it asks
    for, `memory` what it answered when it last succeeded."""

    rule: Rule
    run: Run
    is_last_attempt: bool
    lookup: Lookup | PabalError | None
    sources: Lookup | None = None
    memory: Any = None


@dataclass(frozen=True, slots=True)
class Performed:
    ok: bool
    ended: RunEnd


class RunRule:
    def __init__(self, lookups: Lookups, scripts: Scripts, database: Database) -> None:
        self._lookups, self._scripts, self._database = lookups, scripts, database

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
        prepared = RunToPerform(rule, run, job.attempt >= job.max_failures, lookup)
        return prepared if rule.execution_script_path is None else await self._prepare_script(tx, job, prepared)

    async def perform(self, job: Job, prepared: RunToPerform) -> Performed:
        """Looking up and the script share the rule's time; the script's own limit is what is left of it."""
        rule, began = prepared.rule, elapsed()
        try:
            async with asyncio.timeout(rule.timeout_seconds):
                found = await self._look_up(prepared)
        except TimeoutError:
            said = f"{wording.TOO_LONG[0]} ({rule.timeout_seconds} s)"
            return Performed(False, RunEnd(reason=RunReason.TIMEOUT, summary=said))
        except PabalError as error:
            return Performed(False, RunEnd(reason=RunReason.SOURCE_FAILED, summary=str(error)))
        if rule.execution_script_path is None:
            cost = float(found.cost)
            return Performed(True, RunEnd(summary=found.summary, data=dict(found.data), tokens=found.tokens, cost=cost))
        seconds = max(1.0, rule.timeout_seconds - (elapsed() - began))
        return await self._run_script(job, prepared, rule.execution_script_path, found, seconds)

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

    async def _prepare_script(self, tx: Tx, job: Job, prepared: RunToPerform) -> RunToPerform:
        sources = await self._lookups.choose(tx, job, QUOTE)
        memory = await store.load_memory(tx, prepared.rule.number)
        return replace(prepared, sources=sources if isinstance(sources, Lookup) else None, memory=memory)

    async def _look_up(self, prepared: RunToPerform) -> LookedUp:
        lookup, rule = prepared.lookup, prepared.rule
        if isinstance(lookup, PabalError):
            raise lookup
        if lookup is None:
            return _NOTHING
        return await self._lookups.ask(lookup, rule.payload, moment=prepared.run.scheduled_at)

    async def _run_script(  # long: who runs what, with which data, how long
        self, job: Job, prepared: RunToPerform, script: str, found: LookedUp, seconds: float
    ) -> Performed:
        run, rule, log, stop = prepared.run, prepared.rule, LiveLog(self._database, prepared.run), asyncio.Event()
        # a server that stops waits for it first, and insists later
        job.on_stop = lambda why: None if why is Stop.SHUTDOWN else stop.set()
        call = ScriptCall(
            run_id=str(run.id),
            script=script,
            unit_id=rule.unit_id,
            payload=rule.payload,
            context=context_of(prepared, found),
            seconds=seconds,
            answer=partial(self._answer, prepared),
            function=rule.script_function,
            is_fetched=rule.fetch_before_run,
            allows=allows_of(rule),
        )
        async with log.shown():
            end = await self._scripts.run(call, on_line=log.add, stop=stop)
        return Performed(end.ok, end_of(end, found, end.log or log.text))

    async def _answer(self, prepared: RunToPerform, source: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """For a script that asks for a source while it runs."""
        if prepared.sources is None:
            raise SourceNotFound(source[:100])
        lookup = replace(prepared.sources, source=source)
        return dict((await self._lookups.ask(lookup, arguments, moment=prepared.run.scheduled_at)).data)


_SENTENCES: Mapping[RunReason, str] = {
    RunReason.INTERRUPTED: wording.INTERRUPTED[0],
    RunReason.CANCELLED: wording.CANCELLED[0],
}


def end_of(end: ScriptEnd, found: LookedUp, log: str) -> RunEnd:
    return RunEnd(
        reason=end.reason,
        summary=end.message,
        log=log,
        exit_code=end.exit_code,
        commit=end.commit,
        dirty=end.dirty,
        artifact_path=artifacts.path_of(end.artifacts),
        artifacts=end.artifacts,
        sends=end.sends,
        data=end.value,
        tokens=found.tokens,
        cost=float(found.cost),
    )


def read_moment(job: Job) -> datetime:
    return datetime.fromisoformat(job.args["fire_at"])


def context_of(prepared: RunToPerform, found: LookedUp) -> dict[str, Any]:
    rule, run = prepared.rule, prepared.run
    return {
        "rule_id": str(rule.id),
        "rule_name": rule.name,
        "run_id": str(run.id),
        "scheduled_for": run.scheduled_at.astimezone(find_zone(rule.zone)).isoformat(),
        "zone": rule.zone,
        "attempt": run.attempt,
        "dry_run": run.is_dry,
        "memory": prepared.memory,
        "data": dict(found.data),
    }


def make_kinds(lookups: Lookups, scripts: Scripts, database: Database) -> Kinds:
    kinds = Kinds()
    kinds.steps(RUN, RunRule(lookups, scripts, database))
    return kinds
