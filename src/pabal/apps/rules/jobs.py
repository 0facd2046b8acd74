"""rules.run: one moment of a rule. Reads its source, runs its script, judges its condition, tells whom it concerns."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from pabal.apps.rules import artifacts, wording
from pabal.apps.rules.actions import ending
from pabal.apps.rules.actions.ending import EndedRun
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
from pabal.apps.rules.store.runs import DueRun, RunEnd
from pabal.base.clock import elapsed
from pabal.base.database import Database, Tx
from pabal.base.errors import Invalid, PabalError
from pabal.engine.kinds import Job, Kinds, Stop
from pabal.engine.outcome import DONE, Cancel, Fail, Limited, Outcome, Retry
from pabal.engine.recurrence import find_zone

_NOTHING = LookedUp({})
# what the engine calls the end of a job that nobody cancelled: its servers died under it, again and again
_LOST = ("quarantined", "lost")
# of an attempt
Key = tuple[int, int]


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

    async def prepare_all(self, tx: Tx, jobs: Sequence[Job]) -> list[RunToPerform | Outcome]:
        """Those that begin together share the statements that find their rules and open their runs."""
        found = await store.load_plain(tx, [job.args["rule"] for job in jobs])
        living = {number: one for number, one in found.items() if one.state is not RuleState.DELETED}
        due = {job.key: due_of(job, living[job.args["rule"]]) for job in jobs if job.args["rule"] in living}
        chosen = await self._lookups.read_quote_source(tx)
        over = await self._run_at_once(tx, due, chosen)
        left = {key: one for key, one in due.items() if key not in over}
        begun = dict(zip(left, await ending.begin_runs(tx, list(left.values())), strict=True))
        return [
            over.get(job.key) or await self._prepare(tx, job, left.get(job.key), begun.get(job.key), chosen)
            for job in jobs
        ]

    async def _run_at_once(self, tx: Tx, due: Mapping[Key, DueRun], quote_source: str) -> dict[Key, Outcome]:
        """A run that has nobody outside to ask is over in the commit that begins it: one row, written once.

        Not one that is there already, nor one that fails and is tried again: they go the way of all others.
        """
        local = {key: one for key, one in due.items() if self._is_local(one, quote_source)}
        known = await runs.find_due(tx, list(local.values())) if local else {}
        new = {key: one for key, one in local.items() if one.key not in known}
        read = dict[Key, EndedRun]()
        for (key, one), run in zip(new.items(), await runs.draft_runs(tx, list(new.values())), strict=True):
            lookup = Lookup(one.rule.source or "", quote_source)
            found = await self._look_up(RunToPerform(one.rule, run, one.is_last, lookup))
            result = Performed(False, found) if isinstance(found, RunEnd) else answered(found)
            if result.ok or one.is_last:
                read[key] = EndedRun(one.rule, run, result.ended, result.ok)
        await ending.insert_ended_runs(tx, list(read.values()))
        return {key: outcome_of(one) for key, one in read.items()}

    def _is_local(self, due: DueRun, quote_source: str) -> bool:
        rule = due.rule
        is_plain = due.trigger is Trigger.SCHEDULE and rule.execution_script_path is None and rule.source is not None
        return is_plain and self._lookups.is_local(rule.source or "", quote_source=quote_source)

    async def _prepare(
        self, tx: Tx, job: Job, due: DueRun | None, run: Run | None, quote_source: str
    ) -> RunToPerform | Outcome:
        if due is None:
            return Cancel("the rule is gone")
        if run is None:
            return Cancel("this moment has had its run")
        rule = due.rule
        lookup = await self._choose(tx, job, rule, quote_source)
        if isinstance(lookup, Limited):
            await runs.note_waiting(tx, run.number)
            return lookup
        prepared = RunToPerform(rule, run, due.is_last, lookup)
        if rule.execution_script_path is None:
            return prepared
        memory = await store.load_memory(tx, rule.number)
        return replace(prepared, sources=Lookup(QUOTE, quote_source), memory=memory)

    async def perform(self, job: Job, prepared: RunToPerform) -> Performed:
        """Looking up and the script share the rule's time; the script's own limit is what is left of it."""
        rule, began = prepared.rule, elapsed()
        found = await self._look_up(prepared)
        if isinstance(found, RunEnd):
            return Performed(False, found)
        if rule.execution_script_path is None:
            return answered(found)
        seconds = max(1.0, rule.timeout_seconds - (elapsed() - began))
        return await self._run_script(job, prepared, rule.execution_script_path, found, seconds)

    async def record_all(self, tx: Tx, performed: Sequence[tuple[RunToPerform, Performed]]) -> list[Outcome]:
        again = [not result.ok and not prepared.is_last_attempt for prepared, result in performed]
        over = [EndedRun(one.rule, one.run, result.ended, result.ok) for one, result in performed]
        kept = iter(await ending.end_runs(tx, [one for one, is_again in zip(over, again, strict=True) if not is_again]))
        outcomes = list[Outcome]()
        for one, is_again in zip(over, again, strict=True):
            if is_again:
                outcomes.append(await _try_again(tx, one.rule, one.run, one.ended))
            else:
                outcomes.append(outcome_of(one) if next(kept) else Cancel("the rule is gone"))
        return outcomes

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        """Also after a Fail of its own, when the run has its end already."""
        found = await store.load_rules(tx, [job.args["rule"]])
        if found:
            why = RunReason.INTERRUPTED if reason in _LOST else RunReason.CANCELLED
            await ending.stop_run(tx, found[0], read_moment(job), why, _SENTENCES[why])

    async def _choose(self, tx: Tx, job: Job, rule: Rule, quote_source: str) -> Lookup | Limited | PabalError | None:
        """A server that was set up wrongly is the run's failure, to be told like any other."""
        try:
            if rule.source is None:
                return None
            return await self._lookups.choose(tx, job, rule.source, quote_source=quote_source)
        except Invalid as error:
            return error

    async def _look_up(self, prepared: RunToPerform) -> LookedUp | RunEnd:
        """What was found, or the failure of the run."""
        lookup, rule = prepared.lookup, prepared.rule
        if lookup is None:
            return _NOTHING
        try:
            if isinstance(lookup, PabalError):
                raise lookup
            async with asyncio.timeout(rule.timeout_seconds):
                return await self._lookups.ask(lookup, rule.payload, moment=prepared.run.scheduled_at)
        except TimeoutError:
            return RunEnd(reason=RunReason.TIMEOUT, summary=f"{wording.TOO_LONG[0]} ({rule.timeout_seconds} s)")
        except PabalError as error:
            return RunEnd(reason=RunReason.SOURCE_FAILED, summary=str(error))

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


async def _try_again(tx: Tx, rule: Rule, run: Run, ended: RunEnd) -> Retry:
    await ending.retry_run(tx, run, ended)
    return Retry(clean_text(ended.summary)[:200], after=timedelta(seconds=rule.retry_seconds))


def due_of(job: Job, rule: Rule) -> DueRun:
    trigger = Trigger(job.args.get("trigger", Trigger.SCHEDULE.value))
    is_last = job.attempt >= job.max_failures
    return DueRun(rule, read_moment(job), trigger, job.attempt, job.id, is_last=is_last)


def answered(found: LookedUp) -> Performed:
    """Of a run that has no script."""
    ended = RunEnd(summary=found.summary, data=dict(found.data), tokens=found.tokens, cost=float(found.cost))
    return Performed(True, ended)


def outcome_of(one: EndedRun) -> Outcome:
    return DONE if one.ok else Fail((one.ended.reason or RunReason.SCRIPT_FAILED).value)


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
    kinds.shared_steps(RUN, RunRule(lookups, scripts, database))
    return kinds
