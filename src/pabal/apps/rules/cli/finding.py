"""Finds what a command names, and reads what it says as JSON."""

import json
from typing import Any
from uuid import UUID

from pabal.apps.rules.errors import BadJson, NoSuchRule, NoSuchRun
from pabal.apps.rules.model.callbacks import as_list
from pabal.apps.rules.model.rules import Rule, Run
from pabal.apps.rules.store import rules, runs
from pabal.base.database import Tx
from pabal.base.settings import split_list
from pabal.platform.commands.options import NameAmbiguous
from pabal.platform.tenants import Scope


async def find_rule(tx: Tx, scope: Scope, text: str) -> Rule:
    try:
        return await rules.get_rule(tx, scope, UUID(text))
    except ValueError:
        found = await rules.find_named(tx, scope, text.strip())
    if not found:
        raise NoSuchRule(text[:100])
    if len(found) > 1:
        shown = [str(one.id) for one in await rules.load_rules(tx, found)]
        raise NameAmbiguous(", ".join(shown))
    return await rules.get_numbered(tx, scope, found[0])


async def find_rule_id(tx: Tx, scope: Scope, text: str) -> UUID:
    return (await find_rule(tx, scope, text)).id


async def find_run(tx: Tx, scope: Scope, text: str) -> Run:
    try:
        return await runs.get_run(tx, scope, UUID(text))
    except ValueError as error:
        raise NoSuchRun(text[:100]) from error


async def read_object(tx: Tx, scope: Scope, text: str) -> dict[str, Any]:
    found = _read(text)
    if not isinstance(found, dict):
        raise BadJson(text[:100])
    return found


async def read_callbacks(tx: Tx, scope: Scope, text: str) -> list[Any]:
    return as_list(_read(text))


async def read_folders(tx: Tx, scope: Scope, text: str) -> list[str]:
    return split_list(text)


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadJson(text[:100]) from error
