"""What people do to rules: make, edit, pause, resume, delete, run now, try without telling anybody."""

from dataclasses import fields, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from pabal.apps.rules.actions import timetables
from pabal.apps.rules.actions.checking import check
from pabal.apps.rules.errors import NoSuchRule
from pabal.apps.rules.machine import RULE, RULE_RUN, RuleEvent
from pabal.apps.rules.model import callbacks
from pabal.apps.rules.model.rules import AREA, RUN, MisfirePolicy, Rule, RuleForm, Run, RunReason, Trigger
from pabal.apps.rules.store import rules as store
from pabal.apps.rules.store import runs
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import facts, forecasts, queue, schedules
from pabal.engine.misfires import Overlap
from pabal.engine.occurrences import Occurrence
from pabal.engine.queue import NewJob
from pabal.engine.schedules import NotAMoment
from pabal.engine.transitions import begin, transition
from pabal.platform import audit, tenants
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import Scope, UnitNotFound, visible_to

declare("rules.created", "Rules made")
declare("rules.asked", "Runs that people asked for", labels=("trigger",))


_MAY_BE_NONE = ("execution_script_path", "script_function", "artifact_days", "source", "condition", "misfire_max")
# what decides which program is run by a rule that allows one more than usual
_PROGRAM = ("execution_script_path", "script_function", "fetch_before_run")


async def create_rule(
    tx: Tx, actor: Actor, *, unit_id: int | None = None, is_active: bool = True, **given: Any
) -> Rule:
    """`given` are the fields of RuleForm."""
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    owner = await _find_owner(tx, scope, unit_id or scope.unit_id)
    form = _read(given)
    _require_for_rights(actor, None, form)
    check(form)
    number = await store.insert_rule(tx, owner, form, created_by=actor.name)
    await begin(tx, RULE, [number], actor=actor.name)
    [made] = await store.load_rules(tx, [number])
    timetable = await timetables.put(tx, made)
    if not is_active:
        await transition(tx, RULE, number, RuleEvent.PAUSE, actor=actor.name)
        await schedules.pause(tx, timetable.id, actor=actor.name)
    emit("rules.created", rule=number)
    return await _record(tx, actor, scope, number, "create", after=_shown(form))


async def edit_rule(tx: Tx, actor: Actor, rule_id: UUID, *, unit_id: int | None = None, **given: Any) -> Rule:
    """Only what is given changes. A run that has begun goes on as the rule was."""
    scope, before = await _hold(tx, actor, rule_id)
    owner = await _find_owner(tx, scope, unit_id or before.unit_id)
    is_active = given.pop("is_active", None)
    form = _read({**form_of(before), **_told(given)})
    _require_for_rights(actor, before, form)
    check(form)
    await store.update_rule(tx, before.number, owner, form)
    [after] = await store.load_rules(tx, [before.number])
    await timetables.put(tx, after)
    await facts.record(tx, "rule.edited", before.about, {}, owner)
    done = await _record(tx, actor, scope, before.number, "edit", before=form_of(before), after=_shown(form))
    if is_active is None or is_active == before.is_active:
        return done
    return await (resume_rule if is_active else pause_rule)(tx, actor, rule_id)


async def pause_rule(tx: Tx, actor: Actor, rule_id: UUID, *, reason: str | None = None) -> Rule:
    """Nothing begins any more until it is resumed; what runs goes on."""
    scope, rule = await _hold(tx, actor, rule_id)
    await transition(tx, RULE, rule.number, RuleEvent.PAUSE, actor=actor.name, reason=reason)
    if rule.timetable_id is not None:
        await schedules.pause(tx, rule.timetable_id, actor=actor.name)
    await timetables.withdraw(tx, rule, reason=RunReason.CANCELLED.value)
    return await _record(tx, actor, scope, rule.number, "pause", after={"reason": reason})


async def resume_rule(tx: Tx, actor: Actor, rule_id: UUID, *, reason: str | None = None) -> Rule:
    """Goes on with its next moment; those while it was paused are not made up for."""
    scope, rule = await _hold(tx, actor, rule_id)
    await transition(tx, RULE, rule.number, RuleEvent.RESUME, actor=actor.name, reason=reason)
    if rule.timetable_id is not None:
        await schedules.resume(tx, rule.timetable_id)
    return await _record(tx, actor, scope, rule.number, "resume", after={"reason": reason})


