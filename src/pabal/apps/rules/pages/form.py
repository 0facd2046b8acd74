"""The form of a rule: what was typed comes back with what is wrong beside it, and the next moments beside all of it.

Conditions, payload and callbacks are rows. A button adds or removes one and shows the form again: without a script."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Form
from fastapi.responses import Response
from pydantic import AfterValidator, BaseModel, ConfigDict

from pabal.apps.rules.actions import rules as actions
from pabal.apps.rules.actions.checking import Timetable, find_faults, look_ahead
from pabal.apps.rules.errors import RuleRefused
from pabal.apps.rules.labels import MISFIRES, OVERLAPS
from pabal.apps.rules.model.callbacks import CallbackType
from pabal.apps.rules.model.rules import AREA, ZONE, MisfirePolicy, Rule, RuleForm, Run
from pabal.apps.rules.pages import callback_rows, condition_rows, rows
from pabal.apps.rules.pages.callback_rows import CallbackRow, list_callbacks, read_callbacks, show_callbacks
from pabal.apps.rules.pages.condition_rows import ConditionRows, list_condition, read_condition, show_condition
from pabal.apps.rules.pages.offer import WORDS, Offer, load_offer
from pabal.apps.rules.pages.rows import PayloadRows, Posted, list_payload, read_payload, show_payload
from pabal.apps.rules.pages.rule_summary import tell_condition
from pabal.apps.rules.permissions import ScriptCeiling
from pabal.apps.rules.scripts import probe_isolation
from pabal.apps.rules.startup import RulesStartup
from pabal.apps.rules.store import rules as store
from pabal.base.errors import PabalError
from pabal.base.settings import read_app_settings
from pabal.engine.misfires import Overlap
from pabal.platform.actor import Right
from pabal.platform.findings import Finding, texts_by_field
from pabal.platform.language.pairs import Pair
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import read_number
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/rules", include_in_schema=False)
_NUMBER: Pair = ("Write a whole number.", "숫자로 적어 주세요.")
_OPTIONAL_NUMBERS = ("misfire_max", "artifact_days")
ENDS = ("on_success", "on_failure")
# of a new rule: what a first one most often is
_FIRST = RuleForm(
    name="",
    schedule="0 8 * * *",
    source="offline_quote",
    payload={"ticker": "AAPL", "target": 200},
    condition={"path": "price", "op": ">=", "value_from": "target"},
    on_success=[{"type": "telegram", "config": {"template": "{ticker} {price}"}, "when": "changed"}],
)
_ROWS = re.compile(r"(payload|condition|on_success|on_failure|on_(success|failure)-\d{1,4}-input)")


Typed = Annotated[str, AfterValidator(rows.clean)]


class RuleDraft(BaseModel):
    """Every field as it was typed, but those in rows. `do` is the button of a row."""

    model_config = ConfigDict(frozen=True)

    name: Typed = ""
    schedule: Typed = "0 8 * * *"
    zone: Typed = ZONE
    execution_script_path: Typed = ""
    script_function: Typed = ""
    fetch_before_run: Typed = ""
    allow_network: Typed = ""
    read_folders: Typed = ""
    write_folders: Typed = ""
    artifact_days: Typed = ""
    source: Typed = ""
    misfire: Typed = MisfirePolicy.RUN_ONCE.value
    misfire_max: Typed = ""
    overlap: Typed = Overlap.SKIP.value
    timeout_seconds: Typed = "300"
    max_attempts: Typed = "1"
    retry_seconds: Typed = "60"
    cooldown_seconds: Typed = "0"
    unit_id: Typed = ""
    do: Typed = ""
    preview: Typed = ""
    dry_run: Typed = ""


@dataclass(frozen=True, slots=True)
class WrittenRule:
    """All that the form holds, as it was typed."""

    draft: RuleDraft
    payload: PayloadRows
    condition: ConditionRows
    callbacks: Mapping[str, Sequence[CallbackRow]]


@dataclass(frozen=True, slots=True)
class FormReading:
    """`given` are the fields that could be read; each that could not has a finding."""

    given: dict[str, Any]
    faults: list[Finding]


@router.get("/new")
async def new(visit: Visitor) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    return await _show_form(visit, write_rule(_FIRST, visit.scope.unit_id), None)


@router.post("/new")
async def create(visit: Visitor, draft: Annotated[RuleDraft, Form()]) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    return await _take(visit, draft, None)


@router.get("/{rule_id}/edit")
async def edit(visit: Visitor, rule_id: UUID) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        rule = await store.get_rule(tx, visit.scope, rule_id)
    return await _show_form(visit, write_rule(rule, rule.unit_id), rule)


@router.post("/{rule_id}/edit")
async def change(visit: Visitor, rule_id: UUID, draft: Annotated[RuleDraft, Form()]) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        rule = await store.get_rule(tx, visit.scope, rule_id)
    return await _take(visit, draft, rule)


async def _take(visit: Visit, draft: RuleDraft, rule: Rule | None) -> Response:
    form = await visit.request.form()
    posted = {name: rows.clean(value) for name, value in form.items() if isinstance(value, str)}
    if draft.do:
        posted, focus = turn_rows(posted, draft.do)
        return await _show_form(visit, write_posted(draft, posted), rule, focus=focus)
    written = write_posted(draft, posted)
    async with visit.read() as tx:
        offer = await load_offer(tx, visit, read_number(draft.unit_id), written.callbacks)
    reading = read_written(written, offer)
    if reading.faults or draft.preview:
        return await _show_form(visit, written, rule, reading.faults)
    try:
        saved, tried = await _save(visit, draft, rule, reading.given)
    except RuleRefused as refused:
        return await _show_form(visit, written, rule, refused.findings)
    if tried is not None:
        return visit.go(f"/rules/runs/{tried.id}")
    said: Pair = ("Saved: {name}", "저장했습니다: {name}") if rule else ("Made: {name}", "만들었습니다: {name}")
    return visit.go(f"/rules/{saved.id}", said=said, name=saved.name)


async def _save(visit: Visit, draft: RuleDraft, rule: Rule | None, given: dict[str, Any]) -> tuple[Rule, Run | None]:
    unit_id = read_number(draft.unit_id)
    async with visit.change() as tx:
        if rule is None:
            saved = await actions.create_rule(tx, visit.actor, unit_id=unit_id, **given)
        else:
            saved = await actions.edit_rule(tx, visit.actor, rule.id, unit_id=unit_id, **given)
        return saved, await actions.dry_run(tx, visit.actor, saved.id) if draft.dry_run else None


def turn_rows(posted: Posted, do: str) -> tuple[dict[str, str], str]:
    """What was typed with a row more or less, and the field to go on with."""
    verb, _, name = do.partition(":")
    if verb == "anew" and name == condition_rows.NAME:
        left = {field: text for field, text in posted.items() if not field.startswith(f"{name}-")}
        return rows.add_row(left, name, condition_rows.FIRST), f"{name}-0-path"
    if verb == "remove":
        return rows.remove_row(posted, name), f"{name.rpartition('-')[0]}-add"
    if verb != "add" or _ROWS.fullmatch(name) is None:
        return dict(posted), ""
    first = _first_of(name, posted)
    added = rows.add_row(posted, name, first)
    return added, f"{name}-{len(rows.list_rows(added, name)) - 1}-{_first_field(first)}"


def _first_of(name: str, posted: Posted) -> Mapping[str, str]:
    if name == condition_rows.NAME:
        return condition_rows.FIRST
    if name not in ENDS:
        return {"key": "", "kind": rows.TEXT, "value": ""}
    chosen = posted.get(f"{name}-new")
    return {"type": chosen if chosen in list(CallbackType) else CallbackType.TELEGRAM.value}


def _first_field(first: Mapping[str, str]) -> str:
    kind = first.get("type")
    return next(iter(first)) if kind is None else callback_rows.FIELDS[CallbackType(kind)][0]


def write_rule(rule: RuleForm, unit_id: int | None) -> WrittenRule:
    optional = {name: getattr(rule, name) for name in ("execution_script_path", "script_function", "source")}
    numbers = ("misfire_max", "artifact_days", "timeout_seconds", "max_attempts", "retry_seconds", "cooldown_seconds")
    draft = RuleDraft(
        name=rule.name,
        schedule=rule.schedule,
        zone=rule.zone,
        fetch_before_run="yes" if rule.fetch_before_run else "",
        allow_network="yes" if rule.allow_network else "",
        read_folders="\n".join(rule.read_folders),
        write_folders="\n".join(rule.write_folders),
        misfire=rule.misfire.value,
        overlap=rule.overlap.value,
        unit_id="" if unit_id is None else str(unit_id),
        **{name: value or "" for name, value in optional.items()},
        **{name: "" if getattr(rule, name) is None else str(getattr(rule, name)) for name in numbers},
    )
    told = {name: show_callbacks(getattr(rule, name)) for name in ENDS}
    return WrittenRule(draft, show_payload(rule.payload), show_condition(rule.condition), told)


def write_posted(draft: RuleDraft, posted: Posted) -> WrittenRule:
    told = {name: list_callbacks(posted, name) for name in ENDS}
    return WrittenRule(draft, list_payload(posted), list_condition(posted), told)


def read_written(written: WrittenRule, offer: Offer) -> FormReading:
    draft = written.draft
    given: dict[str, Any] = {"name": draft.name, "schedule": draft.schedule, "zone": draft.zone or ZONE}
    for name in ("execution_script_path", "script_function", "source"):
        given[name] = getattr(draft, name) or None
    given |= {"fetch_before_run": bool(draft.fetch_before_run), "allow_network": bool(draft.allow_network)}
    given |= {name: getattr(draft, name).split() for name in ("read_folders", "write_folders")}
    given["misfire"] = MisfirePolicy(draft.misfire) if draft.misfire in list(MisfirePolicy) else MisfirePolicy.RUN_ONCE
    given["overlap"] = Overlap(draft.overlap) if draft.overlap in list(Overlap) else Overlap.SKIP
    given["payload"], of_payload = read_payload(written.payload)
    given["condition"], of_condition = read_condition(written.condition)
    faults = [*_read_numbers(draft, given), *of_payload, *of_condition]
    for name in ENDS:
        given[name], wrong = read_callbacks(written.callbacks[name], name, offer.chosen_from)
        faults += wrong
    return FormReading(given, [*_find_others(given, faults), *faults] if faults else [])


def _find_others(given: dict[str, Any], faults: Sequence[Finding]) -> list[Finding]:
    """What is wrong with the fields that could be read: everything is said at once."""
    unread = {one.field.partition("-")[0] for one in faults}
    return [one for one in find_faults(RuleForm(**given)) if one.field not in unread]


def _read_numbers(draft: RuleDraft, given: dict[str, Any]) -> list[Finding]:
    faults = []
    for name in (*_OPTIONAL_NUMBERS, "timeout_seconds", "max_attempts", "retry_seconds", "cooldown_seconds"):
        text = getattr(draft, name)
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
        if number is None and (text or name not in _OPTIONAL_NUMBERS):
            faults.append(Finding("bad_number", name, _NUMBER))
        given[name] = number
    return faults


async def _show_form(
    visit: Visit, written: WrittenRule, rule: Rule | None, faults: Sequence[Finding] = (), *, focus: str = ""
) -> Response:
    draft = written.draft
    async with visit.read() as tx:
        tree = await load_tree(tx, visit.scope)
        ahead = _look_ahead(draft, tx.now)
        offer = await load_offer(tx, visit, read_number(draft.unit_id), written.callbacks)
    return await visit.show(
        "rules/form.html",
        422 if faults else 200,
        draft=draft,
        written=written,
        told=_tell_closed(written),
        rule=rule,
        ahead=ahead,
        faults=texts_by_field(faults),
        focus=focus,
        offer=offer,
        words=WORDS,
        units=tree.choices(),
        misfires=MISFIRES,
        overlaps=OVERLAPS,
        may_allow=visit.actor.may(Right.MANAGE, AREA),
        ceiling=ScriptCeiling.of(read_app_settings(RulesStartup)),
        isolation=await asyncio.to_thread(probe_isolation),
    )


def _tell_closed(written: WrittenRule) -> Pair | None:
    """In words, where rows cannot show it."""
    kept = rows.read_kept(written.condition.kept) if written.condition.is_closed else None
    payload, _ = read_payload(written.payload)
    try:
        return None if kept is None else tell_condition(kept, payload)
    except (KeyError, TypeError):
        return None


def _look_ahead(draft: RuleDraft, now: datetime) -> Timetable | None:
    """None: it cannot be read yet."""
    try:
        return look_ahead(RuleForm(name="", schedule=draft.schedule, zone=draft.zone or ZONE), now)
    except PabalError:
        return None
