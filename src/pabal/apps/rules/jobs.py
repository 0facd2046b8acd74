"""rules.run: one moment of a rule. Reads its source, runs its script, judges its condition, tells whom it concerns."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from pabal.apps.rules import settings as own
from pabal.apps.rules.actions import ending
from pabal.apps.rules.data_sources import Fetched, SourceFailed, Sources
from pabal.apps.rules.model.cleaning import clean_text
from pabal.apps.rules.model.rules import RUN, Rule, RuleState, Run, RunReason, Trigger
from pabal.apps.rules.running import ScriptCall, Scripts
from pabal.apps.rules.store import rules as store
from pabal.apps.rules.store.runs import RunEnd
from pabal.base.database import Tx
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import DONE, Cancel, Fail, Outcome, Retry
from pabal.platform import settings

_MILLION = 1_000_000
# what the engine calls the end of a job that nobody cancelled: its servers died under it, again and again
_LOST = ("quarantined", "lost")


@dataclass(frozen=True, slots=True)
class RunToPerform:
    rule: Rule
    run: Run
    is_last_attempt: bool
    token_price: float


@dataclass(frozen=True, slots=True)
class Performed:
    ok: bool
    ended: RunEnd


class RunRule:
    def __init__(self, sources: Sources, scripts: Scripts) -> None:
        self._sources, self._scripts = sources, scripts

    async def prepare(self, tx: Tx, job: Job) -> RunToPerform | Outcome:
        found = await store.load_rules(tx, [job.args["rule"]])
        if not found or found[0].state is RuleState.DELETED:
            return Cancel("the rule is gone")
        rule, at = found[0], read_moment(job)
        trigger = Trigger(job.args.get("trigger", Trigger.SCHEDULE.value))
        run = await ending.begin_run(tx, rule, at, trigger, attempt=job.attempt, work_id=job.id)
        if run is None:
            return Cancel("this moment has had its run")
        price = await settings.value(tx, own.TOKEN_PRICE)
        return RunToPerform(rule, run, job.attempt >= job.max_failures, price)

    async def perform(self, job: Job, prepared: RunToPerform) -> Performed:
        rule = prepared.rule
        try:
            async with asyncio.timeout(rule.timeout_seconds):
                return await self._perform(prepared)
        except TimeoutError:
            said = f"Stopped: it took longer than {rule.timeout_seconds} s."
            return Performed(False, RunEnd(reason=RunReason.TIMEOUT, summary=said))

    async def record(self, tx: Tx, prepared: RunToPerform, result: Performed) -> Outcome:
        rule, run = prepared.rule, prepared.run
        ended = replace(result.ended, cost=result.ended.tokens * prepared.token_price / _MILLION)
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

    async def _perform(self, prepared: RunToPerform) -> Performed:
        rule = prepared.rule
        try:
            fetched = await self._fetch(rule)
        except SourceFailed as error:
            return Performed(False, RunEnd(reason=RunReason.SOURCE_FAILED, summary=str(error)))
        if rule.execution_script_path is None:
            data, tokens = fetched.data, fetched.tokens
            return Performed(True, RunEnd(summary=fetched.summary, data=data, tokens=tokens, exit_code=None))
        return await self._run_script(prepared, rule.execution_script_path, fetched)

    async def _fetch(self, rule: Rule) -> Fetched:
        if rule.source is None:
            return Fetched({})
        source = self._sources.get(rule.source)
        if source is None:
            raise SourceFailed(f"This server has no data source {rule.source}.")
        return await source.fetch(rule.payload)

    async def _run_script(self, prepared: RunToPerform, script: str, fetched: Fetched) -> Performed:
        lines: list[str] = []
        call = ScriptCall(
            run_id=str(prepared.run.id),
            script=script,
            payload=prepared.rule.payload,
            context=context_of(prepared, fetched),
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
            tokens=fetched.tokens,
        )
        return Performed(end.ok, ended)


_SENTENCES: Mapping[RunReason, str] = {
    RunReason.INTERRUPTED: "Its server stopped while it ran, several times.",
    RunReason.CANCELLED: "Cancelled before it ended.",
}


def read_moment(job: Job) -> datetime:
    return datetime.fromisoformat(job.args["fire_at"])


def context_of(prepared: RunToPerform, fetched: Fetched) -> dict[str, Any]:
    rule, run = prepared.rule, prepared.run
    return {
        "rule_id": str(rule.id),
        "rule_name": rule.name,
        "run_id": str(run.id),
        "scheduled_at": run.scheduled_at.isoformat(),
        "attempt": run.attempt,
        "is_dry": run.is_dry,
        "data": fetched.data,
    }


def make_kinds(sources: Sources, scripts: Scripts) -> Kinds:
    kinds = Kinds()
    kinds.steps(RUN, RunRule(sources, scripts))
    return kinds