async def delete_rule(tx: Tx, actor: Actor, rule_id: UUID, *, reason: str | None = None) -> Rule:
    """Its runs stay until their time is over; what runs is stopped."""
    _, rule = await _hold(tx, actor, rule_id)
    await timetables.withdraw(tx, rule, reason=RunReason.CANCELLED.value, also_running=True)
    await transition(tx, RULE, rule.number, RuleEvent.DELETE, actor=actor.name, reason=reason)
    if rule.timetable_id is not None:
        await store.set_timetable(tx, rule.number, None)
        await schedules.delete(tx, rule.timetable_id)
    await store.note_deleted(tx, rule.number)
    await audit.record(
        tx, actor, "rules.rule_delete", rule.about, unit_id=rule.unit_id, before=form_of(rule), after={"reason": reason}
    )
    [gone] = await store.load_rules(tx, [rule.number])
    return gone


async def run_now(tx: Tx, actor: Actor, rule_id: UUID) -> Run:
    """Also while it is paused or another run goes on: a person asked for it. It waits for its turn."""
    _, rule = await _hold(tx, actor, rule_id)
    occurrence = await _trigger(tx, actor, rule)
    [made] = await runs.load_runs(tx, [await _find_run(tx, rule, occurrence.fire_at)])
    await _note_asked(tx, actor, rule, made)
    return made


async def dry_run(tx: Tx, actor: Actor, rule_id: UUID) -> Run:
    """Everything happens but what others would notice: what it would have sent is kept and shown."""
    _, rule = await _hold(tx, actor, rule_id)
    at = tx.now
    while await runs.find_at(tx, rule.number, at) is not None:
        at += datetime.resolution
    args = {"rule": rule.number, "fire_at": at.isoformat(), "trigger": Trigger.DRY_RUN.value}
    job = await queue.enqueue(tx, NewJob(RUN, args, about=rule.about, unit_id=rule.unit_id, max_failures=1))
    number = await _open(tx, actor, rule, Trigger.DRY_RUN, at, work_id=job.id)
    [made] = await runs.load_runs(tx, [number])
    await _note_asked(tx, actor, rule, made)
    return made


async def trigger(tx: Tx, actor: Actor, rule_id: UUID) -> Occurrence:
    """For the general door of schedules, which answers with its ledger."""
    _, rule = await _hold(tx, actor, rule_id)
    occurrence = await _trigger(tx, actor, rule)
    [made] = await runs.load_runs(tx, [await _find_run(tx, rule, occurrence.fire_at)])
    await _note_asked(tx, actor, rule, made)
    return occurrence


async def skip(tx: Tx, actor: Actor, rule_id: UUID, at: datetime | None) -> datetime:
    """One moment, or the next one that is not skipped yet."""
    _, rule = await _hold(tx, actor, rule_id)
    timetable_id = _timetable(rule)
    ahead = await forecasts.preview(tx, timetable_id, 1)
    moment = at or next((one.moment for one in ahead if one.excluded in (None, "paused")), None)
    if moment is None:
        raise NotAMoment(str(rule_id))
    await schedules.skip_one(tx, timetable_id, moment, actor=actor.name)
    await _note(tx, actor, rule, "skip", {"at": moment.isoformat()})
    return moment


async def keep(tx: Tx, actor: Actor, rule_id: UUID, at: datetime) -> None:
    _, rule = await _hold(tx, actor, rule_id)
    await schedules.keep_one(tx, _timetable(rule), at)
    await _note(tx, actor, rule, "keep", {"at": at.isoformat()})


async def find_id(tx: Tx, number: int) -> UUID:
    """For doors that know a rule by its machine's number."""
    found = await store.load_rules(tx, [number])
    if not found:
        raise NoSuchRule(str(number))
    return found[0].id


def form_of(rule: RuleForm) -> dict[str, Any]:
    return {one.name: getattr(rule, one.name) for one in fields(RuleForm)}


def _told(given: dict[str, Any]) -> dict[str, Any]:
    """Null says that there is none of it, where a rule may have none; elsewhere it says nothing."""
    return {name: value for name, value in given.items() if value is not None or name in _MAY_BE_NONE}


