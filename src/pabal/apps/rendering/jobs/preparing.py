"""Prepare: the data becomes nexrender's job, and whatever cannot succeed is refused before anything is rendered."""

import json
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.farm import Farm, Template
from pabal.apps.rendering.files.errors import PathNotMapped
from pabal.apps.rendering.jobs.context import Failure, RenderContext, as_report
from pabal.apps.rendering.model import gfx, mapping, nexjob
from pabal.apps.rendering.model.faults import Ladder
from pabal.apps.rendering.model.mapping import Assigned
from pabal.apps.rendering.model.preflight import FOR_ADMINISTRATORS
from pabal.apps.rendering.model.renders import Reason, Stage
from pabal.apps.rendering.preflights import find_problems
from pabal.apps.rendering.store import traces
from pabal.base.database import Tx
from pabal.platform.findings import FieldsRefused, Finding

NAS = frozenset({"nas_unwritable", "nas_low"})


@dataclass(frozen=True, slots=True)
class Prepared:
    """`output` is where nexrender's worker puts the film, in its words."""

    job: dict[str, Any]
    output: str
    template: Template


async def prepare(context: RenderContext) -> Prepared:
    await context.enter(Stage.PREPARE)
    template = context.work.template
    if template is None:
        raise Failure(Reason.COMPOSITION_MISSING, context.render.composition_id)
    assigned = _assign(context, template)
    render = context.render
    if render.submitted_at is None:
        await _fly(context, template, assigned)
    output = context.farm.rendered_name(render.id, render.attempt, template.composition.output_ext)
    job = nexjob.build(render.uid, template.composition, assigned, output=output)
    await context.write(_keeping(context, job, assigned))
    return Prepared(job, output, template)


def _assign(context: RenderContext, template: Template) -> Assigned:
    try:
        data = json.loads(context.vault.open(context.work.gfx_sealed))
        return mapping.assign(gfx.parse(data), template.composition, template.mappings)
    except FieldsRefused as refused:
        raise Failure(Reason.DATA_UNREADABLE, _say(refused.findings)) from refused


async def _fly(context: RenderContext, template: Template, assigned: Assigned) -> None:
    """Everything that is wrong at once. A NAS that is away may come back; nothing else does by waiting."""
    values = context.values
    ladder = Ladder(values[own.NAS_DELAY], values[own.NAS_RETRIES])
    while True:
        findings = await find_problems(context.farm, template.composition, assigned)
        if not findings:
            return await context.recovered()
        codes = {one.code for one in findings}
        if codes & FOR_ADMINISTRATORS:
            is_missing = "template_missing" in codes
            raise Failure(Reason.TEMPLATE_MISSING if is_missing else Reason.TEMPLATE_UNUSABLE, _say(findings))
        if not all(one.code in NAS for one in findings):
            raise Failure(Reason.PREFLIGHT_FAILED, _say(findings))
        await context.stumble(Reason.NAS_UNAVAILABLE, ladder, _say(findings))


def _keeping(context: RenderContext, job: dict[str, Any], assigned: Assigned) -> Any:
    sealed = context.vault.seal(json.dumps(job, ensure_ascii=False))

    async def keep(tx: Tx) -> None:
        render = context.render
        report = as_report(assigned.report)
        await traces.note_sent(tx, render.id, render.attempt, uid=render.uid, job_json=sealed, report=report)
        count = len(assigned.assets)
        await context.log(tx, "DEBUG", f"JSON built: {count} layers, {len(assigned.report.unmapped)} fields unmapped")
        for field in assigned.report.unmapped:
            await context.log(tx, "WARNING", f"no layer for field {field}: skipped")

    return keep


def server_path(farm: Farm, path: str) -> Path:
    """Where this server finds what the worker wrote."""
    try:
        return Path(farm.paths.to_server(path))
    except PathNotMapped as error:
        raise Failure(Reason.OUTPUT_MISSING, str(error)) from error


def nas_ladder(context: RenderContext) -> Ladder:
    return Ladder(context.values[own.NAS_DELAY], context.values[own.NAS_RETRIES])


def nexrender_ladder(context: RenderContext) -> Ladder:
    delay: timedelta = context.values[own.RETRY_DELAY]
    return Ladder(delay, context.values[own.RETRIES], factor=2)


def _say(findings: list[Finding] | tuple[Finding, ...]) -> str:
    return " ".join(one.text[0] for one in findings)
