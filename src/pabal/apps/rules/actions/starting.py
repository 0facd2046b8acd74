"""The workflow that a callback `workflow` starts: in the name of the rule's owner, in the commit that ends the run."""

from typing import Any

from pabal.apps.rules.model.callbacks import Callback
from pabal.apps.rules.model.messages import fill_value, list_keys
from pabal.apps.rules.model.rules import Rule, Run
from pabal.base.database import Tx
from pabal.base.errors import PabalError
from pabal.base.telemetry import declare, emit
from pabal.platform.workflows import StartFor, find_depth_behind, find_workflow_for, show_input, start_for

declare("rules.workflow_refused", "Workflows that a rule could not start", labels=("code",), level=30)

# what a template may name that its owner wrote, or this server; all else was read from outside
_OWN = frozenset({"rule_name", "status", "status_emoji", "met", "scheduled_at", "attempt", "payload"})


async def start_workflow(tx: Tx, rule: Rule, run: Run, callback: Callback, values: dict[str, Any]) -> dict[str, Any]:
    """What the run keeps of it. A workflow that cannot be started does not spoil the run: it says why."""
    name, written = callback.config["workflow"], callback.config.get("input", {})
    filled = {key: fill_value(value, values) for key, value in written.items()}
    wanted = StartFor(
        owner=rule.created_by,
        # what is not there is not given, so that the workflow's defaults hold
        input={key: value for key, value in filled.items() if value is not None},
        cause=run.about,
        outside=frozenset(key for key, value in written.items() if _is_from_outside(value)),
        depth=await find_depth_behind(tx, run.about),
    )
    told: dict[str, Any] = {"text": name, "is_sent": False}
    try:
        found = await find_workflow_for(tx, name, rule.unit_id, wanted)
        # whoever may read rules is not always one who may see the workflow
        is_open = found.seen_by == "viewer"
        told |= {"input": show_input(found, wanted.input)} if is_open else {}
        if run.is_dry:
            return told
        async with tx.savepoint():
            made = await start_for(tx, found, wanted)
        return told | {"is_sent": True} | ({"run": made} if is_open else {})
    except PabalError as error:
        emit("rules.workflow_refused", code=error.code, rule=rule.number, reason=str(error))
        return told | {"code": error.code, "problem": str(error)[:500]}


def _is_from_outside(value: Any) -> bool:
    return any(key.partition(".")[0] not in _OWN for key in list_keys(value))