def _read(given: dict[str, Any]) -> RuleForm:
    """Callbacks may be one object, and an empty text stands for nothing."""
    form = RuleForm(**given)
    misfire, overlap = MisfirePolicy(form.misfire), Overlap(form.overlap)
    return replace(
        form,
        name=form.name.strip(),
        misfire=misfire,
        overlap=overlap,
        schedule=" ".join(form.schedule.split()),
        execution_script_path=form.execution_script_path or None,
        script_function=form.script_function or None,
        read_folders=[one.rstrip("/") or one for one in form.read_folders],
        write_folders=[one.rstrip("/") or one for one in form.write_folders],
        source=form.source or None,
        on_success=callbacks.as_list(form.on_success),
        on_failure=callbacks.as_list(form.on_failure),
    )


def _require_for_rights(actor: Actor, before: RuleForm | None, form: RuleForm) -> None:
    """Network and folders are an administrator's to allow, and so is another script for a rule that has them."""
    network, read, write = form.script_rights
    had_network, had_read, had_write = (False, frozenset(), frozenset()) if before is None else before.script_rights
    is_wider = network > had_network or not (read <= had_read and write <= had_write)
    is_other = before is not None and any(getattr(before, one) != getattr(form, one) for one in _PROGRAM)
    if is_wider or (is_other and (network or read or write)):
        actor.require(Right.MANAGE, AREA)


async def _trigger(tx: Tx, actor: Actor, rule: Rule) -> Occurrence:
    occurrence = await schedules.trigger_now(tx, _timetable(rule), actor=actor.name)
    await _open(tx, actor, rule, Trigger.MANUAL, occurrence.fire_at, work_id=occurrence.work_id)
    return occurrence


async def _open(tx: Tx, actor: Actor, rule: Rule, trigger: Trigger, at: datetime, *, work_id: int | None = None) -> int:
    number = await runs.insert_run(
        tx,
        rule,
        trigger=trigger,
        scheduled_at=at,
        work_id=work_id,
        reason=RunReason.WAITING,
        requested_by=actor.name,
    )
    if number is None:
        raise LookupError(f"rule {rule.number} has a run at {at.isoformat()}")
    await begin(tx, RULE_RUN, [number], actor=actor.name)
    return number


async def _find_run(tx: Tx, rule: Rule, at: datetime) -> int:
    found = await runs.find_at(tx, rule.number, at)
    if found is None:
        raise LookupError(f"rule {rule.number} has no run at {at.isoformat()}")
    return found


def _timetable(rule: Rule) -> int:
    if rule.timetable_id is None:
        raise NoSuchRule(str(rule.id))
    return rule.timetable_id


async def _hold(tx: Tx, actor: Actor, rule_id: UUID) -> tuple[Scope, Rule]:
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    return scope, await store.get_numbered(tx, scope, await store.hold_rule(tx, rule_id), rule_id)


async def _find_owner(tx: Tx, scope: Scope, unit_id: int | None) -> int:
    if unit_id is None or not scope.holds(unit_id):
        raise UnitNotFound(str(unit_id))
    await tenants.get_unit(tx, unit_id)
    return unit_id


async def _note_asked(tx: Tx, actor: Actor, rule: Rule, run: Run) -> None:
    emit("rules.asked", trigger=run.trigger.value, rule=rule.number)
    verb = "dry_run" if run.is_dry else "run"
    await _note(tx, actor, rule, verb, {"run": str(run.id)})


async def _note(tx: Tx, actor: Actor, rule: Rule, verb: str, after: dict[str, Any]) -> None:
    await audit.record(tx, actor, f"rules.rule_{verb}", rule.about, unit_id=rule.unit_id, after=after)


def _shown(form: RuleForm) -> dict[str, Any]:
    return {name: str(value) if hasattr(value, "value") else value for name, value in form_of(form).items()}


async def _record(
    tx: Tx,
    actor: Actor,
    scope: Scope,
    number: int,
    verb: str,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any],
) -> Rule:
    rule = await store.get_numbered(tx, scope, number)
    await audit.record(tx, actor, f"rules.rule_{verb}", rule.about, unit_id=rule.unit_id, before=before, after=after)
    return rule
