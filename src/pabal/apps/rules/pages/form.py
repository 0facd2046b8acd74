"""The form of a rule: what was typed comes back with what is wrong beside it, and the next moments beside all of it."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Form
from fastapi.responses import Response
from pydantic import AfterValidator, BaseModel, ConfigDict

from pabal.apps.rules.actions import rules as actions
from pabal.apps.rules.actions.checking import Timetable, look_ahead
from pabal.apps.rules.errors import RuleRefused
from pabal.apps.rules.labels import MISFIRES, OVERLAPS
from pabal.apps.rules.lookups import list_labels
from pabal.apps.rules.model.rules import AREA, ZONE, MisfirePolicy, Rule, RuleForm
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
LONGEST = 20_000
_JSON: Pair = ("This is no JSON of the kind that is wanted here.", "여기에 맞는 JSON이 아닙니다.")
_NUMBER: Pair = ("Write a whole number.", "숫자로 적어 주세요.")
_OPTIONAL_NUMBERS = ("misfire_max", "artifact_days")
# of a new rule: what a first one most often is
_EXAMPLE = {"ticker": "AAPL", "target": 200}


def _clean(text: str) -> str:
    return text.replace("\0", "").replace("\r\n", "\n").strip()[:LONGEST]


Typed = Annotated[str, AfterValidator(_clean)]


class RuleDraft(BaseModel):
    """Every field as it was typed."""

    model_config = ConfigDict(frozen=True)

    name: Typed = ""
    schedule: Typed = "0 8 * * *"
    zone: Typed = ZONE
    payload: Typed = "{}"
    execution_script_path: Typed = ""
    script_function: Typed = ""
    fetch_before_run: Typed = ""
    allow_network: Typed = ""
    read_folders: Typed = ""
    write_folders: Typed = ""
    artifact_days: Typed = ""
    source: Typed = ""
    condition: Typed = ""
    on_success: Typed = ""
    on_failure: Typed = ""
    misfire: Typed = MisfirePolicy.RUN_ONCE.value
    misfire_max: Typed = ""
    overlap: Typed = Overlap.SKIP.value
    timeout_seconds: Typed = "300"
    max_attempts: Typed = "1"
    retry_seconds: Typed = "60"
    cooldown_seconds: Typed = "0"
    unit_id: Typed = ""
    preview: Typed = ""


@dataclass(frozen=True, slots=True)
class FormReading:
    """`given` are the fields that could be read; each that could not has a finding."""

    given: dict[str, Any]
    faults: list[Finding]


@router.get("/new")
async def new(visit: Visitor) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    draft = RuleDraft(
        source="offline_quote",
        payload=json.dumps(_EXAMPLE),
        condition=json.dumps({"path": "price", "op": ">=", "value_from": "target"}),
        on_success=json.dumps([{"type": "telegram", "config": {"template": "{ticker} {price}"}, "when": "changed"}]),
        unit_id=str(visit.scope.unit_id or ""),
    )
    return await _show_form(visit, draft, None)


@router.post("/new")
async def create(visit: Visitor, draft: Annotated[RuleDraft, Form()]) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    reading = read_draft(draft)
    if reading.faults or draft.preview:
        return await _show_form(visit, draft, None, reading.faults)
    try:
        async with visit.change() as tx:
            made = await actions.create_rule(tx, visit.actor, unit_id=read_number(draft.unit_id), **reading.given)
    except RuleRefused as refused:
        return await _show_form(visit, draft, None, refused.findings)
    return visit.go(f"/rules/{made.id}", said=("Made: {name}", "만들었습니다: {name}"), name=made.name)


@router.get("/{rule_id}/edit")
async def edit(visit: Visitor, rule_id: UUID) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        rule = await store.get_rule(tx, visit.scope, rule_id)
    return await _show_form(visit, draft_of(rule), rule)


@router.post("/{rule_id}/edit")
async def change(visit: Visitor, rule_id: UUID, draft: Annotated[RuleDraft, Form()]) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        rule = await store.get_rule(tx, visit.scope, rule_id)
    reading = read_draft(draft)
    if reading.faults or draft.preview:
        return await _show_form(visit, draft, rule, reading.faults)
    try:
        async with visit.change() as tx:
            done = await actions.edit_rule(
                tx, visit.actor, rule_id, unit_id=read_number(draft.unit_id), **reading.given
            )
    except RuleRefused as refused:
        return await _show_form(visit, draft, rule, refused.findings)
    return visit.go(f"/rules/{rule_id}", said=("Saved: {name}", "저장했습니다: {name}"), name=done.name)


def read_draft(draft: RuleDraft) -> FormReading:
    given: dict[str, Any] = {"name": draft.name, "schedule": draft.schedule, "zone": draft.zone or ZONE}
    for name in ("execution_script_path", "script_function", "source"):
        given[name] = getattr(draft, name) or None
    given |= {"fetch_before_run": bool(draft.fetch_before_run), "allow_network": bool(draft.allow_network)}
    given |= {name: getattr(draft, name).split() for name in ("read_folders", "write_folders")}
    faults: list[Finding] = []
    for name, kinds, empty in (
        ("payload", dict, {}),
        ("condition", dict, None),
        ("on_success", (dict, list), []),
        ("on_failure", (dict, list), []),
    ):
        try:
            given[name] = _read_json(getattr(draft, name), kinds, empty)
        except ValueError:
            faults.append(Finding("bad_json", name, _JSON))
    for name in (*_OPTIONAL_NUMBERS, "timeout_seconds", "max_attempts", "retry_seconds", "cooldown_seconds"):
        text = getattr(draft, name)
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
        if number is None and (text or name not in _OPTIONAL_NUMBERS):
            faults.append(Finding("bad_number", name, _NUMBER))
        given[name] = number
    given["misfire"] = MisfirePolicy(draft.misfire) if draft.misfire in list(MisfirePolicy) else MisfirePolicy.RUN_ONCE
    given["overlap"] = Overlap(draft.overlap) if draft.overlap in list(Overlap) else Overlap.SKIP
    return FormReading(given, faults)


def draft_of(rule: Rule) -> RuleDraft:
    return RuleDraft(
        name=rule.name,
        schedule=rule.schedule,
        zone=rule.zone,
        payload=_show_json(rule.payload),
        execution_script_path=rule.execution_script_path or "",
        script_function=rule.script_function or "",
        fetch_before_run="yes" if rule.fetch_before_run else "",
        allow_network="yes" if rule.allow_network else "",
        read_folders="\n".join(rule.read_folders),
        write_folders="\n".join(rule.write_folders),
        artifact_days="" if rule.artifact_days is None else str(rule.artifact_days),
        source=rule.source or "",
        condition="" if rule.condition is None else _show_json(rule.condition),
        on_success=_show_json(rule.on_success) if rule.on_success else "",
        on_failure=_show_json(rule.on_failure) if rule.on_failure else "",
        misfire=rule.misfire.value,
        misfire_max="" if rule.misfire_max is None else str(rule.misfire_max),
        overlap=rule.overlap.value,
        timeout_seconds=str(rule.timeout_seconds),
        max_attempts=str(rule.max_attempts),
        retry_seconds=str(rule.retry_seconds),
        cooldown_seconds=str(rule.cooldown_seconds),
        unit_id=str(rule.unit_id),
    )


def _read_json(text: str, kinds: Any, empty: Any) -> Any:
    if not text:
        return empty
    found = json.loads(text)
    if not isinstance(found, kinds):
        raise ValueError(text[:20])
    return found


def _show_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


async def _show_form(visit: Visit, draft: RuleDraft, rule: Rule | None, faults: Sequence[Finding] = ()) -> Response:
    async with visit.read() as tx:
        tree = await load_tree(tx, visit.scope)
        ahead = _look_ahead(draft, tx.now)
    return await visit.show(
        "rules/form.html",
        422 if faults else 200,
        draft=draft,
        rule=rule,
        ahead=ahead,
        faults=texts_by_field(faults),
        units=tree.choices(),
        sources=list_labels(),
        misfires=MISFIRES,
        overlaps=OVERLAPS,
        may_allow=visit.actor.may(Right.MANAGE, AREA),
        ceiling=ScriptCeiling.of(read_app_settings(RulesStartup)),
        isolation=await asyncio.to_thread(probe_isolation),
    )


def _look_ahead(draft: RuleDraft, now: datetime) -> Timetable | None:
    """None: it cannot be read yet."""
    try:
        return look_ahead(RuleForm(name="", schedule=draft.schedule, zone=draft.zone or ZONE), now)
    except PabalError:
        return None
